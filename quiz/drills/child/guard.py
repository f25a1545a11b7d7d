"""No rank outlives the run: who dies with whom, and how a process of a drill ends."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import select
import signal
import sys
import threading
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

DISK: Final = 74
"""The exit code of a process that could not write what it measured."""
RANK: Final = 1
"""The exit code of a rank that failed and has said why."""
SIGNALLED: Final = 143
"""The exit code of a runner that was told to stop."""
STDIN_VARIABLE: Final = "SHARDWISE_DRILL_STDIN"
"""Set where standard input is a pipe that its writer closes by dying; elsewhere its end says nothing."""
_PR_SET_PDEATHSIG: Final = 1


def die_with(parent: int) -> None:
    """Have the system kill this process when `parent`, which made it, dies. Linux; elsewhere `watch_stdin` does it.

    Call it in the new process and from its main thread. The parent must not have forked from a thread that ends
    earlier: the system means the thread.
    """
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    if os.getppid() != parent:  # it died before we asked
        os.kill(os.getpid(), signal.SIGKILL)


def watch_stdin(ended: Callable[[], NoReturn]) -> None:
    """Call `ended` from a thread when the writer of standard input is gone."""

    def wait() -> None:
        while os.read(0, 4096):
            pass
        ended()

    threading.Thread(target=wait, name="parent-guard", daemon=True).start()


def end_with_stdin() -> None:
    """Kill this process when the writer of standard input is gone, where standard input is such a pipe."""

    def ended() -> NoReturn:
        os._exit(SIGNALLED)

    if os.environ.get(STDIN_VARIABLE):
        watch_stdin(ended)


def closed(descriptor: int) -> bool:
    """Whether the writer of a pipe is gone and nothing is left to read; never waits."""
    ready, _, _ = select.select([descriptor], [], [], 0)
    return bool(ready) and not os.read(descriptor, 1)


def dump_stacks_into(descriptor: int) -> None:
    """Have a crash, and SIGUSR1, write the Python stacks of all threads to a descriptor."""
    faulthandler.enable(descriptor, all_threads=True)
    faulthandler.register(signal.SIGUSR1, descriptor, all_threads=True, chain=False)


def note(text: object) -> None:
    """Say something into the log of this process; a full disk takes no log either, and must not change how it ends."""
    try:
        print(text, file=sys.stderr, flush=True)  # noqa: T201 - a log
    except OSError:
        return


def flush() -> None:
    """Send what was printed to the log, as far as the disk takes it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            continue


def plain_signals() -> None:
    """Put back what a forked process inherits of its parent's handlers."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
