"""Marking a question: suspend, bury, flag, note, from wherever it stands on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple, cast

from textual.binding import Binding, BindingType
from textual.widgets import Input

from quiz.tui.lines import Layout, Lines, join, text, wrap
from quiz.tui.marked import one_line
from quiz.tui.page import Dialog, Page, numbered
from quiz.tui.ports import Trouble
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.menu import Menu, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import Widget

    from quiz.session.marks import MarkKind
    from quiz.tui.ports import Marked
    from quiz.tui.terminal import TerminalApp

LONGEST = 400
WORDS = 20  # cells for what a row does


class Said(NamedTuple):
    """What the learner chose to say of a question; `told` is that in words."""

    kind: MarkKind
    value: bool | str | None
    told: str


class Mark(Dialog):
    """A box with what can be said of a question. It gives back what was `Said`, or None."""

    ABOUT = "A mark says something of the question and never touches its schedule. Each can be taken back here."
    BINDINGS: ClassVar[list[BindingType]] = numbered(4, "take", "Take", "mark")

    def __init__(self, title: str, marked: Marked) -> None:
        super().__init__()
        self.title_of = title
        self.marked = marked

    def content(self) -> Iterator[Widget]:
        """The question, then the choice."""
        yield Flow(lambda width: [*wrap(text(self.title_of, "bold"), width), text("")])
        yield Menu([Row(_layout(said, more), str(number)) for number, (said, more) in self._rows()], id="marks")
        yield Flow(self._note, id="note-shown")

    def _rows(self) -> Iterator[tuple[int, tuple[str, str]]]:
        now = self.marked
        rows = (
            ("Ask it again", "it is suspended") if now.suspended else ("Suspend", "not asked until you take it back"),
            ("Ask it today", f"it is back {now.buried}") if now.buried else ("Bury", "not asked before tomorrow"),
            ("Take the flag away", "") if now.flagged else ("Flag", "to find it again"),
            ("Change the note", "") if now.note else ("Note", "your own words on it"),
        )
        yield from enumerate(rows, 1)

    def _note(self, width: int) -> Lines:
        return [text(""), *wrap(text(one_line(self.marked.note), "$accent"), width)] if self.marked.note else []

    def on_mount(self) -> None:
        """The keys go to the list."""
        self.query_one(Menu).focus()

    def on_menu_picked(self, message: Menu.Picked) -> None:
        """Enter or a click."""
        message.stop()
        self.action_take(message.index + 1)

    def action_take(self, number: int) -> None:
        """Take a row by its number; the note is written first."""
        now = self.marked
        match number:
            case 1:
                told = "It is asked again, as it stood." if now.suspended else "Suspended: it is not asked."
                _ = self.dismiss(Said("suspend", not now.suspended, told))
            case 2:
                told = "It is asked again today." if now.buried else "Buried: it is back tomorrow."
                _ = self.dismiss(Said("bury", not now.buried, told))
            case 3:
                told = "The flag is gone." if now.flagged else "Flagged."
                _ = self.dismiss(Said("flag", not now.flagged, told))
            case _ if not self.query("#note"):
                field = Input(
                    one_line(now.note), placeholder="your own words; Enter keeps them", id="note", max_length=LONGEST
                )
                cast("TerminalApp", self.app).take_up(self._write(field))

    async def _write(self, field: Input) -> None:
        await self.query_one("#box").mount(field)
        field.focus()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Enter in the note keeps it; an empty one takes it away."""
        message.stop()
        note = message.value.strip()
        _ = self.dismiss(Said("note", note or None, "The note is kept." if note else "There is no note any more."))


def _layout(said: str, more: str) -> Layout:
    return lambda width: [join(said.ljust(WORDS), (more, "$quiet")) if width > WORDS + len(more) else text(said)]


class MarkablePage(Page):
    """A page with a question on it that can be marked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "m,f5",
            "mark",
            "Mark it",
            show=False,
            id="page.mark",
            tooltip="Suspend, bury, flag or note this question",
        ),
    ]

    @property
    def marked_question(self) -> str:
        """The id of the question; "" where there is none now."""
        return ""

    def action_mark(self) -> None:
        """Say something of the question."""
        if self.marked_question:
            self.go(self._ask_mark(self.marked_question))

    async def _ask_mark(self, question: str) -> None:
        desk = self.desk_app.desk
        try:
            marked = await self.desk_app.at_desk(desk.marked, question)
        except Trouble as trouble:
            self.desk_app.tell(trouble.message, "error")
            return

        def chosen(said: object) -> None:
            if isinstance(said, Said):
                self.go(self._mark(question, said))

        _ = self.app.push_screen(Mark(desk.title(question), marked), chosen)

    async def _mark(self, question: str, said: Said) -> None:
        try:
            step = await self.desk_app.at_desk(self.desk_app.desk.mark_question, question, said.kind, said.value)
        except Trouble as trouble:
            self.desk_app.tell(trouble.message, "error")
            return
        await self.after_mark()
        if step is not None:
            await self.desk_app.show_step(step)
        self.desk_app.tell(said.told)

    async def after_mark(self) -> None:
        """What has to be shown anew."""
