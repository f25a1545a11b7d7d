"""Judges a typed answer against a target: read, evaluate, measure, compare, and recognise the mistake."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from quiz.grading.diagnosis import Diagnosis, diagnose
from quiz.grading.measure import Measured, WrongUnit, measured
from quiz.grading.records import Grade, SlipKind
from quiz.grading.spelling import base_unit, is_exact, spell_expr, spell_number, spell_quantity, with_coefficient
from quiz.grading.target import CLOSE, Target
from solvers.expr.evaluate import EvaluationError, Quantity, quantity
from solvers.expr.reader import Answer, ReadError, Writing, read_answer
from solvers.expr.reader_limits import shown
from solvers.expr.show import show_number
from solvers.expr.tree import Binary, Number, Symbol, walk
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solvers.expr.tree import Expr
    from solvers.expr.units import Unit

_PLAIN_WRITING: Final = Writing()


class Read(Record):
    """An answer that could be read and measured: `low` and `high` differ for a range; base units."""

    answer: Answer
    low: Fraction
    high: Fraction
    half_unit: Fraction
    read_as: str


def read_for(target: Target, text: str, writing: Writing = _PLAIN_WRITING) -> Read | Grade:
    """Read a text for a target; a `Grade` (invalid or wrong-unit) where there is no value to judge."""
    try:
        answer = read_answer(text, variables=target.variables, expects=target.unit, writing=writing, units=target.units)
        return _measured(target, answer)
    except ReadError as error:
        return Grade("invalid", message=str(error), span=(error.start, error.end))
    except EvaluationError as error:
        return Grade("invalid", message=said_of(error), span=(0, len(text)))


def _measured(target: Target, answer: Answer) -> Read | Grade:
    def lookup(name: str) -> Quantity:
        return answer.defined.get(name) or target.variables[name]

    if target.in_unit and _converts(target, answer):
        said = f"Answer in {target.unit.name}: the conversion is what is asked for."
        return Grade("invalid", message=said, span=(0, len(answer.text)))
    first = quantity(answer.expr, lookup, counts_checked=False)
    low = measured(answer, first, target)
    second = quantity(answer.upper, lookup, counts_checked=False) if answer.upper is not None else first
    high = measured(answer, second, target) if answer.upper is not None else low
    for value, read in ((low, first), (high, second)):
        if isinstance(value, WrongUnit):
            read_as = _spelled(target, answer, answer.expr, read)
            return Grade("wrong-unit", read_as, value.message, unit_missing=value.is_missing)
    if not (isinstance(low, Measured) and isinstance(high, Measured)):
        raise TypeError
    half = answer.typed.half_unit * low.scale if answer.typed else Fraction(0)
    if answer.upper is None:
        return Read(answer, low.value, low.value, half, _read_as(target, answer, first, low))
    if low.value > high.value:
        low, high = high, low
    ends = f"{spell_quantity(low.value, target.unit)} to {spell_quantity(high.value, target.unit)}"
    return Read(answer, low.value, high.value, half, ends)


def _converts(target: Target, answer: Answer) -> bool:
    """Whether an answer leaves it to the program to come to the unit that is asked for."""
    asked = target.unit.dimension.without_counts
    nodes = [*walk(answer.expr), *(walk(answer.upper) if answer.upper is not None else ())]
    named = [answer.defined.get(node.name) or target.variables[node.name] for node in nodes if isinstance(node, Symbol)]
    units = [node.unit for node in nodes if isinstance(node, Number) and node.unit is not None]
    return any(item.dimension.without_counts == asked for item in named) or any(
        unit.dimension.without_counts == asked and unit.factor != target.unit.factor for unit in units
    )


def judge(target: Target, text: str, writing: Writing = _PLAIN_WRITING) -> Grade:
    """Grade one typed answer. Any text ends in a grade."""
    read = read_for(target, text, writing)
    return read if isinstance(read, Grade) else judge_read(target, read)


def judge_read(target: Target, read: Read) -> Grade:
    """Grade an answer that has been read."""
    if target.estimate is not None:
        return _judge_estimate(target, read)
    if read.answer.upper is not None:
        return _judge_range(target, read)
    if target.accepts(read.low):
        return Grade("correct", read.read_as)
    found = _recognised(target, read, read.low)
    if found is not None:
        return Grade("incorrect", read.read_as, found.text, found.id, found.kind)
    if target.accepts(read.low, CLOSE):
        return Grade(
            "close", read.read_as, f"{_direction(target, read.low)}, but not by much: within three tolerances."
        )
    return Grade("incorrect", read.read_as, f"{_direction(target, read.low)}.")


def _recognised(target: Target, read: Read, value: Fraction) -> Diagnosis | None:
    digits = read.answer.typed.digits.least if read.answer.typed else 0
    return diagnose(target, value, read.half_unit, read.answer.unit, digits=digits)


def _judge_estimate(target: Target, read: Read) -> Grade:
    """Grade on the scale of factors; a mistake that is recognised is told beside the points."""
    scale = target.estimate
    if scale is None:
        raise TypeError
    worst = min((read.low, read.high), key=lambda end: scale.credit(end, target.value))
    credit = scale.credit(worst, target.value)
    if credit == 1:
        return Grade("correct", read.read_as, f"Within a factor of {spell_number(scale.full)}.", credit=credit)
    found = _recognised(target, read, worst) if read.low == read.high else None
    said = _off_by(target, worst)
    if credit:
        said = f"{said}: {spell_number(credit * 100)} % of the points."
        return Grade("close", read.read_as, said, *_slip_of(found), credit=credit)
    if found is None:
        return Grade("incorrect", read.read_as, f"{said}.", credit=credit)
    return Grade("incorrect", read.read_as, found.text, found.id, found.kind, credit=credit)


def _slip_of(found: Diagnosis | None) -> tuple[str, SlipKind]:
    return ("", "") if found is None else (found.id, found.kind)


def _off_by(target: Target, value: Fraction) -> str:
    if not value or not target.value or (value > 0) is not (target.value > 0):
        return _direction(target, value)
    off = max(value / target.value, target.value / value)
    return f"{_direction(target, value)} by a factor of {show_number(off)}"


def _judge_range(target: Target, read: Read) -> Grade:
    if target.accepts(read.low) and target.accepts(read.high):
        return Grade("correct", read.read_as)
    if target.overlapping:
        reach = target.tolerance
        if read.low <= target.value + reach and read.high >= target.value - reach:
            return Grade("correct", read.read_as, "The value is in this range, or at its edge.")
        return Grade("incorrect", read.read_as, "The value is not in this range.")
    if not read.low <= target.value <= read.high:
        return Grade("incorrect", read.read_as, "The value is not in this range.")
    wide = "The value is in this range, but the range is wider than the tolerance: settle on a number."
    near = target.accepts(read.low, CLOSE) and target.accepts(read.high, CLOSE)
    return Grade("close" if near else "incorrect", read.read_as, wide)


def _direction(target: Target, value: Fraction) -> str:
    if value < 0 <= target.value or value > 0 > target.value:
        return "The sign is wrong"
    return "Too small" if abs(value) < abs(target.value) else "Too large"


def _read_as(target: Target, answer: Answer, read: Quantity, value: Measured) -> str:
    """Chain what was read, the value in the unit asked for, and in base units."""
    asked = spell_quantity(value.value, target.unit)
    shown = asked if _is_in(answer, target.unit) else _spelled(target, answer, answer.expr, read, value)
    about = "about " if answer.approximate else ""
    parts = [shown]
    if asked != shown:
        sign = "=" if is_exact(value.value / target.unit.factor) else "≈"
        parts.append(f" {sign} {asked}")
    base = base_unit(target.unit.dimension.without_counts)
    if target.in_unit:
        return about + "".join(parts)
    if base.name and target.unit.factor != 1:
        in_base = spell_quantity(value.value, base)
        if in_base not in (shown, asked):
            parts.append(f" ({in_base})")
    return about + "".join(parts)


def _is_in(answer: Answer, unit: Unit) -> bool:
    """Whether one number was typed in the very unit asked for, however either is spelled."""
    if answer.typed is None or unit.dimension.is_plain:
        return False
    if answer.unit is None:
        return unit.factor == 1
    return answer.unit.factor == unit.factor


def _spelled(target: Target, answer: Answer, expr: Expr, read: Quantity, value: Measured | None = None) -> str:
    names = {**target.spelled, **{name: _spell_defined(item) for name, item in answer.defined.items()}}
    if value is None or value.taken_as is None:
        return _with_whole_unit(answer, expr, names)
    if not answer.is_formula:
        return spell_quantity(value.value, value.taken_as)
    measured_expr = with_coefficient(expr, value.taken_as.name, read.dimension)
    if measured_expr is not None:
        return spell_expr(measured_expr, names)
    return f"({spell_expr(expr, names)}) {value.taken_as.name}"


def _with_whole_unit(answer: Answer, expr: Expr, names: Mapping[str, str]) -> str:
    """Spell a unit that measures everything before it as it was typed: `(140 / 8) GB`."""
    if not (answer.whole_unit and answer.unit is not None and isinstance(expr, Binary)):
        return spell_expr(expr, names)
    inner = spell_expr(expr.left, names)
    is_chain = isinstance(expr.left, Binary) and expr.left.operator != "*"
    # `16 × 70B B` would be a riddle.
    is_apart = is_chain or inner[-1:].isalpha()
    return f"({inner}) {answer.unit.name}" if is_apart else f"{inner} {answer.unit.name}"


def _spell_defined(item: Quantity) -> str:
    return spell_quantity(item.value, base_unit(item.dimension))


def said_of(error: EvaluationError) -> str:
    """Why an answer has no value, and which part of it: such as `Division by zero: 5 / 0`."""
    said = str(error)
    place = "" if error.where is None else f": {shown(spell_expr(error.where, {}))}"
    return f"{said[:1].upper()}{said[1:]}{place}."
