"""Taking events from elsewhere into a history: by their ids, as they are, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from quiz.store.rows import EVENT, EVENT_MARKS, event_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from quiz.session.events import Event


class Merged(msgspec.Struct, frozen=True):
    """What a merge did: events added, events that were here already, ids under which another event is here."""

    added: int
    known: int
    conflicts: tuple[str, ...] = ()


def merge(connection: sqlite3.Connection, events: Iterable[Event]) -> Merged:
    """Insert the events whose ids are new. Called inside a transaction; the cards are derived again by the caller."""
    added = known = 0
    conflicts: list[str] = []
    for event in events:
        row = connection.execute("SELECT sum FROM events WHERE id = ?", (event.id,)).fetchone()
        wanted = event_row(event)
        if row is None:
            connection.execute(f"INSERT INTO events ({EVENT}) VALUES ({EVENT_MARKS})", wanted)  # noqa: S608
            added += 1
        elif row[0] == wanted[-1]:
            known += 1
        else:
            conflicts.append(event.id)
    return Merged(added, known, tuple(conflicts))
