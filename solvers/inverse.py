"""The inverse question: the fewest or the largest value of a quantity with which a condition holds.

Counts of GPUs and other whole numbers are searched: doubling, then halving, then both neighbours are
evaluated exactly. Where the condition is smooth in the unknown, the boundary is solved for by algebra and
then checked by evaluating on both sides. The answer says which of the two it was.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from solvers.catalogue import CATALOGUE, SymbolInfo
from solvers.expand import Expander
from solvers.expr.algebra import NotSmoothError, roots
from solvers.expr.evaluate import EvaluationError, Quantity, Value
from solvers.expr.tree import Binary, Compare, Expr, Number, Symbol
from solvers.expr.units import Unit
from solvers.record import Record, changed
from solvers.solver import DomainError, InverseError, LawError, MissingError, SolveError, Solver, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solvers.scenario import Scenario

__all__ = ["Checked", "Inverse", "InverseError", "fewest", "largest", "solve_for"]

Method: TypeAlias = Literal["integer search", "algebra"]
Kind: TypeAlias = Literal["fewest", "largest"]

FARTHEST: Final = 2**60
"""The search gives up beyond this value."""
SCAN: Final = 4096
"""Where some values are not admissible (a degree that does not divide), so many are tried one by one."""
_BESIDE: Final = 128
_NEAR: Final = Fraction(1, 10**9)
_PROBES: Final = tuple(Fraction(probe) for probe in (1, 8, 2, 4, 16, 64, 10**9))
_PROBES_OF_PARTS: Final = tuple(Fraction(1, probe) for probe in (2, 4, 8, 1, 16, 1000))


class Checked(Record):
    """A value that was tried: whether the condition holds there; `reason` where the value is not admissible."""

    value: Quantity
    text: str
    holds: bool
    reason: str = ""


class Inverse(Record):
    """The answer: the value, how it was found, and the neighbours that were evaluated."""

    symbol: str
    value: Quantity
    unit: Unit
    text: str
    kind: Kind
    method: Method
    checked: tuple[Checked, ...]

    @property
    def explanation(self) -> str:
        """How it was found and checked, in a sentence."""
        tried = ", ".join(f"{item.text} {'holds' if item.holds else 'is not admissible' if item.reason else 'does not'}"
                          for item in self.checked)
        return f"{self.method}; checked by evaluation: {tried}"


def fewest(scenario: Scenario, symbol: str, condition: Expr, extra: Mapping[str, Value] | None = None, *,
           step: int = 1) -> Inverse:
    """The smallest value of `symbol` with which `condition` holds; for whole numbers a multiple of `step`.

    Raises `InverseError` if there is none, `SolveError` if the condition cannot be evaluated.

    >>> from solvers.inputs import scenario_of
    >>> from solvers.expr.reader import read_strict
    >>> plan = scenario_of({"model.parameters": "70e9", "recipe": "zero-paper", "layout.zero": 3})
    >>> fewest(plan, "layout.dp", read_strict("memory.state_per_gpu <= 80 GB")).text
    '14'
    """
    question = _Question(scenario, CATALOGUE[symbol], condition, extra or {}, step)
    if question.info.is_integer:
        return question.fewest_by_search()
    return question.by_algebra("fewest")


def largest(scenario: Scenario, symbol: str, condition: Expr, extra: Mapping[str, Value] | None = None, *,
            step: int = 1) -> Inverse:
    """The largest value of `symbol` with which `condition` holds; for whole numbers a multiple of `step`.

    By algebra where the condition is smooth in the unknown, else by search. Raises `InverseError` if there is
    none or no bound, `SolveError` if the condition cannot be evaluated.

    >>> from solvers.inputs import scenario_of
    >>> from solvers.expr.reader import read_strict
    >>> plan = scenario_of({"recipe": "zero-paper", "layout.zero": 3, "layout.dp": 8})
    >>> largest(plan, "model.parameters", read_strict("memory.state_per_gpu <= 80 GB")).text
    '40B'
    """
    question = _Question(scenario, CATALOGUE[symbol], condition, extra or {}, step)
    try:
        return question.by_algebra("largest")
    except NotSmoothError as error:
        if question.info.is_integer:
            return question.largest_by_search()
        raise InverseError(f"{symbol} is not a whole number, and the condition has steps in it: {error}") from error
    except InverseError:
        # The boundary may lie where the layout is not admissible; then the last admissible value is the answer.
        if question.info.is_integer and question.met_bounds:
            return question.largest_by_search()
        raise


def solve_for(scenario: Scenario, symbol: str, quantity: str, bound: Expr, *, at_most: bool,
              extra: Mapping[str, Value] | None = None, step: int = 1) -> Inverse:
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
    unit = CATALOGUE[quantity].unit
    if isinstance(bound, Number) and bound.unit is None and unit.dimension.is_count:
        # A plain 70e9 bounds parameters as well as it states them.
        bound = changed(bound, unit=unit)
    condition = Compare("<=" if at_most else ">=", Symbol(quantity), bound)
    question = _Question(scenario, CATALOGUE[symbol], condition, extra or {}, step)
    rises = question.rises(quantity)
    kind = "largest" if rises == at_most else "fewest"
    ask = largest if kind == "largest" else fewest
    return ask(scenario, symbol, condition, extra, step=step)


class _Question:
    """One inverse question; remembers what it evaluated."""

    def __init__(self, scenario: Scenario, info: SymbolInfo, condition: Expr, extra: Mapping[str, Value],
                 step: int) -> None:
        if info.is_choice:
            raise InverseError(f"{info.name} is a choice, not a number")
        if step < 1:
            raise InverseError("the step is at least 1")
        self.scenario, self.info, self.condition, self.extra, self.step = scenario, info, condition, extra, step
        self._tried: dict[Fraction, Checked] = {}

    def at(self, value: Fraction) -> Checked:
        """Evaluate the condition exactly with the unknown at `value` (base units)."""
        done = self._tried.get(value)
        if done is None:
            done = self._tried[value] = self._evaluated(value)
        return done

    def _evaluated(self, value: Fraction) -> Checked:
        quantity = Quantity(value, self.info.unit.dimension)
        text = shown(quantity, self.info)
        solver = self._solver(value)
        try:
            holds = solver.evaluate(self.condition)
        except MissingError:
            raise
        except (LawError, DomainError, EvaluationError) as error:
            return Checked(quantity, text, holds=False, reason=str(error))
        if not isinstance(holds, bool):
            raise InverseError("a condition is expected, such as `memory.total_per_gpu <= 80 GB`")
        return Checked(quantity, text, holds)

    def _solver(self, value: Fraction) -> Solver:
        unit = Unit(self.info.unit.name, Fraction(1), self.info.unit.dimension)
        return Solver(self.scenario.patched({self.info.name: Number(value, unit)}), self.extra)

    @property
    def _probes(self) -> tuple[Fraction, ...]:
        """Values to learn from how a quantity moves; a part of a whole is tried between 0 and 1."""
        return _PROBES_OF_PARTS if self.info.domain == "fraction" else _PROBES

    @property
    def met_bounds(self) -> bool:
        """Whether a value was tried that the scenario does not admit."""
        return any(item.reason for item in self._tried.values())

    def rises(self, quantity: str) -> bool:
        """Whether `quantity` rises with the unknown, told from admissible values far apart."""
        seen: list[Fraction] = []
        trouble = ""
        for probe in sorted(self._probes):
            try:
                seen.append(self._solver(probe).quantity(quantity).value)
            except MissingError:
                raise
            except (SolveError, EvaluationError) as error:
                trouble = trouble or str(error)
        if not seen:
            raise InverseError(f"no {self.info.name} is admissible: {trouble}")
        if seen[0] == seen[-1]:
            raise InverseError(f"{quantity} does not depend on {self.info.name} here")
        return seen[-1] > seen[0]

    # -- search --------------------------------------------------------------------------------------------

    def fewest_by_search(self) -> Inverse:
        below, value = 0, self.step
        while value <= FARTHEST and not self.at(Fraction(value)).holds:
            below, value = value, value * 2
        if value > FARTHEST:
            return self._scanned("fewest")
        while value - below > self.step:
            middle = self._between(below, value)
            if self.at(Fraction(middle)).holds:
                value = middle
            else:
                below = middle
        if self._has_holes() or not self._keeps_holding(value):
            return self._scanned("fewest")
        return self._answer("fewest", Fraction(value), "integer search", (value - self.step, value))

    def largest_by_search(self) -> Inverse:
        value, above = self.step, self.step * 2
        if not self.at(Fraction(value)).holds:
            return self._scanned("largest")
        while above <= FARTHEST and self.at(Fraction(above)).holds:
            value, above = above, above * 2
        if above > FARTHEST:
            raise InverseError(f"the condition holds for every {self.info.name} that was tried, up to {value:,}: "
                               "there is no largest")
        while above - value > self.step:
            middle = self._between(value, above)
            if self.at(Fraction(middle)).holds:
                value = middle
            else:
                above = middle
        if self.met_bounds:
            # An inadmissible value says nothing of those beyond it.
            return self._scanned("largest")
        return self._answer("largest", Fraction(value), "integer search", (value, value + self.step))

    def _between(self, below: int, above: int) -> int:
        return (below + above) // (2 * self.step) * self.step

    def _has_holes(self) -> bool:
        """Whether a value in between was not admissible, so that halving may have gone the wrong way."""
        holding = [value for value, item in self._tried.items() if item.holds]
        return any(item.reason and value < max(holding) for value, item in self._tried.items()) if holding else False

    def _keeps_holding(self, value: int) -> bool:
        later = (self.at(Fraction(other)) for other in (value + self.step, value * 2, value * 4))
        return all(item.holds or item.reason for item in later)

    def _scanned(self, kind: Kind) -> Inverse:
        """Try the values one by one, for conditions that are not monotone or have inadmissible values."""
        values = list(range(self.step, self.step * SCAN + 1, self.step))
        ordered = values if kind == "fewest" else values[::-1]
        found = next((value for value in ordered if self.at(Fraction(value)).holds), None)
        if found is None:
            raise InverseError(self._holding_far_away() or self._nowhere())
        if kind == "largest" and found == values[-1]:
            raise InverseError(f"the condition still holds at {self.info.name} = {found:,}: there is no largest")
        return self._answer(kind, Fraction(found), "integer search", self._beside(kind, found))

    def _holding_far_away(self) -> str:
        """What to say where the condition holds beyond what is tried one by one."""
        holding = sorted(value for value, item in self._tried.items() if item.holds)
        reason = next((item.reason for item in self._tried.values() if item.reason), "")
        if not holding:
            return ""
        return (f"the condition holds at {self.info.name} = {int(holding[0]):,}, but not every value below is "
                f"admissible ({reason}): search in steps of an admissible size")

    def _beside(self, kind: Kind, found: int) -> tuple[int, ...]:
        """The answer and the values outside it, up to the first that is admissible."""
        outward = -self.step if kind == "fewest" else self.step
        beside = [found]
        while 0 < beside[-1] + outward <= self.step * SCAN and len(beside) < _BESIDE:
            beside.append(beside[-1] + outward)
            if not self.at(Fraction(beside[-1])).reason:
                # Those in between that cannot be tried say nothing.
                return tuple(sorted((found, beside[-1])))
        return tuple(sorted(beside[:2]))

    def _nowhere(self) -> str:
        reasons = [item.reason for item in self._tried.values() if item.reason]
        admissible = [item for item in self._tried.values() if not item.reason]
        if not admissible and reasons:
            return f"no {self.info.name} is admissible: {reasons[0]}"
        most = max(item.value.value for item in admissible) if admissible else 0
        beyond = sorted((value, item.reason) for value, item in self._tried.items() if item.reason and value > most)
        end = f"; beyond, {beyond[0][1]}" if beyond else ""
        return f"the condition holds for no {self.info.name} that was tried, up to {int(most):,}{end}"

    def _answer(self, kind: Kind, value: Fraction, method: Method,
                neighbours: tuple[int | Fraction, ...]) -> Inverse:
        checked = tuple(self.at(Fraction(other)) for other in neighbours if other > 0)
        answer = self.at(value)
        return Inverse(self.info.name, answer.value, self.info.unit, answer.text, kind, method, checked)

    # -- algebra -------------------------------------------------------------------------------------------

    def by_algebra(self, kind: Kind) -> Inverse:
        edges = roots(self._difference(), self.info.name)
        if self.info.is_integer:
            edges = tuple(Fraction(edge // self.step * self.step) for edge in edges)
        return self._at_edge(kind, edges)

    def _difference(self) -> Expr:
        if not isinstance(self.condition, Compare) or self.condition.operator in ("==", "!="):
            raise NotSmoothError("only one comparison with <, <=, >= or > has a boundary")
        expander = self._expander()
        if not expander.depends(self.condition):
            raise InverseError(f"the condition does not depend on {self.info.name}")
        return Binary("-", expander.written_out(self.condition.left), expander.written_out(self.condition.right))

    def _expander(self) -> Expander:
        trouble: Exception | None = None
        for probe in self._probes:
            solver = self._solver(probe)
            try:
                solver.evaluate(self.condition)
            except MissingError:
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
                    raise InverseError(self._boundless(kind))
                if inside.holds and not outside.holds:
                    if not self.info.is_integer:
                        beyond = "above" if kind == "largest" else "below"
                        outside = changed(outside, text=f"just {beyond} {inside.text}")
                    pair = tuple(sorted((inside, outside), key=lambda item: item.value.value))
                    return Inverse(self.info.name, inside.value, self.info.unit, inside.text, kind, "algebra", pair)
        far = self.at(edges[-1] * 2 if edges else Fraction(self.step))
        if far.holds:
            raise InverseError(self._boundless(kind))
        raise InverseError(self._nowhere())

    def _boundless(self, kind: Kind) -> str:
        how, bound = ("large", "largest") if kind == "largest" else ("small", "smallest")
        return f"the condition holds however {how} {self.info.name} is: there is no {bound}"

    def _nearby(self, edge: Fraction) -> tuple[Fraction, ...]:
        if not self.info.is_integer:
            return (edge,)
        return (edge, edge - self.step, edge + self.step)

    def _sides(self, kind: Kind, edge: Fraction) -> tuple[Checked, Checked]:
        """The edge itself, or where it is not quite reached a value just inside; and one just outside."""
        beyond = self.step if self.info.is_integer else edge * _NEAR
        outward = beyond if kind == "largest" else -beyond
        inside = self.at(edge)
        if not inside.holds and not self.info.is_integer:
            inside = self.at(edge - outward)
        return inside, self.at(edge + outward)
