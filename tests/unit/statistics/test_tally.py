"""Tallies: what one answer adds, and that sums do not depend on the order of adding."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from quiz.scheduling.cards import Card, CardKey
from quiz.scheduling.rating import CONFIDENCES, Rating
from quiz.session.attempt import Part, Response
from quiz.statistics.tally import (
    LONGEST_MS,
    Cell,
    Kept,
    class_end,
    class_of,
    contributions,
    keys_of_days,
    of_day,
    quarter_named,
    quarter_number,
    quarter_of,
)
from tests.unit.session.made import attempt

if TYPE_CHECKING:
    from collections.abc import Mapping

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
DAY = "day 2026-03-10"


def card(interval: int, *, ago: int | None = None, state: Any = "review") -> Card:
    """A card answered `ago` days before NOON (by default when it is due), with an interval in days."""
    last = NOON - timedelta(days=interval if ago is None else ago)
    due = last + timedelta(days=interval)
    return Card(10.0, 5.0, state, None, due, due.date(), last, last.date(), 3, 0)


def added(before: Card | None = None, rating: Rating = Rating.GOOD, **more: Any) -> Mapping[Cell, int]:
    return contributions(attempt(now=NOON, **{"offset": 0, **more}), before, rating)


def keys(cells: Mapping[Cell, int], name: str = DAY) -> dict[str, int]:
    return {cell.key: count for cell, count in cells.items() if cell.name == name}


def test_every_answer_counts_once_in_its_day_its_hour_its_time_and_its_question() -> None:
    cells = added()
    assert keys(cells) == {
        "answers": 1,
        "ms": 21_500,
        "took 20480": 1,
        "hour 12 right": 1,
        "new": 1,
        "sure 75 right": 1,
    }
    assert cells[Cell("ms", "mb-70b-4nodes", "")] == 21_500


@pytest.mark.parametrize(
    ("before", "grown"),
    [
        (card(20), "young"),
        (card(21), "mature"),
        (card(400), "mature"),
        (card(1, state="learning"), "learning"),
        (card(30, state="relearning"), "learning"),
    ],
)
def test_the_interval_before_the_answer_decides_between_young_and_mature(before: Card, grown: str) -> None:
    """From 21 days on a card is mature; one in its steps is learning, whatever its interval."""
    assert keys(added(before))[f"recall {grown} pass"] == 1
    assert keys(added(before, Rating.AGAIN))[f"recall {grown} fail"] == 1
    assert keys(added(before), "recall 2026Q1") == {"pass": 1}


def test_hard_passes_and_only_again_fails() -> None:
    assert [keys(added(card(5), rating), "recall 2026Q1") for rating in Rating] == [{"fail": 1}, *([{"pass": 1}] * 3)]


def test_only_the_first_answer_of_the_cards_day_tests_memory_and_confidence() -> None:
    again = keys(added(card(0, ago=0, state="learning")))
    assert not [key for key in again if key.startswith(("recall", "sure"))]
    assert again["answers"] == 1


def test_an_answer_before_the_cards_last_day_is_no_first_one() -> None:
    """The clock was set back: the card counts the answer on its last day, so do the tallies."""
    assert not [key for key in keys(added(card(4, ago=-3))) if key.startswith("recall")]


def test_a_first_answer_is_new_and_no_test_of_memory_but_one_of_confidence() -> None:
    found = keys(added(None))
    assert found["new"] == 1
    assert found["sure 75 right"] == 1
    assert not [key for key in found if key.startswith("recall")]


def test_without_a_confidence_none_is_counted() -> None:
    assert not [key for key in keys(added(confidence=None)) if key.startswith("sure")]


def test_close_is_not_right_for_the_calibration_although_it_passes() -> None:
    found = keys(added(card(5), Rating.HARD, verdict="close"))
    assert (found["sure 75 wrong"], found["recall young pass"]) == (1, 1)


@pytest.mark.parametrize(("duration", "counted"), [(-5, 0), (0, 0), (9_000_000, LONGEST_MS)])
def test_an_answers_time_is_never_negative_and_counts_up_to_ten_minutes(duration: int, counted: int) -> None:
    cells = added(duration_ms=duration)
    assert cells.get(Cell(DAY, "", "ms"), 0) == counted
    assert keys(cells)[f"took {class_of(counted)}"] == 1


def test_a_mistake_named_for_the_whole_and_for_its_part_counts_once() -> None:
    parts = (Part("choice", "correct"), Part("then", "incorrect", "one-node"), Part("part 2", "incorrect", "gib"))
    assert keys(added(slip="one-node", parts=parts), "slip 2026Q1") == {"one-node": 1, "gib": 1}


def test_a_wrong_option_is_counted_and_a_right_one_or_an_order_is_not() -> None:
    assert keys(added(verdict="incorrect", response=Response(("ddp",))), "chose 2026Q1") == {"ddp": 1}
    assert keys(added(verdict="incorrect", response=Response(("fsdp",), "9 GB")), "chose 2026Q1") == {}
    assert keys(added(verdict="incorrect", response=Response(("ddp", "fsdp"))), "chose 2026Q1") == {}


def test_the_hour_is_the_learners() -> None:
    found = keys(added(offset=-330), "day 2026-03-10")
    assert found["hour 06 right"] == 1


@settings(max_examples=50)
@given(st.integers(0, LONGEST_MS))
def test_a_time_lies_in_its_class_which_is_at_most_a_quarter_wide(milliseconds: int) -> None:
    lower = class_of(milliseconds)
    assert lower <= milliseconds < class_end(lower)
    assert class_of(class_end(lower)) == class_end(lower)
    assert lower == 0 or class_end(lower) - lower <= lower / 4


def test_quarters_begin_in_january_april_july_and_october() -> None:
    found = [quarter_of(date(2026, month, 1))[-2:] for month in range(1, 13)]
    assert found == ["Q1"] * 3 + ["Q2"] * 3 + ["Q3"] * 3 + ["Q4"] * 3


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b"]),
            st.integers(0, 40),
            st.sampled_from(Rating),
            st.sampled_from([None, 25, 95]),
            st.sampled_from([None, "gib"]),
        ),
        max_size=8,
    ),
    st.randoms(use_true_random=False),
)
def test_sums_are_the_same_in_any_order_and_by_question_as_a_whole(answers: list[Any], chance: Any) -> None:
    """So that what is kept as a running sum equals what a rebuild finds."""
    added_by: list[Mapping[Cell, int]] = []
    for number, (question, interval, rating, confidence, slip) in enumerate(answers):
        given_now = attempt(number, now=NOON, key=CardKey("core", question), confidence=confidence, slip=slip)
        added_by.append(contributions(given_now, card(interval) if interval else None, rating))
    total: Counter[Cell] = Counter()
    for cells in added_by:
        total.update(cells)
    chance.shuffle(added_by)
    shuffled: Counter[Cell] = Counter()
    for cells in added_by:
        shuffled.update(cells)
    assert shuffled == total
    assert all(count > 0 for count in total.values())
    assert sum(count for cell, count in total.items() if cell.key == "answers") == len(answers)


@given(
    st.integers(-5, 2_000_000),
    st.integers(0, 24 * 60 - 1),
    st.sampled_from(Rating),
    st.sampled_from([None, *CONFIDENCES]),
    st.sampled_from([None, 3, 30]),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_every_key_that_a_day_can_have_is_among_those_that_are_told(
    ms: int,
    minute: int,
    rating: Rating,
    confidence: Any,
    interval: int | None,
    learning: bool,  # noqa: FBT001 - a case
) -> None:
    known = keys_of_days()
    assert len(known) == len(set(known))
    before = None if interval is None else card(interval, state="learning" if learning else "review")
    now = NOON + timedelta(minutes=minute)
    verdict = "correct" if rating > Rating.AGAIN else "incorrect"
    one = attempt(now=now, duration_ms=ms, confidence=confidence, verdict=verdict, rating=rating)
    assert of_day(one, before, rating).keys() <= set(known)


QUARTERS = st.lists(st.tuples(st.integers(0, 2_000), st.booleans(), st.integers(0, 5_000)), max_size=30)


@given(QUARTERS, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_a_card_holds_its_tests_of_the_last_two_quarters_whatever_the_order_of_its_answers(
    answers: list[tuple[int, bool, int]], chance: Any
) -> None:
    """They are those that the cells hold, for the quarter of the last test and for the one before."""

    def kept(some: list[tuple[int, bool, int]]) -> Kept:
        found = Kept()
        for days, right, ms in some:
            now = NOON + timedelta(days=days)
            before = structs.replace(card(5), last_day=now.date() - timedelta(days=5))
            given_now = attempt(now=now, offset=0, duration_ms=ms)
            found = found.after(given_now, before, Rating.GOOD if right else Rating.AGAIN)
        return found

    mixed = list(answers)
    chance.shuffle(mixed)
    found = kept(answers)
    assert found == kept(mixed)
    assert found.ms == sum(ms for _, _, ms in answers)
    tests = [(quarter_number((NOON + timedelta(days=days)).date()), right) for days, right, _ in answers]
    last = max((quarter for quarter, _ in tests), default=0)
    for first in (last - 2, last - 1, last, last + 1):
        counted = [right for quarter, right in tests if quarter in (first, first + 1) and quarter >= last - 1]
        assert found.tested(first) == (sum(counted), len(counted) - sum(counted))


def test_the_first_answer_of_a_card_tests_no_memory_and_takes_its_time() -> None:
    assert Kept().after(attempt(duration_ms=4_000), None, Rating.GOOD) == Kept(ms=4_000)


@pytest.mark.parametrize("day", [date(2026, 1, 1), date(2026, 3, 31), date(2026, 12, 31), date(9999, 12, 31)])
def test_a_quarter_has_one_name_whether_told_by_its_day_or_by_its_number(day: date) -> None:
    assert quarter_named(quarter_number(day)) == quarter_of(day)
