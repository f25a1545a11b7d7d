"""Undo takes back the answer that was given here, and asks the question that was taken back, as it stood."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from quiz.tui.ports import Answer, Trouble, Turn, Wanted
from tests.tui.fixtures import NUMERIC, OPEN, ORDERING, STRATEGY
from tests.tui.real_desk import RIGHT, Clock, first, opened

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.tui.desk import HistoryDesk

ALL = (STRATEGY, NUMERIC, ORDERING)


def counted(desk: HistoryDesk) -> list[str]:
    return [attempt.card.question for attempt in reversed(desk.store.recent())]


def answer(desk: HistoryDesk, question: str, given: Answer | None = None) -> None:
    assert first(desk, Wanted(questions=(question,))).question.id == question
    desk.submit(given or Answer(), None)


def test_undo_takes_back_the_answer_of_this_screen_whatever_another_has_stored_since(tmp_path: Path) -> None:
    clock = Clock()
    mine, other = opened(tmp_path, clock, *ALL), opened(tmp_path, clock, *ALL)
    answer(mine, STRATEGY.id)
    clock.now += timedelta(minutes=1)
    answer(other, NUMERIC.id)
    turn = mine.undo()
    assert turn.question.id == STRATEGY.id
    assert turn.note == f"Taken back: your answer to “About {STRATEGY.id}”."
    assert counted(mine) == [NUMERIC.id]
    mine.close()
    other.close()


def test_undo_goes_back_through_the_answers_of_this_screen_one_by_one(tmp_path: Path) -> None:
    desk = opened(tmp_path, Clock(), *ALL)
    asked = [first(desk)]
    desk.submit(Answer(), None)
    for _ in range(2):
        turn = desk.next()
        assert isinstance(turn, Turn)
        asked.append(turn)
        desk.submit(Answer(), None)
    for number in (2, 1, 0):
        turn = desk.undo()
        assert turn.question.id == asked[number].question.id
        assert turn.order == asked[number].order
        assert turn.number == number + 1
        assert counted(desk) == [turn.question.id for turn in asked[:number]]
    with pytest.raises(Trouble, match="no answer to take back"):
        desk.undo()
    desk.close()


def test_what_was_taken_back_is_asked_before_what_stood_on_the_screen(tmp_path: Path) -> None:
    desk = opened(tmp_path, Clock(), *ALL)
    one = first(desk)
    desk.submit(Answer(), None)
    two = desk.next()
    assert isinstance(two, Turn)
    assert desk.undo().question.id == one.question.id
    desk.submit(Answer(), None)
    again = desk.next()
    assert isinstance(again, Turn)
    assert again.question.id == two.question.id
    desk.close()


def test_after_a_restart_undo_takes_back_the_last_of_the_history_and_says_which(tmp_path: Path) -> None:
    clock = Clock()
    desk = opened(tmp_path, clock, *ALL)
    answer(desk, STRATEGY.id)
    clock.now += timedelta(minutes=5)
    answer(desk, NUMERIC.id)
    desk.close()
    clock.now += timedelta(days=1)
    desk = opened(tmp_path, clock, *ALL)
    turn = desk.undo()
    assert turn.question.id == NUMERIC.id
    assert turn.note == f"Taken back: the answer to “About {NUMERIC.id}”, given on 2 Mar 2026 at 09:05."
    assert desk.undo().question.id == STRATEGY.id
    assert counted(desk) == []
    desk.close()


def test_an_answer_that_another_terminal_gave_meanwhile_is_never_taken_back_here(tmp_path: Path) -> None:
    clock = Clock()
    earlier = opened(tmp_path, clock, *ALL)
    answer(earlier, STRATEGY.id)
    earlier.close()
    here, other = opened(tmp_path, clock, *ALL), opened(tmp_path, clock, *ALL)
    answer(other, NUMERIC.id)
    assert here.undo().question.id == STRATEGY.id  # the one before both were opened
    with pytest.raises(Trouble, match="on another terminal"):
        here.undo()
    assert counted(here) == [NUMERIC.id]
    here.close()
    other.close()


def test_an_answer_that_was_taken_back_elsewhere_is_said_to_be(tmp_path: Path) -> None:
    clock = Clock()
    here = opened(tmp_path, clock, *ALL)
    answer(here, STRATEGY.id)
    other = opened(tmp_path, clock, *ALL)
    other.undo()
    with pytest.raises(Trouble, match="taken back already"):
        here.undo()
    with pytest.raises(Trouble, match="no answer to take back"):
        here.undo()
    here.close()
    other.close()


def test_a_rating_of_ones_own_goes_with_its_answer(tmp_path: Path) -> None:
    desk = opened(tmp_path, Clock(), *ALL)
    answer(desk, STRATEGY.id, RIGHT)
    desk.rerate("easy")
    assert desk.undo().question.id == STRATEGY.id
    assert desk.store.cards("shardwise") == {}
    desk.close()


def test_a_variant_that_is_taken_back_comes_again_with_its_own_numbers_also_after_a_restart(tmp_path: Path) -> None:
    clock = Clock()
    desk = opened(tmp_path, clock, nodes=40)
    answer(desk, STRATEGY.id, RIGHT)
    clock.now += timedelta(days=30)
    asked = first(desk, Wanted(questions=(STRATEGY.id,)))
    assert asked.question.axes
    desk.submit(RIGHT, None)
    turn = desk.undo()
    assert (turn.question.axes, turn.order) == (asked.question.axes, asked.order)
    desk.submit(RIGHT, None)
    desk.close()
    clock.now += timedelta(minutes=1)
    desk = opened(tmp_path, clock, nodes=40)
    turn = desk.undo()
    assert (turn.question.axes, turn.order) == (asked.question.axes, asked.order)
    desk.close()


def test_what_was_written_to_an_open_question_is_there_again(tmp_path: Path) -> None:
    desk = opened(tmp_path, Clock(), OPEN)
    answer(desk, OPEN.id, Answer(text="State first:\n- 16 B/param", points=1, of=3))
    assert desk.undo().text == "State first:\n- 16 B/param"
    desk.close()
