"""The desk over a real history and the real session machine: what is shown is what is stored."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from quiz.scheduling.cards import CardKey
from quiz.statistics.estimate import LEAST
from quiz.store import Store
from quiz.tui.desk import HistoryDesk
from quiz.tui.marking import Marking
from quiz.tui.ports import Answer, Ended, NotSaved, Trouble, Turn, Wanted
from tests.tui.fixtures import NUMERIC, ORDERING
from tests.tui.real_desk import RIGHT, Clock, Shelf, first, opened
from tests.unit.session.made import attempt

if TYPE_CHECKING:
    from pathlib import Path


def test_an_answer_is_in_the_file_before_its_result_is_given(tmp_path: Path) -> None:
    desk = opened(tmp_path, Clock())
    turn = first(desk)
    result = desk.submit(RIGHT, 75)
    assert result.mark.status == "correct"
    with Store.open(tmp_path / "history.db", read_only=True) as store:
        (attempt,) = store.recent()
    assert attempt.response.chosen == ("fsdp",)
    assert attempt.response.text == "35 GB"
    assert attempt.shown.options == turn.order
    assert attempt.shown.key == ("fsdp",)
    assert attempt.confidence == 75
    desk.close()


def test_the_due_date_that_is_shown_is_the_one_that_is_stored_also_after_a_rating_of_ones_own(tmp_path: Path) -> None:
    clock = Clock()
    desk = opened(tmp_path, clock)
    first(desk)
    desk.submit(RIGHT, 75)
    promised = {choice.rating: choice.back for choice in desk.rerate("easy").choices}
    result = desk.rerate("hard")
    assert (result.rating, result.back, result.why) == ("hard", promised["hard"], "you said so")
    result = desk.rerate("easy")
    assert result.back == promised["easy"]
    card = next(iter(desk.store.cards("shardwise").values()))
    days = (card.due_day - clock.now.date()).days
    assert f"in {days} days" in result.back
    clock.now += timedelta(days=days)
    assert desk.standing().due == 1
    assert isinstance(desk.begin(Wanted(due_only=True)), Turn)
    desk.close()


def test_review_finds_nothing_before_its_day(tmp_path: Path) -> None:
    desk = opened(tmp_path, Clock())
    first(desk)
    desk.submit(RIGHT, 75)
    desk.rerate("easy")
    ended = desk.begin(Wanted(due_only=True))
    assert isinstance(ended, Ended)
    assert ended.next_due == desk.standing().next_due
    assert ended.next_due.startswith("in ")
    desk.close()


@pytest.mark.parametrize(("answers", "right"), [(0, 0), (1, 1), (19, 19), (20, 15), (21, 21)])
def test_the_share_right_of_a_topic_takes_as_many_answers_as_the_statistics_do(
    answers: int, right: int, tmp_path: Path
) -> None:
    """On the home screen too, one answer of one makes no 100 % right."""
    clock = Clock()
    desk = opened(tmp_path, clock)
    turn = first(desk)
    verdicts = ["correct"] * right + ["incorrect"] * (answers - right)
    key = CardKey("shardwise", turn.question.id)
    made = [
        attempt(number, now=clock.now - timedelta(days=30 - number), key=key, verdict=verdict)
        for number, verdict in enumerate(verdicts)
    ]
    desk.store.merge(made)
    (share,) = (line.right_share for line in desk.standing().topics if line.topic == desk.topic_of(turn.question.id))
    assert share == (None if answers < LEAST else right / answers)
    desk.close()


def test_an_answer_that_cannot_be_stored_is_kept_and_stored_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from quiz.store.errors import failure

    desk = opened(tmp_path, Clock())
    first(desk)

    def full(_event: object) -> None:
        raise failure("full", "Storing your answer", tmp_path, "the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(desk.store, "append", full)
        with pytest.raises(NotSaved, match="the disk is full"):
            desk.submit(RIGHT, 75)
        with pytest.raises(NotSaved, match="the disk is full"):
            desk.retry()
    assert desk.retry().mark.status == "correct"
    assert len(desk.store.recent()) == 1
    desk.close()


def test_leaving_with_an_answer_that_was_not_stored_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from quiz.store.errors import failure

    desk = opened(tmp_path, Clock())
    first(desk)

    def full(_event: object) -> None:
        raise failure("full", "Storing your answer", tmp_path, "the disk is full")

    monkeypatch.setattr(desk.store, "append", full)
    with pytest.raises(NotSaved):
        desk.submit(RIGHT, 75)
    assert desk.leave().unsaved
    desk.close()


def test_a_card_that_cannot_be_read_when_its_turn_comes_is_trouble_and_asked_when_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from quiz.store.errors import failure

    clock = Clock()
    desk = opened(tmp_path, clock)
    first(desk)
    desk.submit(RIGHT, 75)
    desk.rerate("easy")
    clock.now += timedelta(days=200)

    def damaged(_keys: object) -> None:
        raise failure("corrupt", "Reading your cards", tmp_path, "a page is damaged")

    with monkeypatch.context() as patch:
        patch.setattr(desk.store, "chosen", damaged)
        with pytest.raises(Trouble, match="a page is damaged"):
            desk.begin(Wanted(due_only=True))
    assert isinstance(desk.begin(Wanted(due_only=True)), Turn)
    desk.close()


def test_an_invalid_answer_stores_nothing(tmp_path: Path) -> None:
    desk = opened(tmp_path, Clock(), NUMERIC)
    first(desk)
    mark = desk.mark(Answer(text="19 ? min"))
    assert mark.status == "invalid"
    assert mark.span is not None
    assert desk.store.recent() == ()
    desk.close()


def test_an_ordering_question_is_never_shown_in_its_right_order(tmp_path: Path) -> None:
    for number in range(12):
        desk = HistoryDesk(
            lambda: Shelf((ORDERING,)), tmp_path / f"{number}.db", Marking(), clock=Clock(), seed=str(number)
        )
        desk.open()
        assert first(desk).order != ORDERING.key
        desk.close()


def test_a_history_that_cannot_be_opened_is_trouble_with_code_3(tmp_path: Path) -> None:
    (tmp_path / "history.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(Trouble) as trouble:
        opened(tmp_path, Clock())
    assert trouble.value.code == 3
    assert "history.db" in trouble.value.message
