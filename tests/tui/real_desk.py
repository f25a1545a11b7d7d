"""A real desk for tests: a history file, the session machine, a bank that is a tuple, and a clock that is set."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import structs

from quiz.bank.rendered import IndexEntry, Rendered
from quiz.tui.desk import HistoryDesk
from quiz.tui.marking import Marking
from quiz.tui.ports import Answer, Turn, Wanted
from tests.tui.fixtures import STRATEGY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MORNING = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
OPENED: list[HistoryDesk] = []
"""The desks of the test at hand, which are closed at its end."""
RIGHT = Answer(chosen="fsdp", then="35 GB")


@dataclass
class Shelf:
    """A bank that holds rendered questions."""

    questions: tuple[Rendered, ...] = (STRATEGY,)
    id: str = "shardwise"
    title: str = "Shelf"
    nodes: int = 1

    @property
    def index(self) -> tuple[IndexEntry, ...]:
        return tuple(IndexEntry(q.id, q.kind, q.topic, q.difficulty, f"About {q.id}") for q in self.questions)

    def question(self, id: str, axes: Mapping[str, str] | None = None) -> Rendered:  # noqa: A002 - as in the port
        found = next(question for question in self.questions if question.id == id)
        return structs.replace(found, axes=dict(axes or {}))

    def variants(self, id: str) -> tuple[Mapping[str, str], ...]:  # noqa: A002, ARG002 - as in the port
        return ({}, *({"cluster.nodes": str(count)} for count in range(2, self.nodes + 1)))


@dataclass
class Clock:
    """A clock that stands until it is set."""

    now: datetime = field(default=MORNING)

    def __call__(self) -> datetime:
        return self.now


def opened(folder: Path, clock: Clock, *questions: Rendered, nodes: int = 1) -> HistoryDesk:
    shelf = Shelf(questions or (STRATEGY,), nodes=nodes)
    desk = HistoryDesk(lambda: shelf, folder / "history.db", Marking(), clock=clock)
    OPENED.append(desk)
    desk.open()
    return desk


def first(desk: HistoryDesk, wanted: Wanted | None = None) -> Turn:
    turn = desk.begin(wanted or Wanted())
    assert isinstance(turn, Turn)
    return turn
