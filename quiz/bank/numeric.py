"""A typed answer: the exact reference, its tolerance, the slips to recognise, the letters that may be used."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from quiz.bank.asked import report_asked
from quiz.bank.fields import percent
from quiz.bank.formula import following, formula_of
from quiz.bank.problems import FOUND, SOLVER_ERRORS, Problem, problem_of
from quiz.bank.rendered import Carried, NumericPart, SlipFigure, Variable
from quiz.bank.scope import KEY, unit_for
from quiz.bank.shown import Shown, base_unit, shown_symbol
from quiz.bank.ways import way_of
from solvers.catalogue import CATALOGUE
from solvers.expr.evaluate import Quantity
from solvers.expr.tree import FUNCTIONS, Symbol, symbols
from solvers.expr.units import PLAIN_UNIT, UNITS, UnitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from quiz.bank.bench import Bench
    from quiz.bank.document import Path
    from quiz.bank.schema_parts import Answer, Slip
    from quiz.bank.scope import Scope, World
    from solvers.derivation import Step
    from solvers.expr.declared import Units
    from solvers.expr.units import Unit

_SAME: Final = 10**12
"""Two values are one where they differ by less than this part of the larger."""


class Reference:
    """The right value of a typed part, its unit and its tolerance; `at` is where it stands in the document."""

    def __init__(self, world: World, answer: Answer, at: Path) -> None:
        self.world, self.answer, self.at = world, answer, at
        self.scope = world.base.at(answer.in_, answer.set, at)
        self.value = _quantity(self.scope, answer.is_, (*at, "is"))
        self.unit = _unit(answer, self.value, at, world.units)
        self.relative, self.absolute = self._tolerance()
        self.others = tuple(self._other(index) for index in range(len(answer.followed_by)))

    @property
    def text(self) -> str:
        """The reference as shown; the values of a list in order."""
        return "; ".join(self.spelled(value) for value in (self.value, *self.others))

    def _other(self, index: int) -> Quantity:
        """A further value of a list, which measures what the first one does."""
        path = (*self.at, "followed_by", index)
        value = _quantity(self.scope, self.answer.followed_by[index], path)
        if value.dimension.without_counts != self.value.dimension.without_counts:
            raise Problem(
                path,
                "list-unit",
                f"this value is an amount in {base_unit(value.dimension).name or 'plain numbers'}, "
                f"the first one in {base_unit(self.value.dimension).name or 'plain numbers'}",
                next_="The values of a list share their unit; ask for others in further parts.",
            )
        return value

    def spelled(self, value: Quantity) -> str:
        """Any value in the unit of the answer."""
        return Shown(value, self.unit).text

    def _tolerance(self) -> tuple[str, str]:
        text = self.answer.within
        if text.rstrip().endswith("%"):
            return str(percent(text)), ""
        path = (*self.at, "within")
        value = _quantity(self.scope, text, path)
        if value.dimension.is_plain and not self.value.dimension.is_count:
            raise Problem(
                path,
                "tolerance",
                "this tolerance has no unit",
                next_="Write a share (3 %), or an amount with its unit.",
            )
        if value.dimension.without_counts != self.value.dimension.without_counts or value.value <= 0:
            raise Problem(
                path,
                "tolerance",
                f"`{text}` is no tolerance of an answer in {self.unit.name or 'numbers'}",
                next_="Write a share (3 %), or an amount above zero in a unit of the same kind.",
            )
        return "", str(value.value)

    def is_within(self, value: Quantity) -> bool:
        """Whether a value would be graded correct."""
        if self.answer.estimate is not None:
            least, most = sorted((abs(value.value), abs(self.value.value)))
            return value.value * self.value.value > 0 and most <= least * self.answer.estimate.full
        edge = Fraction(self.absolute) if self.absolute else Fraction(self.relative) * abs(self.value.value)
        return abs(value.value - self.value.value) <= edge

    def wrong_values(self, slips: Sequence[Slip], at: Path) -> Iterator[tuple[int, Slip, Quantity]]:
        """Each slip's value. Raises `Problem` where one equals the reference or another slip."""
        seen: dict[str, Quantity] = {"": self.value}
        for index, slip in enumerate(slips):
            value = seen[slip.id] = self.wrong_value(slip, (*at, index), seen)
            yield index, slip, value

    def wrong_value(self, slip: Slip, path: Path, seen: Mapping[str, Quantity]) -> Quantity:
        """The value of a slip; `seen` are those before it by their ids, the reference being "". Raises `Problem`."""
        value = self._slip_value(slip, path)
        for other, amount in seen.items():
            if _same(amount, value):
                what = f"the slip {slip.id} gives {self.spelled(value)}, as the " + (
                    f"slip {other} does" if other else "right answer does"
                )
                raise Problem(
                    path,
                    "slip-not-wrong" if not other else "slips-equal",
                    what,
                    why="A value can name only one mistake.",
                    next_="Change the slip or the numbers, or leave one out.",
                )
        if slip.id in seen:
            raise Problem((*path, "id"), "duplicate", f"two slips are named {slip.id}", next_="Rename one.")
        return value

    def _slip_value(self, slip: Slip, path: Path) -> Quantity:
        start = self.world.base.at(slip.in_, self.answer.set, path) if slip.in_ else self.scope
        scope = start.patched(slip.set, (*path, "set"))
        text, where = (slip.is_, (*path, "is")) if slip.is_ else (self.answer.is_, path)
        value = _quantity(scope, text, where)
        if value.dimension.without_counts != self.value.dimension.without_counts:
            raise Problem(
                where,
                "slip-unit",
                f"the slip {slip.id} gives an amount in {base_unit(value.dimension).name}"
                f", the answer is in {base_unit(self.value.dimension).name}",
                next_="A slip is a wrong value of the same kind.",
            )
        return value


def numeric_part(
    bench: Bench,
    reference: Reference,
    slips: Sequence[Slip],
    slips_at: Path,
    ask: str,
    before: Sequence[Reference] = (),
) -> NumericPart:
    """The typed part, rendered; `before` are the parts asked first. Problems of its slips are noted in the report."""
    answer, unit = reference.answer, reference.unit
    report_asked(bench, reference)
    figures = tuple(_slip_figures(bench, reference, slips, slips_at))
    way = way_of(reference.scope.read_open(answer.is_), reference.scope, bench.notes, unit)
    letters = _letters(reference)
    return NumericPart(
        ask,
        str(reference.value.value),
        reference.text,
        unit.name,
        answer.need_unit and _is_needed(unit),
        reference.relative,
        reference.absolute,
        figures,
        tuple(_variable(letter, name, reference.scope) for name, letter in letters.items()),
        way,
        tuple(_carried(reference)),
        formula_of(answer.is_, reference.scope, letters, reference.value),
        answer.in_unit,
        tuple(str(value.value) for value in (reference.value, *reference.others)) if reference.others else (),
        _factors(answer),
        bench.context.declared,
        _follow(reference, before, letters),
        answer.range == "overlapping",
    )


def _factors(answer: Answer) -> tuple[str, str] | None:
    scale = answer.estimate
    return None if scale is None else (str(scale.full), str(scale.full if scale.none is None else scale.none))


def _follow(reference: Reference, before: Sequence[Reference], letters: Mapping[str, str]) -> str:
    """The reference over the values of the parts before it; empty where it mentions none, or cannot be written so."""
    if reference.others:
        return ""
    earlier = {
        one.scope.read_open(one.answer.is_): (f"part_{place}", one.value)
        for place, one in enumerate(before, start=1)
        if one.scope.scenario == reference.scope.scenario and not one.others
    }
    return following(reference.answer.is_, reference.scope, letters, earlier, reference.value)


def _is_needed(unit: Unit) -> bool:
    """Whether a unit says more than the question has asked: a bare count is understood."""
    return bool(unit.name) and (unit.dimension.is_plain or not unit.dimension.is_count)


def _slip_figures(bench: Bench, reference: Reference, slips: Sequence[Slip], at: Path) -> Iterator[SlipFigure]:
    try:
        for index, slip, value in reference.wrong_values(slips, at):
            yield slip_figure(bench, reference, slip, value, (*at, index))
    except FOUND as error:
        bench.report.note(error, at)


def slip_figure(bench: Bench, reference: Reference, slip: Slip, value: Quantity, path: Path) -> SlipFigure:
    """A slip rendered, whose value is `value`; noted where the tolerance takes it as correct."""
    if slip.kind == "mistake" and reference.is_within(value):
        bench.report.add(
            Problem(
                path,
                "slip-within",
                f"the slip {slip.id} gives {reference.spelled(value)}, which the tolerance "
                f"of {reference.text} takes as correct",
                next_="Narrow `within`, or choose numbers that tell them apart.",
            ),
            "warning",
        )
    says = bench.writer.text(slip.says, reference.scope, (*path, "says"))
    return SlipFigure(slip.id, str(value.value), reference.spelled(value), says, slip.kind)


def _carried(reference: Reference) -> Iterator[Carried]:
    """The same quantity under each other option, where it has a value there."""
    answer, world = reference.answer, reference.world
    if answer.in_ is None or (world.key_option is not None and answer.in_ not in (KEY, world.key_option)):
        return
    for option in world.patches:
        if option in (answer.in_, world.key_option):
            continue
        try:
            value = world.option(option).patched(answer.set, (*reference.at, "set")).quantity(answer.is_)
        except FOUND:
            continue  # the quantity does not exist under that plan: nothing is carried forward from it
        yield Carried(option, str(value.value), reference.spelled(value))


def _letters(reference: Reference) -> dict[str, str]:
    """The inputs that the answer rests on and their letters, where a letter means one thing only."""
    scope = reference.scope
    expr = scope.solver.taken(scope.read_open(reference.answer.is_))
    names = [name for name in symbols(expr) if name in CATALOGUE]
    found: dict[str, list[str]] = {}
    for name in names:
        if isinstance(scope.solver.value(name), Quantity):
            for step in scope.derivation(name).inputs:
                if not (isinstance(expr, Symbol) and step.name == name) and _may_be_used(step, reference):
                    found.setdefault(step.letter, []).append(step.name)
    return {inputs[0]: letter for letter, inputs in found.items() if len(set(inputs)) == 1}


def _may_be_used(step: Step, reference: Reference) -> bool:
    """Whether a learner may type this letter: it is one word, a number, and no unit of the answer or function."""
    unit = UNITS.get(step.letter)
    is_its_unit = unit is not None and unit.dimension == reference.value.dimension
    is_number = isinstance(reference.scope.solver.value(step.name), Quantity)
    return is_number and step.letter.isidentifier() and step.letter not in FUNCTIONS and not is_its_unit


def _variable(letter: str, name: str, scope: Scope) -> Variable:
    info, value = CATALOGUE[name], scope.solver.quantity(name)
    return Variable(letter, info.meaning, str(value.value), info.unit.name, shown_symbol(name, value).in_prose)


def _same(one: Quantity, other: Quantity) -> bool:
    # Over a common denominator, since fractions look for common divisors at every step.
    first = one.value.numerator * other.value.denominator
    second = other.value.numerator * one.value.denominator
    return abs(first - second) * _SAME <= max(abs(first), abs(second))


def _unit(answer: Answer, value: Quantity, at: Path, units: Units) -> Unit:
    if answer.unit:
        return unit_for(answer.unit, value, (*at, "unit"), units)
    if value.dimension.is_plain or value.dimension.is_count:
        return replace(PLAIN_UNIT, dimension=value.dimension)
    raise Problem(
        at,
        "unit",
        f"the answer is an amount in {base_unit(value.dimension).name}, and its unit is not said",
        next_="Add `unit:`, such as GB or min: the answer is shown in it, others are converted.",
    )


def _quantity(scope: Scope, text: str, path: Path) -> Quantity:
    try:
        return scope.quantity(text)
    except (UnitError, *SOLVER_ERRORS) as error:
        raise problem_of(error, path, text) from error
