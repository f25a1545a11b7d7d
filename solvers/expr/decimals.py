"""The value of a tree in decimals of 45 digits, and how far rounding can have moved it.

Where large terms cancel, as in `sqrt(2)*sqrt(2) - 2`, what is left is rounding and no value: `within` tells by how
much, so that such a rest is known for zero while `1/2^99` is not.
"""

from __future__ import annotations

from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from typing import TYPE_CHECKING, Final

from solvers.expr import trigonometry
from solvers.expr.tree import TRIGONOMETRY, Binary, Call, Expr, Negative, Number, Symbol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

FLOATS: Final = Context(prec=45, Emax=10**6, Emin=-(10**6), traps=[InvalidOperation, DivisionByZero, Overflow])
"""The context of all of this."""
_STEP: Final = Decimal(10) ** -43
_ZERO: Final = Decimal(0)
_MOST_UNSURE: Final = Decimal("0.5")


def real(expr: Expr, point: Mapping[str, Decimal]) -> Decimal:
    """The value; raises `DecimalException` or `ZeroDivisionError` where there is none."""
    if isinstance(expr, Binary):
        spine = [expr]
        while isinstance(spine[-1].left, Binary):
            spine.append(spine[-1].left)
        value = real(spine[-1].left, point)
        for node in reversed(spine):
            value = _joined(node, value, real(node.right, point))
        return value
    if isinstance(expr, Symbol):
        return point[expr.name]
    if isinstance(expr, Negative):
        return -real(expr.operand, point)
    if isinstance(expr, Number):
        return to_decimal(expr.value)
    if isinstance(expr, Call):
        return _called(expr.function, real(expr.arguments[0], point))
    raise TypeError(type(expr).__name__)


def _joined(node: Binary, left: Decimal, right: Decimal) -> Decimal:
    if node.operator == "*":
        return left * right
    if node.operator == "/":
        return left / right
    if node.operator == "^":
        if not left and right <= 0:
            raise ZeroDivisionError
        return left**right
    return left + right if node.operator == "+" else left - right


def _called(function: str, argument: Decimal) -> Decimal:
    if function == "sqrt":
        return argument.sqrt()
    if function == "exp":
        return argument.exp()
    if function in TRIGONOMETRY:
        try:
            return trigonometry.apply(function, argument)
        except ValueError as error:
            raise ZeroDivisionError(str(error)) from error
    if argument <= 0:
        raise ZeroDivisionError
    if function == "log10":
        return argument.log10()
    return argument.ln() / Decimal(2).ln() if function == "log2" else argument.ln()


def to_decimal(value: Fraction) -> Decimal:
    """The nearest decimal in the current context."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def within(expr: Expr, point: Mapping[str, Decimal]) -> tuple[Decimal, Decimal]:
    """The value and a bound of its error, to first order. Raises as `real` does."""
    if isinstance(expr, Binary):
        spine = [expr]
        while isinstance(spine[-1].left, Binary):
            spine.append(spine[-1].left)
        found = within(spine[-1].left, point)
        for node in reversed(spine):
            found = _joined_within(node, found, within(node.right, point))
        return found
    if isinstance(expr, Negative):
        value, error = within(expr.operand, point)
        return -value, error
    if isinstance(expr, Call):
        argument, error = within(expr.arguments[0], point)
        value = _called(expr.function, argument)
        if error > abs(argument) * _MOST_UNSURE:
            raise ZeroDivisionError  # nothing is known of the argument, so nothing of the value
        moved = abs(_called(expr.function, argument + error) - value) if error else _ZERO
        return value, 2 * moved + abs(value) * _STEP
    value = real(expr, point)
    is_whole = isinstance(expr, Number) and expr.value.denominator == 1
    return value, _ZERO if is_whole else abs(value) * _STEP


def _joined_within(
    node: Binary, left: tuple[Decimal, Decimal], right: tuple[Decimal, Decimal]
) -> tuple[Decimal, Decimal]:
    (one, near), (other, close) = left, right
    value = _joined(node, one, other)
    rounding = abs(value) * _STEP
    if node.operator in "+-":
        return value, near + close + rounding
    if node.operator == "*":
        return value, abs(one) * close + abs(other) * near + rounding
    if node.operator == "/":
        return value, (near + abs(value) * close) / abs(other) + rounding
    relative = abs(other) * near / abs(one) if one else _ZERO
    growth = close * abs(abs(one).ln()) if one and close else _ZERO
    return value, abs(value) * (relative + growth) + rounding
