"""The rules of a free-standing check beside tolerances: digits typed, digits equal, relations, factors."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from quiz.grading.numeric import judge_read
from quiz.grading.records import Grade
from quiz.grading.spelling import spell_quantity
from solvers.expr.digits import cut_to_digits, round_to_decimals, round_to_digits
from solvers.record import changed

if TYPE_CHECKING:
    from quiz.grading.numeric import Read
    from quiz.grading.target import Target
    from quiz.grading.task import Task
    from solvers.expr.reader import Answer

_WORDS: Final = {"<": "less than", "<=": "at most", "==": "equal to", "!=": "different from", ">=": "at least",
                 ">": "greater than"}  # fmt: skip
_NEAR: Final = Fraction(1, 10**25)


def form_complaint(task: Task, answer: Answer) -> str:
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
        return f"{_counted(count)} written; {_asked(task.digits_written)}."
    if task.digits_written_at_least is not None and count < task.digits_written_at_least:
        return f"{_counted(count)} written; at least {_asked(task.digits_written_at_least)}."
    if task.decimal_places_written is not None and digits.decimals != task.decimal_places_written:
        places = "1 place is" if digits.decimals == 1 else f"{digits.decimals} places are"
        return f"{places} written behind the point; {_asked(task.decimal_places_written)}."
    return ""


def _counted(count: int) -> str:
    return "1 significant digit is" if count == 1 else f"{count} significant digits are"


def _asked(count: int) -> str:
    return f"{count} {'is' if count == 1 else 'are'} asked for"


def is_unit_asked_for(target: Target, answer: Answer) -> bool:
    """Whether a value is typed in the very unit, however it is spelled; zero too."""
    worth = abs(answer.typed.worth) if answer.typed is not None else None
    return worth == target.unit.factor and (answer.has_unit or not target.unit.name)


def has_rule(task: Task) -> bool:
    """Whether something else decides than a closed tolerance."""
    return task.sigfigs is not None or task.geometric is not None or task.inclusive is False or _by_places(task)


def _by_places(task: Task) -> bool:
    return task.decimal_places_written is not None and task.rtol is None and not task.atol


def by_relation(task: Task, target: Target, read: Read) -> Grade:
    """Whether the answer stands to the reference as asked; near to 25 digits is equal."""
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
        "incorrect", read.read_as, f"The value must be {_WORDS[relation]} {spell_quantity(target.value, target.unit)}."
    )


def by_rule(task: Task, target: Target, read: Read) -> Grade:
    """Judge by the rule of the task; what it refuses is never close, but the mistake may be recognised."""
    if _agrees(task, target, read, read.low) and _agrees(task, target, read, read.high):
        return Grade("correct", read.read_as)
    strict = changed(target, relative=Fraction(0), absolute=Fraction(0))
    grade = judge_read(strict, read)
    if grade.status == "incorrect":
        return grade
    return Grade("incorrect", read.read_as, "The value is off by a little.")


def _agrees(task: Task, target: Target, read: Read, value: Fraction) -> bool:
    factor = target.unit.factor
    if task.sigfigs is not None:
        return _digits_agree(task, task.sigfigs, value / factor, target.value / factor, read.answer)
    if task.geometric is not None:
        if not target.value:
            return not value
        ratio, edge = value / target.value, 1 + task.geometric
        return 1 / edge <= ratio <= edge if task.inclusive is not False else 1 / edge < ratio < edge
    if _by_places(task) and task.decimal_places_written is not None:
        places = task.decimal_places_written
        return round_to_decimals(value / factor, places) == round_to_decimals(target.value / factor, places)
    return abs(value - target.value) < target.tolerance


def _digits_agree(task: Task, count: int, value: Fraction, reference: Fraction, answer: Answer) -> bool:
    if task.power_of_ten:
        return _mantissa(cut_to_digits(value, count)) == _mantissa(cut_to_digits(reference, count))
    if task.extra_digits and answer.typed is not None:
        count = max(count, min(count + task.extra_digits, answer.typed.digits.most))
    rounded = round_to_digits(value, count)
    return rounded == round_to_digits(reference, count) or (
        task.truncation and rounded == cut_to_digits(reference, count)
    )


def _mantissa(value: Fraction) -> Fraction:
    """The value with its point moved behind the first digit."""
    size = abs(value)
    if not size:
        return value
    while size >= 10:  # noqa: PLR2004 - one digit before the point
        size /= 10
    while size < 1:
        size *= 10
    return size if value > 0 else -size
