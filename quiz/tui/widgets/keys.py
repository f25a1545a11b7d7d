"""The line of keys at the foot of a screen: the most useful first, and as many as there is room for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quiz.tui.lines import Lines, cut, join
from quiz.tui.widgets.flow import Flow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.content import Content


@dataclass(frozen=True, slots=True)
class Hint:
    """A key, what it does, and the action of the screen that a click on it runs."""

    key: str
    label: str
    action: str = ""


class KeyBar(Flow):
    """Hints in order of use, on one line; those that do not fit are left out, since help lists them all."""

    def __init__(self, hints: Sequence[Hint] = ()) -> None:
        super().__init__(id="keys")
        self._hints = tuple(hints)
        self._places: list[tuple[int, int, str]] = []

    def show_hints(self, hints: Sequence[Hint]) -> None:
        """Show other hints."""
        if tuple(hints) != self._hints:
            self._hints = tuple(hints)
            self.refresh_lines()

    def make(self, width: int) -> Lines:
        """One line. The last hint is help and stays; of the others the first ones stay."""
        self._places = []
        if not self._hints:
            return []
        *others, last = self._hints
        kept: list[Hint] = []
        used = _length(last)
        for hint in others:
            if used + 2 + _length(hint) > width:
                break
            used += 2 + _length(hint)
            kept.append(hint)
        pieces: list[Content] = []
        at = 0
        for hint in (*kept, last):
            self._places.append((at, at + _length(hint), hint.action))
            at += _length(hint) + 2
            pieces.append(join((hint.key, "$text-primary bold"), (f" {hint.label}", "$quiet"), "  "))
        return [cut(join(*pieces).rstrip(), width)]

    async def on_click(self, event: events.Click) -> None:
        """Run what the hint under the pointer stands for."""
        event.stop()
        x = event.get_content_offset_capture(self).x
        for start, end, action in self._places:
            if start <= x < end and action:
                await self.screen.run_action(action)
                return


def _length(hint: Hint) -> int:
    return len(hint.key) + 1 + len(hint.label)
