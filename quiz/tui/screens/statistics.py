"""The statistics: one section at a time, each a plot or two with their figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from quiz.tui import words
from quiz.tui.figures import Drawn, sections, spelled
from quiz.tui.lines import Lines, join, spread, text, wrap
from quiz.tui.page import HELP, ROOMY, Body
from quiz.tui.ports import Trouble
from quiz.tui.sectioned import Sectioned, reading_keys
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from textual import events
    from textual.widget import Widget

    from quiz.statistics.report import Report


class Statistics(Sectioned):
    """What the history amounts to. Painted before it is counted, and filled in when it is."""

    ABOUT = (
        "What your answers amount to. Nothing here changes anything; `shardwise stats --json` has the same figures. "
        "Which answers count: for true retention the first of a day to a question met on an earlier day; for "
        "confidence the first of a day, where you said how sure you were; for times, dates and mistakes every answer. "
        "One that was taken back counts nowhere."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *reading_keys("stats", len(sections())),
        Binding("home,g", "end(-1)", "To the top", show=False, id="stats.top"),
        Binding("end,G", "end(1)", "To the end", show=False, id="stats.bottom"),
        Binding("q,escape", "leave", "Back", id="stats.leave"),
    ]

    sections = sections()

    def __init__(self, *, topic: str = "", since: date | None = None) -> None:
        super().__init__()
        self.topic = topic
        self.since = since
        self.report: Report | None = None

    def head(self, width: int) -> Lines:
        """What this is, and what it is about."""
        about = [words.topic(self.topic)] if self.topic else []
        if self.since is not None:
            about.append(f"since {spelled.day(self.since)}")
        left = join(("Statistics", "bold $text-primary"), (f"  {', '.join(about)}" if about else "", "$quiet"))
        day = self.report.day if self.report else self.desk_app.desk.today().day
        return [spread(left, text(spelled.day(day), "$quiet"), width)]

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
        self.fit(event.size.height)

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
