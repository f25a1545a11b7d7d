"""A condition written out in one unknown: every other quantity becomes its number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvers.catalogue import CATALOGUE
from solvers.expr.algebra import STEPS, NotSmoothError
from solvers.expr.evaluate import Quantity, Value
from solvers.expr.tree import Binary, Call, Compare, Expr, Logic, Negative, Number, Symbol, Text, When
from solvers.expr.units import Unit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solvers.solver import Solver


class Expander:
    """Writes trees out over a solver whose scenario states `unknown` with some admissible value."""

    def __init__(self, solver: Solver, unknown: str, extra: Mapping[str, Value]) -> None:
        self.solver, self.unknown, self.extra = solver, unknown, extra
        self._depends: dict[str, bool] = {}

    def depends(self, expr: Expr) -> bool:
        """Whether the value of `expr` can change with the unknown."""
        match expr:
            case Symbol(name):
                return self._named(name)
            case When(condition, then, otherwise):
                # A branch that is not taken may need what nobody stated.
                return self.depends(condition) or self.depends(
                    then if self.solver.evaluate(condition) is True else otherwise)
        return any(self.depends(child) for child in expr.children)

    def _named(self, name: str) -> bool:
        if name == self.unknown:
            return True
        if name in self.extra or name not in CATALOGUE:
            return False
        if name not in self._depends:
            expr = self.solver.resolve(name).expr
            self._depends[name] = False  # a name met again below itself adds nothing
            self._depends[name] = expr is not None and self.depends(expr)
        return self._depends[name]

    def written_out(self, expr: Expr) -> Expr:  # noqa: PLR0911 - one return for each kind
        """`expr` in the unknown alone. Raises `NotSmoothError` where it has steps or cases in the unknown."""
        if not self.depends(expr):
            return _number(self.solver.evaluate(expr))
        match expr:
            case Symbol(name) if name == self.unknown:
                return expr
            case Symbol(name):
                inner = self.solver.resolve(name).expr
                return self.written_out(inner) if inner else expr
            case Negative(operand):
                return Negative(self.written_out(operand))
            case Binary(operator, left, right):
                return Binary(operator, self.written_out(left), self.written_out(right))
            case Call(function, arguments) if function not in STEPS:
                return Call(function, tuple(self.written_out(argument) for argument in arguments))
            case When(condition, then, otherwise) if not self.depends(condition):
                return self.written_out(then if self.solver.evaluate(condition) is True else otherwise)
            case Call() | When() | Compare() | Logic() | Text():
                raise NotSmoothError(f"a step or case depends on {self.unknown}")
        return expr


def _number(value: Value) -> Expr:
    if not isinstance(value, Quantity):
        raise NotSmoothError("a name or a condition is no number")
    return Number(value.value, Unit("", Quantity(value.value).value**0, value.dimension))
