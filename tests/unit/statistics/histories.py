"""Histories that a report has to bear: none, tiny, one-sided, with jumps of the clock, of questions that are gone."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from quiz.scheduling.rating import Rating
from quiz.session.attempt import Attempt, Response
from quiz.statistics.given import Asked, Given
from quiz.statistics.report import report
from tests.unit.session.made import attempt
from tests.unit.statistics.simulated import a_year, bank, given

if TYPE_CHECKING:
    from collections.abc import Callable

    from quiz.statistics.report import Report

TODAY = date(2026, 3, 3)
NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)
ONE = (Asked("mb-70b-4nodes", "memory-budget", "claim", "Which plan fits?"),)


def daily(count: int, **more: Any) -> list[Attempt]:
    """Attempts on one card on so many days, the last one today."""
    first = NOON - timedelta(days=count - 1)
    return [attempt(n, now=first + timedelta(days=n), **more) for n in range(count)]


def _jumps() -> list[Attempt]:
    """The clock stood years ahead once, and was set back."""
    days = (-400, -399, 3000, -398, 0)
    return [attempt(n, now=NOON + timedelta(days=day), duration_ms=day * 1000) for n, day in enumerate(days)]


def _rare() -> Given:
    made = daily(3, confidence=None, slip="edit-2", duration_ms=0, response=Response())
    return given(made, ONE, TODAY, interview=TODAY - timedelta(days=3), new_per_day=0)


HISTORIES: dict[str, Callable[[], Given]] = {
    "none": lambda: given([], bank(), TODAY),
    "no questions": lambda: given([], (), TODAY),
    "one answer": lambda: given(daily(1), ONE, TODAY),
    "three answers": lambda: given(daily(3), ONE, TODAY, interview=TODAY + timedelta(days=9)),
    "all right": lambda: given(daily(60), ONE, TODAY),
    "all wrong": lambda: given(
        daily(60, verdict="incorrect", rating=Rating.AGAIN, response=Response(("ddp",)), slip="gib"), ONE, TODAY
    ),
    "jumps of the clock": lambda: given(_jumps(), ONE, TODAY),
    "a topic that is gone": lambda: given(daily(40), bank(), TODAY, topic="pipeline"),
    "nothing to say": _rare,
    "the last day": lambda: given([], ONE, date.max, interview=date.max),
    "the first day": lambda: given([], ONE, date.min),
    "since today": lambda: a_year(since=date(2026, 3, 3)),
    "a year": lambda: a_year(interview=date(2026, 4, 17)),
}


@cache
def reported(name: str) -> Report:
    """The report on a history by name."""
    return report(HISTORIES[name]())
