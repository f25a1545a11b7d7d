"""The names of a screen's sections, in a line or two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from quiz.tui.lines import Lines, cut, join
from quiz.tui.widgets.flow import Flow

if TYPE_CHECKING:
    from textual import events
    from textual.content import Content


@runtime_checkable
class Sectioned(Protocol):
    """A screen that shows one of several sections."""

    def show_section(self, index: int) -> None:
        """Show a section from its top."""


TWO_ROWS = 20
"""From this height on the names may take two lines."""
LEFT, RIGHT = "‹ ", " › "  # noqa: RUF001 - arrows


class Tabs(Flow):
    """The names of the sections, with the current one marked; a click on one goes there.

    `rows` is the height of the screen, `colourless` says that no colour may mark the current one.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(id="tabs")
        self.names = names
        self.current = 0
        self.rows = 0
        self.colourless = False
        self._places: list[tuple[int, int, int, int]] = []

    def make(self, width: int) -> Lines:
        """All names on one line; where there is height on two; else the current one with its neighbours."""
        self._places = []
        count = len(self.names)
        for split in (count, *(range(count - 1, 0, -1) if self.rows >= TWO_ROWS else ())):
            rows = [row for row in (range(split), range(split, count)) if row]
            if all(self._length(row) <= width for row in rows):
                return [self._row(row, number) for number, row in enumerate(rows)]
        return [self._window(width)]

    def _length(self, row: range) -> int:
        return sum(len(self._label(index)) for index in row) + 1

    def _label(self, index: int) -> str:
        return f" {index + 1} {self.names[index]}"

    def _row(self, row: range, number: int, lead: str = "") -> Content:
        """Some sections on one line; neighbours share the blank between them."""
        pieces: list[tuple[str, str]] = [(lead, "$quiet")]
        at = len(lead)
        for index in row:
            mine = index == self.current
            label = self._label(index) + (" " if mine or index == row[-1] else "")
            if index == self.current + 1 and index != row[0]:
                label = label[1:]
            bold = "bold reverse" if self.colourless else "bold $text-primary on $chosen"
            pieces.append((label, bold if mine else "$quiet"))
            self._places.append((number, at, at + len(label), index))
            at += len(label)
        return join(*pieces)

    def _window(self, width: int) -> Content:
        """The current section between as many of its neighbours as there is room for, and how many there are."""
        place = f"{self.current + 1}/{len(self.names)}"
        tail = f"{RIGHT}{place}"
        room = width - len(LEFT) - len(tail)
        first = last = self.current
        while True:
            wider = [
                (low, high)
                for low, high in ((first, last + 1), (first - 1, last))
                if low >= 0 and high < len(self.names) and self._length(range(low, high + 1)) <= room
            ]
            if not wider:
                break
            # The side on which there is less of the neighbourhood grows first.
            first, last = min(wider, key=lambda ends: abs((ends[1] - self.current) - (self.current - ends[0])))
        row = self._row(range(first, last + 1), 0, LEFT if first else "  ")
        if last == len(self.names) - 1:
            tail = f"  {place}"
        return cut(join(row, (tail, "$quiet")), width)

    def on_click(self, event: events.Click) -> None:
        """A click on a name goes there."""
        place = event.get_content_offset_capture(self)
        for row, start, end, index in self._places:
            if row == place.y and start <= place.x < end and isinstance(self.screen, Sectioned):
                self.screen.show_section(index)
