"""Relations: one equation each, with its source and assumptions, and the registry that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from solvers.expr.tree import Expr


@dataclass(frozen=True, slots=True)
class Source:
    """Where a relation or a fact comes from; `as_of` for facts that move."""

    key: str
    title: str
    where: str = ""
    address: str = ""
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class Slip:
    """A named mistake: the scenario patched by `set`, or `expr` instead of the asked quantity.

    `kind` is "mistake", or "convention" for a reading that is right elsewhere and is told so.
    """

    id: str
    says: str
    set: Mapping[str, Expr] | None = None
    expr: Expr | None = None
    kind: Literal["mistake", "convention"] = "mistake"


@dataclass(frozen=True, slots=True)
class Relation:
    """`target = expr`. `because` is the sentence a person says; `assumptions` are shown beside the number."""

    target: str
    expr: Expr
    because: str
    source: Source
    assumptions: tuple[str, ...] = ()
    slips: tuple[Slip, ...] = ()


class Relations:
    """The registry: for each target its relations, in the order in which they are tried."""

    def __init__(self) -> None:
        self._by_target: dict[str, tuple[Relation, ...]] = {}

    def add(self, relation: Relation) -> Relation:
        """Register and return a relation. A target may have several: the first whose inputs are known is used."""
        self._by_target[relation.target] = (*self._by_target.get(relation.target, ()), relation)
        return relation

    def of(self, target: str) -> tuple[Relation, ...]:
        """The relations that give `target`; empty for a plain input."""
        return self._by_target.get(target, ())

    @property
    def all(self) -> tuple[Relation, ...]:
        """Every relation, by target in the order of registration."""
        return tuple(relation for group in self._by_target.values() for relation in group)


RELATIONS: Final = Relations()
