"""Work on a list of things, half of it in a copy of this process.

For work of tenths of a second a pool of processes takes longer to load than it saves; a bare copy starts in a few
milliseconds. It hands back what it made as bytes, or nothing; then its half is worked on here, so that whatever can go
wrong there (an exception, a finding that has to be told in order, a process that was killed) happens here as it would
have without the copy.
"""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Final, NoReturn, TypeVar

from quiz.authoring.pool import may_fork

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_T = TypeVar("_T")
_R = TypeVar("_R")
_WORTH_IT: Final = 0.06
"""Seconds of work below which a copy does not pay."""


def in_halves(
    work: Callable[[Sequence[_T]], _R],
    items: Sequence[_T],
    pack: Callable[[_R], bytes | None],
    unpack: Callable[[bytes], _R],
) -> list[_R]:
    """What `work` makes of consecutive parts of `items`, in order.

    `pack` makes bytes of a part's result, or None where it has to be made here.
    """
    if len(items) < 3 or not may_fork():  # noqa: PLR2004 - one to measure by, and two halves
        return [work(items)]
    began = time.perf_counter()
    first = work(items[:1])
    rest = items[1:]
    if (time.perf_counter() - began) * len(rest) < _WORTH_IT:
        return [first, work(rest)]
    middle = len(rest) // 2
    copy = _Copy(lambda: pack(work(rest[middle:])))
    try:
        here = work(rest[:middle])
        packed = copy.result()
    finally:
        copy.end()
    return [first, here, unpack(packed) if packed else work(rest[middle:])]


class _Copy:
    """A copy of this process that does one thing."""

    def __init__(self, work: Callable[[], bytes | None]) -> None:
        self._reading, writing = os.pipe()
        self._id = os.fork()
        if self._id == 0:
            _work_and_leave(work, writing)
        os.close(writing)

    def result(self) -> bytes:
        """What it made, when it has; empty where it made nothing, or could not."""
        with open(self._reading, "rb", closefd=False) as pipe:
            made = pipe.read()
        _, status = os.waitpid(self._id, 0)
        self._id = 0
        return b"" if status else made

    def end(self) -> None:
        """Leave nothing of it behind."""
        os.close(self._reading)
        if self._id:
            os.kill(self._id, signal.SIGKILL)
            os.waitpid(self._id, 0)


def _work_and_leave(work: Callable[[], bytes | None], writing: int) -> NoReturn:
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever waits ends it
        with open(writing, "wb") as pipe:
            pipe.write(work() or b"")
        code = 0
    finally:
        os._exit(code)  # nothing of the original's may be tidied up, flushed or told twice
