"""The inverse question: the fewest or the largest value of a quantity with which a condition holds.

Counts of GPUs and other whole numbers are searched: doubling, then halving, then both neighbours are
evaluated exactly. Where the condition is smooth in the unknown, the boundary is solved for by algebra and
then checked by evaluating on both sides. Where it has corners and the unknown is no whole number, the boundary is
narrowed down between two brackets. The answer says which of the three it was.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from solvers.catalogue import CATALOGUE, LARGEST
from solvers.errors import DomainError, InverseError, LawError, MissingError
from solvers.expand import Expander
from solvers.expr.algebra import NotSmoothError, solution
from solvers.expr.evaluate import DimensionError, EvaluationError, Value
from solvers.expr.evaluate import quantity as quantity_of
from solvers.expr.tree import Binary, Compare, Expr, Number, Symbol, symbols
from solvers.inverse_question import Checked, Inverse, Kind
from solvers.inverse_search import NEAR, Search
from solvers.record import changed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solvers.catalogue import SymbolInfo
    from solvers.scenario import Scenario

__all__ = ["Checked", "Inverse", "InverseError", "fewest", "largest", "solve_for"]


def fewest(
    scenario: Scenario, symbol: str, condition: Expr, extra: Mapping[str, Value] | None = None, *, step: int = 1
) -> Inverse:
    """The smallest value of `symbol` with which `condition` holds; for whole numbers a multiple of `step`.

    Raises `InverseError` if there is none, `SolveError` if the condition cannot be evaluated.

    >>> from solvers.inputs import scenario_of
    >>> from solvers.expr.reader import read_strict
    >>> plan = scenario_of({"model.parameters": "70e9", "recipe": "zero-paper", "layout.zero": 3})
    >>> fewest(plan, "layout.dp", read_strict("memory.state_per_gpu <= 80 GB")).text
    '14'
    """
    return _fewest(_Question(scenario, CATALOGUE[symbol], condition, extra or {}, step))


def _fewest(question: _Question) -> Inverse:
    if question.info.is_integer:
        return question.fewest_by_search()
    try:
        return question.by_algebra("fewest")
    except NotSmoothError:
        return question.by_bracketing("fewest")


def largest(
    scenario: Scenario, symbol: str, condition: Expr, extra: Mapping[str, Value] | None = None, *, step: int = 1
) -> Inverse:
    """The largest value of `symbol` with which `condition` holds; for whole numbers a multiple of `step`.

    By algebra where the condition is smooth in the unknown, else by search or bracketing. Raises `InverseError` if
    there is none or no bound, `SolveError` if the condition cannot be evaluated.

    >>> from solvers.inputs import scenario_of
    >>> from solvers.expr.reader import read_strict
    >>> plan = scenario_of({"recipe": "zero-paper", "layout.zero": 3, "layout.dp": 8})
    >>> largest(plan, "model.parameters", read_strict("memory.state_per_gpu <= 80 GB")).text
    '40B'
    """
    return _largest(_Question(scenario, CATALOGUE[symbol], condition, extra or {}, step))


def _largest(question: _Question) -> Inverse:
    try:
        return question.by_algebra("largest")
    except NotSmoothError:
        return question.largest_by_search() if question.info.is_integer else question.by_bracketing("largest")
    except InverseError:
        # The boundary may lie where the layout is not admissible; then the last admissible value is the answer.
        if question.info.is_integer and question.met_bounds:
            return question.largest_by_search()
        raise


def solve_for(
    scenario: Scenario,
    symbol: str,
    quantity: str,
    bound: Expr,
    *,
    at_most: bool,
    extra: Mapping[str, Value] | None = None,
    step: int = 1,
) -> Inverse:
    """The value of `symbol` that keeps `quantity` at most (or at least) `bound`: fewest or largest, as it follows.

    A quantity that falls with the unknown has a fewest for an upper bound, one that rises a largest.
    Raises `InverseError` and `SolveError` as `fewest` and `largest` do.

    >>> from solvers.inputs import expr_of, scenario_of
    >>> plan = scenario_of({"layout.pp": 8})
    >>> found = solve_for(plan, "batch.accumulation", "pipeline.bubble_of_total", expr_of(
    ...     "pipeline.bubble_of_total", "10 %"), at_most=True)
    >>> found.kind, found.text
    ('fewest', '63')
    """
    info = CATALOGUE[quantity]
    if info.is_choice:
        raise InverseError(f"{quantity} is a choice, not a number that could be bounded")
    if isinstance(bound, Number) and bound.unit is None and info.unit.dimension.is_count and info.unit.factor == 1:
        # A plain 70e9 bounds parameters as well as it states them.
        bound = changed(bound, unit=info.unit)
    condition = Compare("<=" if at_most else ">=", Symbol(quantity), bound)
    question = _Question(scenario, CATALOGUE[symbol], condition, extra or {}, step)
    _check_bound(info, bound, at_most=at_most)
    rises = question.rises(quantity)
    try:
        return _largest(question) if rises == at_most else _fewest(question)
    except InverseError as error:
        raise InverseError(f"{error}{question.nearest_miss(quantity)}") from error


def _check_bound(info: SymbolInfo, bound: Expr, *, at_most: bool) -> None:
    """Refuse a bound that the quantity cannot keep, or cannot break, whatever it is made of."""
    if symbols(bound):
        return
    value = quantity_of(bound, {}).value
    if abs(value) > LARGEST:
        raise InverseError(f"the bound means nothing: {info.complaint(value)}")
    never = at_most and (value < 0 or (value == 0 and info.domain.startswith("positive")))
    if info.domain != "any" and (never or (info.domain == "fraction" and not 0 <= value <= 1)):
        raise InverseError(f"the bound cannot be kept: {info.complaint(value) or 'it is out of range'}")


class _Question(Search):
    """A question that is answered by algebra, where it can be."""

    def by_algebra(self, kind: Kind) -> Inverse:
        solved = solution(self._difference(), self.info.name)
        edges = solved.roots
        if self.info.is_integer:
            edges = tuple(Fraction(edge // self.step * self.step) for edge in edges)
        return changed(self._at_edge(kind, edges), way=solved.way)

    def _difference(self) -> Expr:
        if not isinstance(self.condition, Compare) or self.condition.operator in ("==", "!="):
            raise NotSmoothError("only one comparison with <, <=, >= or > has a boundary")
        expander = self._expander()
        if not expander.depends(self.condition):
            raise InverseError(f"the condition does not depend on {self.info.name}")
        return Binary("-", expander.written_out(self.condition.left), expander.written_out(self.condition.right))

    def _expander(self) -> Expander:
        trouble: Exception | None = None
        for probe in (*self.probes, *self.more_probes):
            solver = self.solver_at(probe)
            try:
                solver.evaluate(self.condition)
            except (MissingError, DimensionError):
                raise
            except (LawError, DomainError, EvaluationError) as error:
                trouble = error
                continue
            return Expander(solver, self.info.name, self.extra)
        raise InverseError(f"no {self.info.name} is admissible: {trouble}")

    def _at_edge(self, kind: Kind, edges: tuple[Fraction, ...]) -> Inverse:
        """The edge beyond which the condition stops holding, tried from the outside."""
        outward = list(edges) if kind == "fewest" else list(edges[::-1])
        for edge in outward:
            for value in self._nearby(edge):
                inside, outside = self._sides(kind, value)
                if outside.holds and value == edge:
                    raise InverseError(self.boundless(kind))
                if inside.holds and not outside.holds:
                    if not self.info.is_integer:
                        beyond = "above" if kind == "largest" else "below"
                        outside = changed(outside, text=f"just {beyond} {inside.text}")
                    pair = tuple(sorted((inside, outside), key=lambda item: item.value.value))
                    return Inverse(self.info.name, inside.value, self.info.unit, inside.text, kind, "algebra", pair)
        far = self.at(edges[-1] * 2 if edges else Fraction(self.step))
        if far.holds:
            raise InverseError(self.boundless(kind))
        if edges and self.info.domain == "fraction" and not any(0 <= edge <= 1 for edge in edges):
            self.at(Fraction(1))  # how near the whole comes is told with it
            raise InverseError(f"{self.info.name} would have to be {self._text(edges[-1])}, which no share can")
        raise InverseError(self.nowhere())

    def _nearby(self, edge: Fraction) -> tuple[Fraction, ...]:
        if not self.info.is_integer:
            return (edge,)
        return (edge, edge - self.step, edge + self.step)

    def _sides(self, kind: Kind, edge: Fraction) -> tuple[Checked, Checked]:
        """The edge itself, or where it is not quite reached a value just inside; and one just outside."""
        beyond = self.step if self.info.is_integer else edge * NEAR
        outward = beyond if kind == "largest" else -beyond
        inside = self.at(edge)
        if not inside.holds and not self.info.is_integer:
            inside = self.at(edge - outward)
        return inside, self.at(edge + outward)
