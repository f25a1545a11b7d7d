"""Sine and its relatives on decimals, to the precision of the current context; angles are in radians.

Decimals have exponentials and logarithms but no sine. An angle is brought below pi/4 by subtracting quarter turns,
then the series converges in a few dozen terms. Angles beyond `LARGEST` are refused: their quarter turn is not known.
"""

from __future__ import annotations

from decimal import Decimal, getcontext, localcontext
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LARGEST: Final = 10**9
_GUARD: Final = 14
_SMALL: Final = Decimal("0.05")
PI: Final = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211707"
)


def apply(function: str, value: Decimal) -> Decimal:
    """The value of one of `tree.TRIGONOMETRY`. Raises `ValueError` that says why where there is no finite real one."""
    with localcontext() as context:
        context.prec += _GUARD
        result = _FUNCTIONS[function](value)
    return +result


def _wave(angle: Decimal, turned: int) -> Decimal:
    """The sine of an angle and `turned` quarter turns."""
    if abs(angle) > LARGEST:
        raise ValueError("the angle is too large")
    turns = (2 * angle / PI).to_integral_value()
    rest = angle - turns * PI / 2
    quarter = (int(turns) + turned) % 4
    value = _series(rest, 2) if quarter % 2 == 0 else _series(rest, 1)
    return value if quarter < 2 else -value  # noqa: PLR2004 - half a turn


def _sin(angle: Decimal) -> Decimal:
    return _wave(angle, 0)


def _cos(angle: Decimal) -> Decimal:
    return _wave(angle, 1)


def _series(angle: Decimal, order: int) -> Decimal:
    """The alternating series: of the sine with `order` 2, of the cosine with 1."""
    term = total = angle if order == 2 else Decimal(1)  # noqa: PLR2004 - the sine begins with the angle itself
    square = angle * angle
    least = Decimal(10) ** -getcontext().prec
    while abs(term) > least:
        term *= -square / (order * (order + 1))
        total += term
        order += 2
    return total


def _over(above: Decimal, below: Decimal, what: str) -> Decimal:
    # A quarter turn is known to some ninety digits only: what is this small is zero.
    if abs(below) < Decimal(10) ** -(getcontext().prec - _GUARD):
        raise ValueError(f"{what} has no value there")
    return above / below


def _tan(angle: Decimal) -> Decimal:
    return _over(_sin(angle), _cos(angle), "tan")


def _cot(angle: Decimal) -> Decimal:
    return _over(_cos(angle), _sin(angle), "cot")


def _atan(value: Decimal) -> Decimal:
    if abs(value) > 1:
        quarter = PI / 2 if value > 0 else -PI / 2
        return quarter - _atan(1 / value)
    halvings = 0
    while abs(value) > _SMALL:
        value /= 1 + (1 + value * value).sqrt()
        halvings += 1
    square, term, total, order = value * value, value, value, 1
    least = Decimal(10) ** -getcontext().prec
    while abs(term) > least:
        term *= -square
        order += 2
        total += term / order
    return total * Decimal(2) ** halvings


def _asin(value: Decimal) -> Decimal:
    if abs(value) > 1:
        raise ValueError("the sine of an angle lies between -1 and 1")
    if abs(value) == 1:
        return value * PI / 2
    slope: Decimal = value / (1 - value * value).sqrt()
    return _atan(slope)


def _sinh(value: Decimal) -> Decimal:
    # Near nothing the two exponentials cancel; twice the digits keep those that are asked for.
    with localcontext() as context:
        context.prec *= 2
        power = _exp(value)
        return (power - 1 / power) / 2


def _cosh(value: Decimal) -> Decimal:
    power = _exp(value)
    return (power + 1 / power) / 2


def _exp(value: Decimal) -> Decimal:
    if abs(value) > 512:  # noqa: PLR2004 - as for powers
        raise ValueError("the exponent is too large")
    return value.exp()


_FUNCTIONS: Final[Mapping[str, Callable[[Decimal], Decimal]]] = {
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "cot": _cot,
    "sec": lambda angle: _over(Decimal(1), _cos(angle), "sec"),
    "csc": lambda angle: _over(Decimal(1), _sin(angle), "csc"),
    "asin": _asin,
    "acos": lambda value: PI / 2 - _asin(value),
    "atan": _atan,
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": lambda value: _sinh(value) / _cosh(value),
}
