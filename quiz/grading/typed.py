"""Judges what is typed for a part of a question: one value or an ordered list, and parts that rest on others.

A part that is right with the learner's own wrong value of an earlier part is right: the error is carried forward, is
told where it lies, and costs once.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from quiz.grading.listing import judge_list, pieces_of
from quiz.grading.numeric import Read, judge, read_for
from quiz.grading.records import Echo, Grade
from quiz.grading.spelling import spell_quantity
from quiz.grading.target import Target, target_of
from solvers.expr.evaluate import EvaluationError, Quantity, quantity
from solvers.expr.reader import read_strict
from solvers.expr.tree import symbols
from solvers.record import changed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quiz.bank.rendered import NumericPart

_ORDER: Final = ("invalid", "wrong-unit", "incorrect", "close", "correct")


def judge_part(part: NumericPart, text: str, *, strict: bool = True) -> Grade:
    """Grade what was typed for one part. Any text ends in a grade; without `strict` a missing unit is handed back."""
    target = target_of(part)
    if not part.values:
        return handed_back(judge(target, text), text, strict=strict)
    each = _targets(part, target)
    return judge_list(
        text, len(each), lambda place, piece: handed_back(judge(each[place], piece), piece, strict=strict)
    )


def handed_back(found: Grade, text: str, *, strict: bool) -> Grade:
    """A number without the unit that it needs, as one that cannot be read yet."""
    return found if strict or not found.unit_missing else changed(found, status="invalid", span=(0, len(text)))


def _targets(part: NumericPart, target: Target) -> list[Target]:
    """One for each value of a list; slips and letters belong to the first only."""
    rest = changed(target, slips=(), expression=None)
    return [target, *(changed(rest, value=Fraction(exact)) for exact in part.values[1:])]


def judge_parts(parts: Sequence[NumericPart], texts: Sequence[str | None], *, strict: bool) -> Grade:
    """Grade all parts of a question, each by itself; None is a part that was left out.

    What is wrong with one, its unit too, does not stop the others. `credit` is the share of the parts that are right.
    """
    grades: list[Grade] = []
    own: dict[str, Quantity] = {}  # wrong values of the learner's, by the name of their part
    for place, part in enumerate(parts):
        text = texts[place] if place < len(texts) else None
        if not text:
            grades.append(Grade("unknown", message="Left out."))
            continue
        found = judge_part(part, text, strict=strict)
        if found.status in ("incorrect", "close"):
            found = _carried(parts, place, text, own) or found
            if (value := _value(part, text)) is not None:
                own[f"part_{place + 1}"] = value
        grades.append(found)
    return _joined(tuple(grades))


def value_of(part: NumericPart, text: str) -> Fraction | None:
    """The one value that was typed for a part, in the unit that is asked for; None where there is none."""
    value = _value(part, text)
    return None if value is None else value.value / target_of(part).unit.factor


def _value(part: NumericPart, text: str) -> Quantity | None:
    """The one value that was typed, where there is one."""
    if part.values:
        return None
    target = target_of(part)
    read = read_for(target, text)
    return Quantity(read.low, target.unit.dimension) if isinstance(read, Read) and read.low == read.high else None


def _carried(parts: Sequence[NumericPart], place: int, text: str, own: Mapping[str, Quantity]) -> Grade | None:
    """The grade of a part that is right with wrong values of earlier parts; None where it is not."""
    part, target = parts[place], target_of(parts[place])
    if not part.follow:
        return None
    tree = read_strict(part.follow, target.units)
    used = [name for name in symbols(tree) if name in own]
    if not used:
        return None
    right = {f"part_{at}": target_of(one) for at, one in enumerate(parts[:place], start=1)}
    known = {name: Quantity(one.value, one.unit.dimension) for name, one in right.items()}
    try:
        value = quantity(tree, {**target.variables, **known, **own}, counts_checked=False).value
    except EvaluationError:
        return None  # with such a value the part has none
    read = read_for(target, text)
    carried = changed(target, value=value)
    if not (isinstance(read, Read) and carried.accepts(read.low) and carried.accepts(read.high)):
        return None
    told = " and ".join(f"part {name.removeprefix('part_')} ({_spelled(own[name], right[name])})" for name in used)
    said = f"Right with your value of {told}: the error lies there, not in this number."
    return Grade("correct", read.read_as, said, carried=used[0])


def _spelled(value: Quantity, target: Target) -> str:
    return spell_quantity(value.value, target.unit)


def _joined(grades: tuple[Grade, ...]) -> Grade:
    """The verdict on all parts: as the worst of them, a part that was left out as a wrong one."""
    first = grades[0]
    if all(grade.status == "unknown" for grade in grades):
        return changed(first, message="Not known yet: the reveal shows the way.", parts=grades)
    statuses = ["incorrect" if grade.status == "unknown" else grade.status for grade in grades]
    worst = min(range(len(grades)), key=lambda place: _ORDER.index(statuses[place]))
    credit = Fraction(sum(grade.status == "correct" for grade in grades), len(grades))
    said = " ".join(f"Part {place}: {grade.message}" for place, grade in enumerate(grades, start=1) if grade.message)
    chosen = grades[worst]
    return changed(
        first, status=statuses[worst], message=said, slip=chosen.slip, slip_kind=chosen.slip_kind,
        span=chosen.span if statuses[worst] == "invalid" else None, parts=grades, credit=credit, unit_missing=False,
    )  # fmt: skip


def read_back(part: NumericPart, text: str) -> Echo:
    """Say how a text is read while it is typed, without judging it."""
    if not text.strip():
        return Echo("", readable=True)
    if part.values:
        return _list_back(part, text)
    return _one_back(target_of(part), text)


def _list_back(part: NumericPart, text: str) -> Echo:
    """Each value as it is read so far."""
    pieces, each = pieces_of(text), _targets(part, target_of(part))
    typed = [(target, piece) for target, piece in zip(each, pieces, strict=False) if piece.text.strip()]
    echoes = [_moved(_one_back(target, piece.text), piece.start, len(text)) for target, piece in typed]
    broken = next((echo for echo in echoes if not echo.readable), None)
    more = len(each) - len(pieces)
    missing = f" ({more} more asked for)" if more > 0 else f" ({-more} too many)" if more < 0 else ""
    warns = any(echo.warns for echo in echoes)
    return broken or Echo("; ".join(echo.text for echo in echoes) + missing, readable=True, warns=warns)


def _moved(echo: Echo, by: int, length: int) -> Echo:
    """The echo of a piece, its place counted in the whole text."""
    if echo.span is None:
        return echo
    return changed(echo, span=(min(by + echo.span[0], length), min(by + echo.span[1], length)))


def _one_back(target: Target, text: str) -> Echo:
    read = read_for(target, text)
    if isinstance(read, Read):
        return Echo(read.read_as, readable=True)
    if read.unit_missing:
        return Echo(read.message, readable=False, span=(0, len(text)))
    if read.status == "wrong-unit":
        said = f"Wrong unit. {read.message}"
        return Echo(f"{read.read_as}. {said}" if read.read_as else said, readable=True, warns=True)
    return Echo(read.message, readable=False, span=read.span)
