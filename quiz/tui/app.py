"""The app: which screen is shown when, the thread on which the desk works, and how the program ends.

Whatever ends it (a key, a signal, a fault) ends it through textual's own way out, so that the terminal is
put back: main screen, mouse, cursor. Nothing is lost then, since each answer was durable before its reveal.
"""

from __future__ import annotations

import asyncio
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.filter import ANSIToTruecolor, DimFilter, Monochrome, NoColor

from quiz.tui import themes, words
from quiz.tui.ports import (
    Answer,
    Ended,
    Result,
    Standing,
    Step,
    Trouble,
    Turn,
    Waiting,
    Wanted,
    WantedFigures,
    WantedList,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual.filter import LineFilter
    from textual.screen import Screen

    from quiz.tui.ports import Desk

T = TypeVar("T")

INTERRUPTED = 130
SIGNALS = {"SIGTERM": 143, "SIGHUP": 129, "SIGINT": INTERRUPTED}
FAULT = 3
DEBUG_VARIABLE = "SHARDWISE_DEBUG"


class ShardwiseApp(App[None]):
    """Shardwise in a terminal. `ending` is what to tell the person on stderr once the terminal is theirs again."""

    TITLE = "Shardwise"
    CSS_PATH = Path(__file__).with_name("styles.tcss")
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "Leave at once", show=False, priority=True, id="app.interrupt", system=True),
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="app.quit-anywhere", system=True),
        Binding("ctrl+z", "suspend_process", "Suspend", show=False, priority=True, id="app.suspend", system=True),
        Binding("f1,question_mark", "help", "Help", show=False, id="app.help"),
    ]

    def __init__(self, desk: Desk, first: Turn | Waiting | WantedFigures | WantedList | None = None) -> None:
        # The convention asks for a value; textual also obeys an empty one, and turns colours into greys.
        self.colourless = bool(os.environ.get("NO_COLOR"))
        super().__init__()
        self.desk = desk
        self.ending = ""
        self.fault: Exception | None = None
        self._first = first
        self._at_desk = ThreadPoolExecutor(max_workers=1, thread_name_prefix="desk")
        self._reading = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reading")
        for theme in themes.THEMES:
            self.register_theme(theme)
        self.theme = themes.first_theme()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's own; under NO_COLOR one that leaves no colour at all, neither grey nor a background."""
        filters = super().get_line_filters()
        kept = [one for one in filters if not isinstance(one, (Monochrome, DimFilter, ANSIToTruecolor))]
        return [*kept, NoColor()] if self.colourless else [one for one in filters if not isinstance(one, Monochrome)]

    # ---------------------------------------------------------------- starting

    def get_default_screen(self) -> Screen[None]:
        """What was asked for, or home."""
        if isinstance(self._first, WantedList):
            from quiz.tui.screens.browse import Browse

            return Browse(self._first.topic)
        if isinstance(self._first, WantedFigures):
            from quiz.tui.screens.statistics import Statistics

            return Statistics(topic=self._first.topic, since=self._first.since)
        if self._first is not None:
            return _screen_of(self._first)
        from quiz.tui.screens.home import Home

        return Home()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our names of colours, so that textual's own themes can be chosen too."""
        return dict(themes.DARK.variables)

    def on_mount(self) -> None:
        """Take the signals, and open the desk once the first screen stands."""
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
        if self._first is None:
            self.call_after_refresh(self._open)

    def _open(self) -> None:
        self.run_worker(self._open_desk(), name="open")

    async def _open_desk(self) -> None:
        try:
            standing = await self.at_desk(self.desk.open)
        except Trouble as trouble:
            self.end_with(trouble)
        else:
            self._fill_home(standing)

    def _fill_home(self, standing: Standing) -> None:
        from quiz.tui.screens.home import Home

        for screen in self.screen_stack:
            if isinstance(screen, Home):
                screen.show(standing)

    # ---------------------------------------------------------------- working at the desk

    async def at_desk(self, action: Callable[..., T], *arguments: object) -> T:
        """Do something at the desk, on its own thread and after what was asked before; the screen goes on."""
        return await asyncio.get_running_loop().run_in_executor(self._at_desk, partial(action, *arguments))

    async def while_reading(self, action: Callable[..., T], *arguments: object) -> T:
        """Do something short and pure off the screen's thread, without waiting for the desk."""
        return await asyncio.get_running_loop().run_in_executor(self._reading, partial(action, *arguments))

    def start(self, wanted: Wanted) -> None:
        """Start a session."""
        self.run_worker(self._start(wanted), group="session", exclusive=True)

    async def _start(self, wanted: Wanted) -> None:
        try:
            step = await self.at_desk(self.desk.begin, wanted)
            if isinstance(step, Ended):
                standing = await self.at_desk(self.desk.standing, wanted.topics)
                where = f" in {words.topic(wanted.topics[0])}" if wanted.topics else ""
                self.tell(words.nothing(standing, where, due_only=wanted.due_only, start="Enter"))
                return
        except Trouble as trouble:
            self.tell(trouble.message, "error")
            return
        await self.show_step(step)

    def undo(self) -> None:
        """Take back the last answer and show its question again; refused where nothing can be taken back."""
        self.run_worker(self._undo(), group="steps")

    async def _undo(self) -> None:
        try:
            turn = await self.at_desk(self.desk.undo)
        except Trouble as trouble:
            self.tell(trouble.message, "error")
        else:
            await self.show_step(turn)

    async def show_step(self, step: Step) -> None:
        """Show the next question, what is waited for, or the end of the session."""
        await self._show(_screen_of(step))
        if isinstance(step, Turn) and step.note:
            self.tell(step.note)

    async def show_reveal(self, turn: Turn, answer: Answer, result: Result, confidence: int | None) -> None:
        """Show what the answer came to; in an interview go on, since its solutions come at the end."""
        from quiz.tui.screens.reveal import Reveal

        if turn.mode == "interview":
            try:
                step = await self.at_desk(self.desk.next)
            except Trouble as trouble:
                self.end_with(trouble)
            else:
                await self.show_step(step)
            return
        await self._show(Reveal(turn, answer, result, confidence))

    async def show_all(self, topic: str = "") -> None:
        """The list of all questions."""
        from quiz.tui.screens.browse import Browse

        await self._show(Browse(topic))

    async def show_settings(self) -> None:
        """The settings."""
        from quiz.tui.screens.settings import Settings

        await self._show(Settings())

    async def show_home(self) -> None:
        """Back to the first screen."""
        from quiz.tui.screens.home import Home

        try:
            standing = await self.at_desk(self.desk.standing)
        except Trouble as trouble:
            self.end_with(trouble)
        else:
            first = self.screen_stack[0]
            if isinstance(first, Home):
                await self._alone()
                first.show(standing)
            else:
                await self._show(Home(standing))

    async def _show(self, screen: Screen[None]) -> None:
        """Put a screen over the first one, in place of any other: the first one cannot be switched."""
        await self._alone(but=1)
        if len(self.screen_stack) == 1:
            await self.push_screen(screen)
        else:
            await self.switch_screen(screen)

    async def _alone(self, but: int = 0) -> None:
        """Close what lies over the first screen, but for so many."""
        while len(self.screen_stack) > 1 + but:
            await self.pop_screen()

    def tell(self, message: str, severity: str = "information") -> None:
        """A short message that goes away; never read as markup."""
        from quiz.tui.lines import plain

        self.notify(plain(message), severity=severity, markup=False, timeout=6)  # type: ignore[arg-type]

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
        """Wait for what the desk is still writing, then close it."""
        self._reading.shutdown(wait=False, cancel_futures=True)
        self._at_desk.submit(self.desk.close)
        self._at_desk.shutdown(wait=True)


def _screen_of(step: Step) -> Screen[None]:
    """The screen that shows a step of a session."""
    if isinstance(step, Turn):
        from quiz.tui.screens.question import Question

        return Question(step)
    if isinstance(step, Waiting):
        from quiz.tui.screens.pause import Pause

        return Pause(step)
    if step.minutes:
        from quiz.tui.screens.report import Report

        return Report(step)
    from quiz.tui.screens.end import End

    return End(step)
