"""Cards derived from events."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations

import pytest
from msgspec.structs import replace

from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import Settings
from quiz.session.attempt import Promise, Response
from quiz.session.events import Rerating, SettingChange
from quiz.session.history import Amendments, Timeline, fold, latest, same_moment
from tests.unit.session.made import START, attempt, identity, series


def change(days: float, name: str, value: object) -> SettingChange:
    now = START + timedelta(days=days)
    return SettingChange(identity(now, 99), now, 60, name, value)


def test_the_order_of_arrival_does_not_matter() -> None:
    attempts = series(4)
    cards = {card for order in permutations(attempts) if (card := fold(order, Amendments(), Timeline()))}
    assert len(cards) == 1


def test_a_retracted_attempt_does_not_count() -> None:
    attempts = series(4)
    without = fold([one for one in attempts if one is not attempts[2]], Amendments(), Timeline())
    assert fold(attempts, Amendments({attempts[2].id}), Timeline()) == without
    assert fold(attempts, Amendments({one.id for one in attempts}), Timeline()) is None


def test_the_latest_rerating_counts() -> None:
    attempts = series(2)
    promise = Promise(START, START.date())
    reratings = latest(
        Rerating(identity(START, number), START, 0, attempts[1].id, rating, promise)
        for number, rating in ((9, Rating.AGAIN), (8, Rating.EASY))
    )
    assert fold(attempts, Amendments(reratings=reratings), Timeline()) == fold(
        [attempts[0], replace(attempts[1], rating=Rating.AGAIN)], Amendments(), Timeline()
    )


def test_a_setting_holds_from_its_place_on_and_leaves_the_past() -> None:
    """Answers before a change are derived with the settings of their time, answers after it with the new."""
    attempts = series(3, apart=timedelta(days=5))
    late = change(90, "retention", 0.99)
    between = change(7, "retention", 0.99)
    plain = fold(attempts, Amendments(), Timeline())
    assert fold(attempts, Amendments(), Timeline.of([late])) == plain
    tighter = fold(attempts, Amendments(), Timeline.of([between]))
    assert plain is not None
    assert tighter is not None
    assert tighter.due_day < plain.due_day
    assert tighter.stability == plain.stability


def test_a_changed_rollover_keeps_the_days_of_the_past() -> None:
    attempts = series(3)
    plain = fold(attempts, Amendments(), Timeline())
    moved = fold(attempts, Amendments(), Timeline.of([change(-1, "rollover_hour", 12)]))
    assert plain is not None
    assert moved is not None
    assert (moved.last_day, moved.stability) == (plain.last_day, plain.stability)


def test_a_setting_that_this_program_does_not_know_changes_nothing() -> None:
    line = Timeline.of([change(1, "easy_days", [6]), change(2, "retention", 7), change(3, "fuzz", value=False)])
    assert line.now == Settings(fuzz=False)
    assert line.at(identity(START)) == Settings()


def test_a_key_pressed_twice_is_the_same_moment() -> None:
    one = attempt(1)
    assert same_moment(one, attempt(2, now=START + timedelta(milliseconds=300)))
    assert same_moment(attempt(2, now=START + timedelta(milliseconds=300)), one)


@pytest.mark.parametrize(
    "other",
    [
        attempt(2, now=START + timedelta(seconds=3)),
        attempt(2, now=START + timedelta(seconds=1), duration_ms=900),
        attempt(2, now=START + timedelta(seconds=1), response=Response(chosen=("ddp",))),
        attempt(2, now=START + timedelta(seconds=1), verdict="incorrect"),
        attempt(2, now=START + timedelta(seconds=1), key=attempt().card._replace(question="other")),
    ],
    ids=["later", "asked again in between", "another answer", "another verdict", "another card"],
)
def test_what_is_a_new_answer_is_not_the_same_moment(other: object) -> None:
    assert not same_moment(attempt(1), other)  # type: ignore[arg-type]
