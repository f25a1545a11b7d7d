"""The relations and laws in the form in which they are computed: checked for units once, then bare functions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from solvers.catalogue import CATALOGUE, LARGEST, SymbolInfo
from solvers.expr.compiled import Bare, Compiled, compiled
from solvers.expr.dimension import COUNTS, Dimension
from solvers.expr.evaluate import DimensionError
from solvers.expr.static import dimension_of
from solvers.expr.tree import Number, Text
from solvers.record import Record
from solvers.relation import LAWS, RELATIONS, Law, Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Container


class Ready(Record):
    """A relation with its function."""

    relation: Relation
    function: Compiled


class ReadyLaw(Record):
    """A law with its function."""

    law: Law
    function: Compiled


class Plan(Record):
    """How a quantity is worked out: its relations in order, else its default; what it must be, what it brings up.

    `constant` is the default of a plain input, where it depends on nothing; `conditional` says that it depends on what
    is stated which relations and laws apply.
    """

    info: SymbolInfo
    relations: tuple[Ready, ...]
    default: Compiled | None
    constant: Bare | None
    admits: Callable[[Bare], bool]
    laws: tuple[ReadyLaw, ...]
    conditional: bool


@cache
def plan_of(name: str) -> Plan:
    """The plan of a quantity, its units checked.

    Raises `UnknownNameError`, and `DimensionError` for a relation that does not measure its target.
    """
    info = CATALOGUE[name]
    admits = _admits(info)
    default = compiled(info.default) if info.default is not None else None
    relations = tuple(Ready(relation, _checked(relation)) for relation in RELATIONS.of(name))
    laws = tuple(ReadyLaw(law, _checked_law(law)) for law in LAWS.on(name))
    return Plan(
        info,
        relations,
        default,
        None if default is None or relations else _constant(info, default, admits),
        admits,
        laws,
        bool(laws) or any(ready.relation.stated or ready.relation.unless for ready in relations),
    )


def _constant(info: SymbolInfo, default: Compiled, admits: Callable[[Bare], bool]) -> Bare | None:
    """The default where it is the same in every scenario."""
    if not isinstance(info.default, Number | Text):
        return None
    value = default({})
    return value if admits(value) else None


@lru_cache(maxsize=512)
def plans_where(names: frozenset[str]) -> dict[str, Plan]:  # noqa: ARG001 - the names are what it is kept by
    """The plans by quantity, as they are met, of all scenarios that state `names`."""
    return {}


def plan_where(plan: Plan, known: Container[str]) -> Plan:
    """The plan with the relations and laws that apply where `known` is stated. Asked once a scenario and quantity."""
    if not plan.conditional:
        return plan
    return Plan(plan.info, tuple([ready for ready in plan.relations if _applies(ready.relation, known)]), plan.default,
                plan.constant, plan.admits, tuple([ready for ready in plan.laws if _speaks(ready.law, known)]),
                plan.conditional)


def _applies(relation: Relation, known: Container[str]) -> bool:
    for name in relation.stated:
        if name not in known:
            return False
    for name in relation.unless:  # noqa: SIM110 - a generator would cost more than the loop
        if name in known:
            return False
    return True


def _speaks(law: Law, known: Container[str]) -> bool:
    for name in law.knows:
        if name not in known:
            return False
    for name in law.unless:
        if name in known:
            return False
    return not law.any_of or any(name in known for name in law.any_of)


def named_dimension(name: str) -> Dimension | None:
    """The dimension of a quantity of the catalogue, None for a choice."""
    info = CATALOGUE[name]
    return None if info.is_choice else info.unit.dimension


def relation_dimension(relation: Relation) -> Dimension | None:
    """What the right side of a relation measures, with the counts that it may drop dropped. For checks."""
    wanted = CATALOGUE[relation.target].unit.dimension
    found = dimension_of(relation.expr, named_dimension)
    if found is None:
        return None
    rest = found / wanted
    if all(count in relation.drops and count in COUNTS for count, _ in rest.powers):
        return wanted
    return found


def _checked(relation: Relation) -> Compiled:
    info = CATALOGUE[relation.target]
    found = relation_dimension(relation)
    if found != info.unit.dimension:
        raise DimensionError(f"the relation of {info.name} measures {found}, not {info.unit.dimension}")
    return compiled(relation.expr)


def _checked_law(law: Law) -> Compiled:
    dimension_of(law.condition, named_dimension)
    return compiled(law.condition)


def _admits(info: SymbolInfo) -> Callable[[Bare], bool]:
    """Whether a bare value is surely in the domain of a quantity; where it is not sure, the caller looks closer."""
    if info.is_choice:
        return info.choices.__contains__
    least = {"positive": 1, "positive integer": 1, "any": -LARGEST}.get(info.domain, 0)
    most = LARGEST if info.most is None else info.most.numerator

    def whole(value: Bare) -> bool:
        return type(value) is int and least <= value <= most

    def measured(value: Bare) -> bool:
        # A fraction's numerator has its sign, and is the larger part of it: enough to be sure of most.
        number = value.numerator if type(value) is Fraction else value
        return type(number) is int and least <= number <= most

    def part(value: Bare) -> bool:
        return isinstance(value, int | Fraction) and 0 <= value.numerator <= value.denominator

    return whole if info.is_integer else part if info.domain == "fraction" else measured
