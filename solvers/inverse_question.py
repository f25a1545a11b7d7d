"""An inverse question: the condition evaluated exactly at values of the unknown, and what is said of them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from solvers.catalogue import UnknownNameError
from solvers.errors import DomainError, InverseError, LawError, MissingError, SolveError
from solvers.expr.compiled import compiled
from solvers.expr.evaluate import DimensionError, EvaluationError, Quantity, Value
from solvers.expr.static import dimension_of
from solvers.expr.tree import Compare, Expr, Logic, Number
from solvers.expr.units import Unit
from solvers.ready import named_dimension
from solvers.record import Record
from solvers.solver import Solver, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solvers.catalogue import SymbolInfo
    from solvers.expr.compiled import Compiled
    from solvers.relation import Law
    from solvers.scenario import Scenario

Method: TypeAlias = Literal["integer search", "algebra", "bracketing"]
Kind: TypeAlias = Literal["fewest", "largest"]

_PROBES: Final = tuple(Fraction(probe) for probe in (1, 8, 2, 4, 16, 64, 10**9))
_MORE: Final = tuple(Fraction(probe) for probe in (3, 5, 6, 7, 12, 24, 32, 48, 96, 128, 256, 512, 1024, 4096, 10**6,
                                                    10**12))  # fmt: skip
_DECADES: Final = tuple(Fraction(10) ** power for power in range(-9, 25) if power)
_PROBES_OF_PARTS: Final = tuple(Fraction(1, probe) for probe in (2, 4, 8, 1, 16, 1000))


class Checked(Record):
    """A value that was tried: whether the condition holds there; `reason` where the value is not admissible."""

    value: Quantity
    text: str
    holds: bool
    reason: str = ""


class Inverse(Record):
    """The answer: the value, how it was found (`way` in more words), and the neighbours that were evaluated."""

    symbol: str
    value: Quantity
    unit: Unit
    text: str
    kind: Kind
    method: Method
    checked: tuple[Checked, ...]
    way: str = ""

    @property
    def explanation(self) -> str:
        """How it was found and checked, in a sentence."""
        tried = ", ".join(
            f"{item.text} {'holds' if item.holds else 'is not admissible' if item.reason else 'does not'}"
            for item in self.checked
        )
        return f"{self.method}{f' ({self.way})' if self.way else ''}; checked by evaluation: {tried}"


class Question:
    """One inverse question; remembers what it evaluated."""

    def __init__(
        self, scenario: Scenario, info: SymbolInfo, condition: Expr, extra: Mapping[str, Value], step: int
    ) -> None:
        if info.is_choice:
            raise InverseError(f"{info.name} is a choice, not a number")
        if step < 1:
            raise InverseError("the step is at least 1")
        self.scenario, self.info, self.condition, self.extra, self.step = scenario, info, condition, extra, step
        self._quick = None if extra else _quick(condition)
        self._tried: dict[Fraction, Checked] = {}
        self._laws: dict[str, Law] = {}
        self._outside: set[str] = set()

    def at(self, value: Fraction) -> Checked:
        """Evaluate the condition exactly with the unknown at `value` (base units)."""
        done = self._tried.get(value)
        if done is None:
            done = self._tried[value] = self._evaluated(value)
        return done

    def _evaluated(self, value: Fraction) -> Checked:
        quantity = Quantity(value, self.info.unit.dimension)
        text = shown(quantity, self.info)
        solver = self.solver_at(value)
        try:
            holds = solver.evaluate(self.condition) if self._quick is None else solver.outcome(self._quick)
        except (MissingError, DimensionError):
            raise  # of the condition as it is written, whatever the value
        except (LawError, DomainError, EvaluationError) as error:
            self._remember(error)
            return Checked(quantity, text, holds=False, reason=str(error))
        if not isinstance(holds, bool):
            raise InverseError("a condition is expected, such as `memory.total_per_gpu <= 80 GB`")
        return Checked(quantity, text, holds)

    def _remember(self, error: Exception) -> None:
        """Keep what refused a value: a law, or a quantity that cannot be what follows."""
        if isinstance(error, LawError) and error.law is not None:
            self._laws[error.law.sentence] = error.law
        elif isinstance(error, DomainError) and error.name:
            self._outside.add(error.name)

    def sieved(self, values: list[int]) -> list[int]:
        """Those of `values` that may be admissible, as far as what refused others tells."""
        admissible = next((value for value, item in self._tried.items() if value and not item.reason), None)
        if admissible is None or not (self._laws or self._outside):
            return values
        from solvers.expand import Expander
        from solvers.inverse_limits import sieved

        expander = Expander(self.solver_at(admissible), self.info.name, self.extra)
        return sieved(expander, self._laws.values(), self._outside - {self.info.name}, values)

    def solver_at(self, value: Fraction) -> Solver:
        """A solver of the scenario with the unknown at `value`."""
        unit = Unit(self.info.unit.name, Fraction(1), self.info.unit.dimension)
        return Solver(self.scenario.patched({self.info.name: Number(value, unit)}), self.extra)

    @property
    def probes(self) -> tuple[Fraction, ...]:
        """Values to learn from how a quantity moves; a part of a whole is tried between 0 and 1."""
        return _PROBES_OF_PARTS if self.info.domain == "fraction" else _PROBES

    @property
    def more_probes(self) -> tuple[Fraction, ...]:
        """Values to try where too few of the first were admissible, or all gave the same."""
        return () if self.info.domain == "fraction" else _MORE if self.info.is_integer else _DECADES

    @property
    def met_bounds(self) -> bool:
        """Whether a value was tried that the scenario does not admit."""
        return any(item.reason for item in self._tried.values())

    def rises(self, quantity: str) -> bool:
        """Whether `quantity` rises with the unknown, told from admissible values far apart."""
        seen: dict[Fraction, Fraction] = {}
        trouble = ""
        for probes in (self.probes, self.more_probes):
            for probe in probes:
                try:
                    seen[probe] = self.solver_at(probe).quantity(quantity).value
                except MissingError:
                    raise
                except (SolveError, EvaluationError) as error:
                    trouble = trouble or str(error)
            if len(set(seen.values())) > 1:
                return seen[max(seen)] >= seen[min(seen)]
        if not seen:
            raise InverseError(f"no {self.info.name} that was tried is admissible: {trouble}")
        if len(seen) == 1 and trouble:
            raise InverseError(f"hardly any {self.info.name} is admissible: {trouble}")
        raise InverseError(f"{quantity} does not depend on {self.info.name} here")

    # -- what is said -------------------------------------------------------------------------------------

    def nowhere(self) -> str:
        """Why there is no answer, where nothing that was tried holds."""
        reasons = [item.reason for item in self._tried.values() if item.reason]
        admissible = [item for item in self._tried.values() if not item.reason]
        if not admissible and reasons:
            return f"no {self.info.name} is admissible: {reasons[0]}"
        most = max(item.value.value for item in admissible) if admissible else 0
        beyond = sorted((value, item.reason) for value, item in self._tried.items() if item.reason and value > most)
        end = f"; beyond, {beyond[0][1]}" if beyond else ""
        return f"the condition holds for no {self.info.name} that was tried, up to {self._text(Fraction(most))}{end}"

    def _text(self, value: Fraction) -> str:
        return shown(Quantity(value, self.info.unit.dimension), self.info)

    def nearest_miss(self, quantity: str) -> str:
        """What `quantity` comes to at the farthest admissible value that was tried, where nothing held."""
        tried = sorted(self._tried.values(), key=lambda item: item.value.value)
        if any(item.holds for item in tried):
            return ""
        ends = {item.text: item for item in (next((item for item in side if not item.reason), None)
                                             for side in (tried, tried[::-1])) if item}  # fmt: skip
        said = " and ".join(
            f"{self.solver_at(item.value.value).resolve(quantity).text} at {text}" for text, item in ends.items()
        )
        return f"; {quantity} is {said}".replace(" at ", f" at {self.info.name} = ", 1) if ends else ""

    def boundless(self, kind: Kind) -> str:
        """Why there is no answer, where everything holds."""
        how, bound = ("large", "largest") if kind == "largest" else ("small", "smallest")
        return f"the condition holds however {how} {self.info.name} is: there is no {bound}"

    def answer(self, kind: Kind, value: Fraction, method: Method, neighbours: tuple[int | Fraction, ...]) -> Inverse:
        """The answer at `value`, with what was evaluated beside it."""
        checked = tuple(self.at(Fraction(other)) for other in neighbours if other > 0 or value == 0)
        answer = self.at(value)
        return Inverse(self.info.name, answer.value, self.info.unit, answer.text, kind, method, checked)


def _quick(condition: Expr) -> Compiled | None:
    """The condition as a function, which is tried at many values; None where its units have to be looked at again."""
    if not _compares(condition):
        return None
    try:
        dimension_of(condition, named_dimension)
    except (DimensionError, UnknownNameError):
        return None  # evaluating it says what is wrong, where it comes to that
    return compiled(condition)


def _compares(condition: Expr) -> bool:
    """Whether a tree is one comparison, or several joined."""
    if isinstance(condition, Logic):
        return all(_compares(operand) for operand in condition.operands)
    return isinstance(condition, Compare)
