"""When something comes back, in words."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from quiz.nouns import count
from quiz.scheduling.calendar import add_time

if TYPE_CHECKING:
    from datetime import date, datetime

    from quiz.session.attempt import Attempt

_WEEK = 7
_MONTH = 30
_YEAR = 365
_MINUTE = 60
_HOUR = 60 * _MINUTE


def day(due: date, today: date) -> str:
    """A day from today on: `today`, `tomorrow (Tue 1 Dec)`, `in 3 days (Thu 3 Dec)`, `in 5 months (2 May 2023)`."""
    days = (due - today).days
    if days <= 0:
        return "today"
    short = f"{due:%a} {due.day} {due:%b}"
    if days == 1:
        return f"tomorrow ({short})"
    if days < _MONTH:
        return f"in {days} days ({short})"
    long = f"{due.day} {due:%b} {due.year}"
    if days < _YEAR:
        return f"in {count(round(days / _MONTH), 'month')} ({long})"
    years = f"{days / _YEAR:.1f}"
    return f"in {'1 year' if years == '1.0' else f'{years} years'} ({long})"


def wait(due: datetime, now: datetime) -> str:
    """A wait within a day: `at once`, `in 10 minutes`, `in 3 hours`."""
    seconds = (due - now).total_seconds()
    if seconds <= _MINUTE / 2:
        return "at once"
    if seconds < _HOUR:
        return f"in {count(max(1, round(seconds / _MINUTE)), 'minute')}"
    return f"in {count(round(seconds / _HOUR), 'hour')}"


def given(attempt: Attempt, today: date) -> str:
    """When an answer was given, on the learner's clock at that time: `given today at 09:14`, `given on 3 Dec 2026`."""
    local = add_time(attempt.time, timedelta(minutes=attempt.offset))
    if attempt.day == today:
        return f"given today at {local:%H:%M}"
    return f"given on {attempt.day.day} {attempt.day:%b} {attempt.day.year} at {local:%H:%M}"
