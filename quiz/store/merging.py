"""Taking events from elsewhere into a history: by their ids, as they are, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from quiz.store.rows import EVENT, EVENT_MARKS, Damaged, event_row, read_event

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from quiz.session.events import Event


class Merged(msgspec.Struct, frozen=True):
    """What a merge did.

    Attributes:
        added: events that came in.
        known: events that were here already.
        conflicts: ids under which another event is here.
        damaged: ids under which an event is here that cannot be read as written.
    """

    added: int
    known: int
    conflicts: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()


def merge(connection: sqlite3.Connection, events: Iterable[Event]) -> Merged:
    """Insert the events whose ids are new. Called inside a transaction; the cards are derived again by the caller."""
    added = known = 0
    conflicts: list[str] = []
    damaged: list[str] = []
    for event in events:
        row = connection.execute(f"SELECT {EVENT} FROM events WHERE id = ?", (event.id,)).fetchone()  # noqa: S608
        wanted = event_row(event)
        if row is None:
            connection.execute(f"INSERT INTO events ({EVENT}) VALUES ({EVENT_MARKS})", wanted)  # noqa: S608
            added += 1
        elif row == wanted:
            known += 1
        elif isinstance(read_event(row), Damaged):
            damaged.append(event.id)
        elif row[-1] == wanted[-1]:  # packed by another version of the library
            known += 1
        else:
            conflicts.append(event.id)
    return Merged(added, known, tuple(conflicts), tuple(damaged))
