"""The reference of a typed answer, written out in the letters that a learner may use.

Relations are put in until only inputs are left: those that have a letter stay as it, the others become their
numbers. Grading looks for a wrong answer as one edit of this formula.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.expr.evaluate import EvaluationError, Quantity, evaluate
from solvers.expr.strict import ReadError, read_strict
from solvers.expr.tree import Binary, Call, Expr, Negative, Number, Symbol, symbols

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from quiz.bank.scope import Scope

_RANK: Final = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
_ATOM: Final = 9
_UNARY: Final = 3
_PLACES: Final = 13


def formula_of(text: str, scope: Scope, letters: Mapping[str, str], value: Quantity) -> str:
    """The expression in strict spelling over `letters` (by the name of the quantity).

    Empty where it cannot be written so: a case or a choice stands in it, it is too long to be read again, or it does
    not give `value`.
    """
    try:
        expr = _Writer(scope, letters).written_out(scope.read_open(text))
        spelled = _spelled(expr)[0]
        known = {letter: scope.solver.quantity(name) for name, letter in letters.items()}
        again = evaluate(read_strict(spelled, scope.world.units), known, counts_checked=False)
    except (_NotWrittenError, ReadError, EvaluationError, KeyError):
        return ""
    return spelled if isinstance(again, Quantity) and again.value == value.value else ""


def following(
    text: str,
    scope: Scope,
    letters: Mapping[str, str],
    earlier: Mapping[Expr, tuple[str, Quantity]],
    value: Quantity,
) -> str:
    """The expression over `letters` and the values of `earlier` expressions, each with its name; empty for none.

    Empty too where it cannot be written so, as in `formula_of`.
    """
    try:
        writer = _Writer(scope, letters, {expr: name for expr, (name, _) in earlier.items()})
        expr = writer.written_out(scope.read_open(text))
        spelled = _spelled(expr)[0]
        known = {letter: scope.solver.quantity(name) for name, letter in letters.items()} | dict(earlier.values())
        tree = read_strict(spelled, scope.world.units)
        again = evaluate(tree, known, counts_checked=False)
    except (_NotWrittenError, ReadError, EvaluationError, KeyError):
        return ""
    names = {name for name, _ in earlier.values()}
    is_right = isinstance(again, Quantity) and again.value == value.value
    return spelled if is_right and names & set(symbols(tree)) else ""


class _NotWrittenError(Exception):
    """A node that has no place in a formula of numbers."""


class _Writer:
    def __init__(self, scope: Scope, letters: Mapping[str, str], earlier: Mapping[Expr, str] | None = None) -> None:
        self._solver = scope.solver
        self._letters = letters
        self._earlier = earlier or {}

    def written_out(self, expr: Expr) -> Expr:
        """The tree with relations put in, and without factors of one and terms of nothing."""
        if expr in self._earlier:
            return Symbol(self._earlier[expr])
        match self._solver.taken(expr):
            case Number() as number:
                return number
            case Symbol(name):
                return self._named(name)
            case Negative(operand):
                return Negative(self.written_out(operand))
            case Binary(operator, left, right):
                return _without_neutral(Binary(operator, self.written_out(left), self.written_out(right)))
            case Call(function, arguments):
                return Call(function, tuple(self.written_out(argument) for argument in arguments))
        raise _NotWrittenError

    def _named(self, name: str) -> Expr:
        if name in self._letters:
            return Symbol(self._letters[name])
        resolved = self._solver.resolve(name)
        if resolved.expr is not None and resolved.origin in ("derived", "stated", "default"):
            return self.written_out(resolved.expr)
        if not isinstance(resolved.value, Quantity):
            raise _NotWrittenError
        unit = CATALOGUE[name].unit
        return Number(resolved.value.value / unit.factor, unit if unit.name else None)


def _without_neutral(expr: Binary) -> Expr:
    left, right = expr.left, expr.right
    if _is(right, 1) and expr.operator in "*/^":
        return left
    if _is(left, 1) and expr.operator == "*":
        return right
    if _is(right, 0) and expr.operator in "+-":
        return left
    if _is(left, 0) and expr.operator == "+":
        return right
    return expr


def _is(expr: Expr, value: int) -> bool:
    """Whether a node is the plain number `value`; nothing of any unit counts as zero."""
    return isinstance(expr, Number) and expr.value == value and (value == 0 or expr.unit is None)


def _spelled(expr: Expr) -> tuple[str, int]:
    """Strict text, and how tightly it binds."""
    match expr:
        case Number(value, unit):
            return _number(value, unit.name if unit else "")
        case Symbol(name):
            return name, _ATOM
        case Negative(operand):
            return f"-{_wrapped(operand, _UNARY)}", _UNARY
        case Binary(operator, left, right):
            rank = _RANK[operator]
            before = _wrapped(left, rank + (operator == "^"))
            return f"{before} {operator} {_wrapped(right, rank + 1)}", rank
        case Call(function, arguments):
            return f"{function}({', '.join(_spelled(argument)[0] for argument in arguments)})", _ATOM
    raise _NotWrittenError


def _wrapped(expr: Expr, least: int) -> str:
    text, rank = _spelled(expr)
    return text if rank >= least else f"({text})"


def _number(value: Fraction, unit: str) -> tuple[str, int]:
    suffix = f" {unit}" if unit else ""
    if value.denominator == 1 and value >= 0:
        return f"{value.numerator}{suffix}", _ATOM
    places = next((places for places in range(1, _PLACES) if (value * 10**places).denominator == 1), 0)
    if not places or value < 0:
        raise _NotWrittenError
    digits = f"{(value * 10**places).numerator:0{places + 1}}"
    return f"{digits[:-places]}.{digits[-places:]}{suffix}", _ATOM
