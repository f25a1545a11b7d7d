"""The grading engine behind the port of the screens. Imported when the first answer is marked or read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.tui.ports import Answer, Echo, Mark

if TYPE_CHECKING:
    from quiz.bank.rendered import NumericPart, Rendered
    from quiz.grading import Grade, Response


class Marking:
    """Answers of the screens in, marks for the screens out."""

    def mark(self, question: Rendered, answer: Answer) -> Mark:
        """Grade an answer."""
        from quiz.grading import grade

        return _mark(grade(question, _response(question, answer)))

    def read_back(self, part: NumericPart, text: str) -> Echo:
        """How a text is read."""
        from quiz.grading import read_back

        echo = read_back(part, text)
        return Echo(echo.text, echo.readable, echo.span, echo.warns)


def _response(question: Rendered, answer: Answer) -> Response:
    from quiz.grading import Chosen, Ordered, SelfGraded, Typed, Unknown

    if answer.unknown:
        return Unknown()
    match question.kind:
        case "numeric":
            return Typed(answer.text, parts=answer.parts)
        case "ordering":
            return Ordered(answer.ordered, answer.then)
        case "open":
            return SelfGraded(answer.points, answer.of)
    return Chosen(answer.chosen, answer.then)


def _mark(grade: Grade) -> Mark:
    part = _mark(grade.part) if grade.part is not None else None
    parts = tuple(_mark(one) for one in grade.parts)
    return Mark(grade.status, grade.read_as, grade.message, grade.slip, grade.slip_kind, grade.span, part, parts)
