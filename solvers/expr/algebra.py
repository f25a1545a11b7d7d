"""Algebra on our own tree: where an expression in one unknown is zero.

Three ways, from the cheapest. An unknown that occurs once is set free by undoing one operation after another;
the roots of a fraction of polynomials, with roots of the unknown in it, are exact or isolated in exact numbers;
for all else (a logarithm beside a power) sympy gets a copy of the tree, and is imported only then. Whoever asks
checks a root by evaluating on both sides.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from solvers.expr.evaluate import DIGITS, EvaluationError, Quantity, evaluate, power
from solvers.expr.polynomials import NotPolynomialError, fraction_of, positive_roots
from solvers.expr.tree import TRIGONOMETRY, Binary, Call, Expr, Negative, Number, Symbol, walk
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

STEPS: Final = frozenset({"ceil", "floor", "min", "max", "abs"})
"""Functions with corners or steps: where they meet the unknown, there is no smooth inverse."""


class NotSmoothError(ValueError):
    """The tree has steps, corners or cases in the unknown."""


class _NotThisWayError(ValueError):
    """A cheaper way does not lead to the roots."""


class Solution(Record):
    """The positive roots, ascending, and the way to them in words."""

    roots: tuple[Fraction, ...]
    way: str


def roots(expr: Expr, unknown: str) -> tuple[Fraction, ...]:
    """Positive real values of `unknown` at which `expr` (in base units, in that one symbol) is zero, ascending.

    Rational roots are exact, others good to `DIGITS` digits. Raises `NotSmoothError`.

    >>> from solvers.expr.tree import call, number, symbol
    >>> [str(root) for root in roots(call("sqrt", 2 * symbol("x")) - 6, "x")]
    ['18']
    """
    return solution(expr, unknown).roots


def solution(expr: Expr, unknown: str) -> Solution:
    """`roots`, with the way to them."""
    if any(isinstance(node, Call) and node.function in STEPS for node in walk(expr)):
        raise NotSmoothError(f"the condition has steps in {unknown}")
    occurs = sum(isinstance(node, Symbol) and node.name == unknown for node in walk(expr))
    if not occurs:
        return Solution((), "the unknown does not occur")
    return _solved(expr, unknown, once=occurs == 1)


def _solved(expr: Expr, unknown: str, *, once: bool) -> Solution:
    if once:
        try:
            return _solution(_set_free(expr, unknown, [Fraction(0)]), "the unknown set free")
        except (_NotThisWayError, EvaluationError):
            return _solution(_by_sympy(expr, unknown), "sympy")
    try:
        numerator, _ = fraction_of(expr, unknown, _value)
        found, degree = positive_roots(numerator)
    except (NotPolynomialError, EvaluationError):
        return _solution(_by_sympy(expr, unknown), "sympy")
    ways = {0: "the unknown cancels", 1: "a linear equation", 2: "a quadratic equation"}
    return _solution(found, ways.get(degree, f"an equation of degree {degree}, its roots isolated in exact numbers"))


def _solution(found: Iterable[Fraction], way: str) -> Solution:
    return Solution(tuple(sorted({root for root in found if root > 0})), way)


def _has(expr: Expr, unknown: str) -> bool:
    return any(isinstance(node, Symbol) and node.name == unknown for node in walk(expr))


def _value(expr: Expr) -> Fraction:
    """The number of a tree without the unknown, in base units."""
    match expr:
        case Number(value, unit):
            return value * unit.factor if unit else value
        case Negative(operand):
            return -_value(operand)
        case Binary(operator, left, right):
            bare = Binary(operator, Number(_value(left)), Number(_value(right)))
        case Call(function, arguments):
            found = evaluate(Call(function, tuple(Number(_value(argument)) for argument in arguments)), {})
            return _number(found)
        case _:
            raise NotSmoothError(f"{type(expr).__name__} is no number")
    return _number(evaluate(bare, {}))


def _number(value: object) -> Fraction:
    if isinstance(value, Quantity):
        return value.value
    raise NotSmoothError("a name or a condition is no number")


# -- an unknown that occurs once ---------------------------------------------------------------------------------


def _set_free(expr: Expr, unknown: str, values: list[Fraction]) -> list[Fraction]:
    """What the unknown must be for `expr` to be one of `values`."""
    match expr:
        case Symbol():
            return values
        case Negative(operand):
            return _set_free(operand, unknown, [-value for value in values])
        case Call(function, arguments):
            return _set_free(arguments[0], unknown, _before_call(function, values))
        case Binary(operator, left, right) if _has(left, unknown):
            return _set_free(left, unknown, _before_left(operator, values, _value(right)))
        case Binary(operator, left, right):
            return _set_free(right, unknown, _before_right(operator, values, _value(left)))
    raise NotSmoothError(f"{type(expr).__name__} has no smooth inverse in {unknown}")


def _before_call(function: str, values: list[Fraction]) -> list[Fraction]:
    if function == "sqrt":
        return [value * value for value in values if value >= 0]
    raise _NotThisWayError(function)


def _before_left(operator: str, values: list[Fraction], right: Fraction) -> list[Fraction]:
    """The left operands that give `values` with `right`."""
    if operator in "+-":
        return [value - right if operator == "+" else value + right for value in values]
    if operator == "/":
        return [value * right for value in values]
    if operator == "*":
        return [value / right for value in values] if right else []
    return [base for value in values for base in _bases(value, right)]


def _before_right(operator: str, values: list[Fraction], left: Fraction) -> list[Fraction]:
    """The right operands that give `values` with `left`."""
    match operator:
        case "+":
            return [value - left for value in values]
        case "-":
            return [left - value for value in values]
        case "*":
            return [value / left for value in values] if left else []
        case "/":
            return [left / value for value in values if value and left]
    raise _NotThisWayError(operator)


def _bases(value: Fraction, exponent: Fraction) -> list[Fraction]:
    if not exponent or (not value and exponent < 0):
        return []
    if not value:
        return [value]
    root = power(Quantity(abs(value)), Quantity(1 / exponent)).value
    if exponent.denominator == 1 and exponent.numerator % 2:
        return [root if value > 0 else -root]
    if value < 0:
        return []
    return [root, -root] if exponent.denominator == 1 else [root]


# -- all else ----------------------------------------------------------------------------------------------------


def _by_sympy(expr: Expr, unknown: str) -> list[Fraction]:
    import sympy

    # With the unknown written as a square, roots of it become polynomials, which are solved far quicker.
    square = any(isinstance(node, Call) and node.function == "sqrt" for node in walk(expr))
    symbol = sympy.Symbol("x", positive=True)
    numerator, _ = sympy.fraction(sympy.together(_built(expr, unknown, symbol**2 if square else symbol)))
    if not numerator.has(symbol):
        return []
    found = [root**2 if square else root for root in _zeros(numerator, symbol) if root.is_real and root.is_positive]
    return [_fraction(sympy.expand(root)) for root in found]


def _zeros(numerator: Any, symbol: Any) -> list[Any]:  # noqa: ANN401 - sympy trees
    import sympy

    if numerator.is_polynomial(symbol):
        polynomial = sympy.Poly(numerator, symbol)
        exact: dict[Any, int] = sympy.roots(polynomial)
        if sum(exact.values()) == polynomial.degree():
            return list(exact)
    return list(sympy.solve(numerator, symbol))


def _fraction(root: Any) -> Fraction:  # noqa: ANN401 - a sympy number, whose package ships no types
    if root.is_Rational:
        return Fraction(int(root.p), int(root.q))
    return Fraction(str(root.evalf(DIGITS)))


def _built(expr: Expr, unknown: str, symbol: Any) -> Any:  # noqa: ANN401 - as above
    import sympy

    match expr:
        case Number(value, unit):
            exact = value * unit.factor if unit else value
            return sympy.Rational(exact.numerator, exact.denominator)
        case Symbol(name) if name == unknown:
            return symbol
        case Negative(operand):
            return -_built(operand, unknown, symbol)
        case Binary(operator, left, right):
            first, second = _built(left, unknown, symbol), _built(right, unknown, symbol)
            return {
                "+": lambda: first + second,
                "-": lambda: first - second,
                "*": lambda: first * second,
                "/": lambda: first / second,
                "^": lambda: first**second,
            }[operator]()
        case Call(function, arguments) if function not in STEPS:
            inner = _built(arguments[0], unknown, symbol)
            return {
                "sqrt": sympy.sqrt,
                "log": sympy.log,
                "ln": sympy.log,
                "exp": sympy.exp,
                "log2": lambda value: sympy.log(value, 2),
                "log10": lambda value: sympy.log(value, 10),
                **{name: getattr(sympy, name) for name in TRIGONOMETRY},
            }[function](inner)
    raise NotSmoothError(f"{type(expr).__name__} has no smooth inverse in {unknown}")
