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
    key = question.key or ((question.numeric.text,) if question.numeric else ())
    return Shown(question.revision, dict(question.axes), turn.order, key, figures)


def response(answer: Answer) -> Response:
    """What was answered: ids, or text, or neither."""
    chosen = (answer.chosen,) if answer.chosen else answer.ordered
    return Response(chosen, answer.text or answer.then or None)


def graded(mark: Mark) -> Graded:
    """The grade, as the session takes it."""
    if mark.status == "invalid":
        return Graded(invalid=True)
    parts: tuple[Part, ...] = ()
    if mark.part is not None and mark.part.status != "invalid":
        parts = (Part("then", mark.part.status, mark.part.slip or None),)
    return Graded(mark.status, mark.read_as or None, mark.slip or None, parts)
