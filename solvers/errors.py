"""Why a scenario does not give a quantity; each message is a sentence for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solvers.expr.tree import Expr
    from solvers.relation import Law

_TOLD: Final = 4
"""So many ways to give what is missing are told; more would bury them."""


class SolveError(ValueError):
    """The scenario does not give the quantity; the message says what is missing or contradictory.

    `where` is the part of an expression that it is about, where one is known; `hint` says what to do, where that can
    be said.
    """

    where: Expr | None = None
    hint: str = ""


class MissingError(SolveError):
    """Quantities that would have to be stated; `needs` names them.

    `instead` says of what may be stated or derived from what it would follow; `ways` are those worth telling.
    `silent` names for a figure the preset that is stated and has none: a GPU without bf16.
    """

    def __init__(
        self,
        target: str,
        needs: tuple[str, ...],
        instead: Mapping[str, tuple[str, ...]] | None = None,
        silent: Mapping[str, str] | None = None,
    ) -> None:
        self.target, self.needs = target, needs
        self.silent = silent if silent is not None else {}
        self.ways = _ways(needs, instead or {})
        missing = [need for need in needs if need != target]
        said = (
            f"{target} needs {', '.join(missing)}, which the scenario does not state"
            if missing
            else f"{target} is not stated"
        )
        follow = "".join(f"; {name} would follow from {', '.join(lacks)}" for name, lacks in self.ways.items())
        none = "".join(f"; {preset} has no {name}" for name, preset in self.silent.items()
                       if name in needs or any(name in lacks for lacks in self.ways.values()))  # fmt: skip
        super().__init__(said + none + follow)


def _ways(needs: tuple[str, ...], instead: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """From what the missing would follow, and what is missing for that in turn, each told once."""
    said: dict[str, tuple[str, ...]] = {}
    told = set(needs)
    open_ = list(needs)
    while open_ and len(said) < _TOLD:
        name = open_.pop(0)
        lacks = instead.get(name, ())
        if len(lacks) <= _TOLD and not told.issuperset(lacks):
            said[name] = lacks
            open_ += [lack for lack in lacks if lack not in told]
            told.update(lacks)
    return said


class CycleError(MissingError):
    """A quantity that is stated or derived by itself."""

    def __init__(self, target: str, path: tuple[str, ...]) -> None:
        super().__init__(target, (target,))
        self.args = (f"{target} depends on itself ({' -> '.join(path)})",)


class LawError(SolveError):
    """The scenario contradicts itself: a layout that the cluster cannot hold, a degree that does not divide.

    `law` is what does not hold.
    """

    def __init__(self, message: str, law: Law | None = None) -> None:
        self.law = law
        super().__init__(message)


class InverseError(SolveError):
    """No input answers: the condition never holds, always holds, or does not depend on what is sought."""


class DomainError(SolveError):
    """A value of the wrong kind, or outside what the quantity can be; `name` is the quantity's, where it has one."""

    def __init__(self, message: str, name: str = "") -> None:
        self.name = name
        super().__init__(message)
