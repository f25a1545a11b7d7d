"""How a run ended: the earliest real error is the cause, and not what the others said when their peer was gone."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from quiz.drills.events import Cancelled, Done, Failed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quiz.drills.events import AnyEvent
    from quiz.drills.launch import Ended

#: Exit codes of the child.
_DISK: Final = 74
_SIGNALLED: Final = 143
_FULL: Final = "what it measured could not be written: is the disk of {where} full?"
_NO_ROOM: Final = re.compile(r"no space left on device|disk quota exceeded", re.IGNORECASE)

_WHO: Final = {
    "learner": "you cancelled it",
    "interrupt": "it was interrupted",
    "parent": "the program that had started it went away",
    "signal": "it was told to stop by a signal",
    "timeout": "no step of it was done for too long, and it did not end by itself",
    "silence": "nothing was heard of it for too long, and it did not end by itself",
}


class Outcome(NamedTuple):
    """How a run ended, and why, in a sentence."""

    outcome: Literal["done", "failed", "cancelled"]
    cause: str = ""
    phase: str = ""
    leg: str = ""
    rank: int | None = None


def conclude(events: Sequence[AnyEvent], ended: Ended | None, where: str = "") -> Outcome:
    """Say how a run ended.

    Args:
        events: all of them.
        ended: how its process ended; None where nobody saw it (the run is read from its folder later).
        where: its folder, named where the disk is full.
    """
    cancelled = next((event for event in events if isinstance(event, Cancelled)), None)
    if cancelled is not None:
        return Outcome("cancelled", _who(cancelled.by))
    failed = _first(events)
    if failed is not None:
        cause = failed.cause
        # Torch says it where ranks meet by a file, Python where one is made.
        if _NO_ROOM.search(cause):
            cause = f"{_FULL.format(where=where)} ({cause})"
        return Outcome("failed", cause, failed.phase, failed.leg or "", failed.rank)
    if any(isinstance(event, Done) for event in events) and (ended is None or ended.code == 0):
        return Outcome("done")
    return _by_its_end(ended, where)


def _first(events: Sequence[AnyEvent]) -> Failed | None:
    """The earliest failure that is none of the echoes of another; if all are echoes, the earliest."""
    failures = sorted((event for event in events if isinstance(event, Failed)), key=lambda event: (event.echo, event.t))
    return failures[0] if failures else None


def _by_its_end(ended: Ended | None, where: str) -> Outcome:  # noqa: PLR0911 - one for each way of ending
    if ended is None:
        return Outcome("failed", "it ended without a word, and nobody saw how")
    if ended.by in ("timeout", "silence"):
        return Outcome("failed", _who(ended.by))
    if ended.by:
        return Outcome("cancelled", _who(ended.by))
    if ended.code == _DISK:
        return Outcome("failed", _FULL.format(where=where))
    if ended.code == _SIGNALLED:
        return Outcome("cancelled", _who("signal"))
    if ended.code < 0:
        return Outcome("failed", f"its runner was ended by {_signal(-ended.code)}")
    return Outcome("failed", f"its runner ended with code {ended.code} and said nothing; see runner.log in {where}")


def _signal(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def _who(by: str) -> str:
    return _WHO.get(by, by)
