"""The relations and laws in the form in which they are computed: checked for units once, then bare functions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from solvers.catalogue import CATALOGUE, LARGEST, SymbolInfo
from solvers.expr.compiled import Bare, Compiled, bare, compiled
from solvers.expr.dimension import COUNTS, Dimension
from solvers.expr.evaluate import DimensionError
from solvers.expr.static import dimension_of
from solvers.relation import LAWS, RELATIONS, Law, Relation


@dataclass(frozen=True, slots=True)
class Ready:
    """A relation with its function."""

    relation: Relation
    function: Compiled


@dataclass(frozen=True, slots=True)
class ReadyLaw:
    """A law with its function."""

    law: Law
    function: Compiled


@cache
def relations_of(name: str) -> tuple[Ready, ...]:
    """The relations of a quantity, their units checked. Raises `DimensionError` for one that does not measure it."""
    return tuple(Ready(relation, _checked(relation)) for relation in RELATIONS.of(name))


@cache
def laws_on(name: str) -> tuple[ReadyLaw, ...]:
    """The laws that a quantity brings up, their units checked."""
    return tuple(ReadyLaw(law, _checked_law(law)) for law in LAWS.on(name))


@cache
def default_of(name: str) -> Compiled | None:
    """The function of a quantity's default."""
    default = CATALOGUE[name].default
    return compiled(default) if default is not None else None


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


def admissible(info: SymbolInfo, value: Bare) -> bool:
    """Whether a bare value is surely in the domain of a number; where it is not sure, the caller looks closer."""
    if type(value) is int:
        if not -LARGEST < value < LARGEST:
            return False
        least = value
    elif type(value) is Fraction:
        if info.is_integer or value.numerator > LARGEST:
            return False
        least = value.numerator
    else:
        return info.is_choice and value in info.choices
    domain = info.domain
    if info.most is not None or info.is_choice or domain == "fraction":
        return False
    return least > 0 if domain.startswith("positive") else least >= 0 or domain == "any"


def as_bare(value: Fraction) -> Bare:
    """An exact number in the form in which it is computed with."""
    return bare(value)
