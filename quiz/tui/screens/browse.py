"""All questions of the bank: how each stands, what was said of it; one key reads its solution. It schedules nothing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from quiz.tui import words
from quiz.tui.ahead import Stepping
from quiz.tui.lines import Layout, Lines, join, spread, text, wrap
from quiz.tui.page import HELP
from quiz.tui.ports import Trouble
from quiz.tui.screens.mark import MarkablePage
from quiz.tui.widgets.field import OneLine
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint
from quiz.tui.widgets.menu import Menu, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.content import Content
    from textual.widget import Widget

    from quiz.tui.ports import Line

TOPIC = 16  # cells for the name of a topic
STATE = 5  # and at least so many for how a question stands
WIDE = 60  # from this width on the topic stands beside each


class Browse(Stepping, MarkablePage):
    """The list. `topic` and what is typed after `/` choose from it."""

    ABOUT = "All questions. Reading a solution here changes nothing of when its question comes back."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "read", "Read its solution", id="browse.read"),
        Binding("slash", "search", "Search", id="browse.search", tooltip="Search by title, topic, state or note"),
        Binding("q,escape", "leave", "Back", id="browse.leave"),
    ]

    def __init__(self, topic: str = "") -> None:
        super().__init__()
        self.wanted = words.topic(topic).lower() if topic else ""
        self.lines: tuple[Line, ...] | None = None
        self.found: list[Line] = []

    def head(self, width: int) -> Lines:
        """How many there are."""
        count = words.count(len(self.found), "question") if self.lines is not None else ""
        return [spread(join(("All questions", "bold $text-primary")), text(count, "$quiet"), width)]

    def above(self) -> Iterator[Widget]:
        """What is searched for."""
        field = OneLine(self.wanted, "search", self._searched_for, id="search")
        field.display = bool(self.wanted)
        yield field

    def content(self) -> Iterator[Widget]:
        """The list, and what to say where it is empty."""
        yield Menu(id="all", picked=lambda _index, _clicked: self.action_read())
        yield Flow(self._empty, id="none")

    def hints(self) -> list[Hint]:
        """What can be done."""
        return [
            Hint("enter", "solution", "read"),
            Hint("/", "search", "search"),
            Hint("m", "mark", "mark"),
            Hint("q", "back", "leave"),
            HELP,
        ]

    async def on_mount(self) -> None:
        """Read the list."""
        await self.after_mark()
        self.query_one(Menu).focus()

    async def after_mark(self) -> None:
        """Read the list anew; the cursor stays on its question."""
        kept = self.marked_question
        try:
            self.lines = await self.desk_app.at_desk(self.desk_app.desk.browse)
        except Trouble as trouble:
            self.desk_app.end_with(trouble)
            return
        self._fill(kept)

    def _fill(self, kept: str = "") -> None:
        every = self.wanted.split()
        self.found = [line for line in self.lines or () if all(word in _searched(line) for word in every)]
        place = next((n for n, line in enumerate(self.found) if line.id == kept), 0)
        self.query_one(Menu).show_rows(_rows(self.found), place)
        for name in ("#head", "#none"):
            self.query_one(name, Flow).refresh_lines()

    def _empty(self, width: int) -> Lines:
        if self.lines is None:
            return wrap(text("Reading …", "$quiet"), width)
        return [] if self.found else wrap(text("No question has these words.", "$quiet"), width)

    @property
    def marked_question(self) -> str:
        """The question under the cursor."""
        place = self.query_one(Menu).cursor
        return self.found[place].id if place < len(self.found) else ""

    def action_read(self) -> None:
        """Read the solution of the question under the cursor."""
        if self.marked_question:
            self.step(partial(self._read, self.marked_question))

    async def _read(self, question: str) -> None:
        from quiz.tui.screens.solution import Solution

        try:
            given = await self.desk_app.at_desk(self.desk_app.desk.look, question)
        except Trouble as trouble:
            self.desk_app.tell(trouble.message, "error")
            return
        await self.app.push_screen(Solution(given))

    def action_search(self) -> None:
        """Type what to look for."""
        field = self.query_one("#search", Input)
        field.display = True
        field.focus()

    def on_input_changed(self, message: Input.Changed) -> None:
        """Choose while it is typed."""
        message.stop()
        self.wanted = message.value.lower()
        self._fill()

    def _searched_for(self, _typed: str) -> None:
        """Enter goes to what was found."""
        self.query_one("#search", Input).display = bool(self.wanted)
        self.query_one(Menu).focus()

    def action_leave(self) -> None:
        """Out of the search, then back to the first screen."""
        field = self.query_one("#search", Input)
        if field.has_focus or self.wanted:
            field.value = self.wanted = ""
            field.display = False
            self._fill(self.marked_question)
            self.query_one(Menu).focus()
        else:
            self.go(self.desk_app.show_home())


def _searched(line: Line) -> str:
    return " ".join((line.id, line.title, words.topic(line.topic), line.topic, _state(line), line.marked.note)).lower()


def _state(line: Line) -> str:
    """How a question stands, in words."""
    if line.marked.suspended:
        return "suspended"
    return f"buried, back {line.marked.buried}" if line.marked.buried else line.stands


def _signs(line: Line) -> str:
    """What was said of it: a flag, a note, and that it is forgotten again and again."""
    return " ".join(
        sign
        for sign, there in (("flag", line.marked.flagged), ("note", line.marked.note), ("leech", line.lapses))
        if there
    )


def _rows(lines: Sequence[Line]) -> list[Row]:
    return [Row(_layout(line), " ") for line in lines]


def _layout(line: Line) -> Layout:
    topic = words.topic(line.topic)[:TOPIC]

    def lay(width: int) -> Lines:
        resting = bool(line.marked.suspended or line.marked.buried)
        signs: Content = text(_signs(line), "$accent")
        state = text(_state(line), "$almost" if resting else "$quiet")
        tail = join(signs, "  " if signs.plain else "", state)
        if width >= WIDE:
            tail = join(tail.pad_left(max(0, STATE - tail.cell_length)), ("  " + topic.ljust(TOPIC), "$quiet"))
        title = text(line.title, "$quiet" if resting else "")
        return [spread(title, tail, width)]

    return lay
