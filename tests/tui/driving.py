"""Driving the app in a test: what is on the screen as text, and waiting for it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from textual.widgets import Input, TextArea

from quiz.tui.app import ShardwiseApp
from quiz.tui.ports import Turn, Wanted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from textual.pilot import Pilot

    from quiz.tui.ports import Desk
    from quiz.tui.terminal import TerminalApp


def shown(app: TerminalApp) -> str:
    """What stands on the screen, line by line, blanks at the right left out."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


class Driver:
    """An app under test with its keys."""

    def __init__(self, app: TerminalApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def text(self) -> str:
        return shown(self.app)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        """Put the text into the field that has the keys, its last letter as a key."""
        field = self.app.focused
        assert isinstance(field, (Input, TextArea))
        put = field.insert_text_at_cursor if isinstance(field, Input) else field.insert
        put(text[:-1])
        await self.pilot.press("space" if text[-1] == " " else text[-1])

    async def see(self, wanted: str | Callable[[str], bool], *, seconds: float = 5) -> str:
        """Wait until the screen shows something, and then until it has come to rest; fail with what it shows instead.

        A screen is drawn widget by widget: where one shows what is wanted, its neighbours may still be on their way.
        What shows for a moment only is told as it was.
        """

        def met(text: str) -> bool:
            return wanted(text) if callable(wanted) else wanted in text

        for _ in range(round(seconds / 0.02)):
            text = self.text
            if met(text):
                await self.pilot.pause()
                rested = self.text
                return rested if met(rested) else text
            if self.app.fault is not None:
                raise AssertionError(f"the app failed before {wanted!r} appeared") from self.app.fault
            await asyncio.sleep(0.02)
        raise AssertionError(f"{wanted!r} did not appear; the screen shows:\n{self.text}")


@asynccontextmanager
async def opened(desk: Desk, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Driver]:
    """The app on its home screen, with the desk open."""
    app = ShardwiseApp(desk)
    async with app.run_test(size=size, notifications=True) as pilot:
        driver = Driver(app, pilot)
        await driver.see(lambda text: " due · " in text and "▌" in text)
        yield driver
    app.let_go()


@asynccontextmanager
async def asked(desk: Desk, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Driver]:
    """The app on the first question, as `practice` opens it."""
    first = desk.begin(Wanted())
    assert isinstance(first, Turn)
    app = ShardwiseApp(desk, first)
    async with app.run_test(size=size, notifications=True) as pilot:
        driver = Driver(app, pilot)
        await driver.see("1/")
        yield driver
    app.let_go()
