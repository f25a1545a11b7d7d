"""The pause: nothing is left but questions that come back soon. Wait for them, go on ahead of time, or stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from quiz.tui import words
from quiz.tui.lines import BLANK, Lines, join, spread, text, wrap
from quiz.tui.page import HELP, Page
from quiz.tui.ports import Trouble, Waiting
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual.widget import Widget

    from quiz.tui.ports import Step

ROOM = 50  # cells from which on there is room for more than the title
LOOK = 5.0  # seconds between two looks whether something has come due


class Pause(Page):
    """Waits until the first of them is due, and shows it then."""

    ABOUT = (
        "A question comes back some minutes after its answer: recalling it then is what makes it stay. "
        "Nothing is lost by stopping; what comes back is then due the next time."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,n", "go_on", "Go on now, ahead of time", id="pause.go-on"),
        Binding("u", "undo", "Take the last answer back", id="pause.undo"),
        Binding("q,escape", "leave", "Stop; they are due the next time", id="pause.leave"),
    ]

    def __init__(self, waiting: Waiting) -> None:
        super().__init__()
        self.waiting = waiting
        self._busy = self._looking = False

    def on_mount(self) -> None:
        """Look from time to time."""
        self.set_interval(LOOK, self.look)

    def head(self, width: int) -> Lines:
        """Where one is."""
        done = (
            f"{words.count(self.waiting.answered, 'answer')} given" if self.waiting.answered and width >= ROOM else ""
        )
        return [spread(join(("Nothing else is left now", "bold $text-primary")), text(done, "$quiet"), width)]

    def content(self) -> Iterator[Widget]:
        """What comes back when, and the three ways on."""
        yield Flow(self._lay, id="waiting")

    def hints(self) -> list[Hint]:
        """The ways on."""
        return [Hint("enter", "go on now", "go_on"), Hint("q", "stop", "leave"), Hint("u", "undo", "undo"), HELP]

    def _lay(self, width: int) -> Lines:
        many = len(self.waiting.back)
        lines = wrap(text(f"{words.count(many, 'question')} {'comes' if many == 1 else 'come'} back:"), width)
        for title, back in self.waiting.back:
            lines.append(spread(join("· ", title), text(back, "$quiet"), width))
        it = "it" if many == 1 else "the first"
        for key, told in (
            ("wait", f"{it} is asked here as soon as its time has come"),
            ("enter", f"{it} is asked now, ahead of time"),
            ("q", "stop: what comes back is due the next time"),
        ):
            lines += [BLANK] if key == "wait" else []
            lines += wrap(text(told, "$quiet"), width, join((key.ljust(7), "$text-primary bold")))
        return lines

    def look(self) -> None:
        """Ask what has come due, or say anew how long it takes."""
        if not self._busy and not self._looking:
            self._looking = True
            self.go(self._look())

    async def _look(self) -> None:
        try:
            step = await self.desk_app.at_desk(self.desk_app.desk.next)
        except Trouble as trouble:
            self.desk_app.tell(trouble.message, "error")
        else:
            if self.is_current and not self._busy:
                await self._show(step)
        self._looking = False

    def action_go_on(self) -> None:
        """Do not wait."""
        self._do(self.desk_app.desk.go_on)

    def action_undo(self) -> None:
        """Take the last answer back and ask it again."""
        self._do(self.desk_app.desk.undo)

    def action_leave(self) -> None:
        """End the session."""
        self._do(self.desk_app.desk.leave)

    def _do(self, action: Callable[[], Step]) -> None:
        """What a key asks for, once, also while a look is under way: the desk does one thing after the other."""
        if not self._busy:
            self._busy = True
            self.go(self._step(action))

    async def _step(self, action: Callable[[], Step]) -> None:
        try:
            await self._show(await self.desk_app.at_desk(action))
        except Trouble as trouble:
            self.desk_app.tell(trouble.message, "error")
        self._busy = False

    async def _show(self, step: Step) -> None:
        if isinstance(step, Waiting):
            self.waiting = step
            self.query_one("#waiting", Flow).refresh_lines()
        else:
            await self.desk_app.show_step(step)
