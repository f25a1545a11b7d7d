"""Practice: answers by calendar date and by hour, and the time they took."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.statistics.estimate import LEAST, Share, quantile, share
from quiz.statistics.tally import class_end

if TYPE_CHECKING:
    from quiz.statistics.given import Given, Sums

#: Weeks that the calendar covers, this one included.
WEEKS: Final = 53
#: Days of "lately".
LATELY: Final = 28

_HOURS: Final = 24


class Day(msgspec.Struct, frozen=True):
    """Answers on a date, and the milliseconds that they took."""

    day: date
    answers: int
    ms: int


class Hour(msgspec.Struct, frozen=True):
    """Answers within an hour of the day, and how many were right."""

    hour: int
    right: Share


class TimeClass(msgspec.Struct, frozen=True):
    """A class of the histogram of times: bounds in milliseconds, and how many answers took as long."""

    low: int
    high: int
    answers: int


class Times(msgspec.Struct, frozen=True):
    """How long an answer takes, in milliseconds: the median and the quartiles, None below `least` answers."""

    answers: int
    least: int
    median: int | None
    lower: int | None
    upper: int | None
    classes: tuple[TimeClass, ...]


class Practice(msgspec.Struct, frozen=True):
    """What was practised.

    Attributes:
        answers, ms, days: all answers, the milliseconds they took, and the days with any.
        first: the first day with an answer; None without one.
        today, today_right: answers of today, and how many of them were right.
        lately, of_lately: days with an answer among the last 28, and that 28.
        calendar: the days with answers within the last 53 weeks.
        hours: the 24 hours of the learner's clock.
        weekdays: answers on Monday to Sunday.
    """

    answers: int
    ms: int
    days: int
    first: date | None
    today: int
    today_right: int
    lately: int
    of_lately: int
    calendar_from: date
    calendar: tuple[Day, ...]
    hours: tuple[Hour, ...]
    weekdays: tuple[int, ...]
    times: Times


def practice(given: Given, sums: Sums) -> Practice:
    """Return what was practised, from the cells of days."""
    monday = given.today - timedelta(days=min(given.today.weekday(), given.today.toordinal() - 1))
    start = date.fromordinal(max(1, monday.toordinal() - 7 * (WEEKS - 1)))
    days = sorted(day for day, count in sums.answers.items() if count > 0)
    lately = [day for day in days if 0 <= (given.today - day).days < LATELY]
    weekdays = [0] * 7
    for day in days:
        weekdays[day.weekday()] += sums.answers[day]
    return Practice(
        answers=sum(sums.answers.values()),
        ms=sum(sums.ms.values()),
        days=len(days),
        first=days[0] if days else None,
        today=sums.answers[given.today],
        today_right=sums.right[given.today],
        lately=len(lately),
        of_lately=LATELY,
        calendar_from=start,
        calendar=tuple(Day(day, sums.answers[day], sums.ms[day]) for day in days if start <= day <= given.today),
        hours=tuple(_hour(hour, sums) for hour in range(_HOURS)),
        weekdays=tuple(weekdays),
        times=_times(sums),
    )


def _hour(hour: int, sums: Sums) -> Hour:
    right, wrong = sums.hours[hour, "right"], sums.hours[hour, "wrong"]
    return Hour(hour, share(right, right + wrong))


def _times(sums: Sums) -> Times:
    classes = tuple(TimeClass(low, class_end(low), count) for low, count in sorted(sums.took.items()) if count > 0)
    count = sum(one.answers for one in classes)
    lower, median, upper = (_quantile(classes, q) if count >= LEAST else None for q in (0.25, 0.5, 0.75))
    return Times(count, LEAST, median, lower, upper, classes)


def _quantile(classes: tuple[TimeClass, ...], q: float) -> int | None:
    found = quantile([(one.low, one.high, one.answers) for one in classes], q)
    return None if found is None else round(found)
