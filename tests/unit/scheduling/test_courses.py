"""Whole courses of a card through the odd days of a calendar: each day counted once, no date moved backwards."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.scheduling import calendar
from quiz.scheduling.cards import Card, review
from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import Settings

PLAIN = Settings(fuzz=False)
BERLIN = ZoneInfo("Europe/Berlin")


def local(year: int, month: int, day: int, hour: int, minute: int = 0, zone: ZoneInfo = BERLIN) -> tuple[datetime, int]:
    """An instant on a learner's wall clock: in UTC, with the offset in force."""
    wall = datetime(year, month, day, hour, minute, tzinfo=zone)
    return wall.astimezone(UTC), calendar.offset_minutes(wall)


def learned(at: tuple[datetime, int], *, easy: bool = True) -> Card:
    return review(None, Rating.EASY if easy else Rating.GOOD, *at, settings=PLAIN, seed="x").card


@pytest.mark.parametrize(
    ("first", "change"),
    [(local(2026, 3, 24, 21), "spring"), (local(2026, 10, 20, 21), "autumn")],
)
def test_an_interval_over_a_change_of_the_clocks_is_its_days_and_begins_at_four_on_the_wall(
    first: tuple[datetime, int], change: str
) -> None:
    card = learned(first)
    assert (card.due_day - card.last_day).days == 8
    morning = (card.due_day.year, card.due_day.month, card.due_day.day)
    before, due = local(*morning, 3, 59), local(*morning, 4, 0)
    days = [calendar.effective_day(*at) for at in (before, due)]
    assert [card.is_due(at[0], day) for at, day in zip((before, due), days, strict=True)] == [False, True]
    answered = review(card, Rating.GOOD, *due, settings=PLAIN, seed="x").card
    steady = review(card, Rating.GOOD, due[0], first[1], settings=PLAIN, seed="x", day=card.due_day).card
    assert answered.stability == steady.stability, change


def test_a_learning_step_over_the_hour_that_is_missing_or_twice_is_its_minutes() -> None:
    for at in (local(2026, 3, 29, 1, 55), local(2026, 10, 25, 2, 55)):
        card = learned(at, easy=False)
        assert card.due - at[0] == timedelta(minutes=10)


@pytest.mark.parametrize(
    ("zone", "hour"),
    [("America/Los_Angeles", 8), ("Asia/Tokyo", 8), ("Pacific/Kiritimati", 8), ("Pacific/Pago_Pago", 8)],
)
def test_after_a_journey_a_card_is_due_on_its_day_wherever_the_learner_is(zone: str, hour: int) -> None:
    """East or west, over the date line too: the day on the wall decides, and no day is due twice."""
    card = learned(local(2026, 6, 1, 20))
    due = card.due_day
    there = local(due.year, due.month, due.day, hour, zone=ZoneInfo(zone))
    assert card.is_due(there[0], calendar.effective_day(*there))
    again = review(card, Rating.GOOD, *there, settings=PLAIN, seed="x").card
    assert (again.last_day, again.due_day > due) == (due, True)
    back = local(due.year, due.month, due.day, 23)
    assert not again.is_due(back[0], calendar.effective_day(*back))


def test_a_journey_west_to_the_day_before_counts_no_day_twice() -> None:
    """Answered on Tuesday in Auckland, then on Monday in Honolulu: still Tuesday's answer, nothing negative."""
    card = learned(local(2026, 6, 2, 9, zone=ZoneInfo("Pacific/Auckland")))
    there = local(2026, 6, 1, 20, zone=ZoneInfo("Pacific/Honolulu"))
    assert there[0] > card.last
    assert calendar.effective_day(*there) < card.last_day
    after = review(card, Rating.GOOD, *there, settings=PLAIN, seed="x").card
    assert after.last_day == card.last_day
    assert after.due_day > card.last_day


def test_a_clock_that_was_set_back_or_ran_ahead_moves_nothing_backwards() -> None:
    card = learned(local(2026, 6, 10, 9))
    early = review(card, Rating.GOOD, *local(2026, 6, 5, 9), settings=PLAIN, seed="x").card
    assert (early.last, early.last_day) == (card.last, card.last_day)
    assert early.due_day > card.last_day
    ahead = review(card, Rating.GOOD, *local(2031, 1, 1, 9), settings=PLAIN, seed="x").card
    right = review(ahead, Rating.GOOD, *local(2026, 6, 20, 9), settings=PLAIN, seed="x").card
    assert right.last_day == ahead.last_day == date(2031, 1, 1)


def test_a_leap_day_is_a_day() -> None:
    with_, without = learned(local(2028, 2, 25, 9)), learned(local(2027, 2, 25, 9))
    assert (with_.due_day, without.due_day) == (date(2028, 3, 4), date(2027, 3, 5))
    born = learned(local(2028, 2, 29, 23))
    assert born.last_day == date(2028, 2, 29)
    assert (born.due_day - born.last_day).days == 8


def test_at_the_end_of_the_calendar_a_card_stays_at_its_last_day() -> None:
    card = learned((datetime(9999, 12, 28, 12, tzinfo=UTC), 0))
    assert card.due_day == date.max
    for _ in range(3):
        card = review(card, Rating.EASY, datetime(9999, 12, 31, 23, tzinfo=UTC), 0, settings=PLAIN, seed="x").card
        assert card.due_day == card.last_day == date.max


def test_a_rollover_changed_on_the_way_leaves_the_days_that_were_and_counts_the_new_ones() -> None:
    """An answer at two at night belongs to the evening before at a rollover of four, to the morning at one of zero."""
    night = local(2026, 6, 11, 2)
    four = review(learned(local(2026, 6, 3, 9)), Rating.GOOD, *night, settings=PLAIN, seed="x").card
    zero = Settings(fuzz=False, rollover_hour=0)
    assert four.last_day == date(2026, 6, 10)
    later = review(four, Rating.GOOD, *local(2026, 7, 3, 2), settings=zero, seed="x").card
    assert (later.last_day, four.last_day) == (date(2026, 7, 3), date(2026, 6, 10))
    assert later.due == calendar.start_of_day(later.due_day, 120, rollover_hour=0)


@given(
    st.lists(
        st.tuples(st.sampled_from(list(Rating)), st.integers(-3, 60), st.integers(-14, 14), st.integers(0, 23)),
        min_size=2,
        max_size=10,
    )
)
def test_no_course_of_travel_clocks_and_rollovers_is_due_twice_a_day_or_goes_back(
    course: list[tuple[Rating, int, int, int]],
) -> None:
    """Each answer: a rating, days since the one before (the clock may be set back), hours east, a rollover."""
    now = datetime(2026, 2, 20, 12, tzinfo=UTC)
    card: Card | None = None
    days: list[date] = []
    for rating, apart, east, hour in course:
        now += timedelta(days=apart, hours=5)
        card = review(card, rating, now, 60 * east, settings=Settings(rollover_hour=hour), seed="x").card
        days.append(card.last_day)
        assert card.is_learning or card.due_day > card.last_day
        assert card.due >= card.last or not card.is_learning
    assert all(earlier <= later for earlier, later in pairwise(days))
