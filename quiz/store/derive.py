"""Cards from the events in the file, and the cache that holds them. Called inside a transaction."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from quiz.session.attempt import Attempt
from quiz.session.events import Rerating, Retraction, SettingChange
from quiz.session.history import Timeline, fold, latest
from quiz.store.rows import CARD, CARD_MARKS, EVENT, Damaged, card_row, read_cached, read_event

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from quiz.scheduling.cards import Card, CardKey
    from quiz.session.events import Event

    Report = Callable[[Damaged], None]

_THIS_CARD = "bank = ? AND question = ? AND generation = ?"


class Amendments(NamedTuple):
    """What later events say about attempts: which are taken back, and which are rated anew."""

    retracted: frozenset[str]
    reratings: dict[str, Rerating]


def sound(rows: Iterator[tuple[object, ...]], report: Report) -> Iterator[Event]:
    """Yield the events of rows; a damaged one is reported and left out."""
    for row in rows:
        event = read_event(row)
        if isinstance(event, Damaged):
            report(event)
        else:
            yield event


def timeline(connection: sqlite3.Connection, report: Report) -> Timeline:
    """Return the settings through time."""
    rows = connection.execute(f"SELECT {EVENT} FROM events WHERE kind = 'setting' ORDER BY id")  # noqa: S608
    return Timeline.of(event for event in sound(rows, report) if isinstance(event, SettingChange))


def counted(
    connection: sqlite3.Connection, limit: int, report: Report, *, attempt: str = "", bank: str = "", until: str = ""
) -> Iterator[Attempt]:
    """Yield up to `limit` attempts that count, the newest first, passing over damaged ones; "" asks for any."""
    rows = connection.execute(
        f"SELECT {EVENT} FROM events WHERE kind = 'attempt'"  # noqa: S608
        " AND (?1 = '' OR id = ?1) AND (?2 = '' OR bank = ?2) AND (?3 = '' OR id <= ?3) AND NOT EXISTS"
        " (SELECT 1 FROM events AS later WHERE later.target = events.id AND later.kind = 'retraction')"
        " ORDER BY id DESC",
        (attempt, bank, until),
    )
    for event in sound(rows, report):
        if limit <= 0:
            return
        if isinstance(event, Attempt):
            limit -= 1
            yield event


def attempts_of(connection: sqlite3.Connection, key: CardKey, report: Report) -> list[Attempt]:
    """Return the attempts on a card, in the order of their ids, retracted ones too."""
    rows = connection.execute(
        f"SELECT {EVENT} FROM events WHERE kind = 'attempt' AND {_THIS_CARD} ORDER BY id",  # noqa: S608
        key,
    )
    return [event for event in sound(rows, report) if isinstance(event, Attempt)]


def amendments_of(connection: sqlite3.Connection, key: CardKey, report: Report) -> Amendments:
    """Return what later events say about the attempts on a card."""
    columns = ", ".join(f"later.{name}" for name in EVENT.split(", "))
    rows = connection.execute(
        f"SELECT {columns} FROM events AS later JOIN events AS attempt ON later.target = attempt.id"  # noqa: S608
        " WHERE attempt.kind = 'attempt'"
        " AND attempt.bank = ? AND attempt.question = ? AND attempt.generation = ?",
        key,
    )
    return _amendments(sound(rows, report))


def _amendments(events: Iterator[Event]) -> Amendments:
    retracted: set[str] = set()
    reratings: list[Rerating] = []
    for event in events:
        if isinstance(event, Retraction):
            retracted.add(event.target)
        elif isinstance(event, Rerating):
            reratings.append(event)
    return Amendments(frozenset(retracted), latest(reratings))


def derive(
    connection: sqlite3.Connection, key: CardKey, through_time: Timeline, report: Report
) -> tuple[Card | None, str]:
    """Derive a card from its events: the card, and the id of its last attempt ("" without one)."""
    attempts = attempts_of(connection, key, report)
    retracted, reratings = amendments_of(connection, key, report)
    card = fold(attempts, retracted, reratings, through_time)
    return card, attempts[-1].id if attempts else ""


def cached(connection: sqlite3.Connection, key: CardKey) -> tuple[Card, str] | None:
    """Return the cached card and the id of its last attempt, or None where there is none that is whole."""
    row = connection.execute(f"SELECT {CARD} FROM cards WHERE {_THIS_CARD}", key).fetchone()  # noqa: S608
    card = read_cached(row) if row else None
    return (card, row[3]) if card else None


def write(connection: sqlite3.Connection, key: CardKey, card: Card | None, last_event: str) -> None:
    """Put a card into the cache, or take it out where no attempt counts."""
    if card is None:
        connection.execute(f"DELETE FROM cards WHERE {_THIS_CARD}", key)  # noqa: S608
    else:
        connection.execute(
            f"INSERT OR REPLACE INTO cards ({CARD}) VALUES ({CARD_MARKS})",  # noqa: S608
            card_row(key, card, last_event),
        )


def derive_all(connection: sqlite3.Connection, report: Report) -> Iterator[tuple[CardKey, Card, str]]:
    """Derive every card from the events, in the order of their keys."""
    through_time = timeline(connection, report)
    later = connection.execute(f"SELECT {EVENT} FROM events WHERE target IS NOT NULL ORDER BY id")  # noqa: S608
    retracted, reratings = _amendments(sound(later, report))
    rows = connection.execute(
        f"SELECT {EVENT} FROM events WHERE kind = 'attempt' ORDER BY bank, question, generation, id"  # noqa: S608
    )
    attempts = (event for event in sound(rows, report) if isinstance(event, Attempt))
    for key, group in groupby(attempts, key=lambda attempt: attempt.card):
        mine = list(group)
        card = fold(mine, retracted, reratings, through_time)
        if card is not None:
            yield key, card, mine[-1].id
