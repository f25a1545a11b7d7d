"""The conventions box: what a number means, said beside it, in words and no longer than it is read.

Its lines come from the derivations that decide, so that it cannot disagree with them: what is given, the recipe with
its split, which capacity is meant, units, what is left out, the relations' assumptions, what holds by default. An
assumption about a technique that no plan of the question uses is not said, nor is a default that changes nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quiz.bank.conventions_words import assumption_words, default_words
from quiz.bank.problems import FOUND
from quiz.bank.standing import Plans
from quiz.bank.wording import short_name
from solvers.solver import MissingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quiz.bank.scope import Scope
    from quiz.bank.ways import Notes

_RECIPE: Final = "Bytes per parameter"
_WIRE: Final = "On the wire:"
_CAPACITY: Final = re.compile(r"(?P<said>Capacity: .*? a GPU) \(.*?(?P<date>as of [0-9-]+)?\)\.$")
_DEFAULTS: Final = "Defaults: "
_DECIMAL: Final = "1 GB = 1e9 B."
_BINARY: Final = "1 GiB = 2^30 B."
_ANY_DECIMAL: Final = re.compile(r"1 [kMGTP]?B = 1e[0-9]+ B\.$")
_TOTAL: Final = frozenset({"memory.total_per_gpu", "memory.margin_per_gpu", "adapter.total_per_gpu"})
_STATE: Final = frozenset({"memory.state_per_gpu", "memory.state_total"})


def box(scope: Scope, notes: Notes, named: Sequence[str], unit: str) -> tuple[str, ...]:
    """The lines of the box of a question whose base scenario is `scope`; `unit` is that of a typed answer."""
    plans = Plans(scope.world)
    said = _with_whole_recipe([line for line in notes.conventions if not line.startswith(_DEFAULTS)], scope)
    said = [line for line in said if not _is_part_of_another(line, said)]
    facts = [_without_source(line) for line in said if line.startswith((_RECIPE, "Capacity:", _WIRE))]
    units = [_DECIMAL, _BINARY] if "iB" in unit else []
    said = [_in_the_unit_of_the_answer(line, unit) for line in said]
    others = [line for line in said if not line.startswith((_RECIPE, "Capacity:", _WIRE, "Not counted:"))]
    assumed = [words for line in others if (words := assumption_words(line, plans))]
    lines = [*_given(scope), *named, *facts, *_left_out(scope, notes), *assumed, *units]
    return tuple(dict.fromkeys([*lines, *default_words(_defaults_of(notes), plans)]))


def _in_the_unit_of_the_answer(line: str, unit: str) -> str:
    """Decimal prefixes are said once: of the unit that is asked for, or of the one that people speak in."""
    decimal = _ANY_DECIMAL.match(line) is not None
    return _DECIMAL if decimal and not line.startswith(f"1 {unit} = ") else line


def _without_source(line: str) -> str:
    """A capacity with its date, and without the title of the data sheet."""
    found = _CAPACITY.match(line)
    if found is None:
        return line
    return f"{found['said']} ({found['date']})." if found["date"] else f"{found['said']}."


def _with_whole_recipe(lines: list[str], scope: Scope) -> list[str]:
    """The lines with the whole split of the recipe first, instead of the parts that single figures use."""
    if not any(line.startswith(_RECIPE) for line in lines):
        return lines
    try:
        whole = [
            line for line in scope.derivation("recipe.bytes_per_parameter").conventions if line.startswith(_RECIPE)
        ]
    except MissingError:
        return lines  # only some parts of a recipe are stated, so the parts are all there is to say
    heads = {line.partition(":")[0] for line in whole}
    return [*whole, *(line for line in lines if line.partition(":")[0] not in heads)]


def _is_part_of_another(line: str, lines: Sequence[str]) -> bool:
    """Whether a line of the wire says less than another one: the figures of several options rest on both."""
    return line.startswith(_WIRE) and any(
        other != line and other.startswith(_WIRE) and _parts(line) < _parts(other) for other in lines
    )


def _parts(line: str) -> frozenset[str]:
    return frozenset(line.removeprefix(_WIRE).strip(" .").split(", "))


def _given(scope: Scope) -> list[str]:
    return [
        f"Given: {short_name(name)}, {scope.shown(name).text}."
        for name, stated in scope.scenario.items()
        if stated.origin == "pinned"
    ]


def _left_out(scope: Scope, notes: Notes) -> list[str]:
    """What the deciding figures do not count: nothing that is given, and no more than they could have counted."""
    if notes.names & _TOTAL:
        reserved = _is_reserved(scope)
        counted = ["State"]
        counted += ["activations"] if "memory.activations_per_gpu" in notes.names else []
        counted += ["the reserve"] if reserved else []
        missing = "fragmentation, CUDA context" if reserved else "layers being gathered, buffers, fragmentation"
        verb = "is" if len(counted) == 1 else "are"
        return [f"{_listed(counted)} {verb} counted; {missing} are not."]
    if notes.names & _STATE:
        return ["State is weights, gradients and optimizer state; activations and buffers come on top."]
    return []


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _is_reserved(scope: Scope) -> bool:
    try:
        value = scope.solver.quantity("memory.reserve_per_gpu")
    except FOUND:
        return False
    return bool(value.value)


def _defaults_of(notes: Notes) -> dict[str, str]:
    """All that holds in any derivation because nothing else is said there, by name."""
    said = [
        one.partition(" = ")
        for line in notes.conventions
        if line.startswith(_DEFAULTS)
        for one in line.removeprefix(_DEFAULTS).removesuffix(".").split(", ")
    ]
    return {name: text for name, _, text in said}
