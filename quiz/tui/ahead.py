"""Keys that are typed ahead: one that begins a step is dealt with to its end before the next one is let through.

Else what is typed right behind an Enter would still land in the field that the Enter hands in, and what a paste or a
quick hand brings would be lost between two steps. Keys that still wait when another screen comes are dropped: nobody
meant them for what had not been shown yet.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from textual import events

from quiz.tui.page import Page

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from textual.screen import Screen
    from textual.widget import Widget

Typed: TypeAlias = "events.Key | events.Paste"
AT_ONCE: Final = frozenset({"ctrl+c", "ctrl+q", "ctrl+z"})
"""Leaving waits for nothing."""


class Stepping(Page):
    """For a screen whose keys lead from step to step: how many steps are on their way."""

    steps_going = 0

    def begins_step(self, event: Typed) -> bool:
        """Whether what comes after this key has to wait for it: any key but one that is text of a field."""
        is_text: Callable[[events.Key], bool] | None = getattr(self.focused, "is_text", None)
        return isinstance(event, events.Key) and (is_text is None or not is_text(event))

    def step(self, work: Callable[[], Coroutine[object, object, None]]) -> None:
        """Do what a step takes; keys wait for it."""
        self.steps_going += 1
        # Textual takes a function too, and its types do not say so.
        self.run_worker(partial(self._until_done, work), group="step")  # type: ignore[arg-type]

    async def _until_done(self, work: Callable[[], Coroutine[object, object, None]]) -> None:
        try:
            await work()
        finally:
            self.step_is_done()

    def step_is_done(self) -> None:
        """A step is over: the keys that waited for it come next."""
        self.steps_going -= 1
        self.desk_app.typed_ahead.go_on()


class TypedAhead:
    """The keys of an app, in turn.

    `let` gives one to the app as it always would; `screen` is the one that is shown; `later` has something done once
    the app has done what it was told before.
    """

    def __init__(
        self,
        let: Callable[[Typed], Awaitable[None]],
        screen: Callable[[], Screen[object]],
        later: Callable[[Callable[[], Awaitable[None]]], object],
    ) -> None:
        self._let, self._screen, self._later = let, screen, later
        self._waiting: deque[tuple[Typed, Screen[object]]] = deque()
        self._sent: tuple[Typed, Stepping, Widget] | None = None

    async def come(self, event: Typed) -> None:
        """A key was pressed, or something pasted."""
        self._waiting.append((event, self._screen()))
        await self._let_through()

    def is_late(self, event: events.Key) -> bool:
        """Whether a key that has been through all widgets comes back to another screen than it was meant for."""
        return self._sent is not None and self._sent[0] is event and self._sent[1] is not self._screen()

    def back(self, event: events.Key) -> None:
        """A key has been through all widgets, and what it is bound to was begun."""
        if self._sent is not None and self._sent[0] is event:
            screen, self._sent = self._sent[1], None
            screen.step_is_done()

    def _lost(self) -> bool:
        """Whether the widget went that had been given a key, which then comes back to nobody."""
        return self._sent is not None and not self._sent[2].is_attached

    def go_on(self) -> None:
        """Something was done that keys may wait for."""
        if self._waiting:
            self._later(self._let_through)

    async def _let_through(self) -> None:
        while self._waiting:
            now = self._screen()
            if self._waiting[0][1] is not now:
                self._waiting.popleft()
                continue
            if isinstance(now, Stepping) and now.steps_going:
                if not self._lost():
                    return
                self._sent = None
                now.steps_going -= 1
                continue
            event, _ = self._waiting.popleft()
            await self._send(event, now)

    async def _send(self, event: Typed, screen: Screen[object]) -> None:
        if not (isinstance(screen, Stepping) and isinstance(event, events.Key) and screen.begins_step(event)):
            await self._let(event)
            return
        self._sent = event, screen, screen.focused or screen
        screen.steps_going += 1
        await self._let(event)
        if not event.is_forwarded:  # no widget was given it, since the app had a use for it
            self.back(event)
