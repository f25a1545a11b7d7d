"""When silence is a stall: nothing is said, nothing is computed, and before that it went much faster.

On a machine that is busy with other things a step may last a minute, and its ranks compute all the while. Ranks that
wait for one that will never come compute nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Silence that is never a stall by itself, in seconds, and how many times the longest gap so far it must be.
_LEAST: Final = 10.0
_TIMES: Final = 20.0
#: Whoever computes is left alone for so many times as long as who does not.
_BUSY: Final = 4.0
#: The share of one core below which nobody computes.
_IDLE: Final = 0.01
#: How often the processor time is read while events come.
_BEAT: Final = 0.5


class Patience:
    """How long a set of ranks may be silent."""

    def __init__(self, most: float, pids: Sequence[int], now: float) -> None:
        """Begin to watch.

        Args:
            most: the longest silence of ranks that do not compute.
            pids: their processes.
            now: the monotonic clock.
        """
        self._most = most
        self._pids = pids
        self._heard = now
        self._gap: float | None = None
        self._mark = (now, processor_time(pids))

    def hear(self, now: float) -> None:
        """Events have come."""
        gap = now - self._heard
        self._gap = gap if self._gap is None else max(self._gap, gap)
        self._heard = now
        if now - self._mark[0] > _BEAT:
            self._mark = (now, processor_time(self._pids))

    def is_over(self, now: float) -> bool:
        """Whether they have been silent for too long."""
        silent = now - self._heard
        if silent <= min(self._most, _LEAST):
            return False
        if silent > self._most * _BUSY:
            return True
        usual = self._most if self._gap is None else max(_LEAST, _TIMES * self._gap)
        if silent <= min(self._most, usual):
            return False
        since, used = self._mark
        spent = processor_time(self._pids)
        return used is None or spent is None or spent - used < _IDLE * (now - since)


def processor_time(pids: Sequence[int]) -> float | None:
    """Seconds that processes have computed in all; None where the system does not say."""
    found = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        except OSError:
            if not Path("/proc/self/stat").exists():
                return None
            continue  # it has just ended
        found += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found
