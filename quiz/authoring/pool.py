"""Sheets of many files, made on all cores."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.authoring.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.synchronize import Event

    from quiz.bank.files import Listing

WORTH_IT: Final = 40
"""Files below which starting processes takes longer than the work."""
_CHUNK: Final = 4
_LONG_CHUNK: Final = 25
"""Of files that take milliseconds: fewer messages, and still an end within a moment of Ctrl+C."""


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def sheets_of(
    listing: Listing, names: Sequence[str], one: Callable[[str], Sheet], workers: int, *, figures: bool = False
) -> Iterator[Sheet]:
    """The sheet of each file, as they are ready. `one` makes a sheet here; with few files nothing else is started.

    With `figures` the other processes make them as `own_figures` does, else as the whole lint does.

    Whoever stops asking, by an interrupt too, leaves no process behind.
    """
    if workers < 2 or len(names) < WORTH_IT:  # noqa: PLR2004
        for name in names:
            yield one(name)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from dataclasses import replace
    from multiprocessing import get_context

    chunk = _LONG_CHUNK if figures else _CHUNK
    chunks = [list(names[at : at + chunk]) for at in range(0, len(names), chunk)]
    forks = may_fork()
    context = get_context("fork" if forks else "spawn")
    stop = context.Event()
    maker = partial(_as_here, one) if forks else partial(_made_anew, replace(listing, questions={}), figures)
    pool = ProcessPoolExecutor(
        min(workers, len(chunks)), mp_context=context, initializer=_begin, initargs=(maker, stop)
    )
    try:
        for done in as_completed([pool.submit(_work, chunk) for chunk in chunks]):
            yield from msgspec.msgpack.decode(done.result(), type=list[Sheet])
    finally:
        stop.set()  # some chunks are handed out ahead: what is begun ends with its file, not with its chunk
        pool.shutdown(wait=True, cancel_futures=True)


def may_fork() -> bool:
    """Whether a process may start as a copy of this one, with all that is loaded: half a second sooner each.

    Elsewhere than on Linux the system's libraries do not bear it, and nowhere do other threads.
    """
    import threading

    return sys.platform == "linux" and threading.active_count() == 1


def _as_here(one: Callable[[str], Sheet]) -> Callable[[str], Sheet]:
    return one


def _made_anew(listing: Listing, figures: bool) -> Callable[[str], Sheet]:  # noqa: FBT001 - handed over by position
    """The same in a process that begins with nothing: it reads what the questions share, once."""
    from quiz.authoring.lint import maker
    from quiz.authoring.own_figures import figures_maker

    return figures_maker(listing) if figures else maker(listing)


_make: Callable[[str], Sheet]
_stop: Event


def _begin(maker: Callable[[], Callable[[str], Sheet]], stop: Event) -> None:
    """In a worker: get ready to make sheets."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent cancels what is not begun
    global _make, _stop  # noqa: PLW0603 - a worker belongs to one bank
    _stop = stop
    _make = maker()


def _work(names: list[str]) -> bytes:
    return msgspec.msgpack.encode([_make(name) for name in names if not _stop.is_set()])
