"""The grade of a whole response: the choice, the order or the text, and the numeric part that follows from it."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from quiz.grading.numeric import Read, read_for
from quiz.grading.records import Chosen, Grade, Ordered, SelfGraded, Typed, Unknown
from quiz.grading.target import target_of
from quiz.grading.typed import handed_back, judge_part, judge_parts
from solvers.record import changed

if TYPE_CHECKING:
    from quiz.bank.rendered import NumericPart, Rendered
    from quiz.grading.records import Response

_RIGHT_SHARE: Final = Fraction(4, 5)
_CLOSE_SHARE: Final = Fraction(1, 2)


def grade(question: Rendered, response: Response, *, strict: bool = False) -> Grade:
    """Grade a response. Any typed text ends in a grade; one that cannot be read makes the whole invalid.

    A missing unit is handed back as invalid, as whatever else a learner may mend before it counts; with `strict`
    it is a wrong unit.

    Raises `ValueError` where the response is none to this question (an unknown option, another kind), which is
    a fault of the caller and not of the learner.
    """
    main, option = _main(question, response, strict=strict)
    if response.then is None or question.numeric is None or isinstance(response, Typed):
        return main
    part = handed_back(_part(question.numeric, response.then, option), response.then, strict=strict)
    return changed(_joined(main, part), part=part)


def _joined(main: Grade, part: Grade) -> Grade:
    """The verdict on both: a number can lower a right choice, never raise a wrong one."""
    if part.status == "invalid":
        return changed(main, status="invalid", message=part.message, span=part.span)
    if main.status == "correct" and part.status != "correct":
        return changed(main, status=part.status, message=part.message, slip=part.slip, slip_kind=part.slip_kind)
    return main


def _main(question: Rendered, response: Response, *, strict: bool) -> tuple[Grade, str]:
    match response:
        case Unknown():
            return Grade("unknown", message="Not known yet: the reveal shows the way."), ""
        case Chosen(option) if question.options:
            return _choice(question, option), option
        case Ordered(ids) if question.items:
            return _order(question, ids), ""
        case Typed(text, _, texts) if question.numeric is not None and question.parts:
            return judge_parts((question.numeric, *question.parts), (text, *texts), strict=strict), ""
        case Typed(text) if question.numeric is not None:
            return judge_part(question.numeric, text, strict=strict), ""
        case SelfGraded(points, of) if question.kind == "open":
            return _by_rubric(points, of), ""
    raise ValueError(f"{type(response).__name__} does not answer the {question.kind} question {question.id}")


def _choice(question: Rendered, chosen: str) -> Grade:
    option = next((option for option in question.options if option.id == chosen), None)
    if option is None:
        raise ValueError(f"{question.id} has no option {chosen!r}")
    if option.correct:
        return Grade("correct", option.text, option.verdict)
    return Grade("incorrect", option.text, option.verdict, option.slip, "mistake" if option.slip else "")


def _order(question: Rendered, ids: tuple[str, ...]) -> Grade:
    if sorted(ids) != sorted(item.id for item in question.items):
        raise ValueError(f"{question.id} is answered by an order of all its items")
    by_id = {item.id: item for item in question.items}
    given = [by_id[one] for one in ids]
    read_as = ", ".join(item.text for item in given)
    for first, second in pairwise(given):
        if first.place > second.place:
            return Grade(
                "incorrect", read_as, f"{second.text} ({second.figure}) comes before {first.text} ({first.figure})."
            )
    return Grade("correct", read_as)


def _by_rubric(points: int, of: int) -> Grade:
    if not 0 <= points <= of or not of:
        raise ValueError(f"{points} of {of} points is no share of a rubric")
    share = Fraction(points, of)
    said = f"{points} of {of} points of the rubric."
    if share >= _RIGHT_SHARE:
        return Grade("correct", message=said)
    return Grade("close" if share >= _CLOSE_SHARE else "incorrect", message=said)


def _part(numeric: NumericPart, text: str, option: str) -> Grade:
    """Grade the numeric part; a number that is right for the plan that was chosen counts."""
    target = target_of(numeric)
    plain = judge_part(numeric, text)
    carried = next((item for item in numeric.carried if item.option == option), None)
    if carried is None or plain.status not in ("incorrect", "close"):
        return plain
    read = read_for(target, text)
    under_choice = changed(target, value=Fraction(carried.exact))
    if isinstance(read, Read) and under_choice.accepts(read.low) and under_choice.accepts(read.high):
        said = f"Right for the plan that you chose ({carried.text}): the error lies in the choice, not in this number."
        return Grade("correct", read.read_as, said, carried=carried.option)
    return plain
