"""The learner's calendar: which day an instant belongs to, and when a day begins.

A day begins at the rollover hour of local time (04:00 by default), so that an answer at half past
midnight still belongs to the evening before. Local time is UTC plus the offset that was in force when
the answer was given; the offset is stored with the answer and never looked up again, so a trip, a change
to summer time or another rollover hour leaves the days of the past as they were.

Instants are aware datetimes in UTC. Offsets are whole minutes, east positive. Days are `datetime.date`.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple

DEFAULT_ROLLOVER_HOUR: Final = 4

#: The widest offset accepted, in minutes. Real zones stay within 14 hours; one day is the sane bound.
MAXIMUM_OFFSET: Final = 24 * 60 - 1

_LAST_HOUR: Final = 23
_FIRST_INSTANT: Final = datetime.min.replace(tzinfo=UTC)
_LAST_INSTANT: Final = datetime.max.replace(microsecond=0, tzinfo=UTC)
_LAST_DAY: Final = date.max.toordinal()


def utc(instant: datetime) -> datetime:
    """Return the same instant in UTC, held within the years that a datetime can name, refusing one without a zone.

    Raises:
        ValueError: the datetime is naive, so it is no instant.
    """
    if instant.tzinfo is UTC:
        return instant
    if instant.tzinfo is None:
        message = f"{instant.isoformat()} has no time zone; an instant needs one (use datetime.now(UTC))"
        raise ValueError(message)
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        return _FIRST_INSTANT if instant.year == _FIRST_INSTANT.year else _LAST_INSTANT


def offset_minutes(local: datetime) -> int:
    """Return the UTC offset of an aware local datetime, in minutes, rounded to the nearest one."""
    offset = local.utcoffset()
    if offset is None:
        message = f"{local.isoformat()} has no time zone; its offset is unknown"
        raise ValueError(message)
    return round(offset / timedelta(minutes=1))


class Moment(NamedTuple):
    """An instant in UTC, the offset in force (minutes east), and the learner's day of it."""

    now: datetime
    offset: int
    day: date


def moment(now: datetime, offset: int, *, rollover_hour: int = DEFAULT_ROLLOVER_HOUR) -> Moment:
    """Return an instant with the learner's day that it belongs to."""
    return Moment(utc(now), offset, effective_day(now, offset, rollover_hour=rollover_hour))


def effective_day(instant: datetime, offset: int, *, rollover_hour: int = DEFAULT_ROLLOVER_HOUR) -> date:
    """Return the learner's day of an instant: the local date of `rollover_hour` hours before it.

    Args:
        instant: aware datetime.
        offset: minutes east of UTC that were in force at that instant.
        rollover_hour: local hour, 0 to 23, at which a day begins.
    """
    return _shift(utc(instant), -_span(-offset, rollover_hour)).date()


def start_of_day(day: date, offset: int, *, rollover_hour: int = DEFAULT_ROLLOVER_HOUR) -> datetime:
    """Return the instant at which a learner's day begins under the given offset, in UTC."""
    return _shift(datetime(day.year, day.month, day.day, tzinfo=UTC), _span(-offset, rollover_hour))


def days_between(earlier: date, later: date) -> int:
    """Return how many calendar days passed, at least 0: a clock that was set back makes no negative wait."""
    return max(0, (later - earlier).days)


def add_days(day: date, days: int) -> date:
    """Return the day `days` later, held at the last day that the calendar can name (9999-12-31)."""
    return date.fromordinal(max(1, min(day.toordinal() + days, _LAST_DAY)))


@lru_cache(maxsize=4_096)
def days(count: int) -> timedelta:
    """Return so many days: to add one that is there takes a fifth of making another."""
    return timedelta(count)


def add_time(instant: datetime, span: timedelta) -> datetime:
    """Return an instant `span` later, held within the years that a datetime can name."""
    return _shift(utc(instant), span)


def not_before(now: datetime, last: datetime | None) -> datetime:
    """Return `now`, or `last` where the clock now reads earlier: stored time never runs backwards."""
    now = utc(now)
    if last is None:
        return now
    return max(now, utc(last))


def _shift(instant: datetime, span: timedelta) -> datetime:
    try:
        return min(instant + span, _LAST_INSTANT)
    except OverflowError:
        return _FIRST_INSTANT if span < timedelta() else _LAST_INSTANT


@lru_cache(maxsize=256)
def _span(west: int, rollover_hour: int) -> timedelta:
    """Return how long after midnight in UTC a day begins, so many minutes west of it."""
    offset = -west
    if abs(offset) > MAXIMUM_OFFSET:
        message = f"an offset of {offset} minutes is no time zone; at most {MAXIMUM_OFFSET} either way"
        raise ValueError(message)
    if not 0 <= rollover_hour <= _LAST_HOUR:
        message = f"the day cannot begin at hour {rollover_hour}; choose 0 to 23"
        raise ValueError(message)
    return timedelta(minutes=west, hours=rollover_hour)
