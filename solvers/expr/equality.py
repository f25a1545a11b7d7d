"""Whether two expressions are equal over the domain of their names, by exact values at chosen points.

Rational expressions are compared exactly; where a root, a logarithm or a constant occurs, to 25 of 40 digits.
Names stand for positive reals (with `ceil` or `floor`, or where it is asked for, for positive integers). The
points are fixed, so that the same pair always gets the same verdict. Two rational expressions that agree at
six unrelated points differ only if somebody built them to.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal

from solvers.expr.evaluate import EvaluationError, Quantity, quantity
from solvers.expr.tree import Binary, Call, Expr, Number, symbols, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

Equality = Literal["equal", "different", "undecided"]
_ENOUGH: Final = 6
_TRIES: Final = 30
_NEAR: Final = Fraction(1, 10**25)
_CONSTANT_DIGITS: Final = 10**40
_EXACT_CALLS: Final = frozenset({"min", "max", "abs", "ceil", "floor"})
_PRIMES: Final = (101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The verdict, and the constant factor left/right where the two differ by nothing else (None: they do)."""

    verdict: Equality
    factor: Fraction | None = None


def compare(
    left: Expr, right: Expr, *, integers: bool = False, known: Mapping[str, Quantity] | None = None
) -> Comparison:
    """Compare two expressions; `known` holds the names that have a value.

    `undecided` means that no point was found where either has a value.
    """
    exact = _is_rational(left) and _is_rational(right)
    pairs, only_one = _values(left, right, known or {}, integers=integers)
    if not pairs:
        return Comparison("different" if only_one else "undecided")
    if any(one.dimension.without_counts != other.dimension.without_counts for one, other in pairs):
        return Comparison("different")
    if all(_same(one.value, other.value, exact=exact) for one, other in pairs):
        return Comparison("equal")
    return Comparison("different", _common_factor(pairs, exact=exact))


def _values(
    left: Expr, right: Expr, known: Mapping[str, Quantity], *, integers: bool
) -> tuple[list[tuple[Quantity, Quantity]], bool]:
    """The values of both at points where both have one, and whether anywhere only one of them had."""
    names = [name for name in dict.fromkeys((*symbols(left), *symbols(right))) if name not in known]
    whole = integers or _has_rounding(left) or _has_rounding(right)
    pairs: list[tuple[Quantity, Quantity]] = []
    only_one = False
    for attempt in range(_TRIES if names else 1):
        point = {**known, **{name: Quantity(_value(attempt, place, whole=whole)) for place, name in enumerate(names)}}
        one, other = _at(left, point), _at(right, point)
        if one is not None and other is not None:
            pairs.append((one, other))
        only_one = only_one or (one is None) != (other is None)
        if len(pairs) == _ENOUGH:
            break
    return pairs, only_one


def _common_factor(pairs: list[tuple[Quantity, Quantity]], *, exact: bool) -> Fraction | None:
    """The factor left/right that holds at every point, if there is one."""
    if any(not other.value for _, other in pairs):
        return None
    factors = [one.value / other.value for one, other in pairs]
    return factors[0] if factors[0] and all(_same(factors[0], factor, exact=exact) for factor in factors) else None


def _at(expr: Expr, point: Mapping[str, Quantity]) -> Quantity | None:
    try:
        return quantity(expr, point, counts_checked=False)
    except EvaluationError:
        return None


def _same(one: Fraction, other: Fraction, *, exact: bool) -> bool:
    if one == other:
        return True
    return not exact and abs(one - other) <= _NEAR * max(abs(one), abs(other))


def _value(attempt: int, place: int, *, whole: bool) -> Fraction:
    """A value for the name at `place`: unrelated between names and attempts, from small to near one."""
    prime = _PRIMES[(place + 3 * attempt) % len(_PRIMES)]
    if whole:
        return Fraction(2 + (prime * (attempt + 1) + 37 * place) % (19 + 8 * attempt))
    if attempt % 3 == 2:  # noqa: PLR2004 - each third point lies just above one, for steep powers
        return 1 + Fraction(1 + place, prime)
    return Fraction(prime + 7 * place, 11 + 4 * (attempt % 5) + 3 * place)


def _has_rounding(expr: Expr) -> bool:
    return any(isinstance(node, Call) and node.function in ("ceil", "floor") for node in walk(expr))


def _is_rational(expr: Expr) -> bool:
    """Whether every value of the expression at a rational point is exact."""
    for node in walk(expr):
        if isinstance(node, Call) and node.function not in _EXACT_CALLS:
            return False
        if isinstance(node, Number) and node.value.denominator > _CONSTANT_DIGITS:
            return False
        if isinstance(node, Binary) and node.operator == "^" and not _is_whole(node.right):
            return False
    return True


def _is_whole(expr: Expr) -> bool:
    return (
        all(not isinstance(node, Number) or node.value.denominator == 1 for node in walk(expr))
        and not any(isinstance(node, Binary) and node.operator in ("/", "^") for node in walk(expr))
        and not symbols(expr)
    )
