"""From a scenario to a value, with the way there.

`Solver` resolves names: stated or pinned first, then presets, then relations, then declared defaults. It
remembers what it computed, takes only the branch of a `when` that holds, and keeps for every value where
it came from, so that a derivation is read off and never reconstructed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from solvers.catalogue import CATALOGUE, SymbolInfo
from solvers.expr.dimension import Dimension
from solvers.expr.evaluate import EvaluationError, Quantity, Value, evaluate
from solvers.expr.show import show_expr, show_quantity
from solvers.expr.tree import Binary, Call, Compare, Expr, Logic, Negative, When, symbols
from solvers.expr.units import Unit
from solvers.presets import preset_entries
from solvers.relation import RELATIONS, Relation, Source
from solvers.scenario import Origin, Scenario, Stated


class SolveError(ValueError):
    """The scenario does not give the quantity; the message says what is missing or contradictory."""


class MissingError(SolveError):
    """Quantities that would have to be stated; `needs` names them, each an alternative group."""

    def __init__(self, target: str, needs: tuple[str, ...]) -> None:
        self.target, self.needs = target, needs
        super().__init__(f"{target} needs {', '.join(needs)}, which the scenario does not state")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A value with its origin; `expr` is the tree that gave it, branches already taken."""

    info: SymbolInfo
    value: Value
    origin: Origin
    expr: Expr | None = None
    relation: Relation | None = None
    note: str = ""

    @property
    def text(self) -> str:
        """The value as a person reads it."""
        return shown(self.value, self.info)


@dataclass(frozen=True, slots=True)
class Step:
    """One line: `letter = symbolic = substituted = value`."""

    name: str
    letter: str
    meaning: str
    symbolic: str
    substituted: str
    value: str
    origin: Origin
    because: str = ""
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Derivation:
    """The answer with its way: inputs with origins, steps from the inputs to the target, conventions, sources."""

    target: str
    value: Quantity
    unit: Unit
    text: str
    inputs: tuple[Step, ...]
    steps: tuple[Step, ...]
    conventions: tuple[str, ...]
    sources: tuple[Source, ...]


def shown(value: Value, info: SymbolInfo, unit: Unit | None = None, decimals: int | None = None) -> str:
    """Spell a value of `info`, in its own unit unless another is asked for."""
    if isinstance(value, Quantity):
        return show_quantity(value, unit or info.unit, info.decimals if decimals is None else decimals,
                             short=info.short)
    return ("yes" if value else "no") if isinstance(value, bool) else value


class Solver:
    """Resolves quantities of one scenario. `extra` adds names that are not in the catalogue (figures of a bank)."""

    def __init__(self, scenario: Scenario, extra: Mapping[str, Value] | None = None) -> None:
        self.scenario = scenario
        self._extra = extra or {}
        self._presets: dict[str, Stated] = {}
        for name in ("model", "recipe", "cluster.gpu"):
            if name in scenario:
                self._presets.update(preset_entries(name, scenario[name].expr))
        self._done: dict[str, Resolved] = {}
        self._open: list[str] = []

    def value(self, name: str) -> Value:
        """The value of a name of the catalogue or of `extra`. Raises `SolveError` or `UnknownNameError`."""
        if name in self._extra:
            return self._extra[name]
        return self.resolve(name).value

    def quantity(self, name: str) -> Quantity:
        """Like `value`, for a number."""
        value = self.value(name)
        if isinstance(value, Quantity):
            return value
        message = f"{name} is a name ({value}), not a number"
        raise SolveError(message)

    def evaluate(self, expr: Expr) -> Value:
        """The value of any expression over the scenario."""
        return evaluate(expr, self.value)

    def resolve(self, name: str) -> Resolved:
        """The value of a catalogue name with its origin."""
        if name in self._done:
            return self._done[name]
        info = CATALOGUE[name]
        if name in self._open:
            message = f"{name} depends on itself ({' -> '.join([*self._open, name])})"
            raise SolveError(message)
        self._open.append(name)
        try:
            resolved = self._resolve(info)
        finally:
            self._open.pop()
        self._done[name] = resolved
        return resolved

    def _resolve(self, info: SymbolInfo) -> Resolved:
        stated = self.scenario.entries.get(info.name) or self._presets.get(info.name)
        if stated:
            value = self._checked(info, evaluate(stated.expr, self.value))
            return Resolved(info, value, stated.origin, stated.expr, note=stated.note)
        missing: list[MissingError] = []
        for relation in RELATIONS.of(info.name):
            try:
                return self._by_relation(info, relation)
            except MissingError as error:
                missing.append(error)
        if info.default is not None:
            return Resolved(info, self._checked(info, evaluate(info.default, self.value)), "default", info.default)
        if missing:
            needs = tuple(dict.fromkeys(need for error in missing for need in error.needs))
            raise MissingError(info.name, needs)
        raise MissingError(info.name, (info.name,))

    def _by_relation(self, info: SymbolInfo, relation: Relation) -> Resolved:
        taken = self.taken(relation.expr)
        try:
            value = evaluate(taken, self.value)
        except EvaluationError as error:
            message = f"{info.name} has no value here: {error}"
            raise SolveError(message) from error
        return Resolved(info, self._checked(info, value), "derived", taken, relation)

    def _checked(self, info: SymbolInfo, value: Value) -> Value:
        if info.is_choice:
            name = "true" if value is True else "false" if value is False else value
            if name not in info.choices:
                message = f"{info.name} is one of {', '.join(info.choices)}, not {name}"
                raise SolveError(message)
            return value
        if not isinstance(value, Quantity):
            message = f"{info.name} is a number, not {value!r}"
            raise SolveError(message)
        wanted = info.unit.dimension
        if value.dimension != wanted:
            if not _same_but_for_counts(value.dimension, wanted):
                message = f"{info.name} is measured in {info.unit.name or 'a plain number'}, not in {value.dimension}"
                raise SolveError(message)
            value = Quantity(value.value, wanted)
        complaint = info.complaint(value.value)
        if complaint:
            message = f"{complaint}, not {shown(value, info)}"
            raise SolveError(message)
        return value

    def taken(self, expr: Expr) -> Expr:
        """The tree with every `when` replaced by the branch that holds."""
        match expr:
            case When(condition, then, otherwise):
                return self.taken(then if self.evaluate(condition) is True else otherwise)
            case Binary(operator, left, right):
                return Binary(operator, self.taken(left), self.taken(right))
            case Negative(operand):
                return Negative(self.taken(operand))
            case Call(function, arguments):
                return Call(function, tuple(self.taken(argument) for argument in arguments))
            case Compare(operator, left, right):
                return Compare(operator, self.taken(left), self.taken(right))
            case Logic(operator, operands):
                return Logic(operator, tuple(self.taken(operand) for operand in operands))
        return expr

    def derive(self, target: str, unit: Unit | None = None) -> Derivation:
        """Derive a quantity of the catalogue, with every step from the inputs."""
        resolved = self.resolve(target)
        value = self.quantity(target)
        order: dict[str, Resolved] = {}
        self._collect(resolved, order)
        lines = [self._step(item) for item in order.values()]
        relations = [item.relation for item in order.values() if item.relation]
        return Derivation(
            target, value, unit or resolved.info.unit, shown(value, resolved.info, unit),
            tuple(line for line in lines if line.origin != "derived"),
            tuple(line for line in lines if line.origin == "derived"),
            tuple(dict.fromkeys(text for relation in relations for text in relation.assumptions)),
            tuple(dict.fromkeys(relation.source for relation in relations)),
        )

    def _collect(self, resolved: Resolved, order: dict[str, Resolved]) -> None:
        if resolved.info.name in order:
            return
        for name in symbols(resolved.expr) if resolved.expr else ():
            if name in CATALOGUE:
                self._collect(self.resolve(name), order)
        order[resolved.info.name] = resolved

    def _step(self, resolved: Resolved) -> Step:
        info, expr = resolved.info, resolved.expr
        symbolic = show_expr(expr, lambda name: CATALOGUE[name].letter if name in CATALOGUE else name) if expr else ""
        substituted = show_expr(expr, self._spelled) if expr else ""
        return Step(info.name, info.letter, info.meaning, symbolic, substituted, resolved.text, resolved.origin,
                    resolved.relation.because if resolved.relation else resolved.note,
                    resolved.relation.source if resolved.relation else None)

    def _spelled(self, name: str) -> str:
        if name in CATALOGUE:
            return self.resolve(name).text
        return str(self.value(name))


def _same_but_for_counts(left: Dimension, right: Dimension) -> bool:
    return left.without_counts == right.without_counts


def plain(value: int | Fraction, unit: Unit | None = None) -> Quantity:
    """A quantity of a plain number, or of `value` in `unit`."""
    return Quantity(Fraction(value) * unit.factor, unit.dimension) if unit else Quantity(Fraction(value))


