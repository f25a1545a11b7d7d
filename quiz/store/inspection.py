"""Looking a history over: what it holds, and what is wrong with it. Nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from quiz.store import derive
from quiz.store.daily import quick_check
from quiz.store.rows import CARD, EVENT, Damaged, card_row, read_event

if TYPE_CHECKING:
    import sqlite3


class Counts(msgspec.Struct, frozen=True):
    """What a history holds; days are the learner's, empty where there is no answer."""

    events: int
    answers: int
    taken_back: int
    cards: int
    first_day: str
    last_day: str


def counts(connection: sqlite3.Connection) -> Counts:
    """Count what a history holds."""
    events, answers, back, first, last = connection.execute(
        "SELECT count(*), count(*) FILTER (WHERE kind = 'attempt'),"
        " count(DISTINCT target) FILTER (WHERE kind = 'retraction'), min(day), max(day) FROM events"
    ).fetchone()
    (cards,) = connection.execute("SELECT count(*) FROM cards").fetchone()
    return Counts(events, answers, back, cards, first or "", last or "")


def faults(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return what is wrong with the file and with its events: SQLite's own check, and every checksum."""
    found = list(quick_check(connection))
    for row in connection.execute(f"SELECT {EVENT} FROM events ORDER BY seq"):  # noqa: S608
        event = read_event(row)
        if isinstance(event, Damaged):
            found.append(f"event {event.id}: {event.reason}")
    return tuple(found)


def stale_cards(connection: sqlite3.Connection) -> int:
    """Count the cards that are not what the events say; `rebuild` mends them."""
    wanted = {card_row(*one) for one in derive.derive_all(connection, lambda _: None)}
    there = {tuple(row) for row in connection.execute(f"SELECT {CARD} FROM cards")}  # noqa: S608
    return len({row[:3] for row in wanted ^ there})
