"""Polynomials with exact coefficients: a tree as a fraction of two of them, and their positive roots.

Exponents may be fractions: with `u = x^(1/q)` for the least common denominator q they are whole. Roots are
isolated by Descartes' rule of signs, halving intervals with whole numbers, and narrowed far beyond the digits that
are asked for; a root that is a simple fraction comes out as that fraction.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm
from typing import TYPE_CHECKING, Final, TypeAlias

from solvers.expr.evaluate import DIGITS, EvaluationError, Quantity, power
from solvers.expr.tree import Binary, Call, Expr, Negative, Number, Symbol

if TYPE_CHECKING:
    from collections.abc import Callable

Polynomial: TypeAlias = dict[Fraction, Fraction]
"""Coefficients by exponent, none of them zero."""

MOST_TERMS: Final = 64
MOST_DEGREE: Final = 128
_MOST_POWER: Final = 16
_NARROW: Final = 150
"""An interval is narrowed until it is 2^-150 of its end."""
_DEEP: Final = 300
"""Roots that this many halvings do not part are one root, met more than once."""
_CLOSE: Final = Fraction(1, 10**36)
_SIMPLE: Final = 10**6
_EXACT: Final = 10**15


class NotPolynomialError(ValueError):
    """The tree is no fraction of polynomials, or one of too many terms."""


def fraction_of(expr: Expr, unknown: str, value: Callable[[Expr], Fraction]) -> tuple[Polynomial, Polynomial]:
    """`expr` as numerator and denominator in `unknown`; `value` gives the number of a tree without it.

    Raises `NotPolynomialError`.
    """
    return _Reader(unknown, value).read(expr)


class _Reader:
    def __init__(self, unknown: str, value: Callable[[Expr], Fraction]) -> None:
        self._unknown, self._value = unknown, value

    def read(self, expr: Expr) -> tuple[Polynomial, Polynomial]:
        one = {Fraction(0): Fraction(1)}
        if not self._has(expr):
            return _trimmed({Fraction(0): self._value(expr)}), one
        match expr:
            case Symbol():
                return {Fraction(1): Fraction(1)}, one
            case Negative(operand):
                above, below = self.read(operand)
                return _times(above, {Fraction(0): Fraction(-1)}), below
            case Call("sqrt", (argument,)):
                return self._root(argument, Fraction(1, 2))
            case Binary("^", base, Number(exponent, None)):
                return self._power(base, exponent)
            case Binary("+" | "-" | "*" | "/" as operator, left, right):
                return _joined(operator, self.read(left), self.read(right))
        raise NotPolynomialError("not a fraction of polynomials")

    def _has(self, expr: Expr) -> bool:
        return (isinstance(expr, Symbol) and expr.name == self._unknown) or any(map(self._has, expr.children))

    def _power(self, base: Expr, exponent: Fraction) -> tuple[Polynomial, Polynomial]:
        if exponent.denominator != 1:
            return self._root(base, exponent)
        if abs(exponent) > _MOST_POWER:
            raise NotPolynomialError("the power is too high")
        above, below = self.read(base)
        if exponent < 0:
            above, below = below, above
        raised = ({Fraction(0): Fraction(1)}, {Fraction(0): Fraction(1)})
        for _ in range(abs(exponent.numerator)):
            raised = _times(raised[0], above), _times(raised[1], below)
        return raised

    def _root(self, argument: Expr, exponent: Fraction) -> tuple[Polynomial, Polynomial]:
        """A root of one term: `sqrt(2 a x)` is `sqrt(2 a) x^(1/2)`."""
        above, below = self.read(argument)
        if len(above) != 1 or len(below) != 1:
            raise NotPolynomialError("a root of several terms")
        (high, factor), (low, divisor) = *above.items(), *below.items()
        try:
            coefficient = power(Quantity(factor / divisor), Quantity(exponent)).value
        except EvaluationError as error:
            raise NotPolynomialError(str(error)) from error
        return {(high - low) * exponent: coefficient}, {Fraction(0): Fraction(1)}


def _joined(
    operator: str, first: tuple[Polynomial, Polynomial], second: tuple[Polynomial, Polynomial]
) -> tuple[Polynomial, Polynomial]:
    if operator == "*":
        return _times(first[0], second[0]), _times(first[1], second[1])
    if operator == "/":
        return _times(first[0], second[1]), _times(first[1], second[0])
    sign = Fraction(1 if operator == "+" else -1)
    if first[1] == second[1]:
        return _sum(first[0], second[0], sign), first[1]
    return (_sum(_times(first[0], second[1]), _times(second[0], first[1]), sign), _times(first[1], second[1]))


def _sum(left: Polynomial, right: Polynomial, sign: Fraction) -> Polynomial:
    total = dict(left)
    for degree, factor in right.items():
        total[degree] = total.get(degree, Fraction(0)) + sign * factor
    return _trimmed(total)


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    if len(left) * len(right) > MOST_TERMS * 4:
        raise NotPolynomialError("too many terms")
    product: Polynomial = {}
    for degree, factor in left.items():
        for other, times in right.items():
            product[degree + other] = product.get(degree + other, Fraction(0)) + factor * times
    return _trimmed(product)


def _trimmed(polynomial: Polynomial) -> Polynomial:
    return {degree: factor for degree, factor in polynomial.items() if factor}


# -- roots -------------------------------------------------------------------------------------------------------


def positive_roots(polynomial: Polynomial) -> tuple[tuple[Fraction, ...], int]:
    """The positive zeros, ascending, and the degree of what was solved. Raises `NotPolynomialError`.

    >>> positive_roots({Fraction(0): Fraction(6), Fraction(1): Fraction(-5), Fraction(2): Fraction(1)})
    ((Fraction(2, 1), Fraction(3, 1)), 2)
    """
    if not polynomial:
        return (), 0
    lowest = min(polynomial)
    roots = lcm(*(exponent.denominator for exponent in polynomial))
    powers = {int((exponent - lowest) * roots): factor for exponent, factor in polynomial.items()}
    common = gcd(*powers) or 1  # x^4 - 5 x^2 + 4 is one of degree 2 in x^2
    powers = {exponent // common: factor for exponent, factor in powers.items()}
    degree = max(powers)
    if degree > MOST_DEGREE:
        raise NotPolynomialError("the degree is too high")
    coefficients = [powers.get(exponent, Fraction(0)) for exponent in range(degree + 1)]
    found = _solved(coefficients)
    lifted = {_simple(_lifted(root, Fraction(roots, common))) for root in found if root > 0}
    return tuple(sorted(lifted)), degree


def _lifted(root: Fraction, exponent: Fraction) -> Fraction:
    try:
        return power(Quantity(root), Quantity(exponent)).value
    except EvaluationError:
        # Exactly it would be thousands of digits long.
        with localcontext(prec=DIGITS + 20):
            base, raised = (Decimal(value.numerator) / Decimal(value.denominator) for value in (root, exponent))
            return Fraction(base**raised)


def _simple(value: Fraction) -> Fraction:
    """The simple fraction next to `value`, where one is so close that it must be meant."""
    near = value.limit_denominator(_SIMPLE)
    return near if abs(near - value) <= _CLOSE * value else value


def _solved(coefficients: list[Fraction]) -> list[Fraction]:
    if len(coefficients) == 2:  # noqa: PLR2004 - a line
        return [-coefficients[0] / coefficients[1]]
    if len(coefficients) == 3:  # noqa: PLR2004 - a parabola
        return _quadratic(*coefficients)
    scale = lcm(*(factor.denominator for factor in coefficients))
    whole = [int(factor * scale) for factor in coefficients]
    shared = gcd(*whole)
    return _isolated([factor // shared for factor in whole])


def _quadratic(end: Fraction, middle: Fraction, lead: Fraction) -> list[Fraction]:
    inside = middle * middle - 4 * lead * end
    if inside < 0:
        return []
    root = power(Quantity(inside), Quantity(Fraction(1, 2))).value
    # The larger of the two sums is free of cancellation; the other root follows from their product.
    large = -(middle + root if middle >= 0 else middle - root) / 2
    return [large / lead, end / large] if large else [Fraction(0)]


def _isolated(whole: list[int]) -> list[Fraction]:
    """The positive roots of a polynomial with whole coefficients, lowest power first."""
    degree = len(whole) - 1
    if not _changes(whole):
        return []
    # No root is beyond this power of two (Cauchy).
    size = (max(map(abs, whole)) // abs(whole[-1]) + 2).bit_length()
    # Scaled so that every root lies between 0 and 1; an interval is (start, start + 1) / 2^depth of that.
    scaled = [factor << (size * power_) for power_, factor in enumerate(whole)]
    open_ = [(scaled, 0, 0)]
    found: list[Fraction] = []
    while open_:
        current, start, depth = open_.pop()
        changes = _changes(_shifted(current[::-1]))
        if not changes:
            continue
        if changes == 1 or depth == _DEEP:
            low, high = (Fraction((start + end) << size, 1 << depth) for end in (0, 1))
            found.append(_narrowed(whole, low, high) if changes == 1 else (low + high) / 2)
            continue
        left = [factor << (degree - power_) for power_, factor in enumerate(current)]
        right = _shifted(left)
        if not right[0]:
            found.append(Fraction((2 * start + 1) << size, 1 << (depth + 1)))
        open_ += [(left, 2 * start, depth + 1), (right, 2 * start + 1, depth + 1)]
    return found


def _changes(coefficients: list[int]) -> int:
    signs = [factor > 0 for factor in coefficients if factor]
    return sum(one != other for one, other in pairwise(signs))


def _shifted(coefficients: list[int]) -> list[int]:
    """The coefficients of p(x + 1)."""
    shifted = list(coefficients)
    for start in range(len(shifted) - 1):
        for at in range(len(shifted) - 2, start - 1, -1):
            shifted[at] += shifted[at + 1]
    return shifted


def _narrowed(whole: list[int], low: Fraction, high: Fraction) -> Fraction:
    """The one root between `low` and `high`."""
    # Where the end itself is a root, what counts is the sign just before it.
    above = _sign(whole, high) or -_sign([power_ * factor for power_, factor in enumerate(whole)][1:], high)
    while (high - low) * 2**_NARROW > high:
        middle = (low + high) / 2
        sign = _sign(whole, middle)
        if not sign:
            return middle
        if sign == above:
            high = middle
        else:
            low = middle
    near = high.limit_denominator(_EXACT)
    return near if low <= near <= high and not _sign(whole, near) else (low + high) / 2


def _sign(whole: list[int], at: Fraction) -> int:
    total, scale = 0, 1
    for factor in reversed(whole):
        total = total * at.numerator + factor * scale
        scale *= at.denominator
    return (total > 0) - (total < 0)
