"""The conventions box: what a number means, said beside it.

Its lines come from the derivations that decide, so that it cannot disagree with them: the recipe with its split,
units, which capacity is meant, the relations' assumptions, what holds by default. Added are what is given and what
the author names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.solver import MissingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quiz.bank.scope import Scope
    from quiz.bank.ways import Notes

_RECIPE: Final = "Bytes per parameter"
_WIRE: Final = "On the wire:"
_DEFAULTS: Final = "Defaults: "
_DECIMAL: Final = "1 GB = 1e9 B."
_BINARY: Final = "1 GiB = 2^30 B."


def box(scope: Scope, notes: Notes, named: Sequence[str], unit: str) -> tuple[str, ...]:
    """The lines of the box of a question whose base scenario is `scope`; `unit` is that of a typed answer."""
    said = _with_whole_recipe([line for line in notes.conventions if not line.startswith(_DEFAULTS)], scope)
    said = [line for line in said if not _is_part_of_another(line, said)]
    lines = [*_given(scope), *named, *said]
    if "iB" in unit:
        lines += [_DECIMAL, _BINARY]
    return tuple(dict.fromkeys([*lines, *_defaults(notes)]))


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
        f"Given, not derived: {CATALOGUE[name].meaning}, {scope.shown(name).text}."
        for name, stated in scope.scenario.items()
        if stated.origin == "pinned"
    ]


def _defaults(notes: Notes) -> list[str]:
    """One line for all that holds in any derivation because nothing else is said there."""
    said = [
        one
        for line in notes.conventions
        if line.startswith(_DEFAULTS)
        for one in line.removeprefix(_DEFAULTS).removesuffix(".").split(", ")
    ]
    return [f"Where nothing else is said: {', '.join(dict.fromkeys(said))}."] if said else []
