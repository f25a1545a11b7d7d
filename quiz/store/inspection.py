"""Looking a history over: what it holds, and what is wrong with it. Nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from quiz.store.copying import quick_check
from quiz.store.packing import is_whole
from quiz.store.rebuild import compare
from quiz.store.rows import EVENT, Damaged, read_event

if TYPE_CHECKING:
    import sqlite3

    from quiz.store.derive import Facts


class Counts(msgspec.Struct, frozen=True):
    """What a history holds; days are the learner's, empty where there is no answer.

    `waiting` are amendments (taken back, rated or graded anew) whose answers are not here; a merge may bring them.
    """

    events: int
    answers: int
    taken_back: int
    cards: int
    first_day: str
    last_day: str
    waiting: int = 0


def counts(connection: sqlite3.Connection) -> Counts:
    """Count what a history holds."""
    events, answers, back, first, last = connection.execute(
        "SELECT count(*), count(*) FILTER (WHERE kind = 'attempt'),"
        " count(DISTINCT target) FILTER (WHERE kind = 'retraction'), min(day), max(day) FROM events"
    ).fetchone()
    (cards,) = connection.execute("SELECT count(*) FROM cards").fetchone()
    (waiting,) = connection.execute(
        "SELECT count(*) FROM events AS later WHERE target IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM events WHERE events.id = later.target)"
    ).fetchone()
    return Counts(events, answers, back, cards, first or "", last or "", waiting)


def unsound(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the ids of the events whose text is not what was written, in the order in which they were stored."""
    rows = connection.execute("SELECT id, CAST(body AS BLOB), CAST(sum AS BLOB) FROM events ORDER BY seq")
    return tuple(str(identity) for identity, body, stated in rows if not is_whole(body, stated))


def faults(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return what is wrong with the file and with its events: SQLite's own check, indexes too, and every checksum."""
    found = list(quick_check(connection, full=True))
    for row in connection.execute(f"SELECT {EVENT} FROM events ORDER BY seq"):  # noqa: S608
        event = read_event(row)
        if isinstance(event, Damaged):
            found.append(f"event {event.id}: {event.reason}")
    return tuple(found)


class Stale(NamedTuple):
    """How many cards, and how many tallies, are not what the events say."""

    cards: int
    tallies: int


def stale(connection: sqlite3.Connection, through: Facts) -> Stale:
    """Compare the caches with what the events say; `rebuild` mends them."""
    found = compare(connection, through, lambda _: None)
    return Stale(len(found.stale_keys), found.stale_tallies)
