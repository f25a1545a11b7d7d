"""Relations: one equation each, with its source and assumptions, and the registry that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from solvers.record import Record

if TYPE_CHECKING:
    from solvers.expr.tree import Expr


class Source(Record):
    """Where a relation or a fact comes from; `as_of` for facts that move."""

    key: str
    title: str
    where: str = ""
    address: str = ""
    as_of: str = ""

    def __str__(self) -> str:
        """The source in one line: title, place, address, date."""
        parts = [self.title, self.where, self.address, f"as of {self.as_of}" if self.as_of else ""]
        return ", ".join(part for part in parts if part)


class Slip(Record):
    """A named mistake: the scenario patched by `set`, or `expr` instead of the asked quantity.

    `kind` is "mistake", or "convention" for a reading that is right elsewhere and is told so.
    """

    id: str
    says: str
    set: Mapping[str, Expr] | None = None
    expr: Expr | None = None
    kind: Literal["mistake", "convention"] = "mistake"


Reasons: TypeAlias = Mapping[Any, tuple[str, str]]
"""By condition: why it matters where it holds, and where it does not (nothing to say: an empty sentence)."""
_NO_REASONS: Final[Reasons] = MappingProxyType({})


class Relation(Record):
    """`target = expr`. `because` is the sentence a person says; `assumptions` are shown beside the number.

    `reasons` says for a condition of a `when` why it matters: one sentence where it holds, one where not.
    `drops` names counts that cancel by meaning (a degree is a plain number, though GPUs divided by GPUs per
    replica have a dimension); every other dimension must come out exactly.
    `stated` names inputs whose default would be no answer: they must be stated. `unless` names quantities
    that, once stated, ask for another relation of the target.
    """

    target: str
    expr: Expr
    because: str
    source: Source
    assumptions: tuple[str, ...] = ()
    slips: tuple[Slip, ...] = ()
    reasons: Reasons = _NO_REASONS
    drops: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


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


class Law(Record):
    """What must hold of a scenario: checked when a quantity of `on` is resolved and all of `knows` are stated.

    `any_of`: at least one of them is stated; `unless`: none of them is.

    `sentence` is said where it does not hold; `{layout.dp}` in it is replaced by the value.
    """

    on: str
    condition: Expr
    sentence: str
    knows: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


class Laws:
    """The registry of laws by the quantity that brings them up."""

    def __init__(self) -> None:
        self._on: dict[str, tuple[Law, ...]] = {}

    def add(self, law: Law) -> Law:
        """Register and return a law."""
        self._on[law.on] = (*self._on.get(law.on, ()), law)
        return law

    def on(self, name: str) -> tuple[Law, ...]:
        """The laws to check when `name` is resolved."""
        return self._on.get(name, ())

    @property
    def all(self) -> tuple[Law, ...]:
        """Every law."""
        return tuple(law for group in self._on.values() for law in group)


LAWS: Final = Laws()
