"""A clock that counts what this process has lived through.

Limits on a run are meant for a run that does not get on. Where the machine sleeps, or is so busy that nobody gets a
turn, the clock on the wall goes on and the run cannot. Whoever watches looks several times a second; a longer gap
between two looks means that the watcher itself had no turn, and counts as one second.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

#: The most that goes by between two looks, in seconds.
_MOST: Final = 1.0


class Lived:
    """Seconds since it was made, without the gaps in which nobody looked. Call it often."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: float = _MOST) -> None:
        self._clock, self._most = clock, most
        self._last = clock()
        self._lived = 0.0

    def __call__(self) -> float:
        """How long it has been."""
        now = self._clock()
        self._lived += min(max(now - self._last, 0.0), self._most)
        self._last = now
        return self._lived
