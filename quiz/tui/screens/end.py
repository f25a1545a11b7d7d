"""The end of a session: what it came to, and what comes back when."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from quiz.tui import words
from quiz.tui.lines import BLANK, Lines, bar, join, spread, text, wrap
from quiz.tui.page import HELP, Page
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import Widget

    from quiz.tui.ports import Ended


class End(Page):
    """The last screen of a session."""

    ABOUT = "What this session came to. Each question comes back on the day that stands beside it."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,h,escape", "home", "Home", id="end.home"),
        Binding("u", "undo", "Take the last answer back", id="end.undo"),
        Binding("q", "app.quit", "Quit", id="end.quit"),
    ]

    def __init__(self, ended: Ended) -> None:
        super().__init__()
        self.ended = ended

    def content(self) -> Iterator[Widget]:
        """Everything in one flow."""
        yield Flow(self._lay, id="ended")

    def head(self, width: int) -> Lines:
        """Where one is."""
        return [spread(join(("Session done", "bold $text-primary")), text("", ""), width)]

    def hints(self) -> list[Hint]:
        """The ways on."""
        undo = [Hint("u", "undo", "undo")] if self.ended.answered and self.ended.counts else []
        return [Hint("enter", "home", "home"), *undo, Hint("q", "quit", "app.quit"), HELP]

    def _lay(self, width: int) -> Lines:
        ended = self.ended
        lines: Lines = []
        if ended.unsaved:
            lines += [*wrap(text("One answer could not be stored and does not count.", "$wrong bold"), width), BLANK]
        if not ended.answered:
            lines += wrap(text("No question was answered."), width)
        else:
            told = join((f"{ended.right}", "bold"), f" of {words.count(ended.answered, 'answer')} right")
            lines += wrap(told, width)
            if not ended.counts:
                lines += wrap(text("None of it counts: no question's day has moved.", "$quiet"), width)
            lines.append(bar(ended.right / ended.answered, min(width, 40), "$success", "$faint"))
        if ended.left:
            lines += wrap(text(f"{words.count(ended.left, 'question')} left for another time.", "$quiet"), width)
        if ended.back:
            lines += [BLANK, *wrap(text("Comes back", "$text-accent bold"), width)]
            for line in ended.back:
                sign, colour = ("✓", "$right") if line.right else ("✗", "$wrong")
                lines.append(spread(join((f"{sign} ", colour), line.title), text(line.back, "$quiet"), width))
        if ended.next_due:
            lines += [BLANK, *wrap(text(f"Next: {ended.next_due}.", "$quiet"), width)]
        return lines

    def action_home(self) -> None:
        """Back to the first screen."""
        self.go(self.desk_app.show_home())

    def action_undo(self) -> None:
        """Take the last answer back and ask it again."""
        self.desk_app.undo()
