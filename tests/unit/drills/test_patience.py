"""Silence is a stall only where nobody computes, or where it lasts very long."""

from __future__ import annotations

import os
import sys

import pytest

from quiz.drills.child import patience
from quiz.drills.child.patience import Patience, processor_time
from quiz.drills.lived import Lived

if sys.platform != "linux":
    pytest.skip("reads /proc", allow_module_level=True)


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> dict[str, float | None]:
    """The processor time that is told, to be set by the test."""
    told: dict[str, float | None] = {"seconds": 0.0}
    monkeypatch.setattr(patience, "processor_time", lambda _pids: told["seconds"])
    return told


def after(events: list[float], most: float = 45.0) -> Patience:
    """A watch that has heard events at these times."""
    found = Patience(most, [], 0.0)
    for time in events:
        found.hear(time)
    return found


@pytest.mark.parametrize(
    ("events", "silence", "over"),
    [
        ([0.1, 0.2, 0.3], 9, False),  # quick until now, and not long yet
        ([0.1, 0.2, 0.3], 11, True),  # quick until now: ten seconds are a stall
        ([1, 2, 3], 19, False),  # a second a step: twenty times as long are
        ([1, 2, 3], 21, True),
        ([30, 60], 44, False),  # a busy machine
        ([30, 60], 46, True),
        ([], 44, False),  # nothing was heard yet
        ([], 46, True),
    ],
)
def test_how_long_idle_ranks_may_be_silent(
    computed: dict[str, float | None], events: list[float], silence: float, *, over: bool
) -> None:
    """It depends on how fast they were, up to the limit of the run."""
    assert computed["seconds"] == 0
    assert after(events).is_over((events or [0])[-1] + silence) is over


def test_ranks_that_compute_are_left_alone_four_times_as_long(computed: dict[str, float | None]) -> None:
    """A step may last a minute on a machine that is busy; a loop without end may not last for ever."""
    watch = after([0.1, 0.2])
    computed["seconds"] = 5.0
    assert not watch.is_over(179)
    assert watch.is_over(181)


def test_where_the_system_does_not_tell_silence_alone_decides(computed: dict[str, float | None]) -> None:
    """As on macOS."""
    computed["seconds"] = None
    assert after([0.1, 0.2]).is_over(11)


def test_a_short_limit_of_a_run_goes_before_all(computed: dict[str, float | None]) -> None:
    """One second is one second."""
    assert computed["seconds"] == 0
    assert after([0.1], most=1.0).is_over(1.2)


def test_this_process_has_computed() -> None:
    """And one that is gone counts nothing."""
    found = processor_time([os.getpid(), 2**22 + 1])
    assert found is not None
    assert found > 0


def test_a_gap_in_which_nobody_looked_counts_for_a_second() -> None:
    """Seconds are counted as they are lived through: sleep, and a machine that gives nobody a turn, are not."""
    times = iter([100.0, 100.25, 100.75, 4000.0, 4000.5, 3999.0])
    lived = Lived(lambda: next(times))
    assert [lived() for _ in range(5)] == [0.25, 0.75, 1.75, 2.25, 2.25]
