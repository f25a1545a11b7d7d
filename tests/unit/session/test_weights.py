"""Other weights of the model: memories are told again from the first answer on, days that were promised stay."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from quiz.scheduling.cards import remembered, retrievability
from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import Settings
from quiz.session.events import SettingChange
from quiz.session.history import Amendments, Timeline, fold
from tests.unit.session.made import START, attempt, identity, series

#: Within the bounds, and far enough from the default to show.
OTHER = [0.4, 1.2, 3.1, 15.7, 7.2, 0.53, 1.7, 0.01, 1.5, 0.15, 1.0, 1.9, 0.1, 0.3, 2.3, 0.2, 2.9, 0.5, 0.6, 0.1, 0.3]
WEIGHTS = tuple(OTHER)
RATINGS = st.lists(st.tuples(st.sampled_from(list(Rating)), st.integers(0, 40)), min_size=1, max_size=12)


def weighed(place: int, value: object) -> SettingChange:
    now = START + timedelta(days=place, hours=1)
    return SettingChange(identity(now, 900 + place), now, 60, "weights", value)


@given(RATINGS)
def test_a_memory_told_again_under_the_same_weights_is_the_same_to_the_last_digit(
    history: list[tuple[Rating, int]],
) -> None:
    for weights in ((), WEIGHTS):
        settings = Settings(weights=weights)
        now, attempts = START, []
        for number, (rating, wait) in enumerate(history):
            now += timedelta(days=wait, minutes=1)
            attempts.append(attempt(number, now=now, rating=rating))
        line = Timeline((), (settings,))
        card = fold(attempts, Amendments(), line)
        assert card is not None
        assert remembered([(one.day, one.rating) for one in attempts], settings) == (card.stability, card.difficulty)


def test_new_weights_move_the_memory_at_once_and_no_day() -> None:
    attempts = series(4)
    plain = fold(attempts, Amendments(), Timeline())
    line = Timeline.of([weighed(10, {"values": OTHER, "reviews": 4})])
    moved = fold(attempts, Amendments(), line)
    assert plain is not None
    assert moved is not None
    assert (moved.due, moved.due_day, moved.reps) == (plain.due, plain.due_day, plain.reps)
    told = remembered([(one.day, one.rating) for one in attempts], Settings(weights=WEIGHTS))
    assert (moved.stability, moved.difficulty) == told != (plain.stability, plain.difficulty)
    assert fold(attempts, Amendments(), line, until=attempts[-1].id) == plain


def test_an_answer_after_them_counts_from_the_new_memory_and_the_way_back_gives_the_old_one() -> None:
    attempts = series(6)
    always = Timeline((), (Settings(weights=WEIGHTS),))
    between = Timeline.of([weighed(3, {"values": OTHER})])
    end, other = fold(attempts, Amendments(), between), fold(attempts, Amendments(), always)
    assert end is not None
    assert other is not None
    assert (end.stability, end.due_day) == (other.stability, other.due_day)
    back = fold(attempts, Amendments(), Timeline.of([weighed(3, {"values": OTHER}), weighed(20, None)]))
    plain = fold(attempts, Amendments(), Timeline())
    assert back is not None
    assert plain is not None
    assert (back.stability, back.difficulty) == (plain.stability, plain.difficulty)
    assert back.due_day == end.due_day


def test_the_chance_of_recall_follows_the_weights_own_curve() -> None:
    """At its stability a memory stands at 90 % under any weights."""
    card = fold(series(3), Amendments(), Timeline())
    assert card is not None
    at = card.last_day + timedelta(days=round(card.stability))
    for weights in ((), WEIGHTS):
        assert abs(retrievability(card, at, weights) - 0.9) < 0.02
    later = card.last_day + timedelta(days=400)
    assert retrievability(card, later, WEIGHTS) < retrievability(card, later)


def test_weights_that_cannot_be_read_change_nothing() -> None:
    line = Timeline.of([weighed(1, {"values": [1.0]}), weighed(2, [1.0] * 21), weighed(3, "fsrs")])
    assert line.now == Settings()
