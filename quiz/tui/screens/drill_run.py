"""A drill while it runs: legs, a bar for each rank, loss curves, a log one key away; cancel leaves nothing behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from quiz.drills.live import Live
from quiz.nouns import count
from quiz.tui.drill import picture, spelled
from quiz.tui.lines import BLANK, Lines, join, spread, text, wrap
from quiz.tui.page import HELP, Body, Page
from quiz.tui.ports import Trouble
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import Widget

    from quiz.drills.records import Spec
    from quiz.tui.drill.ports import Running

WIDE = 60
"""Cells from which on there is room for what a tier means, and not only for its name."""
EVERY = 0.2
"""Seconds between two looks at the events: a write per line would freeze the screen, batches do not."""
CALM = 5
"""Looks without news after which the clock is drawn on: what is drawn takes time from what is measured."""
_AROUND = 10
"""Lines that stand around the picture and under its curves, of the height that the curves may have."""
_LEAST_PLOT, _MOST_PLOT = 4, 12


class DrillRun(Page):
    """What the run's events tell, a few times a second."""

    ABOUT = "The run goes on in processes of its own. Cancelling ends all of them; what was measured so far is kept."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l", "log", "The log, or the picture", id="drill.log"),
        Binding("c", "cancel", "Cancel the run", id="drill.cancel"),
        Binding("q,escape", "back", "Back from the log, or cancel the run", id="drill.leave"),
        Binding("down,j", "line(1)", "Down", show=False, id="drill.down"),
        Binding("up,k", "line(-1)", "Up", show=False, id="drill.up"),
    ]

    def __init__(self, spec: Spec, running: Running) -> None:
        super().__init__()
        self.spec = spec
        self.running = running
        self.live = Live(spec)
        self.shows_log = False
        self._cancelling = False
        self._still = 0
        self._finishing = False

    def head(self, width: int) -> Lines:
        """What runs."""
        left = join(("Prove it", "bold $text-primary"), (f"  {self.spec.title}", "$quiet"))
        over = f"{spelled.TIERS[self.spec.tier]}, {count(self.spec.world, 'rank')}" if width >= WIDE else self.spec.tier
        return [spread(left, text(over, "$quiet"), width)]

    def content(self) -> Iterator[Widget]:
        """One flow: everything in it changes at once."""
        yield Flow(self._picture, id="picture")

    def _picture(self, width: int) -> Lines:
        live = self.live
        if self.shows_log:
            return [line for words in live.log for line in wrap(text(words), width)] or [text("Nothing was said yet.")]
        plain = self.desk_app.colourless
        lines = [*picture.bottom(live, self.running.now(), width), BLANK, *picture.legs(live, width)]
        bars = picture.ranks(live, width, colourless=plain)
        lines += [BLANK, *bars] if bars else [BLANK, *wrap(text("Starting the processes …", "$quiet"), width)]
        room = self.size.height - _AROUND - len(lines)
        curves = picture.losses(live, width, max(_LEAST_PLOT, min(_MOST_PLOT, room)))
        return [*lines, BLANK, *curves] if curves else lines

    def hints(self) -> list[Hint]:
        """The keys."""
        if self._cancelling:
            return [Hint("…", "ending the processes"), HELP]
        return [Hint("l", "picture" if self.shows_log else "log", "log"), Hint("c", "cancel", "cancel"), HELP]

    def on_mount(self) -> None:
        """Look at the events from now on."""
        self.set_interval(EVERY, self._look)

    def _look(self) -> None:
        if self._finishing or not self.is_attached:
            return
        over = self.running.over()  # asked before the last events are read
        fresh = self.running.more()
        self.live.take(fresh)
        self._still = 0 if fresh else self._still + 1
        if self._still % CALM == 0:
            self.query_one("#picture", Flow).refresh_lines()
        if over:
            self._finishing = True
            self.go(self._finish())

    async def _finish(self) -> None:
        from quiz.tui.screens.drill_result import DrillResult

        try:
            finished = await self.desk_app.at_desk(self.running.finish)
        except Trouble as trouble:
            self.desk_app.tell(trouble.message, "error")
            self.leave()
            return
        await self.app.switch_screen(DrillResult(finished))

    def leave(self) -> None:
        """Close, or end the app where nothing lies below."""
        if len(self.app.screen_stack) <= 1:
            self.app.exit(return_code=0)
        else:
            _ = self.app.pop_screen()

    def action_log(self) -> None:
        """The log, or the picture."""
        self.shows_log ^= True
        self.query_one("#picture", Flow).refresh_lines()
        self.refresh_hints()

    def action_back(self) -> None:
        """From the log to the picture; from there, out of the run."""
        if self.shows_log:
            self.action_log()
        else:
            self.action_cancel()

    def action_cancel(self) -> None:
        """End the run; the result says how far it came."""
        if not self._cancelling:
            self._cancelling = True
            self.running.cancel()
            self.refresh_hints()

    def action_line(self, step: int) -> None:
        """Scroll by a line."""
        self.query_one(Body).scroll_relative(y=step, animate=False)

    def on_unmount(self) -> None:
        """Whatever closes the screen ends the run."""
        if not self._finishing:
            self.running.cancel()
