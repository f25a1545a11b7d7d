"""Trees of a bank's expressions with something else in the place of their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.bank.expressions import parsed
from solvers.expr.tree import Binary, Call, Compare, Expr, Logic, Negative, Symbol, When

if TYPE_CHECKING:
    from collections.abc import Callable

    from quiz.bank.scope import Scope

_MOST_NAMES: Final = 100


def mapped(expr: Expr, named: Callable[[str], Expr]) -> Expr:  # noqa: PLR0911 - one return a kind of node
    """The tree with `named` in the place of each symbol."""
    match expr:
        case Symbol(name):
            return named(name)
        case Binary(operator, left, right):
            return Binary(operator, mapped(left, named), mapped(right, named))
        case Compare(operator, left, right):
            return Compare(operator, mapped(left, named), mapped(right, named))
        case Negative(operand):
            return Negative(mapped(operand, named))
        case Call(function, arguments):
            return Call(function, tuple(mapped(argument, named) for argument in arguments))
        case Logic(operator, operands):
            return Logic(operator, tuple(mapped(operand, named) for operand in operands))
        case When(condition, then, otherwise):
            return When(mapped(condition, named), mapped(then, named), mapped(otherwise, named))
    return expr


class TooLargeError(Exception):
    """A formula whose figures put into each other are more than anybody reads."""


class Opener:
    """Puts formulas in the place of figures; what figures can double without end is counted."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._count = 0

    def opened(self, expr: Expr) -> Expr:
        """The tree with the formulas of figures put in. Raises `TooLargeError`."""
        return mapped(expr, self._named)

    def _named(self, name: str) -> Expr:
        self._count += 1
        if self._count > _MOST_NAMES:
            raise TooLargeError
        text = self._scope.formula_named(name)
        if not text:
            return self._scope.named(name)
        with self._scope.world.entering(name, ("figures", name)):
            return self.opened(parsed(text, self._scope.world.units))
