"""Driving the app in a test: what is on the screen as text, and waiting for it."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from textual import events
from textual.keys import _character_to_key
from textual.widgets import Input, TextArea

from quiz.tui.app import ShardwiseApp
from quiz.tui.ports import Turn, Wanted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from textual.pilot import Pilot

    from quiz.tui.ports import Desk
    from quiz.tui.terminal import TerminalApp


#: How long to wait for what has to come, in seconds: only a test that fails waits for so long.
PATIENCE: Final = 60.0
#: Keys that `burst` takes by their names.
NAMED: Final = frozenset({"enter", "escape", "f2", "ctrl+s", "down"})
#: How often a screen is looked at until it has come to rest. One that a clock keeps moving never does, nor one of a
#: single cell, where a scroll bar comes and goes.
ROUNDS: Final = 50


def shown(app: TerminalApp) -> str:
    """What stands on the screen, line by line, blanks at the right left out."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


class Driver:
    """An app under test with its keys.

    Nothing here goes by the time that something usually takes: each key waits until all that it set off is done, so
    that what is asserted next stands on the screen however slow the machine is.
    """

    def __init__(self, app: TerminalApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def text(self) -> str:
        return shown(self.app)

    async def press(self, *keys: str) -> None:
        """Press keys one after the other, as a person does who looks at the screen before the next one."""
        for key in keys:
            await self.pilot.press(key)
            await self.rest()

    async def burst(self, *keys: str) -> None:
        """Send keys in one go, as a quick hand or a paste of the terminal does; nothing waits for what they set off.

        A key of several letters is one by its name; else each letter of a text is a key.
        """
        for key in keys:
            names = (key,) if key in NAMED else tuple(key)
            for name in names:
                sign = None if key in NAMED else name
                self.app.post_message(events.Key(name if sign is None else _character_to_key(name), sign))

    async def type(self, text: str) -> None:
        """Put the text into the field that has the keys, its last letter as a key."""
        field = self.app.focused
        assert isinstance(field, (Input, TextArea))
        put = field.insert_text_at_cursor if isinstance(field, Input) else field.insert
        put(text[:-1])
        await self.press("space" if text[-1] == " " else text[-1])

    async def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        await self.pilot.resize_terminal(columns, rows)
        await self.rest()

    async def rest(self) -> None:
        """Wait until nothing is on its way: no message, nothing asked of the desk, nothing to draw.

        What a clock sets off, and what another thread than the desk's finds out, is not waited for: `see` is.
        """
        before, same = "", 0
        for _ in range(ROUNDS):
            if self.app._exit or not self.app.is_running:
                return
            await self._beside()
            await self.pilot.pause(0)  # until every widget has dealt with what it was told up to now
            after = self.text
            same = same + 1 if after == before and not self._on_its_way() else 0
            if same == 3:
                return
            before = after
            await asyncio.sleep(0.002)

    async def _beside(self) -> None:
        """Wait until the threads beside the screen, which do one thing after the other, have come to the last one."""
        try:
            await self.app.while_reading(str)
            if isinstance(self.app, ShardwiseApp):
                await self.app.at_desk(str)
        except RuntimeError:
            # They take nothing more, since the app has ended.
            assert self.app._exit

    def _on_its_way(self) -> bool:
        """Whether a widget has been told something that it has not begun to deal with."""
        return any(one.message_queue_size or one._next_callbacks for one in (self.app, *self.app._registry))

    async def see(self, *wanted: str | Callable[[str], bool], seconds: float = PATIENCE) -> str:
        """Wait until the screen shows all that is wanted, then until it has come to rest; fail with what it shows.

        A screen is drawn widget by widget: where one shows what is wanted, its neighbours may still be on their way.
        What shows for a moment only is told as it was.
        """

        def met(text: str) -> bool:
            return all(one(text) if callable(one) else one in text for one in wanted)

        end = time.monotonic() + seconds
        while not met(text := self.text):
            if self.app.fault is not None:
                raise AssertionError(f"the app failed before {wanted!r} appeared") from self.app.fault
            if time.monotonic() > end:
                raise AssertionError(f"{wanted!r} did not appear; the screen shows:\n{self.text}")
            await asyncio.sleep(0.02)
        await self.rest()
        rested = self.text
        return rested if met(rested) else text

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something has come about that the screen does not show."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "it did not come about"
            await asyncio.sleep(0.02)


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
