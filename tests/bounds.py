"""Bounds of time that a busy machine does not change: processor time of this thread, the best of a few tries."""

from __future__ import annotations

from time import thread_time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds within which whatever is typed is judged or refused.
AT_ONCE: Final = 0.05


def is_in_time(action: Callable[[], object], bound: float = AT_ONCE) -> bool:
    """Whether an action takes less of our own time than the bound; a busy machine gets five tries more."""
    return any(processor_time(action) < bound for _ in range(6))


def processor_time(action: Callable[[], object]) -> float:
    """The processor time of one try, in seconds."""
    began = thread_time()
    action()
    return thread_time() - began
