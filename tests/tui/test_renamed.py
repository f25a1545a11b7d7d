"""A question that gets another id keeps its history: the answers follow the name that its author gives it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import structs

from quiz.store import marks
from quiz.tui.desk import HistoryDesk
from quiz.tui.marking import Marking
from quiz.tui.ports import Ended, Wanted
from tests.tui.fixtures import STRATEGY
from tests.tui.real_desk import RIGHT, Clock, Shelf, first, opened

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.bank.rendered import IndexEntry


@dataclass
class Renamed(Shelf):
    """A bank whose questions say how they were called."""

    former: str = ""

    @property
    def index(self) -> tuple[IndexEntry, ...]:
        return tuple(structs.replace(entry, renamed_from=(self.former,)) for entry in super().index)


def test_answers_follow_a_renamed_question(tmp_path: Path) -> None:
    clock = Clock()
    desk = opened(tmp_path, clock, STRATEGY)
    first(desk)
    desk.submit(RIGHT, None)
    desk.close()
    clock.now += timedelta(days=30)
    shelf = Renamed((structs.replace(STRATEGY, id="another-name"),), former=STRATEGY.id)
    again = HistoryDesk(lambda: shelf, tmp_path / "history.db", Marking(), clock=clock)
    standing = again.open()
    assert standing.due == 1
    assert first(again, Wanted(due_only=True)).question.id == "another-name"
    again.close()


def test_marks_follow_a_renamed_question_that_was_never_answered(tmp_path: Path) -> None:
    """Else what was suspended would be asked; what is marked under the old name later, elsewhere, follows too."""
    clock = Clock()
    desk = opened(tmp_path, clock, STRATEGY)
    desk.mark_question(STRATEGY.id, "suspend", value=True)
    desk.close()
    shelf = Renamed((structs.replace(STRATEGY, id="another-name"),), former=STRATEGY.id)
    for note in ("mine", "yours", "yours"):
        again = HistoryDesk(lambda: shelf, tmp_path / "history.db", Marking(), clock=clock)
        again.open()
        assert again.marked("another-name").suspended
        assert isinstance(again.begin(Wanted()), Ended)
        marks.put(again.store, again._at(), "shardwise", STRATEGY.id, "note", note)
        again.close()
    again = HistoryDesk(lambda: shelf, tmp_path / "history.db", Marking(), clock=clock)
    again.open()
    assert again.marked("another-name").note == "yours"
    made = len(list(again.store.of_kind("rename")))
    again.close()
    again.open()
    assert len(list(again.store.of_kind("rename"))) == made
    again.close()
