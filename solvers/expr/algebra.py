"""Algebra on our own tree, by sympy, which is imported only when a function of this module is called.

The tree keeps its terms for the reader; sympy gets a copy of it in one unknown, with exact coefficients.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from solvers.expr.evaluate import DIGITS
from solvers.expr.tree import Binary, Call, Expr, Negative, Number, Symbol, walk

STEPS: Final = frozenset({"ceil", "floor", "min", "max", "abs"})
"""Functions with corners or steps: where they meet the unknown, there is no smooth inverse."""


class NotSmoothError(ValueError):
    """The tree has steps, corners or cases in the unknown."""


def roots(expr: Expr, unknown: str) -> tuple[Fraction, ...]:
    """Positive real values of `unknown` at which `expr` (in base units, in that one symbol) is zero, ascending.

    Rational roots are exact, others good to `DIGITS` digits. Raises `NotSmoothError`.
    """
    import sympy

    symbol = sympy.Symbol("x", positive=True)
    numerator, _ = sympy.fraction(sympy.together(_built(expr, unknown, symbol)))
    if not numerator.has(symbol):
        return ()
    found = sympy.solve(numerator, symbol)
    values = [_fraction(root) for root in found if root.is_real]
    return tuple(sorted({value for value in values if value > 0}))


def is_smooth(expr: Expr) -> bool:
    """Whether `expr` has only arithmetic, roots, powers and logarithms."""
    return all(isinstance(node, Number | Symbol | Binary | Negative)
               or (isinstance(node, Call) and node.function not in STEPS) for node in walk(expr))


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
            return {"+": lambda: first + second, "-": lambda: first - second, "*": lambda: first * second,
                    "/": lambda: first / second, "^": lambda: first**second}[operator]()
        case Call(function, arguments) if function not in STEPS:
            inner = _built(arguments[0], unknown, symbol)
            return {"sqrt": sympy.sqrt, "log": sympy.log, "ln": sympy.log, "exp": sympy.exp,
                    "log2": lambda value: sympy.log(value, 2),
                    "log10": lambda value: sympy.log(value, 10)}[function](inner)
    raise NotSmoothError(f"{type(expr).__name__} has no smooth inverse in {unknown}")
