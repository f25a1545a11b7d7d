"""A solution to be read, without an answer of now: from the list of all questions, or from an interview's report."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from quiz.tui import header, words
from quiz.tui.lines import Lines, join, spread, text
from quiz.tui.page import HELP
from quiz.tui.screens.reveal import Reveal
from quiz.tui.widgets.keys import Hint

if TYPE_CHECKING:
    from quiz.tui.ports import Given


class Solution(Reveal):
    """The sections of a reveal over another screen; nothing is stored, rated or taken back here."""

    ABOUT = "One section at a time. Reading a solution changes nothing of when its question comes back."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape", "leave", "Back", id="solution.leave"),
    ]

    def __init__(self, given: Given) -> None:
        super().__init__(given.turn, given.answer, given.result, given.confidence)
        self.given = given

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - textual's signature
        """Leave out what belongs to an answer of now."""
        return action not in ("undo", "rate", "next")

    def head(self, width: int) -> Lines:
        """Which question."""
        left = join((words.topic(self.turn.question.topic), "bold $text-primary"), f"  {self.turn.title}")
        return [spread(left, text(words.dots(self.turn.question.difficulty), "$quiet"), width)]

    def _verdict(self, width: int) -> Lines:
        lines = header.lay(self.view, width, header.room(self.size.height))
        return lines if self.given.result.mark.status == "unknown" else [*header.verdict(self.view, width), *lines]

    def hints(self) -> list[Hint]:
        """The keys of the section."""
        on = [Hint("enter", "uncover", "on")] if self._covered else []
        prove = [Hint("d", "prove it", "prove")] if self.desk_app.proves(self.turn.question) else []
        return [*on, Hint("←→", "sections"), *prove, Hint("space", "read on", "read"), Hint("q", "back", "leave"), HELP]

    def action_on(self) -> None:
        """Uncover the next follow-up, or read on."""
        if self._covered:
            super().action_on()
        else:
            self.action_read()

    def action_leave(self) -> None:
        """Back to where one came from."""
        _ = self.app.pop_screen()
