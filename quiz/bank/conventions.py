"""The conventions box: what a number means, said beside it.

Its lines come from the derivations that decide, so that it cannot disagree with them: the recipe with its split,
units, which capacity is meant, the relations' assumptions, what holds by default. Added are what is given and what
the author names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quiz.bank.scope import Scope
    from quiz.bank.ways import Notes

_DEFAULT: Final = "Default"
_DECIMAL: Final = "1 GB = 1e9 B."
_BINARY: Final = "1 GiB = 2^30 B."


def box(scope: Scope, notes: Notes, named: Sequence[str], unit: str) -> tuple[str, ...]:
    """The lines of the box of a question whose base scenario is `scope`; `unit` is that of a typed answer."""
    said = [line for line in notes.conventions if not line.startswith(_DEFAULT)]
    lines = [*_given(scope), *named, *said]
    if "iB" in unit:
        lines += [_DECIMAL, _BINARY]
    return tuple(dict.fromkeys([*lines, *_defaults(notes)]))


def _given(scope: Scope) -> list[str]:
    return [f"Given, not derived: {CATALOGUE[name].meaning}, {scope.shown(name).text}."
            for name, stated in scope.scenario.items() if stated.origin == "pinned"]


def _defaults(notes: Notes) -> list[str]:
    """One line for all that holds because nothing else is said."""
    defaults = [step for step in notes.steps.values() if step.origin == "default"]
    said = [f"{step.name} = {step.value}" for step in defaults]
    return [f"Where nothing else is said: {', '.join(said)}."] if said else []
