"""The learner's marks in the history: read for a bank, and one more made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.session import marks
from quiz.session.changes import Names
from quiz.session.events import Mark, Rename

if TYPE_CHECKING:
    from quiz.scheduling.calendar import Moment
    from quiz.session.marks import MarkKind, Marks
    from quiz.store.store import Store


def read(store: Store, bank: str) -> dict[str, Marks]:
    """Return the marks of a bank by question id; questions without are left out. Raises StoreError."""
    found = [event for event in store.of_kind("mark") if isinstance(event, Mark)]
    names = Names(event for event in store.of_kind("rename") if isinstance(event, Rename)) if found else None
    return marks.of(found, bank, names)


def put(
    store: Store,
    at: Moment,
    bank: str,
    question: str,
    kind: MarkKind,
    value: bool | str | None,  # noqa: FBT001 - as an event carries it
) -> None:
    """Make a mark durable. Raises StoreError."""
    store.append(Mark(store.new_id(at.now), at.now, at.offset, bank, question, kind, value))
