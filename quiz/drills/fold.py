"""From the events of a run to what was measured: the same for a rank's file, the screen, the result and a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from quiz.drills.events import LegEvent, Peak, Rest, Step, Traffic
from quiz.drills.records import Measured

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quiz.drills.events import AnyEvent
    from quiz.drills.records import High


class Fold:
    """What each rank has measured of each leg so far."""

    def __init__(self, events: Iterable[AnyEvent] = ()) -> None:
        self._found: dict[tuple[str, int], Measured] = {}
        for event in events:
            self.take(event)

    def take(self, event: AnyEvent) -> None:
        """Add what an event says; events that measure nothing pass."""
        if event.leg is None or event.rank is None:
            return
        place = (event.leg, event.rank)
        before = self._found.get(place) or Measured(leg=event.leg, rank=event.rank)
        after = _after(before, event)
        if after is not before:
            self._found[place] = after

    def all(self) -> tuple[Measured, ...]:
        """Everything, in the order in which it was first heard of."""
        return tuple(self._found.values())

    def get(self, leg: str, rank: int) -> Measured | None:
        """What one rank measured of one leg."""
        return self._found.get((leg, rank))


def _after(before: Measured, event: AnyEvent) -> Measured:
    replace = msgspec.structs.replace
    match event:
        case Rest(held=held):
            return replace(before, rest=held)
        case Peak(high=high):
            return replace(before, peaks=_higher(before.peaks, high))
        case Traffic(sent=sent):
            return replace(before, traffic=sent)
        case Step(done=done):
            return replace(before, steps=(*before.steps, done))
        case LegEvent(state="died", phase=phase, cause=cause, death=death):
            return replace(before, died=phase or "", cause=cause, death=death)
    return before


def _higher(peaks: tuple[High, ...], high: High) -> tuple[High, ...]:
    """The peaks with this one in; of two of a phase the greater stays, in the order of phases as they came."""
    if all(one.phase != high.phase for one in peaks):
        return (*peaks, high)
    return tuple(high if one.phase == high.phase and high.held.total >= one.held.total else one for one in peaks)
