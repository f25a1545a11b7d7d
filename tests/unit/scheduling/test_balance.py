"""Load balancing: within the spread the lightest day, the same for the same cards, never against the rating."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from quiz.scheduling import balance, cards
from quiz.scheduling.balance import Loads
from quiz.scheduling.cards import Card, review
from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import WEEKDAYS, Settings

START = datetime(2026, 1, 5, 9, tzinfo=UTC)


def card(days: int = 30) -> Card:
    """A card in review whose next intervals are wide enough to choose within."""
    first = review(None, Rating.EASY, START, 0, settings=Settings(fuzz=False), seed="x").card
    return review(first, Rating.GOOD, START + timedelta(days=days), 0, settings=Settings(fuzz=False), seed="x").card


NOW = START + timedelta(days=90)
LOADS = st.dictionaries(st.integers(0, 400).map(lambda place: NOW.date() + timedelta(days=place)), st.integers(0, 30))
EASY = st.lists(st.sampled_from(WEEKDAYS), unique=True).map(tuple)


@given(LOADS, EASY, st.booleans(), st.integers(1, 400), st.text(max_size=3))
def test_the_chosen_day_lies_within_the_spread_and_no_lighter_one_does(
    load: dict[date, int],
    easy: tuple[str, ...],
    even: bool,  # noqa: FBT001 - drawn
    maximum: int,
    seed: str,
) -> None:
    """And a better rating never comes back sooner; whatever the load, the maximum interval holds."""
    settings = Settings(easy_days=easy, balance=even, maximum_interval=maximum)
    found = balance.preview(card(), NOW, 0, settings=settings, seed=seed, load=load)
    assert found == balance.preview(card(), NOW, 0, settings=settings, seed=seed, load=load)
    days = [found[rating].after.card.due_day for rating in Rating]
    assert days[1:] == sorted(days[1:])
    for rating in (Rating.HARD, Rating.GOOD, Rating.EASY):
        after, placed = found[rating]
        assert after.earliest <= after.card.due_day <= after.latest
        assert after.days <= maximum
        drawn = review(card(), rating, NOW, 0, settings=settings, seed=seed)
        assert placed == (drawn.card.due_day != after.card.due_day)
        assert (after.earliest, after.latest) == (drawn.earliest, drawn.latest)


def weigh(day: date, load: dict[date, int], easy: tuple[str, ...]) -> int:
    return (load.get(day, 0) + 1) * (3 if WEEKDAYS[day.weekday()] in easy else 1)


@given(LOADS, EASY)
def test_no_day_of_the_spread_is_lighter_than_the_chosen_one(load: dict[date, int], easy: tuple[str, ...]) -> None:
    settings = Settings(easy_days=easy)
    after, _ = balance.preview(card(), NOW, 0, settings=settings, seed="s", load=load)[Rating.HARD]
    spread = [date.fromordinal(n) for n in range(after.earliest.toordinal(), after.latest.toordinal() + 1)]
    assert len(spread) > 3
    assert weigh(after.card.due_day, load, easy) == min(weigh(day, load, easy) for day in spread)


def test_without_a_load_or_with_balancing_off_the_fuzz_decides() -> None:
    heavy = {NOW.date() + timedelta(days=place): 9 for place in range(0, 400, 2)}
    drawn = {rating: review(card(), rating, NOW, 0, settings=Settings(), seed="s") for rating in Rating}
    for settings, load in (
        (Settings(balance=False), heavy),
        (Settings(), None),
    ):
        found = balance.preview(card(), NOW, 0, settings=settings, seed="s", load=load)
        assert {rating: one.after for rating, one in found.items()} == drawn
        assert not any(one.placed for one in found.values())
    exact = balance.preview(card(), NOW, 0, settings=Settings(fuzz=False), seed="s", load=heavy)
    assert not any(one.placed for one in exact.values())


def test_a_thousand_cards_spread_evenly_and_an_easy_day_takes_about_a_third() -> None:
    """The reviews of one day, put back one after the other: without balancing days differ much more."""
    counts: dict[bool, dict[date, int]] = {}
    for even in (True, False):
        settings = Settings(balance=even, easy_days=("sun",) if even else ())
        load: dict[date, int] = {}
        for number in range(1_000):
            after = balance.preview(card(), NOW, 0, settings=settings, seed=str(number), load=load)[Rating.GOOD].after
            load[after.card.due_day] = load.get(after.card.due_day, 0) + 1
        counts[even] = load
    plain = [count for day, count in counts[True].items() if day.weekday() != 6]
    sundays = [count for day, count in counts[True].items() if day.weekday() == 6]
    assert max(plain) - min(plain) <= 1
    assert max(counts[False].values()) - min(counts[False].values()) > 10
    assert sundays
    assert all(0.3 <= count / max(plain) <= 0.4 for count in sundays)


def test_the_span_covers_every_day_that_a_rating_may_choose() -> None:
    found = balance.preview(card(), NOW, 0, settings=Settings(), seed="s", load={})
    span = balance.span(found)
    assert span is not None
    assert all(span[0] <= found[rating].after.card.due_day <= span[1] for rating in Rating if rating > Rating.AGAIN)
    assert balance.span(balance.preview(None, NOW, 0, settings=Settings(fuzz=False), seed="s")) is None


def test_what_was_chosen_for_another_load_or_another_moment_is_not_taken_for_this_one() -> None:
    """It is kept to be stored a moment later, whatever moment of the day that is; any other fact has it chosen anew."""
    one, other = (
        Loads.of({NOW.date() + timedelta(days=place): 9 for place in range(900) if place % 5 != free})
        for free in (0, 2)
    )
    asked = [
        (at, load, settings)
        for at in (NOW, NOW + timedelta(hours=2), NOW + timedelta(days=30))
        for load in (one, other, None)
        for settings in (Settings(), Settings(easy_days=("mon", "tue", "wed")), Settings(balance=False))
    ]

    def chosen(at: datetime, load: Loads | None, settings: Settings) -> object:
        return balance.preview(card(), at, 0, settings=settings, seed="s", load=load)

    fresh = []
    for facts in asked:
        balance._LATEST.clear()
        cards._LATEST.clear()
        fresh.append(chosen(*facts))
    for before in asked:
        for facts, expected in zip(asked, fresh, strict=True):
            chosen(*before)
            assert chosen(*facts) == expected
    assert len({repr(found) for found in fresh}) >= 3 * 4


def test_a_load_goes_by_day_as_it_came() -> None:
    load = {date(2026, 3, 2): 4, date(2026, 3, 3): 1, date(2031, 1, 1): 7}
    assert Loads.of(load).by_day() == load
