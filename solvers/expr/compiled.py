"""A tree as nested functions over bare numbers: the way of a relation's value, many times a second.

Whole numbers are `int`, others `Fraction`, in base units and exact; names of choices are text. Units are not
carried: `static.dimension_of` has told beforehand that they agree. The values are those of `evaluate`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final, TypeAlias, cast

from solvers.expr.evaluate import EvaluationError, Quantity, evaluate, power
from solvers.expr.tree import Binary, Call, Compare, Expr, Logic, Negative, Number, Symbol, Text, When

Bare: TypeAlias = int | Fraction | str | bool
Rational: TypeAlias = int | Fraction
Values: TypeAlias = Mapping[str, Bare]
"""The values by name. A solver's works out on the spot what it does not hold yet."""
Compiled: TypeAlias = Callable[[Values], Bare]

_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">=": operator.ge, ">": operator.gt,
}


def bare(value: Fraction) -> Rational:
    """`value` as an `int` where it is whole."""
    return value.numerator if value.denominator == 1 else value


def compiled(expr: Expr) -> Compiled:  # noqa: PLR0911 - one return for each kind
    """The function of `expr`: it takes the bare values by name. Raises `EvaluationError` then."""
    match expr:
        case Number(value, unit):
            constant = bare(value * unit.factor if unit else value)
            return lambda _: constant
        case Text(word):
            return lambda _: word
        case Symbol(name):
            return operator.itemgetter(name)
        case Negative(operand):
            inner = _number(operand)
            return lambda values: -inner(values)
        case Binary():
            return _binary(expr)
        case When(condition, then, otherwise):
            test, first, second = compiled(condition), compiled(then), compiled(otherwise)
            return lambda values: first(values) if test(values) else second(values)
        case Compare():
            return _comparison(expr)
        case Logic():
            return _logic(expr)
        case Call(function, arguments):
            return _call(function, tuple(_number(argument) for argument in arguments))
    message = f"unknown kind of expression: {type(expr).__name__}"
    raise TypeError(message)


def _comparison(expr: Compare) -> Compiled:
    compare, before, after = _COMPARISONS[expr.operator], compiled(expr.left), compiled(expr.right)
    if isinstance(expr.right, Number | Text):
        constant = after({})
        return lambda values: compare(before(values), constant)
    return lambda values: compare(before(values), after(values))


def _number(expr: Expr) -> Callable[[Values], Rational]:
    return cast("Callable[[Values], Rational]", compiled(expr))


def _binary(expr: Binary) -> Compiled:
    left, right = _number(expr.left), _number(expr.right)
    match expr.operator:
        case "+":
            return lambda values: left(values) + right(values)
        case "-":
            return lambda values: left(values) - right(values)
        case "*":
            return lambda values: _product(left(values), right(values))
        case "/":
            return lambda values: _quotient(left(values), right(values))
    return lambda values: bare(power(Quantity(Fraction(left(values))), Quantity(Fraction(right(values)))).value)


def _product(left: Rational, right: Rational) -> Rational:
    product = left * right
    # A fraction that has become whole goes on as an int: the arithmetic of those is far quicker.
    return product.numerator if type(product) is Fraction and product.denominator == 1 else product


def _quotient(left: Rational, right: Rational) -> Rational:
    if not right:
        message = "division by zero"
        raise EvaluationError(message)
    if type(left) is int and type(right) is int:
        whole, rest = divmod(left, right)
        return Fraction(left, right) if rest else whole
    return bare(Fraction(left) / right)


def _magnitude(value: Rational) -> Rational:
    return -value if value < 0 else value


def _logic(expr: Logic) -> Compiled:
    tests = tuple(compiled(operand) for operand in expr.operands)
    match expr.operator:
        case "and":
            return lambda values: all(test(values) for test in tests)
        case "or":
            return lambda values: any(test(values) for test in tests)
    first = tests[0]
    return lambda values: not first(values)


def _call(function: str, arguments: tuple[Callable[[Values], Rational], ...]) -> Compiled:
    first = arguments[0]
    match function:
        case "min":
            return lambda values: min(argument(values) for argument in arguments)
        case "max":
            return lambda values: max(argument(values) for argument in arguments)
        case "ceil":
            return lambda values: int(-(-first(values) // 1))
        case "floor":
            return lambda values: int(first(values) // 1)
        case "abs":
            return lambda values: _magnitude(first(values))

    def general(values: Values) -> Rational:
        value = evaluate(Call(function, (Number(Fraction(first(values))),)), {})
        return bare(value.value) if isinstance(value, Quantity) else 0

    return general
