"""Cramming and interviews: nothing reaches the schedule unless it was to count; an interview shows solutions last."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from quiz.session.attempt import Attempt
from quiz.tui.ports import Answer, Ended, Trouble, Turn, Wanted, interview
from quiz.tui.screens.report import figures
from tests.tui.driving import Driver, opened
from tests.tui.fixtures import NUMERIC, ORDERING, STRATEGY
from tests.tui.real_desk import RIGHT, Clock, first
from tests.tui.real_desk import opened as opened_desk

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.tui.desk import HistoryDesk

ALL = (STRATEGY, NUMERIC, ORDERING)
CRAM = Wanted(mode="cram", counts=False)


def kept(desk: HistoryDesk) -> list[tuple[object, ...]]:
    """Every row of the history, to the byte."""
    connection = desk.store._connection
    tables = ("events", "cards", "days", "mistakes", "loads", "meta")
    return [row for name in tables for row in connection.execute(f"SELECT * FROM {name}")]  # noqa: S608


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def desk(tmp_path: Path, clock: Clock) -> HistoryDesk:
    """A desk with one answer of yesterday."""
    made = opened_desk(tmp_path, clock, *ALL)
    first(made, Wanted(questions=(STRATEGY.id,)))
    made.submit(RIGHT, 95)
    made.leave()
    clock.now += timedelta(days=1)
    return made


def test_cramming_asks_everything_and_what_is_missed_again_and_keeps_no_byte(desk: HistoryDesk, clock: Clock) -> None:
    before = kept(desk)
    turn = first(desk, CRAM)
    asked = [turn.question.id]
    missed = desk.submit(Answer(), None)
    assert (missed.counts, missed.here, missed.choices) == (False, True, ())
    while True:
        clock.now += timedelta(seconds=30)
        step = desk.next()
        if isinstance(step, Ended):
            break
        assert isinstance(step, Turn)
        asked.append(step.question.id)
        assert not desk.submit(right(step), 95).counts
    assert sorted(asked) == sorted([asked[0], *(question.id for question in ALL)])
    assert asked[1] != asked[0]
    assert (step.answered, step.right, step.counts, step.back) == (4, 3, False, ())
    assert kept(desk) == before


def right(turn: Turn) -> Answer:
    question = turn.question
    if question.items:
        return Answer(ordered=question.key)
    figure = question.numeric.text if question.numeric else ""
    return Answer(chosen=question.key[0], then=figure) if question.options else Answer(text=figure)


def test_browsing_and_a_session_that_is_left_keep_no_byte(desk: HistoryDesk) -> None:
    before = kept(desk)
    desk.browse()
    desk.look(STRATEGY.id)
    first(desk, CRAM)
    desk.leave()
    first(desk, interview())
    desk.submit(Answer(), None)
    desk.leave()
    assert kept(desk) == before


def test_an_answer_of_a_cram_is_taken_back_without_touching_the_history(desk: HistoryDesk) -> None:
    before = kept(desk)
    turn = first(desk, CRAM)
    desk.submit(Answer(), None)
    assert desk.undo().question.id == turn.question.id
    with pytest.raises(Trouble, match="no answer of this session"):
        desk.undo()
    assert kept(desk) == before


def test_practice_after_a_cram_counts_again(desk: HistoryDesk) -> None:
    first(desk, CRAM)
    desk.submit(Answer(), None)
    desk.leave()
    before = desk.store.last_id()
    first(desk, Wanted(questions=(NUMERIC.id,)))
    assert desk.submit(Answer(), None).counts
    assert desk.store.last_id() > before
    assert desk.undo().question.id == NUMERIC.id


def test_an_interview_that_is_to_count_stores_its_answers_and_asks_each_once(desk: HistoryDesk, clock: Clock) -> None:
    step: object = first(desk, interview(counts=True))
    asked = []
    while isinstance(step, Turn):
        asked.append(step.question.id)
        clock.now += timedelta(minutes=2)
        desk.submit(Answer(), None)
        step = desk.next()
    assert sorted(asked) == sorted(question.id for question in ALL)
    assert isinstance(step, Ended)
    assert step.counts
    stored = [event for event in desk.store.events() if isinstance(event, Attempt)]
    assert [attempt.card.question for attempt in stored[1:]] == asked
    assert desk.store.rebuild().changed == 0


def test_an_interview_ends_with_its_time_and_reports(desk: HistoryDesk, clock: Clock) -> None:
    turn = first(desk, interview(minutes=10))
    clock.now += timedelta(minutes=6)
    desk.submit(right(turn), 50)
    with pytest.raises(Trouble, match="no way back"):
        desk.undo()
    assert isinstance(desk.next(), Turn)
    clock.now += timedelta(minutes=5)
    desk.submit(Answer(), 95)
    ended = desk.next()
    assert isinstance(ended, Ended)
    assert [given.seconds for given in ended.given] == [360, 300]
    told = figures(ended)
    assert told[:2] == ["1 of 2 answers right, in 11:00 of 10:00.", "A question took 5:30 on average."]
    assert "1 answer you were sure of was wrong." in told
    assert "1 answer you were not sure of was right." in told
    assert told[-1] == "1 question not reached."


def test_an_interview_asks_no_more_than_it_was_to_and_mixes_topics(desk: HistoryDesk) -> None:
    turn = first(desk, interview(most=2))
    assert turn.total == 2
    other = first(desk, interview((NUMERIC.topic,), most=5))
    assert other.question.topic == NUMERIC.topic


async def test_an_interview_shows_no_solution_before_its_report(desk: HistoryDesk) -> None:
    async with opened(desk) as at:
        await at.press("i")
        for number in (1, 2, 3):
            await at.see(f"{number}/3", "30:00 left")
            await unknown(at)
        await at.see("0 of 3 answers right", "0 of 3 right · not counted")
        await at.press("enter")
        await at.see("Not known yet")
        await at.press("q")
        await at.see("0 of 3 answers right")
        await at.press("h")
        await at.see(" due · ")


async def test_a_cram_says_on_each_solution_and_at_its_end_that_it_does_not_count(desk: HistoryDesk) -> None:
    async with opened(desk) as at:
        await at.press("down", "c")
        await at.see("cram")
        await unknown(at)
        await at.see("comes again · does not count")
        assert "rate" not in at.text.splitlines()[-1]
        await at.press("q")
        await at.see("None of it counts")


async def unknown(at: Driver) -> None:
    await at.press("f2")
