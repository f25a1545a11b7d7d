"""What every app of Shardwise in a terminal has: its themes, its manners towards the terminal, how it ends.

Whatever ends it (a key, a signal, a fault) ends it through textual's own way out, so that the terminal is
put back: main screen, mouse, cursor.
"""

from __future__ import annotations

import asyncio
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from inspect import CORO_CLOSED, CORO_CREATED, getcoroutinestate
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.filter import ANSIToTruecolor, DimFilter, Monochrome, NoColor

from quiz.tui import themes
from quiz.tui.ahead import AT_ONCE, TypedAhead
from quiz.tui.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence

    from textual.filter import LineFilter
    from textual.screen import Screen

    from quiz.tui.ports import Trouble

T = TypeVar("T")

INTERRUPTED = 130
SIGNALS = {"SIGTERM": 143, "SIGHUP": 129, "SIGINT": INTERRUPTED}
FAULT = 3
TOLD = 6.0  # seconds that a message stays
DEBUG_VARIABLE = "SHARDWISE_DEBUG"


class TerminalApp(App[None]):
    """An app in a terminal. `ending` is what to tell the person on stderr once the terminal is theirs again."""

    TITLE = "Shardwise"
    CSS_PATH = Path(__file__).with_name("styles.tcss")
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "Leave at once", show=False, priority=True, id="app.interrupt", system=True),
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="app.quit-anywhere", system=True),
        Binding("ctrl+z", "suspend_process", "Suspend", show=False, priority=True, id="app.suspend", system=True),
        Binding("f1,question_mark", "help", "Help", show=False, id="app.help"),
    ]

    def __init__(self) -> None:
        # The convention asks for a value; textual also obeys an empty one, and turns colours into greys.
        self.colourless = bool(os.environ.get("NO_COLOR"))
        super().__init__()
        self.ending = ""
        self.fault: Exception | None = None
        self._taken_up: list[Coroutine[object, object, None]] = []
        self._reading = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reading")
        self.typed_ahead = TypedAhead(super().on_event, lambda: self.screen, self.call_later)
        for theme in themes.THEMES:
            self.register_theme(theme)
        self.theme = themes.first_theme()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's own; under NO_COLOR one that leaves no colour at all, neither grey nor a background."""
        filters = super().get_line_filters()
        kept = [one for one in filters if not isinstance(one, (Monochrome, DimFilter, ANSIToTruecolor))]
        return [*kept, NoColor()] if self.colourless else [one for one in filters if not isinstance(one, Monochrome)]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our names of colours, so that textual's own themes can be chosen too."""
        return dict(themes.DARK.variables)

    def on_mount(self) -> None:
        """Take the signals."""
        loop = asyncio.get_running_loop()
        for name, code in SIGNALS.items():
            number = getattr(signal, name, None)
            if number is None or signal.getsignal(number) is signal.SIG_IGN:
                continue
            try:
                loop.add_signal_handler(number, partial(self._end, code))
            except (NotImplementedError, RuntimeError, ValueError):
                # No signals on this platform, or not on the main thread (a test): the default stays.
                break

    async def on_event(self, event: events.Event) -> None:
        """Let keys and what is pasted through in turn; the rest as textual does."""
        if not isinstance(event, events.Key | events.Paste):
            await super().on_event(event)
        elif isinstance(event, events.Key) and event.is_forwarded:
            if not self.typed_ahead.is_late(event):
                await super().on_event(event)
            self.typed_ahead.back(event)
        elif event.is_forwarded or (isinstance(event, events.Key) and event.key in AT_ONCE):
            await super().on_event(event)
        else:
            await self.typed_ahead.come(event)

    async def while_reading(self, action: Callable[..., T], *arguments: object) -> T:
        """Do something short and pure off the screen's thread, without waiting for the desk."""
        return await asyncio.get_running_loop().run_in_executor(self._reading, partial(action, *arguments))

    def take_up(self, work: Coroutine[object, object, None], *, group: str = "steps", exclusive: bool = False) -> None:
        """Do something beside the keys. What the end of the app leaves unbegun is put away without a word."""
        self._taken_up = [one for one in self._taken_up if getcoroutinestate(one) != CORO_CLOSED]
        self._taken_up.append(work)
        self.run_worker(work, group=group, exclusive=exclusive)

    def tell(self, message: str, severity: str = "information") -> None:
        """A short message that goes away, in place of the one before; never read as markup.

        It stands in the line of keys; the page makes room where it takes more than that line.
        """
        from quiz.tui.harmless import plain

        self.clear_notifications()
        self.notify(plain(message), severity=severity, markup=False, timeout=TOLD)  # type: ignore[arg-type]
        if isinstance(self.screen, Page):
            self.screen.make_room(plain(message), TOLD)

    # ---------------------------------------------------------------- keys of the app

    def action_help(self) -> None:
        """Help for the screen that is shown."""
        from quiz.tui.screens.help import Help

        if not isinstance(self.screen, Help) and not self.screen.is_modal:
            _ = self.push_screen(Help(self.screen))

    def action_interrupt(self) -> None:
        """Leave at once, as Ctrl+C does anywhere."""
        self._end(INTERRUPTED)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:  # noqa: ARG002 - textual's signature
        """What the command palette offers."""
        yield SystemCommand("Help", "The keys of this screen", self.action_help)
        yield SystemCommand("Theme", "Choose the colours", self.action_change_theme)
        yield SystemCommand("Light or dark", "Change between the two themes of Shardwise", self._other_theme)
        yield SystemCommand("Quit", "Back to the shell; every answer given is kept", self.action_quit)

    def _other_theme(self) -> None:
        self.theme = themes.LIGHT.name if self.theme == themes.DARK.name else themes.DARK.name

    # ---------------------------------------------------------------- ending

    def end_with(self, trouble: Trouble) -> None:
        """End since something outside stands in the way; it is told once the terminal is put back."""
        self.ending = trouble.message
        self._end(trouble.code)

    def _end(self, code: int) -> None:
        self.exit(return_code=code)

    def _fatal_error(self) -> None:
        """A fault: end without textual's picture of all local variables; `launch` says what happened."""
        if os.environ.get(DEBUG_VARIABLE):
            super()._fatal_error()
            return
        self._close_messages_no_wait()

    def _handle_exception(self, error: Exception) -> None:
        """Keep the first fault and end with the exit code for it."""
        if self.fault is None:
            self.fault = error
        super()._handle_exception(error)
        self._return_code = FAULT

    def let_go(self) -> None:
        """Let go of what works beside the screen."""
        for work in self._taken_up:
            if getcoroutinestate(work) == CORO_CREATED:
                work.close()
        self._reading.shutdown(wait=False, cancel_futures=True)
