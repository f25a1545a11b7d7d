"""The numbers of a question of which something is wrong: what is told once is not told again where it is read.

A name whose definition was told is known and has no value: in the scenario `TOLD` is stated for it, and a figure raises
`EchoError`. Whatever leans on one of these ends in an `EchoError`, which no report notes. Names that do not exist are
noted by `names`, for every expression; here they are echoes too.
"""

from __future__ import annotations

from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from quiz.bank.diagnostics import format_path
from quiz.bank.expressions import names_in
from quiz.bank.lenient import Partial
from quiz.bank.problems import SOLVER_ERRORS, TOLD, EchoError, Problem, Report, problem_of
from quiz.bank.restated import input_problem, patch_path
from quiz.bank.scope import KEY, Scope, Worked, World, complained
from quiz.bank.shown import shown_symbol
from quiz.bank.unknown import UnknownHereError
from solvers.catalogue import CATALOGUE, UnknownNameError
from solvers.expr.evaluate import Quantity
from solvers.expr.tree import Symbol, symbols
from solvers.inputs import InputError, ScenarioError, check, expr_of, scenario_of
from solvers.presets import PRESET_SYMBOLS, preset, preset_names
from solvers.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from quiz.bank.diagnostics import Diagnostic, Severity
    from quiz.bank.document import Document, Path
    from quiz.bank.fields import Raw
    from quiz.bank.schema import AnyQuestion
    from quiz.bank.schema_parts import Fewest, Largest
    from quiz.bank.shown import Shown
    from solvers.expr.declared import Units
    from solvers.expr.evaluate import Value
    from solvers.expr.tree import Expr
    from solvers.solver import Solver


_SPACES: Final = frozenset(name.partition(".")[0] for name in CATALOGUE.names)


class LenientReport(Report):
    """Notes a thing once, and nothing that only says what a name lacks which was told.

    `failures` counts echoes too; `lacking` are the findings that say what a scenario does not state.
    """

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self.told_names: set[str] = set()
        self.failures = 0
        self.lacking: list[tuple[Diagnostic, Problem]] = []

    def add(self, problem: Problem, severity: Severity = "error") -> None:
        """As in `Report`."""
        self.failures += 1
        if TOLD in problem.what or self.told_names.intersection(problem.needs):
            return
        before = len(self.found)
        super().add(problem, severity)
        if len(self.found) > before:
            new = self.found.pop()
            if not self.has(new):
                self.found.append(new)
                if problem.needs:
                    self.lacking.append((new, problem))

    def has(self, one: Diagnostic) -> bool:
        """Whether the same was told, perhaps with another reason."""
        said = (one.place, one.code, one.what, one.severity)
        return any((other.place, other.code, other.what, other.severity) == said for other in self.found)


class LenientWorld(World):
    """A question that was read leniently, with its own numbers. Notes what is wrong with every scenario of it."""

    def __init__(self, question: AnyQuestion, report: LenientReport, units: Units) -> None:
        self.report = report
        self.told_figures: set[str] = set()
        self._patched: dict[tuple[str, int], LenientScope] = {}
        super().__init__(question, units=units)

    def founded(self, stated: Mapping[str, Raw], given: Mapping[str, Raw], _: Scenario | None = None, /) -> Scope:
        """The scope of what is right of the scenario."""
        question = self.question
        parts = [(stated, lost_of(question.scenario)), (given, lost_of(question.given))]
        sound = [{n: raw for n, raw in part.items() if n not in lost and raw != TOLD} for part, lost in parts]
        told = {name for part, _ in parts for name in part} - sound[0].keys() - sound[1].keys()
        try:
            scenario_of(sound[0], sound[1])
        except ScenarioError as error:
            for one in error.complaints:
                where = "given" if one.symbol in given else "scenario"
                # Of a law that speaks of a symbol which nobody stated, the scenario as such is told.
                self.report.add(complained(one, (where, one.symbol)))
                told.add(one.symbol)
        values, pins = ({name: expr_of(name, raw) for name, raw in part.items() if name not in told} for part in sound)
        silenced = self.silenced(told, {**stated, **given})
        if silenced is None or is_lost(question.scenario) or is_lost(question.given):
            return self.blind
        self.report.told_names |= silenced.keys()
        return LenientScope(self, Scenario.of({**values, **silenced}, pins), None)

    @property
    def blind(self) -> LenientScope:
        """A scope of which nothing is known."""
        return LenientScope(self, Scenario(), None, blind=True)

    def silenced(self, told: Iterable[str], here: Mapping[str, object]) -> dict[str, Expr] | None:
        """What is stated where the names `told` are wrong in the mapping `here`: that nothing comes of them.

        A name that does not exist may be meant for those near it; None where there are none: it may be meant for any.
        """
        names: set[str] = set()
        for name in told:
            if name in CATALOGUE:
                names.add(name)
                continue
            near = UnknownNameError(name.lower(), CATALOGUE.names).nearest
            meant = {one for one in near if one not in here}
            if not meant:
                return None
            names |= meant
        for symbol in PRESET_SYMBOLS:
            if symbol in names:
                self.report.told_names.add(symbol)
                brought = {key for name in preset_names(symbol) for key in preset(symbol, name).values}
                names |= {key for key in brought if key not in here}
        return {name: Symbol(TOLD) for name in names if name not in PRESET_SYMBOLS}

    def option(self, name: str) -> Scope:
        """The scope under an option; where there is none, which is told where it is named, one without any value."""
        if name == KEY and self.key_option is not None:
            name = self.key_option
        if name not in self.patches:
            return self.blind
        return super().option(name)

    def may_be(self, name: str) -> bool:
        """Whether an unknown name may be one of those that could not be read."""
        head, _, tail = name.partition(".")
        groups = [getattr(self.question, self.group, {})] if tail else [self.question.figures]
        return any(is_lost(group) or get_close_matches(head, _lower(lost_of(group)), n=1) for group in groups)

    def is_known(self, name: str) -> bool:
        """Whether an expression may mention a name."""
        head, _, tail = name.partition(".")
        if name == TOLD or name in self.question.figures or name in CATALOGUE or self.may_be(name):
            return True
        return bool(tail) and head in self.patches and self.is_known(tail)

    def unknown(self, name: str) -> UnknownNameError:
        """The error that an unknown name in an expression is."""
        return UnknownHereError(name, self.question.figures, self.patches)

    def patched(self, scope: LenientScope, patch: Mapping[str, Raw], path: Path, option: str | None) -> Scope:
        """The scope with what is right of a patch; what is wrong is noted, once."""
        kept = (format_path(path), id(scope.scenario))
        if kept not in self._patched:
            self._patched[kept] = scope.with_patch(patch, path)
        found = self._patched[kept]
        return LenientScope(self, found.scenario, option, found.worked, blind=found.blind)


class LenientScope(Scope):
    """A scope of such a world."""

    world: LenientWorld

    def __init__(
        self,
        world: LenientWorld,
        scenario: Scenario,
        option: str | None,
        worked: Worked | None = None,
        *,
        blind: bool = False,
    ) -> None:
        """With `blind` nothing is known of the scenario, and every value is an echo."""
        super().__init__(world, scenario, option, worked)
        self.blind = blind

    @property
    def solver(self) -> Solver:
        """The solver of this scenario; an echo where nothing is known of it."""
        if self.blind:
            raise EchoError
        return super().solver

    def patched(self, patch: Mapping[str, Raw], path: Path, option: str | None = None) -> Scope:
        """This scenario with what is right of `patch`."""
        if not patch and not is_lost(patch):
            return LenientScope(self.world, self.scenario, option or self.option, self.worked, blind=self.blind)
        return self.world.patched(self, patch, path, option or self.option)

    def with_patch(self, patch: Mapping[str, Raw], path: Path) -> LenientScope:
        """As `patched`, worked out anew."""
        world, report = self.world, self.world.report
        values: dict[str, Expr] = {}
        told: set[str] = set(lost_of(patch))
        for name, raw in patch.items():
            if name in told or raw == TOLD:
                told.add(name)
                continue
            problems = [*self._stating(name, raw, (*path, name), values)]
            for problem in problems:
                report.add(problem)
            if problems:
                told.add(name)
        scenario = self._with(values, told, patch)
        for one in () if scenario is None else check(scenario):
            if TOLD not in one.reason:
                report.add(complained(one, patch_path(one, patch, path)))
                told |= {one.symbol} if one.symbol in patch else patch.keys()
        if told & values.keys():
            scenario = self._with({n: expr for n, expr in values.items() if n not in told}, told, patch)
        return world.blind if scenario is None else LenientScope(world, scenario, self.option)

    def _with(self, values: Mapping[str, Expr], told: set[str], patch: Mapping[str, Raw]) -> Scenario | None:
        """The scenario with a patch of which `told` is wrong; None where nothing is known of it any more."""
        silenced = self.world.silenced(told, patch)
        if silenced is None or self.blind or is_lost(patch):
            return None
        return self.scenario.patched({**silenced, **values})

    def _stating(self, name: str, raw: Raw, path: Path, values: dict[str, Expr]) -> Iterator[Problem]:
        """State a value in `values`. Yields what is wrong with it, echoes too."""
        if name not in CATALOGUE:
            problem = problem_of(UnknownNameError(name, CATALOGUE.names), path)
            problem.key = True
            yield problem
            return
        try:
            unknown = [] if CATALOGUE[name].is_choice else self._unknown_in(expr_of(name, raw))
            if not unknown:
                values[name] = self._stated(name, raw)
        except InputError as error:
            yield input_problem(name, error.reason, error.hint, path)
        except (Problem, *SOLVER_ERRORS) as error:
            yield problem_of(error, path, str(raw))
        else:
            for other in unknown:
                yield problem_of(self.world.unknown(other), path, str(raw))

    def _unknown_in(self, expr: Expr) -> list[str]:
        return [name for name in symbols(expr) if not self.world.is_known(name)]

    def evaluate(self, text: str) -> Value:
        """As in `Scope`; an unknown name is told by itself."""
        for name in names_in(text, self.world.units):
            self._require_known_or_told(name)
        return super().evaluate(text)

    def named(self, name: str) -> Expr:
        """As in `Scope`; an unknown name is told by itself."""
        self._require_known_or_told(name)
        return super().named(name)

    def _require_known_or_told(self, name: str) -> None:
        head, _, tail = name.partition(".")
        if name in CATALOGUE or name in self.world.question.figures:
            return
        if not (tail and head in self.world.patches and self.world.is_known(tail)):
            raise EchoError

    def shown(self, name: str) -> Shown:
        """As in `Scope`; a name that could not be read, or whose value was told, is an echo."""
        if self.is_own_name(name):
            return super().shown(name)
        if name == TOLD or (name not in CATALOGUE and self.world.may_be(name)):
            raise EchoError
        self._require_known(name)
        return shown_symbol(name, self.solver.value(name))

    def in_prose(self, name: str) -> Shown:
        """As `shown`; a quantity without value still has its unit, which a text may have wrong."""
        try:
            return self.shown(name)
        except SOLVER_ERRORS as error:
            if isinstance(problem_of(error, ()), EchoError) and name in CATALOGUE and not CATALOGUE[name].is_choice:
                return shown_symbol(name, Quantity(Fraction(1), CATALOGUE[name].unit.dimension))
            raise

    def is_own_name(self, name: str) -> bool:
        """As in `Scope`; an option that takes the name of quantities, which is told, hides none of them."""
        is_quantity = name.partition(".")[0] in _SPACES and name not in self.world.question.figures
        return super().is_own_name(name) and not is_quantity

    def inverse_at(self, path: Path, figure: Fewest | Largest) -> Shown:
        """As in `Scope`; an unknown name is told by itself."""
        if self.blind:
            raise EchoError
        try:
            return super().inverse_at(path, figure)
        except Problem as problem:
            if problem.code == "unknown-name":
                raise EchoError from None
            raise

    def figure(self, name: str) -> Shown:
        """As in `Scope`; a figure that was told is an echo."""
        if name in self.world.told_figures:
            raise EchoError
        return super().figure(name)


def lost_of(mapping: Mapping[str, object]) -> frozenset[str]:
    """The keys of a mapping that were refused."""
    return mapping.lost if isinstance(mapping, Partial) else frozenset()


def is_lost(mapping: Mapping[str, object]) -> bool:
    """Whether a mapping could not be read at all."""
    return isinstance(mapping, Partial) and mapping.is_lost


def _lower(names: Iterable[str]) -> list[str]:
    return [name.lower() for name in names]
