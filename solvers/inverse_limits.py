"""Which values no layout admits: told from the laws that refused some of them, so that none is tried in vain.

A degree divides something, or is at most something. That is arithmetic in the unknown: what the law refuses need not be
evaluated.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from solvers.catalogue import CATALOGUE
from solvers.errors import SolveError
from solvers.expr.algebra import NotSmoothError
from solvers.expr.evaluate import EvaluationError, Quantity, evaluate
from solvers.expr.tree import Binary, Call, Compare, Expr, Logic, Symbol, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from solvers.expand import Expander
    from solvers.relation import Law

Way: TypeAlias = "Callable[[int], Fraction]"


def sieved(expander: Expander, laws: Iterable[Law], names: Iterable[str], values: list[int]) -> list[int]:
    """Those of `values`, which rise, that are not refused by `laws`, nor by one of `names` that is to be whole.

    A law that says nothing that could be told beforehand leaves them all.
    """
    whole_names = [Symbol(name) for name in names if CATALOGUE[name].is_integer]
    claims = [claim for law in laws for claim in _claims(expander, law.condition)]
    divisions = [*_divisions(claims), *((number(1), name) for name in whole_names)]
    for low, high in (*_bounds(claims), *divisions):
        try:
            values = _up_to(expander, low, high, values)
            if (low, high) in divisions:
                values = _dividing(expander, low, high, values)
        except (NotSmoothError, SolveError, EvaluationError):
            continue
    return values


def _claims(expander: Expander, condition: Expr) -> Iterable[Compare]:
    """The comparisons that must hold: of several of which one is enough, the one that is left open by the others."""
    match condition:
        case Compare():
            yield condition
        case Logic("and", operands):
            for operand in operands:
                yield from _claims(expander, operand)
        case Logic("or", operands):
            open_ = [one for one in operands if expander.depends(one) or expander.solver.evaluate(one) is True]
            if len(open_) == 1:
                yield from _claims(expander, open_[0])


def _divisions(claims: Iterable[Compare]) -> Iterable[tuple[Expr, Expr]]:
    """What divides what."""
    for claim in claims:
        match claim:
            case Compare("==", Binary("*", Call("floor", (Binary("/", whole, part),)), again), all_of_it) \
                    if part == again and whole == all_of_it:
                yield part, whole


def _bounds(claims: Iterable[Compare]) -> Iterable[tuple[Expr, Expr]]:
    """What is at most what."""
    return ((claim.left, claim.right) for claim in claims if claim.operator == "<=")


def _up_to(expander: Expander, low: Expr, high: Expr, values: list[int]) -> list[int]:
    """The values with `low` at most `high`, where only one side moves, and one way: halved, not tried one by one."""
    rises = expander.depends(low)
    if rises == expander.depends(high) or not values:
        return values
    small, large = _way(expander, low), _way(expander, high)
    moving = small if rises else large
    told = [moving(value) for value in values[:: max(1, len(values) // 16)]]
    if told != sorted(told, reverse=not rises):
        return values
    end, refused = 0, len(values)
    while refused > end:
        middle = (end + refused) // 2
        if small(values[middle]) <= large(values[middle]):
            end = middle + 1
        else:
            refused = middle
    return values[:end]


def _dividing(expander: Expander, part: Expr, whole: Expr, values: list[int]) -> list[int]:
    part_at, whole_at = _way(expander, part), _way(expander, whole)
    return [value for value in values if not whole_at(value) % part_at(value)]


def _way(expander: Expander, expr: Expr) -> Way:
    """How `expr` moves with the unknown."""
    if not expander.depends(expr):
        still = _number(expander.solver.evaluate(expr))
        return lambda _: still
    dimension = CATALOGUE[expander.unknown].unit.dimension
    written = expander.written_out(expr)
    return lambda value: _number(evaluate(written, {expander.unknown: Quantity(Fraction(value), dimension)}))


def _number(value: object) -> Fraction:
    if not isinstance(value, Quantity):
        message = "a number is expected"
        raise EvaluationError(message)
    return value.value
