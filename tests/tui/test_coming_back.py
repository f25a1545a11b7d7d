"""What is said of coming back is what happens: the words, the count at the top, the wait, the day at the top."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from quiz.session.events import SettingChange
from quiz.tui import words
from quiz.tui.app import ShardwiseApp
from quiz.tui.ports import Answer, Ended, Today, Turn, Waiting, Wanted
from quiz.tui.screens import pause
from tests.tui.driving import Driver
from tests.tui.fixtures import NUMERIC, ORDERING, STRATEGY
from tests.tui.real_desk import MORNING, RIGHT, Clock, first, opened

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from quiz.tui.ports import Step

THREE = (STRATEGY, NUMERIC, ORDERING)


def place(step: Step) -> tuple[int, int]:
    assert isinstance(step, Turn)
    return step.number, step.total


def test_a_missed_question_comes_after_its_time_while_others_are_left(tmp_path: Path) -> None:
    clock = Clock()
    desk = opened(tmp_path, clock, *THREE)
    missed = first(desk)
    result = desk.submit(Answer(), None)
    assert (result.back, result.here) == ("in 1 minute", True)
    clock.now += timedelta(seconds=59)
    assert place(step := desk.next()) == (2, 4)
    assert isinstance(step, Turn)
    assert step.question.id != missed.question.id
    desk.submit(Answer(), None)
    clock.now += timedelta(seconds=1)
    step = desk.next()
    assert isinstance(step, Turn)
    assert (step.question.id, step.reason) == (missed.question.id, "learning")
    desk.close()


def test_the_count_holds_what_is_due_and_what_comes_back(tmp_path: Path) -> None:
    """Three questions, each missed once and then known: six answers, and the total says so from when it is known."""
    clock = Clock()
    desk = opened(tmp_path, clock, *THREE)
    step: Step = first(desk)
    places = []
    while isinstance(step, Turn):
        places.append((step.number, step.total, step.back))
        desk.submit(Answer(), None)
        desk.rerate("again" if len(places) <= 3 else "easy")
        step = desk.next()
        if isinstance(step, Waiting):
            step = desk.go_on()
    assert isinstance(step, Ended)
    assert places == [(1, 3, 0), (2, 4, 1), (3, 5, 2), (4, 6, 2), (5, 6, 1), (6, 6, 0)]
    desk.close()


def test_learning_cards_that_are_due_are_counted_from_the_first_question_on(tmp_path: Path) -> None:
    clock = Clock()
    desk = opened(tmp_path, clock, *THREE)
    first(desk)
    for _ in THREE:
        desk.submit(Answer(), None)
        desk.next()
    desk.leave()
    clock.now += timedelta(hours=1)
    assert place(desk.begin(Wanted(due_only=True))) == (1, 3)
    desk.close()


def test_with_nothing_else_left_the_session_waits_and_says_for_what(tmp_path: Path) -> None:
    clock = Clock()
    desk = opened(tmp_path, clock)
    first(desk)
    result = desk.submit(RIGHT, None)
    assert (result.back, result.here) == ("in 10 minutes", True)
    assert desk.next() == Waiting(((f"About {STRATEGY.id}", "in 10 minutes"),), 1)
    clock.now += timedelta(minutes=6)
    assert desk.next() == Waiting(((f"About {STRATEGY.id}", "in 4 minutes"),), 1)
    clock.now += timedelta(minutes=4)
    assert place(desk.next()) == (2, 2)
    desk.close()


def test_what_a_clock_that_was_set_back_puts_far_ahead_is_told_as_a_day(tmp_path: Path) -> None:
    clock = Clock()
    desk = opened(tmp_path, clock)
    first(desk)
    desk.submit(RIGHT, None)
    clock.now -= timedelta(hours=23)
    assert desk.standing().next_due == "in 23 hours"
    clock.now -= timedelta(days=19)
    assert desk.standing().next_due == "in 20 days (Mon 2 Mar)"
    (back,) = desk.leave().back
    assert back.back == "in 20 days (Mon 2 Mar)"
    desk.close()


def test_a_session_ends_although_something_comes_back(tmp_path: Path) -> None:
    desk = opened(tmp_path, Clock())
    first(desk)
    desk.submit(RIGHT, None)
    assert isinstance(desk.next(), Waiting)
    ended = desk.leave()
    assert (ended.answered, ended.left, ended.back[0].back) == (1, 0, "in 10 minutes")
    desk.close()


def test_a_question_asked_ahead_of_its_time_is_asked_because_the_learner_said_so(tmp_path: Path) -> None:
    desk = opened(tmp_path, Clock())
    first(desk)
    desk.submit(Answer(), None)
    assert isinstance(desk.next(), Waiting)
    ahead = desk.go_on()
    assert isinstance(ahead, Turn)
    assert ahead.question.id == STRATEGY.id
    desk.close()


async def test_the_pause_offers_to_wait_to_go_on_and_to_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pause, "LOOK", 0.3)
    clock = Clock()
    desk = opened(tmp_path, clock)
    app = ShardwiseApp(desk, first(desk))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        at = Driver(app, pilot)
        await at.see("1/1")
        await at.press("0")
        await at.see("again · back in 1 minute, in this session")
        await at.press("enter")
        ways = ("1 question comes back:", "in 1 minute", "ahead of time", "the next time", "enter go on now")
        await at.see("Nothing else is left now", f"About {STRATEGY.id}", *ways)
        await at.press("enter")
        await at.see("2/2")
        await at.press("0")
        await at.see("back in 1 minute")
        await at.press("enter")
        await at.see("Nothing else is left now")
        clock.now += timedelta(minutes=1)  # it comes by itself
        await at.see("3/3")
        await at.press("0")
        await at.see("back in 1 minute")
        await at.press("enter")
        await at.see("Nothing else is left now")
        await at.press("q")
        await at.see("Session done")
        await at.press("u")
        await at.see("Taken back: your answer to")
        await at.see("3/3")
    app.let_go()


# ---------------------------------------------------------------- nothing to do


def test_review_on_a_new_history_says_that_nothing_was_learned_and_what_begins(tmp_path: Path) -> None:
    desk = opened(tmp_path, Clock(), *THREE)
    assert isinstance(desk.begin(Wanted(due_only=True)), Ended)
    told = words.nothing(desk.standing(), "", due_only=True, start="`shardwise practice`")
    assert told == (
        "Nothing has been learned yet, so nothing is due. `shardwise practice` starts with 3 new questions."
    )
    desk.close()


def test_with_nothing_due_the_next_one_is_named_in_minutes_or_by_its_day(tmp_path: Path) -> None:
    clock = Clock()
    desk = opened(tmp_path, clock)
    first(desk)
    desk.submit(RIGHT, None)
    desk.leave()
    assert isinstance(desk.begin(Wanted(due_only=True)), Ended)
    told = words.nothing(desk.standing(), "", due_only=True, start="Enter")
    assert told == "Nothing is due now. Next: in 10 minutes."
    first_again = desk.begin(Wanted(questions=(STRATEGY.id,)))
    assert isinstance(first_again, Turn)
    desk.submit(RIGHT, None)
    desk.rerate("easy")
    told = words.nothing(desk.standing(), "", due_only=False, start="Enter")
    assert told.startswith("Nothing is due or new now. Next: in ")
    desk.close()


def test_a_topic_is_answered_for_itself(tmp_path: Path) -> None:
    desk = opened(tmp_path, Clock(), *THREE)
    first(desk, Wanted(questions=(STRATEGY.id,)))
    desk.submit(RIGHT, None)
    standing = desk.standing((NUMERIC.topic,))
    assert (standing.questions, standing.seen, standing.new, standing.next_due) == (1, 0, 1, "")
    desk.close()


def test_where_todays_new_questions_are_used_up_it_is_said(tmp_path: Path) -> None:
    clock = Clock()
    desk = opened(tmp_path, clock, *THREE)
    change = SettingChange(desk.store.new_id(clock.now), clock.now, 0, "new_per_day", 1)
    desk.store.append(change)
    clock.now += timedelta(minutes=1)
    first(desk)
    desk.submit(RIGHT, None)
    desk.rerate("easy")
    told = words.nothing(desk.standing(), "", due_only=False, start="Enter")
    assert told.endswith("Today's new questions are done; 2 not seen yet are left for other days.")
    desk.close()


# ---------------------------------------------------------------- the learner's day


def test_between_midnight_and_the_rollover_day_and_dates_are_the_learners(tmp_path: Path) -> None:
    zone = timezone(timedelta(hours=1))
    clock = Clock(datetime(2026, 3, 3, 1, 30, tzinfo=zone))
    desk = opened(tmp_path, clock)
    assert desk.today() == Today(MORNING.date(), "04:00")
    first(desk)
    desk.submit(RIGHT, 75)
    desk.rerate("easy")
    day, told = desk.today().day, desk.standing().next_due
    days = int(told.split()[1])
    assert f"{day + timedelta(days=days):%a} {(day + timedelta(days=days)).day}" in told
    clock.now = datetime(2026, 3, 3, 4, 0, tzinfo=zone)
    assert desk.today() == Today(datetime(2026, 3, 3, tzinfo=UTC).date())
    desk.close()


def test_another_rollover_hour_moves_the_day_at_the_top_too(tmp_path: Path) -> None:
    clock = Clock(datetime(2026, 3, 3, 5, 0, tzinfo=UTC))
    desk = opened(tmp_path, clock)
    desk.store.append(SettingChange(desk.store.new_id(clock.now), clock.now, 0, "rollover_hour", 6))
    desk.standing()
    assert desk.today() == Today(MORNING.date(), "06:00")
    desk.close()


async def test_the_head_of_home_says_the_learners_day_and_until_when(tmp_path: Path) -> None:
    desk = opened(tmp_path, Clock(datetime(2026, 3, 3, 1, 30, tzinfo=UTC)))
    app = ShardwiseApp(desk)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await Driver(app, pilot).see("Monday 2 March, until 04:00")
    app.let_go()
