"""The report of an interview: how many were right, how long they took, where one was sure; then each solution."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from quiz.tui import words
from quiz.tui.lines import BLANK, Layout, Lines, bar, join, spread, text, wrap
from quiz.tui.page import HELP, Body, Page
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint
from quiz.tui.widgets.menu import Menu, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import Widget

    from quiz.tui.ports import Ended, Given

WIDE = 50  # from this width on the verdict stands in words too
SURE = 75
"""From this confidence on one was sure."""


class Report(Page):
    """The last screen of an interview."""

    ABOUT = "What the interview came to. Enter reads the solution of a question."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "read", "Read the solution", id="report.read"),
        Binding("h,escape", "home", "Home", id="report.home"),
        Binding("q", "app.quit", "Quit", id="report.quit"),
    ]

    def __init__(self, ended: Ended) -> None:
        super().__init__()
        self.ended = ended

    def head(self, width: int) -> Lines:
        """What it was."""
        asked, right = len(self.ended.given), sum(map(_right, self.ended.given))
        told = f"{right} of {asked} right · {'counted' if self.ended.counts else 'not counted'}"
        return [spread(join(("Interview", "bold $text-primary")), text(told if asked else "", "$quiet"), width)]

    def content(self) -> Iterator[Widget]:
        """The figures, then the questions."""
        yield Flow(self._figures, id="figures")
        yield Menu([Row(_layout(given), str(n)) for n, given in enumerate(self.ended.given, 1)], id="asked")

    def on_mount(self) -> None:
        """The keys go to the questions; the figures stay in view."""
        self.query_one(Menu).focus(scroll_visible=False)
        self.call_after_refresh(self.query_one(Body).scroll_home, animate=False)

    def hints(self) -> list[Hint]:
        """The ways on."""
        read = [Hint("enter", "solution", "read")] if self.ended.given else []
        return [*read, Hint("h", "home", "home"), Hint("q", "quit", "app.quit"), HELP]

    def _figures(self, width: int) -> Lines:
        first, *rest = figures(self.ended)
        lines = wrap(text(first), width)
        if self.ended.given:
            right = sum(map(_right, self.ended.given))
            lines.append(bar(right / len(self.ended.given), min(width, 40), "$success", "$faint"))
        for line in rest:
            lines += wrap(text(line), width)
        return [*lines, BLANK]

    def on_menu_picked(self, message: Menu.Picked) -> None:
        """Enter or a click."""
        message.stop()
        self.action_read()

    def action_read(self) -> None:
        """Read the solution of the question under the cursor."""
        from quiz.tui.screens.solution import Solution

        place = self.query_one(Menu).cursor
        if place < len(self.ended.given):
            _ = self.app.push_screen(Solution(self.ended.given[place]))

    def action_home(self) -> None:
        """Back to the first screen."""
        self.go(self.desk_app.show_home())


def figures(ended: Ended) -> list[str]:
    """What an interview came to, a sentence a line."""
    asked = len(ended.given)
    if not asked:
        return ["No question was answered."]
    right = [given for given in ended.given if _right(given)]
    wrong = [given for given in ended.given if not _right(given)]
    told = [f"{len(right)} of {words.count(asked, 'answer')} right, in {_clock(ended.seconds)} of {ended.minutes}:00."]
    told.append(f"A question took {_clock(sum(given.seconds for given in ended.given) / asked)} on average.")
    sure = sum((given.confidence or 0) >= SURE for given in wrong)
    unsure = sum(given.confidence is not None and given.confidence < SURE for given in right)
    if sure:
        told.append(f"{words.count(sure, 'answer')} you were sure of {'was' if sure == 1 else 'were'} wrong.")
    if unsure:
        told.append(f"{words.count(unsure, 'answer')} you were not sure of {'was' if unsure == 1 else 'were'} right.")
    again = dict.fromkeys(words.topic(given.turn.question.topic) for given in wrong)
    if again:
        told.append(f"To go over: {', '.join(again)}.")
    if ended.left:
        told.append(f"{words.count(ended.left, 'question')} not reached.")
    return told


def _right(given: Given) -> bool:
    return given.result.mark.status == "correct"


def _clock(seconds: float) -> str:
    whole = max(0, round(seconds))
    return f"{whole // 60}:{whole % 60:02}"


def _layout(given: Given) -> Layout:
    sign, name, colour = words.VERDICTS[given.result.mark.status]

    def lay(width: int) -> Lines:
        sure = "" if given.confidence is None else f"{given.confidence} %  "
        told = join((sure, "$quiet"), (name, colour), "  ") if width >= WIDE else text("")
        tail = join(told, (_clock(given.seconds), "$quiet"))
        return [spread(join((f"{sign} ", colour), given.turn.title), tail, width)]

    return lay
