"""What a tree measures, told from the units of its names alone: no scenario is needed.

Done once per relation: a relation whose two sides do not measure the same is refused when it is first used,
and from then on its numbers need carry no units.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias

from solvers.expr.dimension import PLAIN, Dimension
from solvers.expr.evaluate import DimensionError
from solvers.expr.tree import Binary, Call, Compare, Expr, Logic, Negative, Number, Symbol, Text, When

Names: TypeAlias = Callable[[str], Dimension | None]

_HALF: Final = Fraction(1, 2)


def dimension_of(expr: Expr, names: Names) -> Dimension | None:  # noqa: PLR0911 - one return for each kind
    """The dimension of `expr`; None for a name of a choice and for a condition.

    `names` gives the dimension of a name, None for a choice. Raises `DimensionError`.
    """
    match expr:
        case Number(_, unit):
            return unit.dimension if unit else PLAIN
        case Symbol(name):
            return names(name)
        case Negative(operand):
            return _measured(operand, names)
        case Binary():
            return _binary(expr, names)
        case Call(function, arguments):
            return _call(function, [_measured(argument, names) for argument in arguments])
        case When(condition, then, otherwise):
            dimension_of(condition, names)
            return _same(dimension_of(then, names), dimension_of(otherwise, names), "choose between")
    _condition(expr, names)
    return None


def _condition(expr: Expr, names: Names) -> None:
    match expr:
        case Compare(_, left, right):
            _same(dimension_of(left, names), dimension_of(right, names), "compare")
        case Logic(_, operands):
            for operand in operands:
                dimension_of(operand, names)
        case Text():
            return


def _measured(expr: Expr, names: Names) -> Dimension:
    found = dimension_of(expr, names)
    if found is None:
        raise DimensionError("a number is expected, not a name or a condition")
    return found


def _same(left: Dimension | None, right: Dimension | None, verb: str) -> Dimension | None:
    if left != right:
        raise DimensionError(f"cannot {verb} {left or 'a name'} and {right or 'a name'}")
    return left


def _binary(expr: Binary, names: Names) -> Dimension:
    left, right = _measured(expr.left, names), _measured(expr.right, names)
    if expr.operator == "*":
        return left * right
    if expr.operator == "/":
        return left / right
    if expr.operator == "^":
        if not isinstance(expr.right, Number):
            if left.is_plain and right.is_plain:
                return PLAIN
            raise DimensionError("an exponent of what has a unit is a number")
        return left**expr.right.value
    _same(left, right, "add" if expr.operator == "+" else "subtract")
    return left


def _call(function: str, arguments: list[Dimension]) -> Dimension:
    first = arguments[0]
    if function in ("min", "max"):
        for other in arguments[1:]:
            _same(first, other, "compare")
        return first
    if function == "abs":
        return first
    if function == "sqrt":
        return first ** _HALF
    if not first.is_count:
        raise DimensionError(f"{function} needs a plain number or a count, not {first}")
    return first if function in ("ceil", "floor") else PLAIN

