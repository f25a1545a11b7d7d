"""The app: which screen is shown when, and the thread on which the desk works.

Nothing is lost when it ends, however it ends, since each answer was durable before its reveal.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from quiz.tui import words
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
from quiz.tui.terminal import TerminalApp

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen

    from quiz.bank.rendered import Rendered
    from quiz.tui.drill.ports import Lab
    from quiz.tui.ports import Desk

T = TypeVar("T")


class ShardwiseApp(TerminalApp):
    """Shardwise in a terminal."""

    def __init__(
        self,
        desk: Desk,
        first: Turn | Waiting | WantedFigures | WantedList | None = None,
        lab: Callable[[], Lab] | None = None,
    ) -> None:
        super().__init__()
        self.desk = desk
        self._make_lab = lab
        self._first = first
        self._at_desk = ThreadPoolExecutor(max_workers=1, thread_name_prefix="desk")

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

    def on_mount(self) -> None:
        """Open the desk once the first screen stands; textual calls the handler of the base as well."""
        if self._first is None:
            self.call_after_refresh(self._open)
        elif isinstance(self._first, Turn):
            self._make_ready()

    def _open(self) -> None:
        self.take_up(self._open_desk())

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

    def _make_ready(self) -> None:
        """Let the desk make ready what comes next, while what is shown is read."""
        # Nobody waits for it, nor for what it might raise: the step that needs the same would raise it again, and tell.
        self._at_desk.submit(self.desk.ready)

    def start(self, wanted: Wanted) -> None:
        """Start a session."""
        self.take_up(self._start(wanted), group="session", exclusive=True)

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
        self.take_up(self._undo())

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
        if isinstance(step, Turn):
            self._make_ready()
            if step.note:
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
        self._make_ready()

    def proves(self, question: Rendered) -> bool:
        """True where a question has a drill and there is a place to run it."""
        return self._make_lab is not None and bool(question.drill)

    def prove(self, question: Rendered) -> None:
        """Open a question's drill over what is shown. What runs drills is imported only now."""
        if self._make_lab is not None and question.drill:
            from quiz.tui.screens.drill_predict import DrillPredict

            _ = self.push_screen(DrillPredict(self._make_lab(), question))

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

    def let_go(self) -> None:
        """Wait for what the desk is still writing, then close it."""
        super().let_go()
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
