"""The exact value of a tree: rationals throughout, irrational functions to 40 digits.

Everything is bounded: a value of more than `MAX_BITS` bits, an exponent beyond `MAX_EXPONENT`, a root of
a negative number or a division by zero is an `EvaluationError`, never a hang and never an infinity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt
from typing import Final, TypeAlias

from solvers.expr import trigonometry
from solvers.expr.dimension import PLAIN, Dimension
from solvers.expr.tree import (
    TRIGONOMETRY,
    Binary,
    Call,
    Compare,
    Comparison,
    Expr,
    Logic,
    Negative,
    Number,
    Operator,
    Symbol,
    Text,
    When,
)
from solvers.record import Record

MAX_BITS: Final = 4096
MAX_EXPONENT: Final = 512
DIGITS: Final = 40


class EvaluationError(ValueError):
    """The tree has no finite real value; the message says why, and `where` is the smallest part that has none."""

    where: Expr | None = None

    def stands_at(self, expr: Expr) -> None:
        """Note the place, unless a smaller part is known."""
        if self.where is None:
            self.where = expr


class DimensionError(EvaluationError):
    """Two things that do not measure the same were added, compared or given to a function."""


class Quantity(Record):
    """An exact value in base units (B, s, FLOP, W, $, counts) and what it measures."""

    value: Fraction
    dimension: Dimension = PLAIN


Value: TypeAlias = Quantity | bool | str
Lookup: TypeAlias = Callable[[str], Value]


def evaluate(expr: Expr, lookup: Lookup | Mapping[str, Value], *, counts_checked: bool = True) -> Value:
    """Evaluate `expr`; `lookup` gives the value of a name (and raises for one that it does not know).

    With `counts_checked=False`, as for a learner's answer, parameters, tokens and GPUs are transparent:
    they add to and compare with plain numbers. Raises `EvaluationError`.
    """
    find = lookup if callable(lookup) else lookup.__getitem__
    return _Evaluator(find, counts_checked=counts_checked).value(expr)


def quantity(expr: Expr, lookup: Lookup | Mapping[str, Value], *, counts_checked: bool = True) -> Quantity:
    """Like `evaluate`, for an expression whose value must be a quantity."""
    value = evaluate(expr, lookup, counts_checked=counts_checked)
    if isinstance(value, Quantity):
        return value
    message = f"a number is expected, not {value!r}"
    raise EvaluationError(message)


def truth(expr: Expr, lookup: Lookup | Mapping[str, Value]) -> bool:
    """Like `evaluate`, for a condition."""
    value = evaluate(expr, lookup)
    if isinstance(value, bool):
        return value
    message = "a condition (with <, <=, ==, >=, >) is expected, not a number"
    raise EvaluationError(message)


def comparison_holds(expr: Compare, left: Value, right: Value) -> bool:
    """Whether a comparison with these sides holds. Raises `EvaluationError` where they do not measure the same."""
    return _STRICT.compared(expr, left, right)


class _Evaluator:
    def __init__(self, find: Lookup, *, counts_checked: bool) -> None:
        self._find = find
        self._counts_checked = counts_checked

    def value(self, expr: Expr) -> Value:  # noqa: C901, PLR0911 - one case for each kind
        match expr:  # the kinds that a bank has most of first: a case that does not match takes its time too
            case Symbol(name):
                return self._find(name)
            case Binary():
                return self._binary(expr)
            case Number(value, None):
                return Quantity(value)
            case Number(value, unit) if unit is not None:
                return Quantity(bounded(value * unit.factor), unit.dimension)
            case Text(value):
                return value
            case Negative(operand):
                inner = self._quantity(operand)
                return Quantity(-inner.value, inner.dimension)
            case Call(function, arguments):
                values = [self._quantity(argument) for argument in arguments]
                return self._called(expr, function, values)
            case Compare():
                return self.compared(expr, self.value(expr.left), self.value(expr.right))
            case Logic("not", operands):
                return not self._truth(operands[0])
            case Logic("and", operands):
                return all(self._truth(operand) for operand in operands)
            case Logic("or", operands):
                return any(self._truth(operand) for operand in operands)
            case When(condition, then, otherwise):
                return self.value(then if self._truth(condition) else otherwise)
        message = f"unknown kind of expression: {type(expr).__name__}"
        raise EvaluationError(message)

    def _quantity(self, expr: Expr) -> Quantity:
        value = self.value(expr)
        if isinstance(value, Quantity):
            return value
        message = f"a number is expected, not {value!r}"
        error = EvaluationError(message)
        error.stands_at(expr)
        raise error

    def _truth(self, expr: Expr) -> bool:
        value = self.value(expr)
        if isinstance(value, bool):
            return value
        message = "a condition is expected, not a number"
        error = EvaluationError(message)
        error.stands_at(expr)
        raise error

    def _binary(self, expr: Binary) -> Quantity:
        # A long sum or product leans to the left: its spine is walked, so that its length costs no call depth.
        spine = [expr]
        while isinstance(spine[-1].left, Binary):
            spine.append(spine[-1].left)
        result = self._quantity(spine[-1].left)
        for node in reversed(spine):
            right = self._quantity(node.right)
            try:
                result = self._combined(node.operator, result, right)
            except EvaluationError as error:
                error.stands_at(node)
                raise
        return result

    def _combined(self, operator: Operator, left: Quantity, right: Quantity) -> Quantity:
        if operator == "*":
            return Quantity(bounded(left.value * right.value), left.dimension * right.dimension)
        if operator == "/":
            if not right.value:
                message = "division by zero"
                raise EvaluationError(message)
            return Quantity(bounded(left.value / right.value), left.dimension / right.dimension)
        if operator == "^":
            return power(left, right)
        dimension = self._common(left, right, "add" if operator == "+" else "subtract")
        value = left.value + right.value if operator == "+" else left.value - right.value
        return Quantity(bounded(value), dimension)

    def _common(self, left: Quantity, right: Quantity, verb: str) -> Dimension:
        if left.dimension == right.dimension:
            return left.dimension
        if not self._counts_checked and left.dimension.without_counts == right.dimension.without_counts:
            return left.dimension.without_counts
        first, join, second = left.dimension.said, "and", right.dimension.said
        if verb == "subtract":
            first, join, second = second, "from", first
        message = f"cannot {verb} {first} {join} {second}"
        raise DimensionError(message)

    def compared(self, expr: Compare, left: Value, right: Value) -> bool:
        """Whether a comparison holds."""
        try:
            return self._holds(expr.operator, left, right)
        except EvaluationError as error:
            error.stands_at(_unlike(expr, left, right))
            raise

    def _holds(self, operator: Comparison, left: Value, right: Value) -> bool:
        if isinstance(left, Quantity) and isinstance(right, Quantity):
            self._common(left, right, "compare")
            return _compared(operator, left.value, right.value)
        if type(left) is type(right) and operator in ("==", "!="):
            return (left == right) is (operator == "==")
        message = f"cannot compare {_described(left)} with {_described(right)}"
        raise EvaluationError(message)

    def _called(self, expr: Expr, function: str, arguments: list[Quantity]) -> Quantity:
        try:
            return self._call(function, arguments)
        except EvaluationError as error:
            error.stands_at(expr)
            raise

    def _call(self, function: str, arguments: list[Quantity]) -> Quantity:
        first = arguments[0]
        if function in ("min", "max"):
            dimension = first.dimension
            for other in arguments[1:]:
                dimension = self._common(first, other, "compare")
            choose = min if function == "min" else max
            return Quantity(choose(argument.value for argument in arguments), dimension)
        if function == "abs":
            return Quantity(abs(first.value), first.dimension)
        if function == "sqrt":
            return power(first, Quantity(Fraction(1, 2)))
        if function in ("ceil", "floor"):
            if not first.dimension.is_count:
                message = f"{function} needs a plain number or a count, not {first.dimension.said}"
                raise DimensionError(message)
            whole = -(-first.value // 1) if function == "ceil" else first.value // 1
            return Quantity(Fraction(whole), first.dimension)
        if not first.dimension.is_count:
            message = f"{function} needs a plain number, not {first.dimension.said}"
            raise DimensionError(message)
        return Quantity(_transcendental(function, first.value))


_NAMELESS: Final[Mapping[str, Value]] = {}
_STRICT: Final = _Evaluator(_NAMELESS.__getitem__, counts_checked=True)


def _unlike(expr: Compare, left: Value, right: Value) -> Expr:
    """The side of a comparison that is no number where the other is one; all of it where both are alike."""
    if isinstance(left, Quantity) is isinstance(right, Quantity):
        return expr
    return expr.right if isinstance(left, Quantity) else expr.left


def _described(value: Value) -> str:
    return value.dimension.said if isinstance(value, Quantity) else repr(value)


def _compared(operator: str, left: Fraction, right: Fraction) -> bool:
    return {"<": left < right, "<=": left <= right, "==": left == right,
            "!=": left != right, ">=": left >= right, ">": left > right}[operator]


def bounded(value: Fraction) -> Fraction:
    """Return `value`, or raise `EvaluationError` when it has grown beyond `MAX_BITS`."""
    if value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS:
        message = "the number is too large or too small to compute with"
        raise EvaluationError(message)
    return value


def power(base: Quantity, exponent: Quantity) -> Quantity:
    """Raise to a rational power: exact for integers and perfect squares, else to `DIGITS` digits."""
    if not exponent.dimension.is_count:
        message = f"an exponent is a plain number, not {exponent.dimension.said}"
        raise DimensionError(message)
    if abs(exponent.value) > MAX_EXPONENT:
        message = "the exponent is too large"
        raise EvaluationError(message)
    dimension = base.dimension**exponent.value
    if not base.value and exponent.value <= 0:
        message = "zero to a power that is not positive has no value"
        raise EvaluationError(message)
    if exponent.value.denominator == 1:
        whole = exponent.value.numerator
        size = max(base.value.numerator.bit_length(), base.value.denominator.bit_length())
        if size * abs(whole) > MAX_BITS:
            bounded(Fraction(2) ** (MAX_BITS + 1))
        return Quantity(base.value**whole, dimension)
    if base.value < 0:
        message = "a root of a negative number is not real"
        raise EvaluationError(message)
    if exponent.value == Fraction(1, 2):
        exact = _exact_root(base.value)
        if exact is not None:
            return Quantity(exact, dimension)
    if not base.value:
        return Quantity(Fraction(0), dimension)
    with localcontext(prec=DIGITS + 10):
        logarithm = _decimal(base.value).ln() * _decimal(exponent.value)
        return Quantity(bounded(Fraction(_rounded(logarithm.exp()))), dimension)


def _exact_root(value: Fraction) -> Fraction | None:
    above, below = isqrt(value.numerator), isqrt(value.denominator)
    if above * above == value.numerator and below * below == value.denominator:
        return Fraction(above, below)
    return None


def _transcendental(function: str, value: Fraction) -> Fraction:
    if function in TRIGONOMETRY:
        return _trigonometric(function, value)
    if function == "exp":
        if abs(value) > MAX_EXPONENT:
            message = "the exponent is too large"
            raise EvaluationError(message)
    elif value <= 0:
        message = f"{function} of a number that is not positive is not real"
        raise EvaluationError(message)
    with localcontext(prec=DIGITS + 10):
        argument = _decimal(value)
        if function == "exp":
            result = argument.exp()
        elif function == "log10":
            result = argument.log10()
        else:
            result = argument.ln() / (Decimal(2).ln() if function == "log2" else 1)
        return bounded(Fraction(_rounded(result)))


def _trigonometric(function: str, value: Fraction) -> Fraction:
    with localcontext(prec=DIGITS):
        try:
            result = trigonometry.apply(function, _decimal(value))
        except ValueError as error:
            raise EvaluationError(str(error)) from error
        return bounded(Fraction(result))


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _rounded(value: Decimal) -> Decimal:
    with localcontext(prec=DIGITS):
        return +value
