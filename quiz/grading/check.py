"""Carries out a `Task`: an answer held against any reference, by value, by digits, by relation or by algebra."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from quiz.grading.listing import judge_list
from quiz.grading.numeric import Read, judge_read, read_for
from quiz.grading.records import Grade
from quiz.grading.rules import by_relation, by_rule, form_complaint, has_rule, is_unit_asked_for
from quiz.grading.spelling import base_unit, spell_expr, spell_number, spell_quantity
from quiz.grading.target import Target
from quiz.grading.task import Task, TaskError
from solvers.expr.dimension import PLAIN, Dimension
from solvers.expr.equality import compare
from solvers.expr.evaluate import EvaluationError, Quantity, quantity
from solvers.expr.reader import Answer, ReadError, Writing, read_answer
from solvers.expr.tree import Number, symbols, walk
from solvers.expr.units import Unit, UnitError

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Checked:
    """A grade, with the value in `unit` where the answer has one; the values of a list."""

    grade: Grade
    value: Fraction | tuple[Fraction | None, ...] | None = None
    unit: str = ""


def check(task: Task) -> Checked:
    """Judge a task. Any answer ends in a verdict; raises `TaskError` where the task itself cannot be read."""
    if isinstance(task.reference, tuple):
        return _of_list(task, task.reference)
    writing = Writing(task.decimal, task.thousands)
    if not task.percent and "%" in task.answer:
        place = task.answer.index("%")
        return Checked(Grade("invalid", message="% is not read here.", span=(place, place + 1)))
    given = _given(task)
    if task.reference is None:
        return _form_only(task, writing, given)
    unit = _unit(task)
    reference = _reference(task, given, unit.dimension if unit else None)
    free = [name for name in symbols(reference.expr) if name not in given]
    if free or task.variables:
        symbolic = _symbolic(task, writing, given, reference, any_free=bool(free))
        if symbolic is not None:
            return symbolic
    return _by_value(task, writing, _target(task, given, reference, unit))


def _of_list(task: Task, references: tuple[str, ...]) -> Checked:
    """Judge each value by itself."""
    checked: dict[int, Checked] = {}

    def judge(place: int, text: str) -> Grade:
        found = check(replace(task, answer=text, reference=references[place]))
        checked.setdefault(place, found)
        return found.grade

    grade = judge_list(task.answer, len(references), judge, decimal=task.decimal)
    if len(checked) < len(references):
        return Checked(grade)
    values = tuple(one.value if isinstance(one.value, Fraction) else None for one in checked.values())
    return Checked(grade, values, checked[0].unit)


def _given(task: Task) -> dict[str, Quantity]:
    """The values of the names that are given; `70B` is a count there."""
    values: dict[str, Quantity] = {}
    for name, text in task.given.items():
        try:
            answer = read_answer(text, variables=values, expects=PLAIN, units=task.units)
            values[name] = quantity(answer.expr, values, counts_checked=False)
        except (ReadError, EvaluationError) as error:
            raise TaskError(f"given.{name} cannot be read: {error}") from error
    return values


def _unit(task: Task) -> Unit | None:
    if not task.unit:
        return None
    try:
        return task.units.parse(task.unit)
    except UnitError as error:
        raise TaskError(f"unit cannot be read: {error}.") from error


def _names(task: Task, given: Mapping[str, Quantity]) -> dict[str, Quantity | None]:
    return {**dict.fromkeys(task.variables), **given}


def _reference(task: Task, given: Mapping[str, Quantity], expects: Dimension | None) -> Answer:
    text = task.reference if isinstance(task.reference, str) else ""
    try:
        answer = read_answer(text, variables=_names(task, given), expects=expects, units=task.units)
    except ReadError as error:
        raise TaskError(f"reference cannot be read: {error}") from error
    if answer.upper is not None:
        raise TaskError("reference is one value, not a range.")
    return answer


def _symbolic(
    task: Task, writing: Writing, given: Mapping[str, Quantity], reference: Answer, *, any_free: bool
) -> Checked | None:
    """Judge by algebra; None where neither side has a name without a value."""
    try:
        answer = read_answer(task.answer, variables=_names(task, given), writing=writing, units=task.units)
    except ReadError as error:
        return Checked(Grade("invalid", message=str(error), span=(error.start, error.end)))
    stray = _stray_letter(answer, reference)
    if stray:
        said = f"{stray} is no name here, and a formula without units is asked for."
        return Checked(Grade("invalid", message=said, span=(0, len(task.answer))))
    if not any_free and all(name in given for name in symbols(answer.expr)):
        return None
    return Checked(_by_algebra(task, given, answer, reference))


def _stray_letter(answer: Answer, reference: Answer) -> str:
    """A unit of one letter in a formula that measures nothing: it was meant for a name, and is none."""
    if reference.has_unit or not answer.has_unit:
        return ""
    units = [node.unit.name for node in walk(answer.expr) if isinstance(node, Number) and node.unit is not None]
    return next((name for name in units if len(name) == 1 and name.isalpha()), "")


def _by_algebra(task: Task, given: Mapping[str, Quantity], answer: Answer, reference: Answer) -> Grade:
    everywhere = (0, len(task.answer))
    if answer.upper is not None:
        return Grade("invalid", message="A formula is asked for, not a range.", span=everywhere)
    read_as = spell_expr(answer.expr, {})
    known = {**given, **answer.defined}
    found = compare(answer.expr, reference.expr, integers=task.assume == "integers", known=known)
    if found.verdict == "undecided":
        return Grade("invalid", read_as, "This has no value anywhere in the domain.", span=everywhere)
    if found.verdict == "equal":
        return Grade("correct", read_as)
    if found.factor is not None:
        said = f"This is the reference times {spell_number(found.factor)}, whatever the names stand for."
        return Grade("incorrect", read_as, said, "constant-factor", "factor")
    return Grade("incorrect", read_as, "This is another expression.")


def _target(task: Task, given: Mapping[str, Quantity], reference: Answer, unit: Unit | None) -> Target:
    try:
        value = quantity(reference.expr, given, counts_checked=False)
    except EvaluationError as error:
        raise TaskError(f"reference has no value: {error}.") from error
    # A reference of 90 % is the number 0.9, unless percent are asked for.
    own = reference.unit if reference.unit is not None and not reference.unit.dimension.is_plain else None
    asked = unit or own or base_unit(value.dimension)
    if unit is not None and value.dimension.without_counts.is_plain and not unit.dimension.without_counts.is_plain:
        # A bare reference is in the unit asked for; a formula such as 16*P brings base units.
        value = Quantity(value.value * (1 if reference.is_formula else unit.factor), unit.dimension)
    if value.dimension.without_counts != asked.dimension.without_counts:
        raise TaskError(f"reference is measured in {value.dimension}, which {asked.name} does not measure.")
    is_summed = task.combine == "sum"
    need_unit = not asked.dimension.without_counts.is_plain if task.need_unit is None else task.need_unit
    spelled = {name: spell_quantity(item.value, base_unit(item.dimension)) for name, item in given.items()}
    absolute = _last_digit(reference) if task.half_unit else _absolute(task, asked)
    return Target(
        value.value, asked, need_unit, task.rtol or Fraction(0), absolute, (), given, spelled, {},
        reference.expr if reference.has_names else None, estimate=task.estimate, summed=is_summed, units=task.units,
        reference=reference.expr,
    )  # fmt: skip


def _last_digit(reference: Answer) -> Fraction:
    """Half a unit of the last digit of the reference, in base units."""
    if reference.typed is None:
        raise TaskError("half_unit needs a reference that is one number, such as 0.105 m.")
    return reference.typed.half_unit


def _absolute(task: Task, asked: Unit) -> Fraction:
    if not task.atol:
        return Fraction(0)
    try:
        answer = read_answer(task.atol, expects=asked.dimension, units=task.units)
        read = quantity(answer.expr, {}, counts_checked=False)
    except (ReadError, EvaluationError) as error:
        raise TaskError(f"atol cannot be read: {error}") from error
    if not answer.has_unit:
        return abs(read.value) * asked.factor
    if read.dimension.without_counts != asked.dimension.without_counts:
        raise TaskError(f"atol is measured in {read.dimension}, the answer in {asked.name or 'plain numbers'}.")
    return abs(read.value)


def _form_only(task: Task, writing: Writing, given: Mapping[str, Quantity]) -> Checked:
    """Judge how a number is written, whatever it is."""
    try:
        answer = read_answer(task.answer, variables=_names(task, given), writing=writing, units=task.units)
        value = quantity(answer.expr, given, counts_checked=False)
    except ReadError as error:
        return Checked(Grade("invalid", message=str(error), span=(error.start, error.end)))
    except EvaluationError as error:
        return Checked(Grade("invalid", message=f"{error}.", span=(0, len(task.answer))))
    read_as = spell_expr(answer.expr, {})
    complaint = form_complaint(task, answer)
    return Checked(Grade("incorrect" if complaint else "correct", read_as, complaint), value.value)


def _by_value(task: Task, writing: Writing, target: Target) -> Checked:
    read = read_for(target, task.answer, writing)
    if isinstance(read, Grade):
        return Checked(read)
    value = read.low / target.unit.factor if read.low == read.high else None
    return Checked(_graded(task, target, read), value, target.unit.name)


def _graded(task: Task, target: Target, read: Read) -> Grade:
    complaint = form_complaint(task, read.answer)
    if complaint:
        return Grade("incorrect", read.read_as, complaint)
    if task.same_unit and not is_unit_asked_for(target, read.answer):
        said = f"The value is to be given in {target.unit.name or 'no unit'}."
        return Grade("wrong-unit", read.read_as, said)
    if task.relation is not None:
        return by_relation(task, target, read)
    if has_rule(task):
        return by_rule(task, target, read)
    grade = judge_read(target, read)
    if grade.status != "correct" and not (target.relative or target.absolute) and _is_equal(target, read):
        return Grade("correct", read.read_as)
    return grade


def _is_equal(target: Target, read: Read) -> bool:
    """Whether a formula without units equals the reference as one: `sqrt(2)*sqrt(2) - 2` is nothing at all."""
    answer = read.answer
    if target.reference is None or answer.has_unit or answer.upper is not None or answer.typed is not None:
        return False
    known = {**target.variables, **answer.defined}
    return target.unit.dimension.is_plain and compare(answer.expr, target.reference, known=known).verdict == "equal"
