"""A drill that is over: how the prediction, the solver and the measurement compare, section by section."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from quiz.drills.live import folded
from quiz.tui.drill import shown, spelled
from quiz.tui.lines import Lines, join, spread, text
from quiz.tui.page import HELP, Body, Page, numbered
from quiz.tui.screens.drill_run import WIDE
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint
from quiz.tui.widgets.tabs import Tabs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual import events
    from textual.widget import Widget

    from quiz.tui.drill.ports import Finished
    from quiz.tui.sections import Section


class DrillResult(Page):
    """What was predicted, solved and measured, side by side."""

    ABOUT = "What the run showed. Its folder keeps every event, so that `shardwise prove --replay` shows it again."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,tab,l,full_stop", "section(1)", "Next section", id="drill.right"),
        Binding("left,shift+tab,h,comma", "section(-1)", "Section before", id="drill.left"),
        *numbered(5, "jump", "Section of that number", "drill.section"),
        Binding("space", "read", "Read on", id="drill.read", tooltip="Read on: a page, then the next section"),
        Binding("down,j", "line(1)", "Down", show=False, id="drill.line-down"),
        Binding("up,k", "line(-1)", "Up", show=False, id="drill.line-up"),
        Binding("q,escape,enter", "leave", "Back", id="drill.close"),
    ]

    def __init__(self, finished: Finished) -> None:
        super().__init__()
        self.finished = finished
        self.sections: tuple[Section, ...] = ()
        self.at = 0

    def head(self, width: int) -> Lines:
        """What was run."""
        spec = self.finished.spec
        left = join(("Prove it", "bold $text-primary"), (f"  {spec.title}", "$quiet"))
        return [spread(left, text(spelled.TIERS[spec.tier] if width >= WIDE else spec.tier, "$quiet"), width)]

    def above(self) -> Iterator[Widget]:
        """How it ended, then the names of the sections."""
        self._make_sections()
        yield Flow(lambda width: shown.headline(self.finished.result, width, self.size.height), id="verdict")
        yield Tabs(tuple(section.name for section in self.sections))

    def content(self) -> Iterator[Widget]:
        """The section that is shown."""
        yield Flow(self._section, id="section")

    def _section(self, width: int) -> Lines:
        return self.sections[self.at].layout(width)

    def _make_sections(self) -> None:
        done = self.finished
        live = folded(done.spec, done.events)
        rows, plain = self.size.height, self.desk_app.colourless
        self.sections = shown.sections(done.spec, done.result, live, done.env, rows=rows, colourless=plain)

    def on_mount(self) -> None:
        """Tell what there is to tell beside the result."""
        if self.finished.note:
            self.desk_app.tell(self.finished.note, "warning")

    def hints(self) -> list[Hint]:
        """The keys."""
        back = "quit" if len(self.app.screen_stack) <= 1 else "back"
        return [Hint("←→", "sections"), Hint("space", "read on", "read"), Hint("q", back, "leave"), HELP]

    def on_resize(self, event: events.Resize) -> None:
        """Another size."""
        super().on_resize(event)
        self._make_sections()
        tabs = self.query_one(Tabs)
        tabs.rows = event.size.height
        tabs.colourless = self.desk_app.colourless
        for name in ("#verdict", "#tabs", "#section"):
            self.query_one(name, Flow).refresh_lines()

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

    def action_leave(self) -> None:
        """Back to the question, or to the shell."""
        if len(self.app.screen_stack) <= 1:
            self.app.exit(return_code=0)
        else:
            _ = self.app.pop_screen()
