"""The learner's calendar."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.scheduling import calendar


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("instant", "offset", "day"),
    [
        ("2026-05-10T01:59:59", 120, "2026-05-09"),  # 03:59:59 local: still the evening before
        ("2026-05-10T02:00:00", 120, "2026-05-10"),  # 04:00 local: the new day
        ("2026-05-10T11:59:59", -480, "2026-05-09"),
        ("2026-05-10T12:00:00", -480, "2026-05-10"),
        ("2026-05-09T14:00:00", 840, "2026-05-10"),  # the easternmost zone is a day ahead
        ("2028-03-01T03:59:59", 0, "2028-02-29"),  # a leap day exists
        ("2026-05-10T00:14:00", 345, "2026-05-10"),  # a zone of quarter hours
    ],
)
def test_a_day_begins_at_four_local_time(instant: str, offset: int, day: str) -> None:
    assert calendar.effective_day(at(instant), offset) == date.fromisoformat(day)


def test_summer_time_makes_a_day_of_23_or_25_hours_and_not_two_days() -> None:
    """Berlin, 2026: answers at 21:00 local on the evenings around each change are one day apart."""
    spring = [(at("2026-03-28T20:00:00"), 60), (at("2026-03-29T19:00:00"), 120)]
    autumn = [(at("2026-10-24T19:00:00"), 120), (at("2026-10-25T20:00:00"), 60)]
    for before, after in (spring, autumn):
        days = [calendar.effective_day(*before), calendar.effective_day(*after)]
        assert calendar.days_between(*days) == 1


def test_an_evening_and_the_next_morning_are_a_day_apart() -> None:
    """Nine hours over the rollover count as one day, 23 hours within a day as none."""
    evening, morning = at("2026-05-10T22:00:00"), at("2026-05-11T07:00:00")
    assert calendar.days_between(calendar.effective_day(evening, 0), calendar.effective_day(morning, 0)) == 1
    early, late = at("2026-05-10T04:30:00"), at("2026-05-11T03:30:00")
    assert calendar.days_between(calendar.effective_day(early, 0), calendar.effective_day(late, 0)) == 0


def test_another_rollover_moves_the_boundary() -> None:
    instant = at("2026-05-10T05:00:00")
    assert calendar.effective_day(instant, 0, rollover_hour=6) == date(2026, 5, 9)
    assert calendar.effective_day(instant, 0, rollover_hour=0) == date(2026, 5, 10)


def test_a_clock_set_back_never_gives_a_negative_wait() -> None:
    assert calendar.days_between(date(2026, 5, 10), date(2026, 5, 5)) == 0
    assert calendar.not_before(at("2026-05-05T00:00:00"), at("2026-05-10T00:00:00")) == at("2026-05-10T00:00:00")
    assert calendar.not_before(at("2026-05-11T00:00:00"), at("2026-05-10T00:00:00")) == at("2026-05-11T00:00:00")


def test_the_last_year_and_the_first_hold() -> None:
    """At both ends of the calendar a day or an instant stays within it, without an error."""
    last = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    assert calendar.effective_day(last, 840) == date.max
    assert calendar.add_days(date(9999, 12, 30), 36_500) == date.max
    assert calendar.add_time(last, timedelta(days=1)).year == 9999
    assert calendar.start_of_day(date.max, -720).date() == date.max
    assert calendar.effective_day(datetime(1, 1, 1, tzinfo=UTC), -720) == date.min


def test_an_instant_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        calendar.effective_day(datetime(2026, 1, 1), 0)  # noqa: DTZ001 - what is refused
    with pytest.raises(ValueError, match="offset is unknown"):
        calendar.offset_minutes(datetime(2026, 1, 1))  # noqa: DTZ001


@pytest.mark.parametrize(("offset", "hour"), [(1440, 4), (-1440, 4), (0, 24), (0, -1)])
def test_a_zone_or_rollover_that_does_not_exist_is_refused(offset: int, hour: int) -> None:
    with pytest.raises(ValueError, match=r"no time zone|cannot begin"):
        calendar.effective_day(at("2026-01-01T00:00:00"), offset, rollover_hour=hour)


def test_an_offset_is_whole_minutes() -> None:
    zone = timezone(timedelta(hours=5, minutes=45))
    assert calendar.offset_minutes(datetime(2026, 1, 1, tzinfo=zone)) == 345


@given(
    instant=st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2200, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    offset=st.integers(-14 * 60, 14 * 60),
    hour=st.integers(0, 23),
)
def test_every_instant_lies_within_its_day(instant: datetime, offset: int, hour: int) -> None:
    """A day holds the instants from its beginning up to the beginning of the next."""
    moment = calendar.moment(instant, offset, rollover_hour=hour)
    begins = calendar.start_of_day(moment.day, offset, rollover_hour=hour)
    ends = calendar.start_of_day(calendar.add_days(moment.day, 1), offset, rollover_hour=hour)
    assert begins <= instant < ends
