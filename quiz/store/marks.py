"""The learner's marks in the history: read for a bank, and one more made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.session import marks
from quiz.session.changes import Names
from quiz.session.events import Mark, Rename

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.scheduling.calendar import Moment
    from quiz.session.marks import MarkKind, Marks
    from quiz.store.store import Store


#: An id after that of every event.
_LATER_THAN_ALL: Final = "7" + 25 * "Z"


def read(store: Store, bank: str, renamed: Mapping[str, str] | None = None) -> dict[str, Marks]:
    """Return the marks of a bank by question id; questions without are left out. Raises StoreError.

    `renamed` are new names by the old ones that the history need not know yet: nothing is recorded.
    """
    found = [event for event in store.of_kind("mark") if isinstance(event, Mark)]
    if not found:
        return {}
    last = found[-1]
    renames = [event for event in store.of_kind("rename") if isinstance(event, Rename)]
    renames += [
        Rename(_LATER_THAN_ALL, last.time, last.offset, bank, old, bank, new) for old, new in (renamed or {}).items()
    ]
    return marks.of(found, bank, Names(renames))


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
