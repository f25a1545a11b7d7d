"""The statistics: one section at a time, each a plot or two with their figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from quiz.tui import words
from quiz.tui.figures import Drawn, sections, spelled
from quiz.tui.lines import Lines, join, spread, text, wrap
from quiz.tui.page import HELP, ROOMY, Body, Page, numbered
from quiz.tui.ports import Trouble
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint
from quiz.tui.widgets.tabs import Tabs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from textual import events
    from textual.widget import Widget

    from quiz.statistics.report import Report


class Statistics(Page):
    """What the history amounts to. Painted before it is counted, and filled in when it is."""

    ABOUT = "What your answers amount to. Nothing here changes anything; `shardwise stats --json` has the same figures."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,tab,l,full_stop", "section(1)", "Next section", id="stats.right"),
        Binding("left,shift+tab,h,comma", "section(-1)", "Section before", id="stats.left"),
        *numbered(len(sections()), "jump", "Section of that number", "stats.section"),
        Binding("space", "read", "Read on", id="stats.read", tooltip="Read on: a page, then the next section"),
        Binding("down,j", "line(1)", "Down", show=False, id="stats.down"),
        Binding("up,k", "line(-1)", "Up", show=False, id="stats.up"),
        Binding("home,g", "end(-1)", "To the top", show=False, id="stats.top"),
        Binding("end,G", "end(1)", "To the end", show=False, id="stats.bottom"),
        Binding("q,escape", "leave", "Back", id="stats.leave"),
    ]

    def __init__(self, *, topic: str = "", since: date | None = None) -> None:
        super().__init__()
        self.topic = topic
        self.since = since
        self.report: Report | None = None
        self.sections = sections()
        self.at = 0

    def head(self, width: int) -> Lines:
        """What this is, and what it is about."""
        about = [words.topic(self.topic)] if self.topic else []
        if self.since is not None:
            about.append(f"since {spelled.day(self.since)}")
        left = join(("Statistics", "bold $text-primary"), (f"  {', '.join(about)}" if about else "", "$quiet"))
        day = self.report.day if self.report else self.desk_app.desk.today().day
        return [spread(left, text(spelled.day(day), "$quiet"), width)]

    def above(self) -> Iterator[Widget]:
        """The names of the sections, which stay."""
        yield Tabs(tuple(section.name for section in self.sections))

    def content(self) -> Iterator[Widget]:
        """The section that is shown."""
        yield Flow(self._section, id="section")

    def _section(self, width: int) -> Lines:
        if self.report is None:
            return wrap(text("Counting …", "$quiet"), width)
        drawn = Drawn(self.report, colourless=self.desk_app.colourless, tall=self.size.height >= ROOMY)
        return self.sections[self.at].lay(drawn, width)

    def hints(self) -> list[Hint]:
        """The keys."""
        back = "quit" if len(self.app.screen_stack) <= 1 else "back"
        return [
            Hint("←→", "sections"),
            Hint("↑↓", "scroll"),
            Hint("space", "read on", "read"),
            Hint("q", back, "leave"),
            HELP,
        ]

    def on_mount(self) -> None:
        """Count, once the screen stands."""
        self.call_after_refresh(lambda: self.go(self._count()))

    async def _count(self) -> None:
        try:
            if len(self.app.screen_stack) <= 1:
                await self.desk_app.at_desk(self.desk_app.desk.open)
            report = await self.desk_app.at_desk(self.desk_app.desk.statistics, self.topic, self.since)
        except Trouble as trouble:
            self.desk_app.end_with(trouble)
            return
        self.report = report
        if self.query("#section"):
            self.query_one("#head", Flow).refresh_lines()
            self.query_one("#section", Flow).refresh_lines()
            self.refresh_hints()

    def on_resize(self, event: events.Resize) -> None:
        """Another size: perhaps with room for taller plots."""
        super().on_resize(event)
        tabs = self.query_one(Tabs)
        tabs.rows = event.size.height
        tabs.colourless = self.desk_app.colourless
        tabs.refresh_lines()
        self.query_one("#section", Flow).refresh_lines()

    # ---------------------------------------------------------------- reading

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

    def action_end(self, side: int) -> None:
        """To the top or to the end."""
        body = self.query_one(Body)
        body.scroll_home(animate=False) if side < 0 else body.scroll_end(animate=False)

    def action_leave(self) -> None:
        """Back to where it was opened from, or to the shell."""
        if len(self.app.screen_stack) <= 1:
            self.app.exit()
        else:
            _ = self.app.pop_screen()
