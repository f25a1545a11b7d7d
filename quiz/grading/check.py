"""Carries out a `Task`: an answer held against any reference, by value, by digits, by relation or by algebra."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from quiz.grading.formula import judge_formula
from quiz.grading.listing import judge_list
from quiz.grading.numeric import Read, judge_read, read_for, said_of
from quiz.grading.records import Grade
from quiz.grading.rules import by_relation, by_rule, form_complaint, has_rule, is_unit_asked_for
from quiz.grading.spelling import base_unit, kind_of, spell_expr, spell_quantity
from quiz.grading.target import Target
from quiz.grading.task import Task, TaskError
from solvers.catalogue import LARGEST
from solvers.expr.dimension import PLAIN, Dimension
from solvers.expr.equality import compare
from solvers.expr.evaluate import EvaluationError, Quantity, quantity
from solvers.expr.reader import Answer, ReadError, Writing, read_answer
from solvers.expr.tree import Binary, Number, symbols, walk
from solvers.expr.units import Unit, UnitError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solvers.expr.declared import Units
    from solvers.expr.tree import Expr


_PERCENT: Final = re.compile("[%\N{FULLWIDTH PERCENT SIGN}]|(?<![A-Za-z])(?:per ?cent|pct)(?![A-Za-z])")


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
    if not task.percent and (sign := _PERCENT.search(task.answer)):
        return Checked(Grade("invalid", message="Percentages are not read here.", span=sign.span()))
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
        except ReadError as error:
            raise TaskError(f"given.{name} cannot be read: {error}") from error
        except EvaluationError as error:
            raise TaskError(f"given.{name} has no value: {error}.") from error
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


@lru_cache(maxsize=64)
def _reference_read(
    text: str, names: tuple[tuple[str, Quantity | None], ...], expects: Dimension | None, units: Units
) -> Answer:
    """A reference is read once for all answers that are held against it."""
    return read_answer(text, variables=dict(names), expects=expects, units=units)


def _reference(task: Task, given: Mapping[str, Quantity], expects: Dimension | None) -> Answer:
    text = task.reference if isinstance(task.reference, str) else ""
    try:
        answer = _reference_read(text, tuple(_names(task, given).items()), expects, task.units)
    except ReadError as error:
        raise TaskError(f"reference cannot be read: {error}") from error
    if answer.upper is None:
        return answer
    if task.relation or task.geometric is not None or task.estimate or task.sigfigs is not None:
        raise TaskError("reference is one value, not a range, for relation, geometric, estimate and sigfigs.")
    if any(name not in given for name in symbols(Binary("-", answer.expr, answer.upper))):
        raise TaskError("reference is one formula, not a range, where names have no value.")
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
    known = {**given, **answer.defined}
    return Checked(judge_formula(answer, reference, known, integers=task.assume == "integers"))


def _stray_letter(answer: Answer, reference: Answer) -> str:
    """A unit of one letter in a formula that measures nothing: it was meant for a name, and is none."""
    if reference.has_unit or not answer.has_unit:
        return ""
    units = [node.unit.name for node in walk(answer.expr) if isinstance(node, Number) and node.unit is not None]
    return next((name for name in units if len(name) == 1 and name.isalpha()), "")


def _target(task: Task, given: Mapping[str, Quantity], reference: Answer, unit: Unit | None) -> Target:
    low = _reference_value(reference, reference.expr, given, unit)
    high = low if reference.upper is None else _reference_value(reference, reference.upper, given, unit)
    # A reference of 90 % is the number 0.9, unless percent are asked for.
    own = reference.unit if reference.unit is not None and not reference.unit.dimension.is_plain else None
    asked = unit or own or base_unit(low.dimension)
    for value in (low, high):
        if value.dimension.without_counts != asked.dimension.without_counts:
            raise TaskError(f"reference is {kind_of(value.dimension)}, and unit asks for {kind_of(asked.dimension)}.")
    need_unit = not asked.dimension.without_counts.is_plain if task.need_unit is None else task.need_unit
    spelled = {name: spell_quantity(item.value, base_unit(item.dimension)) for name, item in given.items()}
    absolute = _last_digit(reference, unit) if task.half_unit else _absolute(task, asked)
    # A range is its middle and half its width.
    absolute = max(absolute, abs(high.value - low.value) / 2)
    return Target(
        (low.value + high.value) / 2, asked, need_unit, task.rtol or Fraction(0), absolute, (), given, spelled, {},
        reference.expr if reference.has_names and reference.upper is None else None, estimate=task.estimate,
        summed=task.combine == "sum", units=task.units, reference=None if reference.upper else reference.expr,
        overlapping=task.range == "overlapping",
    )  # fmt: skip


def _reference_value(reference: Answer, expr: Expr, given: Mapping[str, Quantity], unit: Unit | None) -> Quantity:
    """The reference in base units. A bare one is in the unit asked for; a formula such as 16*P brings base units."""
    try:
        value = quantity(expr, given, counts_checked=False)
    except EvaluationError as error:
        raise TaskError(f"reference has no value: {error}.") from error
    if unit is None or reference.has_unit or not value.dimension.without_counts.is_plain:
        return value
    if unit.name == "%":  # 62.5 is in the unit asked for; 5/8 is a share, as in an answer
        return Quantity(value.value * unit.factor) if reference.typed or reference.upper else value
    if unit.dimension.without_counts.is_plain:
        return value
    return Quantity(value.value * (1 if reference.is_formula else unit.factor), unit.dimension)


def _last_digit(reference: Answer, unit: Unit | None) -> Fraction:
    """Half a unit of the last digit of the reference, in base units."""
    if reference.typed is None:
        raise TaskError("half_unit needs a reference that is one number, such as 0.105 m.")
    return reference.typed.half_unit * (1 if unit is None or reference.has_unit else unit.factor)


def _absolute(task: Task, asked: Unit) -> Fraction:
    if not task.atol:
        return Fraction(0)
    try:
        answer = read_answer(task.atol, expects=asked.dimension, units=task.units)
        read = quantity(answer.expr, {}, counts_checked=False)
    except (ReadError, EvaluationError) as error:
        raise TaskError(f"atol cannot be read: {error}") from error
    if read.value < 0:
        raise TaskError("atol is zero or a positive amount.")
    if read.value > LARGEST:
        raise TaskError("atol is so large that it would accept anything.")
    if not answer.has_unit:
        return read.value * asked.factor
    if read.dimension.without_counts != asked.dimension.without_counts:
        raise TaskError(f"atol is {kind_of(read.dimension)}, and the answer {kind_of(asked.dimension)}.")
    return read.value


def _form_only(task: Task, writing: Writing, given: Mapping[str, Quantity]) -> Checked:
    """Judge how a number is written, whatever it is."""
    try:
        answer = read_answer(task.answer, variables=_names(task, given), writing=writing, units=task.units)
        value = quantity(answer.expr, given, counts_checked=False)
    except ReadError as error:
        return Checked(Grade("invalid", message=str(error), span=(error.start, error.end)))
    except EvaluationError as error:
        return Checked(Grade("invalid", message=said_of(error), span=(0, len(task.answer))))
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
