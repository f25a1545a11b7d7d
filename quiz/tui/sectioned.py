"""Reading section by section: what every screen with a row of tabs over one section does alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from textual.binding import Binding, BindingType

from quiz.tui.page import Body, Page, numbered
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.tabs import Tabs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.widget import Widget

_REDRAWN: Final = "#verdict, #tabs, #section"


class Named(Protocol):
    """A section, which has a name for its tab."""

    @property
    def name(self) -> str:
        """What its tab says."""


def reading_keys(prefix: str, sections: int) -> list[BindingType]:
    """The keys of a screen with at most so many sections; a learner's keymap knows them by `prefix`."""
    return [
        Binding("right,tab,l,full_stop", "section(1)", "Next section", id=f"{prefix}.right"),
        Binding("left,shift+tab,h,comma", "section(-1)", "Section before", id=f"{prefix}.left"),
        *numbered(sections, "jump", "Section of that number", f"{prefix}.section"),
        Binding("space", "read", "Read on", id=f"{prefix}.read", tooltip="Read on: a page, then the next section"),
        Binding("down,j", "line(1)", "Down", show=False, id=f"{prefix}.down"),
        Binding("up,k", "line(-1)", "Up", show=False, id=f"{prefix}.up"),
    ]


class Sectioned(Page):
    """A page that shows one of its sections at a time, below their tabs, in a `Flow` whose id is `section`."""

    sections: Sequence[Named] = ()
    at = 0

    def above(self) -> Iterator[Widget]:
        """The names of the sections, which stay."""
        yield Tabs(tuple(section.name for section in self.sections))

    def fit(self, rows: int) -> None:
        """Draw again for a terminal of so many rows."""
        tabs = self.query_one(Tabs)
        tabs.rows = rows
        tabs.colourless = self.desk_app.colourless
        for flow in self.query(_REDRAWN).results(Flow):
            flow.refresh_lines()

    def show_section(self, index: int) -> None:
        """Show a section from its top."""
        if not 0 <= index < len(self.sections):
            return
        self.at = index
        tabs = self.query_one(Tabs)
        tabs.current = index
        tabs.refresh_lines()
        self.query_one("#section", Flow).refresh_lines()
        self.query_one(Body).scroll_home(animate=False)
        self.refresh_hints()

    def action_section(self, step: int) -> None:
        """The section after or before."""
        self.show_section(self.at + step)

    def action_jump(self, number: int) -> None:
        """A section by number."""
        self.show_section(number - 1)

    def action_read(self) -> None:
        """A page down, or the next section from the end of one."""
        body = self.query_one(Body)
        if body.scroll_offset.y >= body.max_scroll_y:
            self.show_section(self.at + 1)
        else:
            body.scroll_page_down(animate=False)

    def action_line(self, step: int) -> None:
        """Scroll by a line."""
        self.query_one(Body).scroll_relative(y=step, animate=False)
