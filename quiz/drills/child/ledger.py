"""How a process of a drill writes: events, its own file of measurements, its log."""

from __future__ import annotations

import os
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.drills import events, folder
from quiz.drills.fold import Fold
from quiz.drills.records import Ranked

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.drills.events import AnyEvent
    from quiz.drills.records import Measured, Spec

ORIGIN_VARIABLE: Final = "SHARDWISE_DRILL_ORIGIN"
"""The start of the run by the monotonic clock of this machine, from whoever started it."""


class LedgerError(Exception):
    """The run's folder takes nothing more. The message says why."""


class Ledger:
    """Appends events, each in one write, so that the lines of several processes never mix."""

    def __init__(self, where: Path, origin: float, *, lock: bool = False) -> None:
        """Open the events of a run.

        Args:
            where: the run's folder.
            origin: what `time.monotonic()` was when the run began.
            lock: hold the lock that says that the run goes on; processes that are forked from this one hold it too.

        Raises:
            LedgerError: they cannot be opened, or another process runs it.
        """
        self._where = where
        self._origin = origin
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        try:
            self._descriptor = os.open(where / folder.EVENTS, flags, 0o600)
            if lock:
                self._lock()
        except BlockingIOError as error:
            raise LedgerError(f"{where} is being run by another process") from error
        except OSError as error:
            raise LedgerError(_refused(where, error)) from error

    def _lock(self) -> None:
        import fcntl

        fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def now(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self._origin

    def write(self, event: AnyEvent, rank: int | None = None) -> AnyEvent:
        """Append an event with its time and rank; return it as it was written. Raises LedgerError."""
        whole = msgspec.structs.replace(event, t=round(self.now(), 6), rank=rank if event.rank is None else event.rank)
        text = events.line(whole)
        try:
            written = os.write(self._descriptor, text)
        except OSError as error:
            raise LedgerError(_refused(self._where, error)) from error
        if written != len(text):  # the disk took a part: the rest of the line would not come either
            raise LedgerError(f"the disk of {self._where} is full")
        return whole


class Emitter:
    """What a rank emits through: written as an event, and kept for its own file."""

    def __init__(self, ledger: Ledger, rank: int) -> None:
        self._ledger = ledger
        self._rank = rank
        self._fold = Fold()
        self.phase = ""
        self.leg: str | None = None

    def __call__(self, event: AnyEvent) -> None:
        """Write an event; `t` and `rank` are filled in. Raises LedgerError."""
        written = self._ledger.write(event, self._rank)
        if isinstance(written, events.PhaseEvent):
            self.phase = written.phase
        if written.leg is not None:
            self.leg = written.leg
        self._fold.take(written)

    def keep(self, where: Path) -> None:
        """Add what was measured to the rank's file. Raises LedgerError."""
        path = where / f"rank{self._rank}.json"
        try:
            before = folder.read(path, Ranked).legs if path.exists() else ()
            folder.write(path, Ranked(rank=self._rank, legs=(*before, *self.measured)))
        except OSError as error:
            raise LedgerError(_refused(where, error)) from error

    @property
    def measured(self) -> tuple[Measured, ...]:
        """What this rank has measured."""
        return tuple(one for one in self._fold.all() if one.rank == self._rank)


def origin_of(spec: Spec) -> float:
    """When the run began, by this machine's monotonic clock."""
    given = os.environ.get(ORIGIN_VARIABLE)
    if given is not None:
        return float(given)
    now = time.monotonic()
    if not spec.started:
        return now
    since = (datetime.now(UTC) - datetime.fromisoformat(spec.started)).total_seconds()
    return now - max(since, 0.0)


def log_to(where: Path, rank: int) -> int:
    """Send all that this process prints to the rank's log; return the log's descriptor. Raises LedgerError."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    try:
        descriptor = os.open(where / f"rank{rank}.log", flags, 0o600)
    except OSError as error:
        raise LedgerError(_refused(where, error)) from error
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    return descriptor


def _refused(where: Path, error: OSError) -> str:
    return f"{where} takes nothing more: {error.strerror or error}"
