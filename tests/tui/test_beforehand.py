"""What is made ready while the learner reads: the next step is the same, only sooner, and nothing is told of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from quiz.bank.library import UnknownQuestionError
from quiz.tui.ports import Answer, Turn, Wanted
from tests.tui.driving import asked
from tests.tui.fixtures import NUMERIC, ORDERING, STRATEGY
from tests.tui.memory_desk import MemoryDesk
from tests.tui.real_desk import RIGHT, Clock, first, opened

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest

    from quiz.bank.rendered import Rendered
    from quiz.tui.desk import HistoryDesk

THREE = (STRATEGY, NUMERIC, ORDERING)


def course(folder: Path, wanted: Wanted, *, ready: bool) -> list[object]:
    """What a session shows, step by step, with a clock that goes on between them."""
    clock = Clock()
    desk = opened(folder, clock, *THREE)
    found: list[object] = []

    def read() -> None:
        if ready:
            desk.ready()
        clock.now += timedelta(seconds=70)

    step: object = desk.begin(wanted)
    for answer in (Answer(), RIGHT, Answer(), Answer(), Answer()):
        found.append(step)
        if not isinstance(step, Turn):
            break
        read()
        if ready:
            desk.ready()
        found.append(desk.submit(answer, None))
        read()
        step = desk.next()
    return [*found, desk.undo() if wanted.mode == "practice" else None, desk.store.stale()]


def test_a_session_goes_on_as_it_would_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Practised, crammed, or in an interview; what is undone afterwards too."""
    monkeypatch.setattr("quiz.tui.desk.HistoryDesk._seed", lambda desk, _at: desk.seed)
    for number, wanted in enumerate(
        (Wanted(), Wanted(mode="cram", counts=False), Wanted(mode="interview", minutes=60))
    ):
        plain = course(tmp_path / f"plain-{number}", wanted, ready=False)
        assert course(tmp_path / f"ready-{number}", wanted, ready=True) == plain
        assert len(plain) > 6


def calls(desk: HistoryDesk, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that are read from now on."""
    found: list[str] = []
    read = desk.bank.question

    def question(name: str, axes: Mapping[str, str] | None = None) -> Rendered:
        found.append(name)
        return read(name, axes)

    monkeypatch.setattr(desk.bank, "question", question)
    return found


def test_the_next_question_is_read_while_the_solution_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = opened(tmp_path, Clock(), *THREE)
    first(desk)
    found = calls(desk, monkeypatch)
    desk.ready()
    assert found == []
    desk.submit(RIGHT, 75)
    desk.ready()
    turn = desk.next()
    assert isinstance(turn, Turn)
    assert found == [turn.question.id] * 2


def test_what_an_answer_needs_of_the_history_is_read_while_the_question_is(tmp_path: Path) -> None:
    clock = Clock()
    desk = opened(tmp_path, clock, *THREE)
    for _ in range(2):
        turn = first(desk)
        desk.submit(RIGHT, 75)
        clock.now += timedelta(days=30)
        desk.begin(Wanted(questions=(turn.question.id,)))
    desk.ready()
    seen: list[str] = []
    desk.store._connection.set_trace_callback(seen.append)
    desk.submit(RIGHT, 75)
    assert [text for text in seen if text.startswith("SELECT")] == ["SELECT max(id) FROM events"]


def test_what_cannot_be_made_ready_is_told_by_the_step_that_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = opened(tmp_path, Clock(), *THREE)
    desk.ready()
    first(desk)
    desk.submit(RIGHT, 75)

    def gone(name: str, _axes: object = None) -> Rendered:
        raise UnknownQuestionError(name, ())

    with monkeypatch.context() as patch:
        patch.setattr(desk.bank, "question", gone)
        desk.ready()
    assert isinstance(desk.next(), Turn)
    desk.store.close()
    desk.ready()


@dataclass
class Ready(MemoryDesk):
    """A desk that counts how often it was to make ready."""

    made: int = 0

    def ready(self) -> None:
        self.made += 1


async def test_the_desk_makes_ready_when_a_question_stands_and_when_a_solution_does() -> None:
    desk = Ready((STRATEGY,))
    async with asked(desk) as at:
        assert desk.made == 1
        await at.press("f2")
        await at.see("Not known yet")
        assert desk.made == 2
