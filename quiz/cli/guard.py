"""The last line of defence: whatever happens in a command ends as a sentence and an exit code."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from quiz.cli.entry import discard_stdout
from quiz.cli.outcome import HUNG_UP, INTERRUPTED, OUTSIDE, PIPE_CLOSED, TERMINATED, USAGE, Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

DEBUG_VARIABLE = "SHARDWISE_DEBUG"


def guarded(action: Callable[[], int]) -> int:  # noqa: PLR0911 - one return for each way of ending
    """Run `action`, flush what it printed, and turn every way of failing into a message and an exit code."""
    try:
        with _signals_as_exits():
            return _run_and_flush(action)
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as leaving:
        # A signal that came while the output was being flushed.
        return _code_of(leaving)
    except BrokenPipeError:
        discard_stdout()
        return PIPE_CLOSED
    except Failure as failure:
        say(failure.message)
        return failure.code
    except ModuleNotFoundError as missing:
        return _missing_module(missing)
    except OSError as problem:
        return _system_refused(problem)
    except Exception as fault:  # noqa: BLE001 - the one place where a fault of ours becomes a sentence
        return _own_fault(fault)


def _run_and_flush(action: Callable[[], int]) -> int:
    """The code of `action`; what it printed has left the program then, or the failure to write it is raised."""
    try:
        code = action()
    except SystemExit as leaving:  # argparse leaves like this after --help
        code = _code_of(leaving)
    if sys.stdout is not None:
        sys.stdout.flush()
    return code


def say(message: str) -> None:
    """Tell the person something on stderr, or nobody if stderr is gone.

    What it repeats of a file or of the command line cannot steer the terminal.
    """
    if not message.replace("\n", "").isprintable():
        from quiz.tui.harmless import plain

        message = plain(message)
    try:
        print(f"shardwise: {message}", file=sys.stderr, flush=True)
    except OSError:
        # Nowhere is left to say it; the exit code still does.
        return


@contextmanager
def _signals_as_exits() -> Iterator[None]:
    """End on SIGTERM and SIGHUP by SystemExit, so that whoever holds the terminal or a file can put it right."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {}
    for name, code in (("SIGTERM", TERMINATED), ("SIGHUP", HUNG_UP)):
        number = getattr(signal, name, None)
        # A signal that the parent told us to ignore (nohup) stays ignored.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, _leave_with(code))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave_with(code: int) -> Callable[[int, FrameType | None], None]:
    def leave(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)  # a second one must not break the tidying up
        raise SystemExit(code)

    return leave


def _code_of(leaving: SystemExit) -> int:
    if leaving.code is None:
        return 0
    if isinstance(leaving.code, int):
        return leaving.code
    say(str(leaving.code))
    return USAGE


def _missing_module(missing: ModuleNotFoundError) -> int:
    _show_traceback_if_asked()
    name = missing.name or str(missing)
    what = "a part of Shardwise" if name.split(".")[0] in ("quiz", "solvers") else "the Python package"
    say(
        f"{what}, {name!r}, is needed here and is not installed.\n"
        f"Install Shardwise again in this environment: {sys.executable} -m pip install --force-reinstall shardwise"
    )
    return OUTSIDE


def _system_refused(problem: OSError) -> int:
    _show_traceback_if_asked()
    where = f" ({problem.filename})" if problem.filename else ""
    say(f"the system refused: {problem.strerror or problem}{where}.\n{_how_to_see_more()}")
    _give_up_on_stdout()
    return OUTSIDE


def _own_fault(fault: Exception) -> int:
    _show_traceback_if_asked()
    detail = " ".join(str(fault).split())
    what = f"{type(fault).__name__}: {detail}" if detail else type(fault).__name__
    say(f"the program has a fault and had to stop ({what}).\n{_how_to_see_more()}")
    return OUTSIDE


def _give_up_on_stdout() -> None:
    """Drop what stdout cannot take (a full disk), or the interpreter would report it again as it exits."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        discard_stdout()


def _show_traceback_if_asked() -> None:
    if os.environ.get(DEBUG_VARIABLE):
        import traceback

        traceback.print_exc()


def _how_to_see_more() -> str:
    if os.environ.get(DEBUG_VARIABLE):
        return "The details are above; please report them with what you did."
    return f"For the details run the same command again with {DEBUG_VARIABLE}=1 in the environment."
