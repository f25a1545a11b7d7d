"""A widget that shows a layout: lines made for the width that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget

if TYPE_CHECKING:
    from textual.geometry import Size

    from quiz.tui.lines import Layout, Lines


def _nothing(_width: int) -> Lines:
    return []


class Flow(Widget):
    """Lines laid out for the width at hand, as high as they are many."""

    DEFAULT_CSS = "Flow { width: 1fr; height: auto; text-wrap: nowrap; }"

    def __init__(self, layout: Layout | None = None, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - the name that textual gives it
        super().__init__(id=id, classes=classes, markup=False)
        self._layout_of = layout or _nothing
        self._made: tuple[int, Lines] | None = None

    def show(self, layout: Layout) -> None:
        """Show another layout."""
        self._layout_of = layout
        self.refresh_lines()

    def refresh_lines(self) -> None:
        """Lay out anew, since what is shown has changed."""
        self._made = None
        self.refresh(layout=True)

    def lines_for(self, width: int) -> Lines:
        """The lines at a width, kept until something changes."""
        if self._made is None or self._made[0] != width:
            self._made = (width, self.make(width) if width > 0 else [])
        return self._made[1]

    def make(self, width: int) -> Lines:
        """Lay out. `width` is at least 1."""
        return self._layout_of(width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - the signature is textual's
        """As many as there are lines."""
        return len(self.lines_for(width))

    def notify_style_update(self) -> None:
        """A theme has changed: the lines hold names of colours, so drawing again is enough."""
        self._made = None
        super().notify_style_update()

    def render(self) -> Content:
        """All lines as one content."""
        return Content("\n").join(self.lines_for(self.content_size.width))
