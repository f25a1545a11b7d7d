"""Bounds of time that neither a busy machine nor a slow one changes.

What is measured is the processor time of this thread, the best of a few tries. A bound is said for the machine on which
it was set, and is as many times wider on another as that takes longer for the same work.
"""

from __future__ import annotations

from fractions import Fraction
from time import thread_time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds within which whatever is typed is judged or refused.
AT_ONCE: Final = 0.05
#: Seconds for what takes some now, and would take hours or never end if it grew as a square or a power does.
SOON: Final = 60.0
#: Seconds of the work of `_work` where the bounds were set.
_THERE: Final = 0.0023


def is_in_time(action: Callable[[], object], bound: float = AT_ONCE) -> bool:
    """Whether an action takes less of our own time than the bound; a busy or a slow machine gets six tries more."""
    return processor_time(action) < bound or any(processor_time(action) < bound * slower() for _ in range(6))


def processor_time(action: Callable[[], object]) -> float:
    """The processor time of one try, in seconds."""
    began = thread_time()
    action()
    return thread_time() - began


def slower() -> float:
    """How many times longer than where the bounds were set the same work takes here and now; at least 1."""
    return max(1.0, min(processor_time(_work) for _ in range(3)) / _THERE)


def _work() -> None:
    sum((Fraction(1, number) for number in range(1, 300)), Fraction(0))
    "".join(sorted(str(number) for number in range(3000)))
