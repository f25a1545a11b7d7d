"""The schedule of one question: the package's memory model under our calendar."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import fsrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.scheduling import calendar, cards
from quiz.scheduling.cards import Card, CardKey, Reviewed, fuzzed, preview, retrievability, review
from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import Settings

PLAIN = Settings(fuzz=False)
START = datetime(2022, 11, 29, 12, 30, tzinfo=UTC)
RATINGS = st.sampled_from(list(Rating))


def run(ratings: list[int], waits: list[int], settings: Settings = PLAIN) -> Card:
    """Review with the given ratings, each so many days after the one before."""
    card: Card | None = None
    now = START
    for rating, wait in zip(ratings, waits, strict=True):
        now += timedelta(days=wait)
        card = review(card, Rating(rating), now, 0, settings=settings, seed="x").card
    assert card is not None
    return card


def test_intervals_at_due_times_are_those_of_the_reference() -> None:
    """Each review at its due instant, default weights, no fuzz: the published intervals of FSRS-6."""
    card: Card | None = None
    now, days = START, []
    for rating in (3, 3, 3, 3, 3, 3, 1, 1, 3, 3, 3, 3, 3):
        reviewed = review(card, Rating(rating), now, 0, settings=PLAIN, seed="x")
        card, now = reviewed.card, reviewed.due
        days.append(reviewed.days)
    assert days == [0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21]


def test_stability_and_difficulty_are_those_of_the_reference() -> None:
    card = run([1, 3, 3, 3, 3, 3], [0, 0, 1, 3, 8, 21])
    assert card.stability == pytest.approx(53.62691, abs=1e-4)
    assert card.difficulty == pytest.approx(6.3574867, abs=1e-4)


@given(history=st.lists(st.tuples(RATINGS, st.integers(0, 400)), min_size=1, max_size=12))
def test_at_whole_days_the_memory_is_the_package_s_own(history: list[tuple[Rating, int]]) -> None:
    """Where answers lie whole days apart, calendar days and 24-hour blocks agree, and so must the cards."""
    scheduler = fsrs.Scheduler(enable_fuzzing=False)
    theirs, now = fsrs.Card(card_id=1, due=START), START
    ours: Card | None = None
    for rating, wait in history:
        now += timedelta(days=wait)
        theirs, _ = scheduler.review_card(theirs, fsrs.Rating(int(rating)), now)
        ours = review(ours, rating, now, 0, settings=PLAIN, seed="x").card
        assert (ours.stability, ours.difficulty) == (theirs.stability, theirs.difficulty)
        assert (ours.state, ours.step) == (theirs.state.name.lower(), theirs.step)
        assert retrievability(ours, ours.last_day + timedelta(days=9)) == pytest.approx(
            scheduler.get_card_retrievability(theirs, now + timedelta(days=9)), abs=1e-12
        )


def test_elapsed_time_is_calendar_days_and_not_blocks_of_24_hours() -> None:
    """Late in the evening and early next morning are a day apart, for the memory too."""
    evening = datetime(2026, 5, 10, 22, tzinfo=UTC)
    first = review(None, Rating.EASY, evening, 0, settings=PLAIN, seed="x").card
    next_morning = review(first, Rating.GOOD, evening + timedelta(hours=9), 0, settings=PLAIN, seed="x").card
    next_evening = review(first, Rating.GOOD, evening + timedelta(hours=24), 0, settings=PLAIN, seed="x").card
    same_night = review(first, Rating.GOOD, evening + timedelta(hours=5), 0, settings=PLAIN, seed="x").card
    assert next_morning.stability == next_evening.stability
    assert same_night.stability != next_morning.stability


def test_learning_steps_are_minutes_and_reviews_begin_with_their_day() -> None:
    first = review(None, Rating.GOOD, START, 60, settings=PLAIN, seed="x")
    assert (first.due, first.days, first.card.state) == (START + timedelta(minutes=10), 0, "learning")
    again = review(None, Rating.AGAIN, START, 60, settings=PLAIN, seed="x")
    assert again.due == START + timedelta(minutes=1)
    second = review(first.card, Rating.GOOD, first.due, 60, settings=PLAIN, seed="x")
    assert second.days == 2
    assert second.due == datetime(2022, 12, 1, 3, tzinfo=UTC)  # 04:00 in a zone one hour east
    assert second.card.due_day == date(2022, 12, 1)


def test_a_review_is_due_by_day_and_a_learning_card_by_the_clock() -> None:
    """Neither summer time nor travel makes a review wait until the hour at which it was promised."""
    card = run([4], [0])
    assert not card.is_due(card.due + timedelta(hours=1), card.due_day - timedelta(days=1))
    assert card.is_due(card.due - timedelta(hours=5), card.due_day)
    learning = run([3], [0])
    assert not learning.is_due(learning.due - timedelta(seconds=1), learning.due_day)
    assert learning.is_due(learning.due, learning.due_day)


def test_a_clock_set_back_moves_no_date_backwards() -> None:
    card = run([4, 3], [0, 10])
    back = review(card, Rating.GOOD, card.last - timedelta(days=5), 0, settings=PLAIN, seed="x").card
    assert back.last == card.last
    assert back.last_day == card.last_day
    assert back.due_day > card.last_day
    assert back.stability >= card.stability


def test_lapses_count_what_was_forgotten_in_review_only() -> None:
    assert run([1, 1, 3, 3], [0, 0, 0, 0]).lapses == 0
    forgotten = run([4, 1, 1], [0, 9, 0])
    assert (forgotten.lapses, forgotten.reps, forgotten.state) == (1, 3, "relearning")


def test_the_end_of_the_calendar_holds() -> None:
    card = review(None, Rating.EASY, datetime(2026, 1, 1, tzinfo=UTC), 0, settings=PLAIN, seed="x").card
    late = review(card, Rating.GOOD, datetime(9999, 12, 31, 23, tzinfo=UTC), 840, settings=PLAIN, seed="x")
    assert late.card.due_day == date.max
    assert late.days <= PLAIN.maximum_interval


def test_without_learning_steps_a_new_card_goes_straight_to_review() -> None:
    settings = Settings(fuzz=False, learning_steps=(), relearning_steps=())
    card = run([1], [0], settings)
    assert card.state == "review"
    assert card.due_day > card.last_day
    assert run([3, 1], [0, 5], settings).lapses == 1


@given(
    history=st.lists(st.tuples(RATINGS, st.integers(0, 90_000)), max_size=8),
    offset=st.integers(-720, 840),
    hour=st.integers(0, 23),
    maximum=st.sampled_from([1, 5, 100, 36_500]),
)
def test_the_preview_is_what_is_stored(history: list[tuple[Rating, int]], offset: int, hour: int, maximum: int) -> None:
    """Whatever came before: the interval shown is the one stored, within its bounds, and a better rating
    never comes back sooner."""
    settings = Settings(rollover_hour=hour, maximum_interval=maximum)
    card: Card | None = None
    now = START
    for rating, minutes in history:
        now += timedelta(minutes=minutes)
        card = review(card, rating, now, offset, settings=settings, seed="bank/q").card
    shown = preview(card, now, offset, settings=settings, seed="bank/q")
    for rating in Rating:
        stored = review(card, rating, now, offset, settings=settings, seed="bank/q")
        assert shown[rating] == stored
        assert stored.days <= maximum
        assert stored.card.due == stored.due > now - timedelta(seconds=1)
        if stored.card.state == "review":
            assert stored.days >= 1
            assert stored.card.due_day == calendar.add_days(stored.card.last_day, stored.days)
            assert calendar.effective_day(stored.due, offset, rollover_hour=hour) == stored.card.due_day
    intervals = [shown[rating].interval for rating in (Rating.HARD, Rating.GOOD, Rating.EASY)]
    assert intervals == sorted(intervals)


def package_range(days: int, maximum: int) -> tuple[int, int]:
    """The bounds that the package states for its fuzz."""
    delta = 1.0
    for part in fsrs.scheduler.FUZZ_RANGES:
        delta += part["factor"] * max(min(float(days), part["end"]) - part["start"], 0.0)
    low, high = max(2, round(days - delta)), min(round(days + delta), maximum)
    return min(low, high), high


@given(days=st.integers(1, 40_000), reps=st.integers(0, 500), seed=st.text(max_size=5))
def test_fuzz_stays_within_the_stated_bounds(days: int, reps: int, seed: str) -> None:
    """The package's own draw can exceed its bound by a day; ours never does."""
    moved = fuzzed(days, seed, reps, 36_500)
    if days < 3:
        assert moved == days
    else:
        low, high = package_range(days, 36_500)
        assert low <= moved <= high
    assert moved == fuzzed(days, seed, reps, 36_500)


def test_fuzz_reaches_both_bounds_and_what_lies_between() -> None:
    low, high = package_range(100, 36_500)
    assert {fuzzed(100, str(seed), 0, 36_500) for seed in range(500)} == set(range(low, high + 1))


@given(days=st.integers(3, 2_000), reps=st.integers(0, 50))
def test_fuzz_keeps_the_order_of_intervals(days: int, reps: int) -> None:
    assert fuzzed(days, "s", reps, 36_500) <= fuzzed(days + 1, "s", reps, 36_500)


def test_the_maximum_interval_is_applied_last() -> None:
    assert max(fuzzed(365, str(seed), 0, 365) for seed in range(300)) == 365


def test_a_card_key_seeds_by_all_its_parts() -> None:
    """No two keys share a seed, whatever their names contain."""
    keys = [CardKey("a", "b", 1), CardKey("a", "b", 11), CardKey("ab", "", 1), CardKey("a", "b")]
    assert len({key.seed for key in keys}) == len(keys)


def test_a_review_tells_its_card_due_and_interval() -> None:
    reviewed = review(None, Rating.EASY, START, 0, settings=PLAIN, seed="x")
    day = reviewed.card.due_day
    assert reviewed == Reviewed(reviewed.card, reviewed.card.due, timedelta(days=reviewed.days), day, day)


def test_what_an_answer_stores_does_not_depend_on_the_answer_that_was_rated_before() -> None:
    """One of them is remembered: each of its facts tells it from the next one."""
    settings = Settings()
    first = review(None, Rating.GOOD, START, 0, settings=settings, seed="x").card
    day = START.date() + timedelta(days=40)
    now = START + timedelta(days=40)
    usual: dict[str, object] = {
        "card": first,
        "now": now,
        "offset": 0,
        "settings": settings,
        "seed": "x",
        "day": day,
        "retention": None,
    }
    others: tuple[dict[str, object], ...] = (
        {"card": None},
        {"now": now + timedelta(minutes=1)},
        {"offset": 60},
        {"settings": Settings(retention=0.8)},
        {"seed": "y"},
        {"day": day + timedelta(days=30)},
        {"retention": 0.85},
    )

    def stored(facts: dict[str, object]) -> Reviewed:
        given_ = dict(facts)
        card, at, offset = given_.pop("card"), given_.pop("now"), given_.pop("offset")
        return review(card, Rating.GOOD, at, offset, **given_)  # type: ignore[arg-type]  # facts by name

    expected = []
    for other in others:
        cards._LATEST.clear()
        expected.append(stored(usual | other))
    for other, wanted in zip(others, expected, strict=True):
        before = stored(usual)
        assert stored(usual | other) == wanted
        assert stored(usual) == before
    assert len({repr(one) for one in (*expected, stored(usual))}) == len(others) + 1
