"""From a scenario to a value.

`Solver` resolves names: stated or pinned first, then presets, then relations, then declared defaults. It
remembers what it computed, takes only the branch of a `when` that holds, checks the laws of a scenario as
they come up, and keeps for every value where it came from, so that a derivation is read off and never
reconstructed.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from solvers import relations as _relations  # noqa: F401 - declares every symbol and relation
from solvers.catalogue import CATALOGUE, SymbolInfo
from solvers.errors import CycleError, DomainError, InverseError, LawError, MissingError, SolveError
from solvers.expr.compiled import Bare, Compiled, bare
from solvers.expr.dimension import PLAIN, Dimension
from solvers.expr.evaluate import EvaluationError, Quantity, Value, evaluate
from solvers.expr.show import show_broken, show_expr, show_quantity
from solvers.expr.tree import Binary, Call, Compare, Expr, Logic, Negative, Number, Text, When, symbols
from solvers.expr.units import PLAIN_UNIT, Unit
from solvers.prepare import prepared
from solvers.ready import Plan, ReadyLaw, plan_of, plan_where
from solvers.record import Record, changed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from solvers.derivation import Derivation
    from solvers.relation import Relation
    from solvers.scenario import Origin, Scenario, Stated

__all__ = ["CycleError", "DomainError", "InverseError", "LawError", "MissingError", "Resolved", "SolveError", "Solver",
           "fits_count", "shown"]

_PRESET_VALUES: Final[dict[tuple[str, str], Bare]] = {}
_CONSTANTS: Final = (Number, Text)
_BY_PRESET: Final = {"recipe.": "recipe", "quant.": "quant.scheme", "cluster.memory_": "cluster.gpu",
                     "cluster.peak_": "cluster.gpu", "cluster.hbm_": "cluster.gpu",
                     "cluster.link_bandwidth": "cluster.gpu", "cluster.nic": "cluster.network",
                     "link.total": "link.kind"}
_PLACE: Final = re.compile(r"\{([\w.]+)\}")


class Resolved(Record):
    """A value with its origin; `expr` is the tree that gave it."""

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


def shown(value: Value, info: SymbolInfo, unit: Unit | None = None, decimals: int | None = None) -> str:
    """Spell a value of `info`, in its own unit unless another is asked for."""
    if isinstance(value, Quantity):
        spelled = unit or (PLAIN_UNIT if info.bare else info.unit)
        return show_quantity(value, spelled, info.decimals if decimals is None else decimals, short=info.short)
    return ("true" if value else "false") if isinstance(value, bool) else value


_NOWHERE: Final = 1 << 30
"""Deeper than names are ever open: nothing rests on an open name."""


class _Values(dict[str, "Bare"]):
    """The bare values of a scenario; one that is not there yet is worked out by its solver as it is asked for."""

    __slots__ = ("work_out",)

    work_out: Callable[[str], Bare]

    def __missing__(self, name: str) -> Bare:
        return self.work_out(name)


class Solver:
    """Resolves quantities of one scenario. `extra` adds names that are not in the catalogue (figures of a bank).

    Without `explains` a `MissingError` names one quantity that is missing and no more, which is found far sooner.
    """

    def __init__(
        self, scenario: Scenario, extra: Mapping[str, Value] | None = None, *, explains: bool = True
    ) -> None:
        self.scenario = scenario
        self._extra = extra or {}
        self._prepared = scenario.prepared or prepared(scenario)
        self._known = self._prepared.known
        # What follows from the scenario alone is shared by its solvers; a figure of a bank may change anything.
        self._shares = not self._extra
        self._values = _Values(self._prepared.worked if self._shares else self._prepared.settled)
        self._values.work_out = self._work_out
        # Where what is not known came from, if it is not a default.
        self._from: dict[str, Relation] = dict(self._prepared.relations) if self._shares else {}
        self._resolved: dict[str, Resolved] = {}
        self._open: list[str] = []
        # What was found missing on the way to something else, so that it is not looked for again; and how far back
        # the open names reach on which what is being worked out rests through a cycle.
        self._explains = explains
        self._lacking: dict[str, MissingError] = {}
        self._reach = _NOWHERE
        self._instead: dict[str, tuple[str, ...]] = {}
        self._silent: dict[str, str] = {}

    def value(self, name: str) -> Value:
        """The value of a name of the catalogue or of `extra`. Raises `SolveError` or `UnknownNameError`."""
        if name in self._extra:
            return self._extra[name]
        return _dressed(CATALOGUE[name], self._values[name])

    def quantity(self, name: str) -> Quantity:
        """Like `value`, for a number."""
        value = self.value(name)
        if isinstance(value, Quantity):
            return value
        message = f"{name} is a name ({value}), not a number"
        raise SolveError(message)

    def evaluate(self, expr: Expr) -> Value:
        """The value of any expression over the scenario. Raises `SolveError`, `UnknownNameError`, `EvaluationError`."""
        return evaluate(expr, self.value)

    def is_stated(self, name: str) -> bool:
        """Whether the scenario or one of its presets states `name`."""
        return name in self._known

    def bare(self, name: str) -> Bare:
        """The value of a name of the catalogue in base units, without its dimension. Raises as `value` does."""
        return self._values[name]

    def outcome(self, function: Compiled) -> Bare:
        """What a compiled expression gives here; its units were checked beforehand. Raises as `evaluate` does."""
        return function(self._values)

    def resolve(self, name: str) -> Resolved:
        """The value of a catalogue name with its origin."""
        found = self._resolved.get(name)
        if found is None:
            found = self._resolved[name] = self._resolve(name)
        return found

    def _resolve(self, name: str) -> Resolved:
        info = CATALOGUE[name]
        value = _dressed(info, self._values[name])
        stated = self._known.get(name)
        if stated is not None:
            return Resolved(info, value, stated.origin, stated.expr, note=stated.note)
        relation = self._from.get(name)
        if relation is not None:
            return Resolved(info, value, "derived", relation.expr, relation)
        return Resolved(info, value, "default", info.default)

    def _work_out(self, name: str) -> Bare:
        """The bare value of a catalogue name that is asked for the first time."""
        here = self._prepared.plans.get(name) or self._plan_here(name)
        depth = len(self._open)
        if depth and name in self._lacking:
            raise self._lacking[name].with_traceback(None)
        if name in self._open:
            self._reach = min(self._reach, self._open.index(name))
            raise CycleError(name, (*self._open[self._open.index(name):], name))
        self._open.append(name)
        try:
            value = self._worked_out(name, here)
        except MissingError as error:
            if depth and self._reach >= depth:
                self._lacking[name] = error
            raise
        finally:
            self._open.pop()
            if self._reach >= depth:
                self._reach = _NOWHERE
        self._values[name] = value
        for law in here.laws:
            self._check(law)
        if self._shares:
            self._prepared.worked[name] = value
            if name in self._from:
                self._prepared.relations[name] = self._from[name]
        return value

    def _plan_here(self, name: str) -> Plan:
        """The plan of a quantity with the relations and laws that speak of what is known here."""
        here = self._prepared.plans[name] = plan_where(plan_of(name), self._known)
        return here

    def _worked_out(self, name: str, plan: Plan) -> Bare:
        stated = self._known.get(name)
        if stated is not None:
            return self._stated(plan, stated)
        if plan.constant is not None:
            return self._settled(plan, plan.constant)
        missing: list[str] = []
        last: list[str] = []
        for ready in plan.relations:
            try:
                value = ready.function(self._values)
            except MissingError as error:
                last = self._missing(ready.relation.expr) if self._explains else [*error.needs]
                missing += last
                continue
            except EvaluationError as error:
                message = f"{name} has no value here: {error}"
                raise SolveError(message) from error
            self._from[name] = ready.relation
            return value if plan.admits(value) else self._admitted(plan, value)
        if plan.default is not None:
            return self._admitted(plan, plan.default(self._values))
        special = self._special(name)
        missing, last = missing or special, last or special
        # What could be stated itself is asked for, unless it is the very thing that is sought.
        if not missing or (plan.info.statable and self._open != [name]):
            # The relation tried last is the plainest: what it lacks is what a person would rather state.
            self._instead[name] = tuple(lack for lack in dict.fromkeys(last) if lack != name)
            raise MissingError(name, (self._stated_by(name),), self._instead, self._silent)
        raise MissingError(name, tuple(dict.fromkeys(missing)), self._instead, self._silent)

    def _special(self, name: str) -> list[str]:
        """What a relation for a case of its own would need, the last one's."""
        lacks = ([other for other in ready.relation.stated if other not in self._known]
                 for ready in plan_of(name).relations)
        return next((lacking for lacking in reversed([*lacks]) if lacking), [])

    def _stated_by(self, name: str) -> str:
        """What a person would state to give `name`: the preset, where nobody would give its parts one by one.

        A preset that is stated and leaves `name` open does not know it: then it is the figure that is missing.
        """
        found = next((symbol for prefix, symbol in _BY_PRESET.items() if name.startswith(prefix)), name)
        if found in self.scenario.entries:
            if found != name:
                self._silent[name] = self.resolve(found).text
            return name
        return found

    def _admitted(self, plan: Plan, value: Bare) -> Bare:
        if not plan.admits(value):
            try:
                self._checked(plan.info, _dressed(plan.info, value))
            except DomainError as error:
                way = self._way(plan.info.name)
                if not way:
                    raise
                raise DomainError(f"{error}: it follows from {way}", plan.info.name) from error
        return value

    def _way(self, name: str) -> str:
        """How a derived value came about: `cluster.gpus / (layout.tp × …) = 64 / (5 × …)`; empty where it did not."""
        relation = self._from.get(name)
        if relation is None:
            return ""
        expr = self.taken(relation.expr)
        return f"{show_expr(expr)} = {show_expr(expr, lambda other: self.resolve(other).text)}"

    def _missing(self, expr: Expr) -> list[str]:
        """Everything that `expr` lacks, in the branches that are taken as far as that can be told."""
        if isinstance(expr, When):
            lacking = self._missing(expr.condition)
            if lacking:
                return lacking
            return self._missing(expr.then if self.evaluate(expr.condition) is True else expr.otherwise)
        if expr.children:
            return [need for child in expr.children for need in self._missing(child)]
        lacks: list[str] = []
        for name in symbols(expr):
            try:
                self._values[name]
            except MissingError as error:
                lacks += error.needs
        return lacks

    def _stated(self, plan: Plan, stated: Stated) -> Bare:
        if type(stated.expr) not in _CONSTANTS and symbols(stated.expr):
            return self._read_off(plan, stated)  # follows from what this scenario, or a figure of a bank, states
        if stated.origin != "preset":
            return self._settled(plan, self._read_off(plan, stated))
        key = (plan.info.name, stated.note)
        if key not in _PRESET_VALUES:
            _PRESET_VALUES[key] = self._read_off(plan, stated)
        return self._settled(plan, _PRESET_VALUES[key])

    def _settled(self, plan: Plan, value: Bare) -> Bare:
        """`value`, kept for the other solvers of this scenario where it brings nothing up."""
        if not plan.laws:
            self._prepared.settled[plan.info.name] = value
        return value

    def _read_off(self, plan: Plan, stated: Stated) -> Bare:
        info, expr = plan.info, stated.expr
        if type(expr) is Number and not info.is_choice:
            literal = bare(expr.value * expr.unit.factor if expr.unit else expr.value)
            dimension = expr.unit.dimension if expr.unit else PLAIN
            if (dimension == info.unit.dimension or fits_count(dimension, info.unit.dimension)) \
                    and plan.admits(literal):
                return literal
        try:
            value = self._checked(info, evaluate(stated.expr, self.value))
        except EvaluationError as error:
            message = f"{info.name} has no value here: {error}"
            raise DomainError(message) from error
        return bare(value.value) if isinstance(value, Quantity) else value

    def _checked(self, info: SymbolInfo, value: Value) -> Value:
        if info.is_choice:
            return _checked_choice(info, value)
        if not isinstance(value, Quantity):
            message = f"{info.name} is a number, not {value!r}"
            raise DomainError(message)
        wanted = info.unit.dimension
        if value.dimension != wanted:
            if not fits_count(value.dimension, wanted):
                message = (f"{info.name} is measured in {info.unit.name or 'a plain number'}, "
                           f"not in {value.dimension}")
                raise DomainError(message)
            value = Quantity(value.value, wanted)
        complaint = info.complaint(value.value)
        if complaint:
            # What misses a whole number by little must not be shown as one.
            nearly = info.is_integer and value.value.denominator != 1
            spelled = show_broken(value.value) if nearly else shown(value, changed(info, short=False))
            message = f"{complaint}, not {spelled}"
            raise DomainError(message, info.name)
        return value

    def _check(self, ready: ReadyLaw) -> None:
        law = ready.law
        try:
            holds = ready.function(self._values)
        except MissingError:
            return  # what the law speaks of is not known here
        if not holds:
            sentence = _PLACE.sub(lambda place: self.resolve(place[1]).text, law.sentence)
            self._values.clear()
            self._resolved.clear()
            self._lacking.clear()
            if self._shares:
                self._prepared.worked.clear()
            raise LawError(sentence, law)

    def taken(self, expr: Expr) -> Expr:  # noqa: PLR0911 - one return for each kind
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
        from solvers.derivation import derivation_of

        return derivation_of(self, target, unit)


def _checked_choice(info: SymbolInfo, value: Value) -> Value:
    name = "true" if value is True else "false" if value is False else value
    if name not in info.choices:
        said = f"{shown(value, info)!r}" if isinstance(value, str) else shown(value, info)
        message = f"{info.name} is one of {', '.join(info.choices)}, not {said}"
        raise DomainError(message)
    return name


def fits_count(given: Dimension, wanted: Dimension) -> bool:
    """Whether a stated count may stand where another is wanted: a plain 8 for GPUs, 8 GPUs for a degree.

    GPUs are not parameters: a count that both name must be the same one.
    """
    if not (given.is_count and wanted.is_count):
        return False
    return given.is_plain or wanted.is_plain or set(given.powers) <= set(wanted.powers)


def _dressed(info: SymbolInfo, value: Bare) -> Value:
    """A bare value with its dimension."""
    if isinstance(value, str | bool):
        return value
    return Quantity(value if type(value) is Fraction else Fraction(value), info.unit.dimension)
