"""Marks: made where a question stands, taken back the same way, and left out of the queue while they hold."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from quiz.session.attempt import Attempt
from quiz.session.events import Mark
from quiz.tui.marked import sentence
from quiz.tui.ports import Answer, Ended, Line, Marked, Turn, Wanted
from tests.tui.driving import asked, opened
from tests.tui.fixtures import NUMERIC, ORDERING, STRATEGY
from tests.tui.memory_desk import MemoryDesk
from tests.tui.real_desk import Clock, first
from tests.tui.real_desk import opened as opened_desk

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.tui.desk import HistoryDesk

ALL = (STRATEGY, NUMERIC, ORDERING)


def asked_by(desk: HistoryDesk) -> list[str]:
    """The questions that a session asks."""
    found = []
    step = desk.begin(Wanted())
    while isinstance(step, Turn):
        found.append(step.question.id)
        desk.submit(Answer(), None)
        step = desk.next()
    return found


def test_a_suspended_question_is_not_asked_until_it_is_taken_back(tmp_path: Path) -> None:
    desk = opened_desk(tmp_path, Clock(), *ALL)
    desk.mark_question(STRATEGY.id, "suspend", value=True)
    assert desk.standing().marked == "1 suspended"
    assert desk.standing().unseen == 2
    assert set(asked_by(desk)) == {NUMERIC.id, ORDERING.id}
    assert first(desk, Wanted(questions=(STRATEGY.id,))).question.id == STRATEGY.id
    desk.mark_question(STRATEGY.id, "suspend", value=False)
    assert desk.standing().marked == ""
    assert first(desk).question.id == STRATEGY.id


def test_a_buried_question_is_back_on_the_learner_s_next_day(tmp_path: Path) -> None:
    clock = Clock()
    desk = opened_desk(tmp_path, clock, STRATEGY)
    desk.mark_question(STRATEGY.id, "bury", value=True)
    assert desk.marked(STRATEGY.id).buried == "tomorrow (Tue 3 Mar)"
    assert isinstance(desk.begin(Wanted()), Ended)
    clock.now += timedelta(hours=18, minutes=59)  # 03:59
    assert isinstance(desk.begin(Wanted()), Ended)
    clock.now += timedelta(minutes=1)
    assert first(desk).question.id == STRATEGY.id
    assert desk.marked(STRATEGY.id) == Marked()


def test_what_is_suspended_on_the_screen_gives_way_to_the_next_and_is_no_answer(tmp_path: Path) -> None:
    desk = opened_desk(tmp_path, Clock(), *ALL)
    turn = first(desk)
    step = desk.mark_question(turn.question.id, "suspend", value=True)
    assert isinstance(step, Turn)
    assert step.question.id != turn.question.id
    assert desk.mark_question(step.question.id, "flag", value=True) is None
    desk.submit(Answer(), None)
    assert desk.mark_question(step.question.id, "bury", value=True) is None
    assert isinstance(desk.next(), Turn)
    desk.submit(Answer(), None)
    kinds = [type(event) for event in desk.store.events()]
    assert kinds == [Mark, Mark, Attempt, Mark, Attempt]


def test_a_mark_changes_no_card(tmp_path: Path) -> None:
    desk = opened_desk(tmp_path, Clock(), *ALL)
    asked_by(desk)
    before = desk.store.cards("shardwise")
    for value in (True, False):
        desk.mark_question(STRATEGY.id, "suspend", value=value)
        desk.mark_question(STRATEGY.id, "flag", value=value)
        desk.mark_question(STRATEGY.id, "bury", value=value)
    desk.mark_question(STRATEGY.id, "note", "n")
    assert desk.store.cards("shardwise") == before
    assert desk.store.rebuild().changed == 0


def test_the_list_tells_how_each_question_stands(tmp_path: Path) -> None:
    clock = Clock()
    desk = opened_desk(tmp_path, clock, STRATEGY, NUMERIC)
    first(desk, Wanted(questions=(NUMERIC.id,)))
    desk.submit(Answer(), None)
    desk.mark_question(STRATEGY.id, "note", "the master copy")
    lines = {line.id: line for line in desk.browse()}
    assert lines[NUMERIC.id].stands == "in 1 minute"
    note = Marked(note="the master copy")
    assert lines[STRATEGY.id] == Line(STRATEGY.id, f"About {STRATEGY.id}", STRATEGY.topic, "new", note)
    clock.now += timedelta(minutes=2)
    assert {line.id: line.stands for line in desk.browse()}[NUMERIC.id] == "due"


async def test_a_question_is_marked_from_its_screen_and_the_next_one_comes() -> None:
    desk = MemoryDesk()
    async with asked(desk) as at:
        await at.press("m")
        await at.see("not asked before tomorrow")
        await at.press("3")
        await at.see("Flagged.")
        await at.press("m")
        await at.see("Take the flag away")
        await at.press("1")
        await at.see("2/")
        assert desk.marks[desk.questions[0].id] == Marked(flagged=True, suspended=True)
        assert desk.stored == []


async def test_a_note_is_written_and_taken_away_from_a_solution() -> None:
    desk = MemoryDesk()
    async with asked(desk) as at:
        await at.press("0")
        await at.see("Not known yet")
        for text, told in (("ask for the master copy", "The note is kept."), ("", "There is no note any more.")):
            await at.press("m")
            await at.see("note" if not text else "Note")
            await at.press("4")
            await at.see(lambda shown: "╭" in shown and at.app.focused is not None and at.app.focused.id == "note")
            if text:
                await at.type(text)
            else:
                await at.press("ctrl+u")
            await at.press("enter")
            await at.see(told)
            assert desk.marks[desk.questions[0].id].note == text


async def test_while_an_answer_is_typed_a_letter_is_text_and_f5_marks() -> None:
    desk = MemoryDesk(questions=(NUMERIC, STRATEGY))
    async with asked(desk) as at:
        await at.press("m")
        await at.see("m")
        assert "Suspend" not in at.text
        await at.press("f5")
        await at.see("Suspend")
        await at.press("escape")
        await at.see(lambda text: "Suspend" not in text)


async def test_the_list_is_searched_read_and_marked() -> None:
    desk = MemoryDesk()
    async with opened(desk) as at:
        await at.press("b")
        await at.see("All questions")
        await at.press("slash")
        await at.type(NUMERIC.id)
        await at.see("1 question")
        await at.press("enter", "m")
        await at.see("Suspend")
        await at.press("1")
        await at.see("suspended")
        await at.press("enter")
        await at.see("Why")
        assert "undo" not in at.text
        await at.press("q")
        await at.see("All questions")
        await at.press("q")
        await at.see(f"{len(desk.questions)} questions")
        await at.press("q")
        await at.see(" due · ")
        assert desk.marks[NUMERIC.id].suspended


def test_a_note_that_came_from_elsewhere_cannot_steer_the_terminal(tmp_path: Path) -> None:
    """Also where it is edited, and where half of a pair stands in it."""
    desk = opened_desk(tmp_path, Clock(), STRATEGY)
    desk.mark_question(STRATEGY.id, "note", "a\x1b]0;b\x07\x9b2J\u202ec\ud800")
    assert desk.marked(STRATEGY.id).note == r"a\x1b]0;b\x07\x9b2J\u202ec\ud800"
    assert sentence(desk.marked(STRATEGY.id)) == r"note: a\x1b]0;b\x07\x9b2J\u202ec\ud800"
