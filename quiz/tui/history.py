"""What the screens know of an answer, as the history keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.session.attempt import Part, Response, Shown
from quiz.session.messages import Graded

if TYPE_CHECKING:
    from quiz.tui.ports import Answer, Mark, Turn


def shown(turn: Turn) -> Shown:
    """What stood on the screen."""
    question = turn.question
    figures = {option.id: option.bar.total_text for option in question.options if option.bar is not None}
    figures |= {item.id: item.figure for item in question.items}
    if question.numeric is not None:
        figures["answer"] = question.numeric.text
    figures |= {f"part {place}": part.text for place, part in enumerate(question.parts, start=2)}
    key = question.key or ((question.numeric.text,) if question.numeric else ())
    return Shown(question.revision, dict(question.axes), turn.order, key, figures)


def response(answer: Answer) -> Response:
    """What was answered: ids, or text, or neither."""
    chosen = (answer.chosen,) if answer.chosen else answer.ordered
    typed = "\n".join(text or "" for text in (answer.text, *answer.parts))
    return Response(chosen, typed or answer.then or None)


def graded(mark: Mark) -> Graded:
    """The grade, as the session takes it."""
    if mark.status == "invalid":
        return Graded(invalid=True)
    parts: tuple[Part, ...] = ()
    if mark.part is not None and mark.part.status != "invalid":
        parts = (Part("then", mark.part.status, mark.part.slip or None),)
    if mark.parts:
        parts = tuple(_part(place, one) for place, one in enumerate(mark.parts, start=1))
    return Graded(mark.status, mark.read_as or None, mark.slip or None, parts)


def _part(place: int, mark: Mark) -> Part:
    """One of several parts; the whole is readable here, so that each of them is."""
    status = "incorrect" if mark.status == "invalid" else mark.status
    return Part(f"part {place}", status, mark.slip or None)
