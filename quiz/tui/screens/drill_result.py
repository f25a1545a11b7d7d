"""A drill that is over: how the prediction, the solver and the measurement compare, section by section."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from quiz.drills.live import folded
from quiz.tui.drill import shown, spelled
from quiz.tui.lines import Lines, join, spread, text
from quiz.tui.page import HELP
from quiz.tui.screens.drill_run import WIDE
from quiz.tui.sectioned import Sectioned, reading_keys
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual import events
    from textual.widget import Widget

    from quiz.tui.drill.ports import Finished
    from quiz.tui.sections import Section


class DrillResult(Sectioned):
    """What was predicted, solved and measured, side by side."""

    ABOUT = "What the run showed. Its folder keeps every event, so that `shardwise prove --replay` shows it again."
    BINDINGS: ClassVar[list[BindingType]] = [
        *reading_keys("result", 5),
        Binding("q,escape,enter", "leave", "Back", id="result.close"),
    ]

    sections: tuple[Section, ...] = ()

    def __init__(self, finished: Finished) -> None:
        super().__init__()
        self.finished = finished

    def head(self, width: int) -> Lines:
        """What was run."""
        spec = self.finished.spec
        left = join(("Prove it", "bold $text-primary"), (f"  {spec.title}", "$quiet"))
        return [spread(left, text(spelled.TIERS[spec.tier] if width >= WIDE else spec.tier, "$quiet"), width)]

    def above(self) -> Iterator[Widget]:
        """How it ended, then the names of the sections."""
        self._make_sections()
        yield Flow(lambda width: shown.headline(self.finished.result, width, self.size.height), id="verdict")
        yield from super().above()

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
        self.fit(event.size.height)

    def action_leave(self) -> None:
        """Back to the question, or to the shell."""
        if len(self.app.screen_stack) <= 1:
            self.app.exit(return_code=0)
        else:
            _ = self.app.pop_screen()
