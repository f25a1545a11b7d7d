"""Where the names of an expression are read: the scenario, an option's patch of it, the figures.

A name is a figure, a quantity of the catalogue, or `option.quantity`. A figure without `in` is a formula, read
where it is mentioned; with `in` it belongs to that option. Figures may use one another: a circle is reported
with its members. Names of figures and options are put in as numbers before the solver sees an expression.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from quiz.bank.expressions import names_in, parsed
from quiz.bank.problems import FOUND, SOLVER_ERRORS, Problem, Problems, problem_of
from quiz.bank.put_in import Opener, TooLargeError, mapped
from quiz.bank.restated import DERIVED, input_problem, patch_path, sentence
from quiz.bank.schema_parts import Derived, Fewest, Input, Largest, Quote
from quiz.bank.shown import Shown, base_unit, shown_expr, shown_symbol
from quiz.bank.unknown import UnknownHereError
from solvers.catalogue import CATALOGUE
from solvers.expr.declared import FIELD, Units
from solvers.expr.evaluate import Quantity, bounded, evaluate
from solvers.expr.tree import Expr, Number, Symbol, Text
from solvers.expr.units import PLAIN_NAMES, Unit, UnitError
from solvers.inputs import Complaint, InputError, ScenarioError, check, expr_of, scenario_of
from solvers.inverse import fewest, largest
from solvers.relation import RELATIONS
from solvers.solver import SolveError, Solver

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.bank.document import Path
    from quiz.bank.fields import Raw
    from quiz.bank.schema import AnyQuestion
    from quiz.bank.schema_parts import Figure
    from solvers.derivation import Derivation
    from solvers.expr.dimension import Dimension
    from solvers.expr.evaluate import Value
    from solvers.scenario import Scenario

KEY: Final = "key"


class World:
    """One question with one set of numbers: its base scenario, its options' scenarios, its figures."""

    def __init__(
        self,
        question: AnyQuestion,
        axes: Mapping[str, Raw] | None = None,
        *,
        checked: bool = True,
        units: Units = FIELD,
        near: Scenario | None = None,
    ) -> None:
        """`checked` looks for contradictions in every scenario first; without it they come up when one is read.

        `units` are those that expressions may use; `near` is the scenario of the same question with other numbers.
        """
        self.question, self.checked, self.units = question, checked, units
        self.axes = dict(axes or {})
        self.patches: dict[str, Mapping[str, Raw]] = {
            name: part.set
            for name, part in {**getattr(question, "options", {}), **getattr(question, "items", {})}.items()
        }
        self.group = "items" if hasattr(question, "items") else "options"
        self.key_option: str | None = None
        self._open: list[str] = []
        self._scopes: dict[str, Scope] = {}
        stated = {name: self.axes.get(name, raw) for name, raw in question.scenario.items()}
        given = {name: self.axes.get(name, raw) for name, raw in question.given.items()}
        self.base = self.founded(stated, given, near)

    def founded(self, stated: Mapping[str, Raw], given: Mapping[str, Raw], near: Scenario | None = None, /) -> Scope:
        """The scope of the question's own scenario. Raises `Problems`."""
        try:
            return Scope(self, scenario_of(stated, given, near), None)
        except ScenarioError as error:
            raise Problems(
                [
                    complained(one, ("given" if one.symbol in given else "scenario", one.symbol))
                    for one in error.complaints
                ]
            ) from error

    def option(self, name: str) -> Scope:
        """The scope under an option or item; a name that is none is a `SolveError` with the nearest."""
        if name == KEY and self.key_option is not None:
            name = self.key_option
        if name not in self.patches:
            near = get_close_matches(name, self.patches, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(self.patches) or 'none'}"
            raise SolveError(f"there is no option {name!r}{hint}")
        if name not in self._scopes:
            path: Path = (self.group, name, "set")
            with self.entering(f"{self.group}.{name}", path):
                self._scopes[name] = self.base.patched(self.patches[name], path, name)
        return self._scopes[name]

    def require_value(self, figure: str) -> None:
        """A figure has a value in the base, or under an option that may mention it. Raises what the base raises."""
        try:
            self.base.figure(figure)
        except FOUND:
            if not any(self._has_value(option, figure) for option in self.patches):
                raise

    def _has_value(self, option: str, figure: str) -> bool:
        try:
            self.option(option).figure(figure)
        except FOUND:
            return False
        return True

    def entering(self, name: str, path: Path) -> _Entered:
        """Guard the evaluation of a figure or an option, which stands at `path`, against circles."""
        return _Entered(self._open, name, path)


class _Entered:
    def __init__(self, open_: list[str], name: str, path: Path) -> None:
        self._open, self._name, self._path = open_, name, path

    def __enter__(self) -> None:
        if self._name in self._open:
            circle = [*self._open[self._open.index(self._name) :], self._name]
            raise Problem(
                self._path,
                "circle",
                f"these go in a circle: {' -> '.join(circle)}",
                next_="Let one of them be computed from the scenario alone.",
            )
        self._open.append(self._name)

    def __exit__(self, *_: object) -> None:
        self._open.pop()


class Worked:
    """What follows from one scenario of a world, whichever option it is read under."""

    def __init__(self) -> None:
        self.figures: dict[str, Shown] = {}
        self.derivations: dict[str, Derivation] = {}
        self.patched: dict[str, Scope] = {}


class Scope:
    """One scenario of a world, with what it has computed."""

    def __init__(self, world: World, scenario: Scenario, option: str | None, worked: Worked | None = None) -> None:
        """`worked` is that of another scope of this scenario."""
        self.world, self.scenario, self.option = world, scenario, option
        self.worked = worked or Worked()
        self._solver: Solver | None = None

    @property
    def solver(self) -> Solver:
        """The solver of this scenario."""
        if self._solver is None:
            self._solver = Solver(self.scenario)
        return self._solver

    def patched(self, patch: Mapping[str, Raw], path: Path, option: str | None = None) -> Scope:
        """This scenario with `patch` stated; `path` is where the patch stands. Raises `Problems` with all of them."""
        option = option or self.option
        same = self.worked.patched.get(repr(patch)) if patch else self
        if same is not None:
            return Scope(self.world, same.scenario, option, same.worked)
        values: dict[str, Expr] = {}
        found: list[Problem] = []
        for name, raw in patch.items():
            try:
                values[name] = self._stated(name, raw)
            except InputError as error:
                found.append(input_problem(name, error.reason, error.hint, (*path, name)))
            except (Problem, *SOLVER_ERRORS) as error:
                problem = problem_of(error, (*path, name), str(raw))
                problem.key = name not in CATALOGUE
                found.append(problem)
        if not found:
            scenario = self.scenario.patched(values)
            found = [
                complained(one, patch_path(one, patch, path)) for one in (check(scenario) if self.world.checked else ())
            ]
            if not found:
                return self.worked.patched.setdefault(repr(patch), Scope(self.world, scenario, option))
        raise Problems(found)

    def _stated(self, name: str, raw: Raw) -> Expr:
        info = CATALOGUE[name]
        if RELATIONS.of(name) and not info.statable and name not in self.scenario:
            raise InputError(name, DERIVED)
        return self.inlined(expr_of(name, raw))

    def at(self, option: str | None, patch: Mapping[str, Raw], path: Path) -> Scope:
        """The scope under `option` (here, where it is None) with `patch`; `path` is what has `in` and `set`."""
        try:
            start = self if option is None else self.world.option(option)
        except SolveError as error:
            raise Problem((*path, "in"), "unknown-option", str(error)) from error
        return start.patched(patch, (*path, "set")) if patch else start

    def read(self, text: str) -> Expr:
        """Read an expression of the bank, with the names of figures and options put in."""
        units = self.world.units
        expr = parsed(text, units)
        plain = all(name in CATALOGUE and not self.is_own_name(name) for name in names_in(text, units))
        return expr if plain else self.inlined(expr)

    def derivation(self, name: str) -> Derivation:
        """How a quantity comes about, in its own unit; made once."""
        if name not in self.worked.derivations:
            self.worked.derivations[name] = self.solver.derive(name)
        return self.worked.derivations[name]

    def read_open(self, text: str) -> Expr:
        """Like `read`, for showing: a figure that is a formula read here stands as its formula, within bounds."""
        try:
            return Opener(self).opened(parsed(text, self.world.units))
        except TooLargeError:
            return self.read(text)

    def value(self, expr: Expr) -> Value:
        """The value of a tree that `read` or `inlined` gave."""
        return evaluate(expr, self.solver.value)

    def evaluate(self, text: str) -> Value:
        """The value of an expression's text. Raises `Problem` or an error of the solvers."""
        own: dict[str, Value] = {}
        for name in names_in(text, self.world.units):  # all of them, also those of a branch that is not taken
            if self.is_own_name(name):
                own[name] = _put_in(self.shown(name).value)
            else:
                self._require_known(name)
        solved = self.solver.value
        return evaluate(parsed(text, self.world.units), lambda name: own[name] if name in own else solved(name))

    def quantity(self, text: str) -> Quantity:
        """Like `evaluate`, for a number."""
        value = self.evaluate(text)
        if isinstance(value, Quantity):
            return value
        raise SolveError(f"`{text}` is {'a condition' if isinstance(value, bool) else value}, not a number")

    def is_own_name(self, name: str) -> bool:
        """Whether a name is a figure or `option.quantity`, and not of the catalogue."""
        head, _, tail = name.partition(".")
        return name in self.world.question.figures or (bool(tail) and head in self.world.patches)

    def shown(self, name: str) -> Shown:
        """A name with its value and how it is spelled."""
        if name in self.world.question.figures:
            return self.figure(name)
        head, _, tail = name.partition(".")
        if tail and head in self.world.patches:
            return self.world.option(head).shown(tail)
        self._require_known(name)
        return shown_symbol(name, self.solver.value(name))

    def in_prose(self, name: str) -> Shown:
        """What a text that mentions a name shows."""
        return self.shown(name)

    def _require_known(self, name: str) -> None:
        if name not in CATALOGUE:
            raise UnknownHereError(name, self.world.question.figures, self.world.patches)

    def figure(self, name: str) -> Shown:
        """A figure of the question, read here unless it says where."""
        figures = self.worked.figures
        if name not in figures:
            with self.world.entering(name, ("figures", name)):
                figures[name] = self._figure(name, self.world.question.figures[name])
        return figures[name]

    def _figure(self, name: str, figure: Figure) -> Shown:
        path: Path = ("figures", name)
        if isinstance(figure, str):
            return self.formula_at(path, figure)
        if isinstance(figure, Input | Quote):
            text, key = (figure.input, "input") if isinstance(figure, Input) else (figure.quote, "quote")
            shown = self.formula_at((*path, key), text)
        else:
            scope = self.at(figure.in_, figure.set, path)
            if isinstance(figure, Derived):
                shown = scope.formula_at((*path, "is"), figure.is_)
            else:
                shown = scope.inverse_at((*path, "such_that"), figure)
        return _formatted(shown, figure.unit, figure.decimals, (*path, "unit"), self.world.units)

    def inverse_at(self, path: Path, figure: Fewest | Largest) -> Shown:
        """The fewest or largest value of a symbol, whose condition stands at `path`. Raises `Problem`."""
        symbol = figure.fewest if isinstance(figure, Fewest) else figure.largest
        find = fewest if isinstance(figure, Fewest) else largest
        if symbol not in CATALOGUE or CATALOGUE[symbol].is_choice:
            path, wanted = (*path[:-1], "fewest" if isinstance(figure, Fewest) else "largest"), symbol
        else:
            wanted = figure.such_that
        try:
            found = find(self.scenario, symbol, self.read(figure.such_that), {}, step=figure.step)
        except SOLVER_ERRORS as error:
            raise problem_of(error, path, wanted) from error
        return shown_symbol(symbol, found.value)

    def formula_at(self, path: Path, text: str) -> Shown:
        """Like `formula`, for an expression that stands at `path`. Raises `Problem`."""
        try:
            return self.formula(text)
        except SOLVER_ERRORS as error:
            raise problem_of(error, path, text) from error

    def formula(self, text: str) -> Shown:
        """An expression's value with the unit that it suggests."""
        return shown_expr(parsed(text, self.world.units), self.evaluate(text), self.shown)

    def inlined(self, expr: Expr) -> Expr:
        """The tree with names of figures and options replaced by their values."""
        return mapped(expr, self.named)

    def named(self, name: str) -> Expr:
        """What stands for a name: the value of a figure or of `option.quantity`, a quantity as itself."""
        if self.is_own_name(name):
            return _leaf(self.shown(name))
        self._require_known(name)
        return Symbol(name)

    def formula_named(self, name: str) -> str:
        """The formula of a figure that is one and is read here; empty for every other name."""
        figure = self.world.question.figures.get(name)
        if isinstance(figure, Derived) and figure.in_ is None and not figure.set:
            return figure.is_
        return figure if isinstance(figure, str) else ""


def _put_in(value: Value) -> Value:
    """What a figure's value is within an expression, as the leaf of a tree would be evaluated."""
    return Quantity(bounded(value.value), value.dimension) if isinstance(value, Quantity) else spell_choice(value)


def _leaf(shown: Shown) -> Expr:
    if isinstance(shown.value, Quantity):
        dimension = shown.value.dimension
        unit = shown.unit if shown.unit.dimension == dimension else Unit("", shown.unit.factor, dimension)
        return Number(shown.value.value / unit.factor, unit, shown.text)
    return Text(spell_choice(shown.value))


def spell_choice(value: bool | str) -> str:  # noqa: FBT001, a value and not a switch
    """A choice as a bank writes it."""
    return value if isinstance(value, str) else "true" if value else "false"


def _formatted(shown: Shown, unit: str | None, decimals: int | None, path: Path, units: Units) -> Shown:
    if unit is None:
        return shown.with_format(None, decimals)
    return shown.with_format(unit_for(unit, shown.value, path, units), decimals)


def unit_for(text: str, value: Value, path: Path, units: Units) -> Unit:
    """The unit named `text`, if `value` can be shown in it."""
    try:
        unit = units.parse(text)
    except UnitError as error:
        raise Problem(path, "unit", str(error), next_="Write a unit such as GB, GiB, min, % or B/param.") from error
    if isinstance(value, Quantity) and _measures(unit, value.dimension):
        return replace(unit, dimension=value.dimension)
    measured = base_unit(value.dimension).name if isinstance(value, Quantity) else ""
    kind = f"an amount in {measured}" if measured else "a plain number" if isinstance(value, Quantity) else "a name"
    raise Problem(
        path, "unit", f"this is {kind}, which {text} does not measure", next_="Choose a unit of the same kind, or none."
    )


def _measures(unit: Unit, dimension: Dimension) -> bool:
    """Whether an amount can be shown in a unit. Counts are understood, but a GB is no B/param, nor the reverse.

    A base unit alone may stand for one per parameter: "16 bytes of state".
    """
    hard = dimension.without_counts
    if unit.dimension.without_counts != hard:
        return False
    per = [dict(one.powers).get("parameter") for one in (unit.dimension, dimension)]
    return per[0] == per[1] or not hard.powers or (per[0] is None and unit.name in PLAIN_NAMES)


def complained(one: Complaint, path: Path) -> Problem:
    """The problem at `path` that a complaint about a scenario is."""
    if one.symbol not in CATALOGUE:
        return Problem(path, "unknown-name", one.reason.partition("; known:")[0], next_=sentence(one.hint), key=True)
    return input_problem(one.symbol, one.reason, one.hint, path)
