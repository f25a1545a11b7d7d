"""Home: what is due, what is new, how the topics stand; one key starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from quiz.tui import words
from quiz.tui.lines import Layout, Lines, bar, join, spread, text, wrap
from quiz.tui.page import HELP, Page
from quiz.tui.ports import Standing, TopicLine, Wanted, interview
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint
from quiz.tui.widgets.menu import Menu, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.content import Content
    from textual.widget import Widget

_WIDE = 66
_MEDIUM = 50
_NAME = 24  # cells kept for the name of a topic
_LEAST_BAR = 6


class Home(Page):
    """The first screen. It is painted before the bank is open and filled in when it is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "start", "Start", id="home.start", tooltip="What is due, then what is new"),
        Binding("r", "review", "Only what is due", id="home.review"),
        Binding("b", "browse", "All questions", id="home.browse", tooltip="All questions: read, search, mark them"),
        Binding("c", "cram", "Cram", id="home.cram", tooltip="Cram the topic under the cursor; it never counts"),
        Binding("i", "interview", "Interview", id="home.interview", tooltip="8 questions in 30 minutes, not counted"),
        Binding("u", "undo", "Take the last answer back", id="home.undo"),
        Binding("s", "statistics", "Statistics", id="home.statistics", tooltip="What your answers amount to"),
        Binding("comma,o", "settings", "Settings", id="home.settings", tooltip="Limits, retention, interview"),
        Binding("q,escape", "app.quit", "Quit", id="home.quit"),
    ]

    def __init__(self, standing: Standing | None = None) -> None:
        super().__init__()
        self.standing = standing

    def content(self) -> Iterator[Widget]:
        """The topics."""
        yield Menu(self._rows(), id="topics")

    def above(self) -> Iterator[Widget]:
        """The summary, which stays however far the topics are scrolled."""
        yield Flow(self._summary, id="summary")

    def head(self, width: int) -> Lines:
        """The name, and the learner's day where there is room: the one that all days in words count from."""
        today = self.desk_app.desk.today()
        until = f", until {today.until}" if today.until else ""
        name = f"{today.day:%A} {today.day.day} {today.day:%B}{until}"
        return [spread(join(("Shardwise", "bold $text-primary")), text(name, "$quiet"), width)]

    def hints(self) -> list[Hint]:
        """What can be done now."""
        start = [Hint("enter", "start", "start")] if self.standing and self.standing.questions else []
        due = [Hint("r", "only due", "review")] if self.standing and self.standing.due else []
        more = [
            Hint("s", "statistics", "statistics"),
            Hint("b", "all", "browse"),
            Hint("c", "cram", "cram"),
            Hint("i", "interview", "interview"),
        ]
        more = more if start else []
        return [*start, *due, Hint("↑↓", "topic"), Hint("q", "quit", "app.quit"), *more, HELP]

    def show(self, standing: Standing) -> None:
        """The bank is open: fill in how things stand, now or as soon as there is something to fill."""
        self.standing = standing
        if self.query("#topics"):
            self._fill()

    def _fill(self) -> None:
        self.query_one("#summary", Flow).refresh_lines()
        self.query_one("#topics", Menu).show_rows(self._rows(), 0)
        self.refresh_hints()
        self.query_one("#topics", Menu).focus()

    def on_mount(self) -> None:
        """The keys go to the list."""
        self._fill()

    def on_screen_resume(self) -> None:
        """Back from a session: what is due has changed."""
        if self.standing is not None:
            self.query_one("#topics", Menu).focus()

    def _summary(self, width: int) -> Lines:
        now = self.standing
        if now is None:
            return wrap(text("Opening the questions …", "$quiet"), width)
        lines = wrap(_counts(now), width)
        if not now.ready and now.questions:
            lines += wrap(text(_nothing(now), "$quiet"), width)
        if not now.questions:
            lines = wrap(text("This bank holds no questions yet.", "$almost"), width)
        if now.marked:
            lines += wrap(text(now.marked, "$quiet"), width)
        for warning in now.warnings:
            lines += wrap(text(warning, "$almost"), width, "! ")
        return lines

    def _rows(self) -> list[Row]:
        if self.standing is None or not self.standing.questions:
            return []
        label = "Start" if self.standing.ready else "Nothing is due now"
        count = words.count(self.standing.ready, "question")
        rows = [Row(lambda width: [spread(text(label, "bold"), text(count, "$quiet"), width)], "▸")]
        topics = self.standing.topics
        due, right = any(line.due for line in topics), any(line.right_share is not None for line in topics)
        return rows + [Row(_topic_layout(line, due=due, right=right), " ") for line in topics]

    def on_menu_picked(self, message: Menu.Picked) -> None:
        """Enter or a click: everything, or one topic."""
        message.stop()
        self._start(message.index)

    def action_start(self) -> None:
        """Start on what the cursor stands on."""
        self._start(self.query_one("#topics", Menu).cursor)

    def _start(self, index: int) -> None:
        if self.standing is None or not self.standing.questions:
            return
        chosen = self.standing.topics[index - 1 : index] if index else ()
        self.desk_app.start(Wanted(topics=tuple(line.topic for line in chosen)))

    def action_undo(self) -> None:
        """Take back the last answer, also one from before the program was started, and ask it again."""
        if self.standing is not None and self.standing.questions:
            self.desk_app.undo()

    def action_browse(self) -> None:
        """All questions, or those of the topic under the cursor."""
        if self.standing is not None:
            self.go(self.desk_app.show_all(next(iter(self._chosen()), "")))

    def action_settings(self) -> None:
        """The settings."""
        if self.standing is not None:
            self.go(self.desk_app.show_settings())

    def action_cram(self) -> None:
        """Everything, or one topic, without counting."""
        if self.standing is not None and self.standing.questions:
            self.desk_app.start(Wanted(topics=self._chosen(), mode="cram", counts=False))

    def action_interview(self) -> None:
        """An interview over everything, or one topic, without counting."""
        if self.standing is not None and self.standing.questions:
            self.desk_app.start(interview(self._chosen()))

    def _chosen(self) -> tuple[str, ...]:
        """The topic under the cursor; none where it stands on the first row."""
        place = self.query_one("#topics", Menu).cursor
        topics = self.standing.topics if self.standing is not None else ()
        return tuple(line.topic for line in topics[place - 1 : place]) if place else ()

    def action_statistics(self) -> None:
        """What the history amounts to."""
        from quiz.tui.screens.statistics import Statistics

        if self.standing is not None:
            _ = self.app.push_screen(Statistics())

    def action_review(self) -> None:
        """Only what is due."""
        if self.standing is not None and self.standing.questions:
            self.desk_app.start(Wanted(due_only=True))


def _counts(now: Standing) -> Content:
    due = join((f"{now.due:,}", "bold $text-primary" if now.due else "bold"), " due")
    rest = f" today (of {now.unseen:,} not seen)" if now.unseen > now.new else ""
    new = join((f"{now.new:,}", "bold $text-accent" if now.new else "bold"), f" new{rest}")
    later = join(" · ", (f"{now.later:,}", "bold"), " later today") if now.later else ""
    return join(due, " · ", new, later)


def _nothing(now: Standing) -> str:
    return f"All done for now. Next: {now.next_due}." if now.next_due else "All done for now."


def _topic_layout(line: TopicLine, *, due: bool, right: bool) -> Layout:
    """A line per topic: its name, a bar of how much of it has been seen, and what that means in words.

    `due` and `right` say whether any topic has something there: if none has, the column is left out.
    """

    def lay(width: int) -> Lines:
        name = text(words.topic(line.topic))
        seen = text(
            f"{line.seen} of {line.questions} seen" if width >= _WIDE else f"{line.seen}/{line.questions}", "$quiet"
        )
        tail = join(_right(seen, 14 if width >= _WIDE else 7))
        if due:
            tail = join(tail, "  ", _right(text(f"{line.due} due" if line.due else "", "$text-primary bold"), 7))
        if right and width >= _MEDIUM:
            share = "" if line.right_share is None else f"{100 * line.right_share:.0f} % right"
            tail = join(tail, "  ", _right(text(share, "$quiet"), 11))
        cells = min(24, width - tail.cell_length - _NAME)
        if cells >= _LEAST_BAR:
            share_seen = line.seen / line.questions if line.questions else 0.0
            tail = join(bar(share_seen, cells, "$success", "$faint"), "  ", tail)
        return [spread(name, tail, width)]

    return lay


def _right(content: Content, width: int) -> Content:
    return content.pad_left(max(0, width - content.cell_length))
