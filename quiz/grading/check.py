"""Carries out a `Task`: an answer held against any reference, by value, by digits, by relation or by algebra."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from quiz.grading.numeric import Read, judge_read, read_for
from quiz.grading.records import Grade
from quiz.grading.spelling import base_unit, spell_expr, spell_number, spell_quantity
from quiz.grading.target import Target
from quiz.grading.task import Task, TaskError
from solvers.expr.digits import round_to_decimals, round_to_digits
from solvers.expr.dimension import PLAIN, Dimension
from solvers.expr.equality import compare
from solvers.expr.evaluate import EvaluationError, Quantity, quantity
from solvers.expr.reader import Answer, ReadError, Writing, read_answer
from solvers.expr.tree import symbols
from solvers.expr.units import Unit, UnitError, parse_unit

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEAR: Final = Fraction(1, 10**25)


@dataclass(frozen=True, slots=True)
class Checked:
    """A grade, with the value in `unit` where the answer has one."""

    grade: Grade
    value: Fraction | None = None
    unit: str = ""


def check(task: Task) -> Checked:
    """Judge a task. Any answer ends in a verdict; raises `TaskError` where the task itself cannot be read."""
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


def _given(task: Task) -> dict[str, Quantity]:
    """The values of the names that are given; `70B` is a count there."""
    values: dict[str, Quantity] = {}
    for name, text in task.given.items():
        try:
            answer = read_answer(text, variables=values, expects=PLAIN)
            values[name] = quantity(answer.expr, values, counts_checked=False)
        except (ReadError, EvaluationError) as error:
            raise TaskError(f"given.{name} cannot be read: {error}") from error
    return values


def _unit(task: Task) -> Unit | None:
    if not task.unit:
        return None
    try:
        return parse_unit(task.unit)
    except UnitError as error:
        raise TaskError(f"unit cannot be read: {error}.") from error


def _names(task: Task, given: Mapping[str, Quantity]) -> dict[str, Quantity | None]:
    return {**dict.fromkeys(task.variables), **given}


def _reference(task: Task, given: Mapping[str, Quantity], expects: Dimension | None) -> Answer:
    text = task.reference or ""
    try:
        answer = read_answer(text, variables=_names(task, given), expects=expects)
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
        answer = read_answer(task.answer, variables=_names(task, given), writing=writing)
    except ReadError as error:
        return Checked(Grade("invalid", message=str(error), span=(error.start, error.end)))
    if not any_free and all(name in given for name in symbols(answer.expr)):
        return None
    return Checked(_by_algebra(task, given, answer, reference))


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
    asked = unit or reference.unit or base_unit(value.dimension)
    if unit is not None and value.dimension.without_counts.is_plain and not unit.dimension.without_counts.is_plain:
        # A bare reference is in the unit asked for; a formula such as 16*P brings base units.
        value = Quantity(value.value * (1 if reference.is_formula else unit.factor), unit.dimension)
    if value.dimension.without_counts != asked.dimension.without_counts:
        raise TaskError(f"reference is measured in {value.dimension}, which {asked.name} does not measure.")
    need_unit = not asked.dimension.without_counts.is_plain if task.need_unit is None else task.need_unit
    spelled = {name: spell_quantity(item.value, base_unit(item.dimension)) for name, item in given.items()}
    return Target(
        value.value, asked, need_unit, task.rtol or Fraction(0), _absolute(task, asked), (), given, spelled, {},
        reference.expr if reference.has_names else None,
    )  # fmt: skip


def _absolute(task: Task, asked: Unit) -> Fraction:
    if not task.atol:
        return Fraction(0)
    try:
        answer = read_answer(task.atol, expects=asked.dimension)
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
        answer = read_answer(task.answer, variables=_names(task, given), writing=writing)
        value = quantity(answer.expr, given, counts_checked=False)
    except ReadError as error:
        return Checked(Grade("invalid", message=str(error), span=(error.start, error.end)))
    except EvaluationError as error:
        return Checked(Grade("invalid", message=f"{error}.", span=(0, len(task.answer))))
    read_as = spell_expr(answer.expr, {})
    complaint = _form(task, answer)
    return Checked(Grade("incorrect" if complaint else "correct", read_as, complaint), value.value)


def _form(task: Task, answer: Answer) -> str:
    """Why the digits typed are not those asked for; empty if they are."""
    asked = (task.digits_written, task.digits_written_at_least, task.decimal_places_written)
    if asked == (None, None, None):
        return ""
    if answer.typed is None:
        return "Digits are counted on one number: type the result and not the way to it."
    digits = answer.typed.digits
    count = digits.most if task.trailing_zeros_ambiguous else digits.least
    if task.digits_written is not None and not digits.may_be(
        task.digits_written, zeros_ambiguous=task.trailing_zeros_ambiguous
    ):
        return f"{count} significant digits are written; {task.digits_written} are asked for."
    if task.digits_written_at_least is not None and count < task.digits_written_at_least:
        return f"{count} significant digits are written; at least {task.digits_written_at_least} are asked for."
    if task.decimal_places_written is not None and digits.decimals != task.decimal_places_written:
        return f"{digits.decimals} places are written behind the point; {task.decimal_places_written} are asked for."
    return ""


def _by_value(task: Task, writing: Writing, target: Target) -> Checked:
    read = read_for(target, task.answer, writing)
    if isinstance(read, Grade):
        return Checked(read)
    value = read.low / target.unit.factor
    complaint = _form(task, read.answer)
    if complaint:
        grade = Grade("incorrect", read.read_as, complaint)
    elif task.relation is not None:
        grade = _related(task, target, read)
    elif task.sigfigs is not None or task.geometric is not None or task.inclusive is False or _by_places(task):
        grade = _by_rule(task, target, read)
    else:
        grade = judge_read(target, read)
    return Checked(grade, value if read.low == read.high else None, target.unit.name)


def _by_places(task: Task) -> bool:
    return task.decimal_places_written is not None and task.rtol is None and not task.atol


def _related(task: Task, target: Target, read: Read) -> Grade:
    relation = task.relation or "=="
    if task.inclusive is not None and relation[0] in "<>":
        relation = relation[0] + ("=" if task.inclusive else "")  # type: ignore[assignment]
    ends = (read.low, read.high)
    same = [abs(end - target.value) <= _NEAR * abs(target.value) for end in ends]
    holds = {
        "<": all(end < target.value and not near for end, near in zip(ends, same, strict=True)),
        "<=": all(end < target.value or near for end, near in zip(ends, same, strict=True)),
        "==": all(same),
        "!=": not any(same),
        ">=": all(end > target.value or near for end, near in zip(ends, same, strict=True)),
        ">": all(end > target.value and not near for end, near in zip(ends, same, strict=True)),
    }[relation]
    if holds:
        return Grade("correct", read.read_as)
    return Grade(
        "incorrect", read.read_as, f"The value must be {relation} {spell_quantity(target.value, target.unit)}."
    )


def _by_rule(task: Task, target: Target, read: Read) -> Grade:
    if _agrees(task, target, read.low) and _agrees(task, target, read.high):
        return Grade("correct", read.read_as)
    # What a rule other than a closed tolerance refuses is never close; the mistake may still be recognised.
    strict = replace(target, relative=Fraction(0), absolute=Fraction(0))
    grade = judge_read(strict, read)
    if grade.status == "incorrect":
        return grade
    return Grade("incorrect", read.read_as, "The value is off by a little.")


def _agrees(task: Task, target: Target, value: Fraction) -> bool:
    factor = target.unit.factor
    if task.sigfigs is not None:
        return round_to_digits(value / factor, task.sigfigs) == round_to_digits(target.value / factor, task.sigfigs)
    if task.geometric is not None:
        if not target.value:
            return not value
        ratio, edge = value / target.value, 1 + task.geometric
        return 1 / edge <= ratio <= edge if task.inclusive is not False else 1 / edge < ratio < edge
    if _by_places(task) and task.decimal_places_written is not None:
        places = task.decimal_places_written
        return round_to_decimals(value / factor, places) == round_to_decimals(target.value / factor, places)
    return abs(value - target.value) < target.tolerance
