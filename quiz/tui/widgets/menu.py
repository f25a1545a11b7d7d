"""A list to pick from: with arrows, with a key of its own for each row, with the mouse.

It has no least width (textual's own list raises at four cells and fewer), and it lays its rows out at once,
since there are never more than a few dozen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Region, Spacing
from textual.message import Message

from quiz.tui.lines import Lines, fill, join, text, wrap
from quiz.tui.widgets.flow import Flow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.content import Content

    from quiz.tui.lines import Layout


@dataclass(frozen=True, slots=True)
class Row:
    """One row: what it shows (content, or a layout of its own), and the key that stands before it."""

    label: Content | Layout
    key: str = ""
    faint: bool = False


class Menu(Flow, can_focus=True):
    """Rows with a cursor. It posts `Picked` for Enter and a click, and `Moved` when the cursor moves.

    Where `picked` is given, it is called in place of that, with the row and whether it was clicked: at once, so that
    no key comes in between.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="menu.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="menu.down"),
        Binding("home", "edge(0)", "First", show=False, id="menu.first"),
        Binding("end", "edge(-1)", "Last", show=False, id="menu.last"),
        Binding("enter", "pick", "Choose", show=False, id="menu.pick"),
    ]

    class Picked(Message):
        """A row was chosen."""

        def __init__(self, menu: Menu, index: int, *, clicked: bool = False) -> None:
            super().__init__()
            self.menu = menu
            self.index = index
            self.clicked = clicked

        @property
        def control(self) -> Menu:
            """The menu that it came from."""
            return self.menu

    class Moved(Picked):
        """The cursor stands on another row."""

    def __init__(
        self,
        rows: Sequence[Row] = (),
        *,
        gap: bool = False,
        id: str | None = None,  # noqa: A002 - the name that textual gives it
        picked: Callable[[int, bool], None] | None = None,
    ) -> None:
        super().__init__(id=id)
        self._picked = picked
        self.rows = tuple(rows)
        self.cursor = 0
        self.picks_on_click = True
        self._gap = gap
        self._starts: list[int] = []

    def show_rows(self, rows: Sequence[Row], cursor: int | None = None) -> None:
        """Show other rows; the cursor stays where it is unless it is told."""
        self.rows = tuple(rows)
        wanted = self.cursor if cursor is None else cursor
        self.cursor = max(0, min(wanted, len(self.rows) - 1))
        self.refresh_lines()

    def make(self, width: int) -> Lines:
        """All rows, the one under the cursor on a background of its own."""
        lines: Lines = []
        self._starts = []
        for index, row in enumerate(self.rows):
            if self._gap and index:
                lines.append(text(""))
            self._starts.append(len(lines))
            lines += self._row(row, index == self.cursor, width)
        return lines

    def _row(self, row: Row, chosen: bool, width: int) -> Lines:  # noqa: FBT001 - a drawing detail
        mark = "▌" if chosen else " "
        key_style = "$text-primary bold" if chosen else "$quiet"
        lead = join((mark, "$text-primary"), (f"{row.key} " if row.key else "", key_style), " ")
        hang = join((mark, "$text-primary"), " " * (lead.cell_length - 1))
        if callable(row.label):
            room = max(1, width - lead.cell_length)
            made = [(hang if number else lead) + line for number, line in enumerate(row.label(room))]
        else:
            made = wrap(row.label, width, lead, hang)
        return [fill(line, width, "on $chosen") for line in made] if chosen else made

    def move_to(self, index: int) -> None:
        """Put the cursor on a row and bring it into view."""
        if not self.rows:
            return
        index = max(0, min(index, len(self.rows) - 1))
        if index != self.cursor:
            self.cursor = index
            self.refresh_lines()
            self.post_message(self.Moved(self, index))
        self.call_after_refresh(self._into_view)

    def _into_view(self) -> None:
        if not self.is_attached or self.cursor >= len(self._starts) or not self.size:
            return
        start = self._starts[self.cursor]
        ends = [*self._starts[1:], len(self.lines_for(self.content_size.width))]
        region = Region(0, start, self.size.width, max(1, ends[self.cursor] - start))
        for parent in self.ancestors:
            if getattr(parent, "is_scrollable", False):
                place = self.virtual_region
                parent.scroll_to_region(  # type: ignore[attr-defined]
                    region.translate(place.offset), spacing=Spacing(1, 0, 1, 0), animate=False
                )
                return

    def row_at(self, y: int) -> int | None:
        """The row that stands at a line of the widget."""
        found = [index for index, start in enumerate(self._starts) if start <= y]
        return found[-1] if found else None

    def action_move(self, step: int) -> None:
        """Move the cursor by a row."""
        self.move_to(self.cursor + step)

    def action_edge(self, which: int) -> None:
        """Move the cursor to the first (0) or last (-1) row."""
        self.move_to(0 if which == 0 else len(self.rows) - 1)

    def action_pick(self) -> None:
        """Choose the row under the cursor."""
        if self.rows:
            self._pick(self.cursor)

    def _pick(self, index: int, *, clicked: bool = False) -> None:
        if self._picked is not None:
            self._picked(index, clicked)
        else:
            self.post_message(self.Picked(self, index, clicked=clicked))

    def on_click(self, event: events.Click) -> None:
        """A click chooses the row under it, or moves the cursor there where choosing is not meant."""
        index = self.row_at(event.y)
        if index is not None:
            event.stop()
            self.move_to(index)
            # The second click of a double one is no choice: it would fall on what the first one led to.
            if self.picks_on_click and event.chain == 1:
                self._pick(index, clicked=True)
