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
Find: TypeAlias = Callable[[str], Bare]
Compiled: TypeAlias = Callable[[Find], Bare]

_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">=": operator.ge, ">": operator.gt,
}


def bare(value: Fraction) -> Rational:
    """`value` as an `int` where it is whole."""
    return value.numerator if value.denominator == 1 else value


def compiled(expr: Expr) -> Compiled:  # noqa: PLR0911 - one return for each kind
    """The function of `expr`: it takes the function that finds a name's bare value. Raises `EvaluationError` then."""
    match expr:
        case Number(value, unit):
            constant = bare(value * unit.factor if unit else value)
            return lambda _: constant
        case Text(word):
            return lambda _: word
        case Symbol(name):
            return lambda find: find(name)
        case Negative(operand):
            inner = _number(operand)
            return lambda find: -inner(find)
        case Binary():
            return _binary(expr)
        case When(condition, then, otherwise):
            test, first, second = compiled(condition), compiled(then), compiled(otherwise)
            return lambda find: first(find) if test(find) else second(find)
        case Compare(sign, left, right):
            compare, before, after = _COMPARISONS[sign], compiled(left), compiled(right)
            return lambda find: compare(before(find), after(find))
        case Logic():
            return _logic(expr)
        case Call(function, arguments):
            return _call(function, tuple(_number(argument) for argument in arguments))
    message = f"unknown kind of expression: {type(expr).__name__}"
    raise TypeError(message)


def _number(expr: Expr) -> Callable[[Find], Rational]:
    return cast("Callable[[Find], Rational]", compiled(expr))


def _binary(expr: Binary) -> Compiled:
    left, right = _number(expr.left), _number(expr.right)
    match expr.operator:
        case "+":
            return lambda find: left(find) + right(find)
        case "-":
            return lambda find: left(find) - right(find)
        case "*":
            return lambda find: _product(left(find), right(find))
        case "/":
            return lambda find: _quotient(left(find), right(find))
    return lambda find: bare(power(Quantity(Fraction(left(find))), Quantity(Fraction(right(find)))).value)


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
            return lambda find: all(test(find) for test in tests)
        case "or":
            return lambda find: any(test(find) for test in tests)
    first = tests[0]
    return lambda find: not first(find)


def _call(function: str, arguments: tuple[Callable[[Find], Rational], ...]) -> Compiled:
    first = arguments[0]
    match function:
        case "min":
            return lambda find: min(argument(find) for argument in arguments)
        case "max":
            return lambda find: max(argument(find) for argument in arguments)
        case "ceil":
            return lambda find: int(-(-first(find) // 1))
        case "floor":
            return lambda find: int(first(find) // 1)
        case "abs":
            return lambda find: _magnitude(first(find))

    def general(find: Find) -> Rational:
        value = evaluate(Call(function, (Number(Fraction(first(find))),)), {})
        return bare(value.value) if isinstance(value, Quantity) else 0

    return general
