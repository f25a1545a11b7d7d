"""What one rank does from its first line to its exit code, whoever made its process."""

from __future__ import annotations

import os
import re
import traceback
from typing import TYPE_CHECKING, Final, NoReturn, Protocol

from quiz.drills.child import guard
from quiz.drills.child.ledger import Emitter, Ledger, LedgerError, log_to
from quiz.drills.events import Failed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from quiz.drills.records import Spec

#: What a rank is told by the system or the library when another one has ended or does not come.
_ECHO: Final = re.compile(
    r"connection (was )?(closed|reset|refused|aborted)|closed by (the )?peer|broken pipe|timed out|timeout"
    r"|remote process exited|pair closure|no such file or directory.*meeting",
    re.IGNORECASE,
)
#: Where a message of the library goes over to what only its authors read.
_INNER: Final = re.compile(
    r"\n?(Exception raised from|\[enforce fail at .*?\] ?(?:err == 0\. )?|C\+\+ CapturedTraceback|frame #0)", re.DOTALL
)
_LONGEST: Final = 400


class Body(Protocol):
    """What a rank runs: the legs of `spec`, as `rank` of `world`, meeting the others by the file `meeting`."""

    def __call__(self, spec: Spec, rank: int, world: int, emit: Emitter, meeting: Path) -> None:
        """Do it and return, or raise what went wrong."""


def in_fork(work: Callable[[Emitter], None], where: Path, ledger: Ledger, rank: int, parent: int) -> NoReturn:
    """Be a rank in a process just forked from `parent`; never returns."""
    code = guard.RANK
    try:
        guard.plain_signals()
        guard.die_with(parent)
        empty = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        os.dup2(empty, 0)
        guard.dump_stacks_into(log_to(where, rank))
        code = outcome(work, Emitter(ledger, rank), where)
    except LedgerError:
        code = guard.DISK
    finally:
        # Nothing that the parent registered for its own exit may run here.
        os._exit(code)


def outcome(work: Callable[[Emitter], None], emit: Emitter, where: Path) -> int:
    """Run `work`, keep what it measured, write down what went wrong; return the exit code."""
    try:
        try:
            work(emit)
        except LedgerError:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the cause, and the process ends
            guard.note(traceback.format_exc())
            emit(failure(error, emit))
            guard.flush()
            return guard.RANK
        emit.keep(where)
    except LedgerError as full:
        guard.note(full)
        return guard.DISK
    guard.flush()
    return 0


def failure(error: BaseException, emit: Emitter) -> Failed:
    """The event that says why a rank failed, and whether it only heard of another's end."""
    text = cause_of(error)
    return Failed(
        leg=emit.leg, cause=text, error=type(error).__name__, phase=emit.phase, echo=_ECHO.search(text) is not None
    )


def cause_of(error: BaseException | str) -> str:
    """What an exception, or its text, says in one line, without the inner workings of a library."""
    text = _INNER.sub("\0", str(error))
    text = next((part for part in text.split("\0") if part.strip()), "")
    line = " ".join(text.split()) or type(error).__name__
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
