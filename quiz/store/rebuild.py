"""All caches derived again from the events: beside those in the file first, so that they can be compared.

It goes through the answers card by card and holds one card's at a time, whatever the size of the history.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from quiz.scheduling.cards import CardKey
from quiz.session.attempt import Attempt
from quiz.session.history import Amendments, course
from quiz.store.derive import THIS_CARD, cells, sound
from quiz.store.rows import CARD, CARD_MARKS, EVENT, card_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from quiz.statistics.tally import Cell
    from quiz.store.derive import Facts, Report

_BATCH = 500
_TALLY = "bank, name, question, key, count"
_LOADS = "SELECT bank, due_day, count(*) FROM cards WHERE state = 'review' GROUP BY bank, due_day"


class Difference(NamedTuple):
    """How many cards the events make, which cards in the file are others, and how many tallies are."""

    cards: int
    stale_keys: frozenset[CardKey]
    stale_tallies: int


def compare(connection: sqlite3.Connection, through: Facts, report: Report) -> Difference:
    """Derive all caches and compare. Nothing in the file is written."""
    _derive(connection, through, report)
    try:
        return _difference(connection)
    finally:
        _clear(connection)


def rebuild(connection: sqlite3.Connection, through: Facts, report: Report) -> Difference:
    """Derive all caches and put them in the place of those in the file, row by row where they differ."""
    _derive(connection, through, report)
    try:
        found = _difference(connection)
        if found.stale_keys:
            connection.execute("DELETE FROM shelves")
        for key in found.stale_keys:
            connection.execute(f"DELETE FROM cards WHERE {THIS_CARD}", key)  # noqa: S608
            connection.execute(
                f"INSERT INTO cards ({CARD}) SELECT {CARD} FROM derived_cards WHERE {THIS_CARD}",  # noqa: S608
                key,
            )
        if found.stale_keys or found.stale_tallies:
            connection.execute("DELETE FROM loads")
            connection.execute(f"INSERT INTO loads (bank, day, count) {_LOADS}")
        if found.stale_tallies:
            connection.execute("DELETE FROM tallies")
            connection.execute(f"INSERT INTO tallies ({_TALLY}) SELECT {_TALLY} FROM derived_tallies")  # noqa: S608
        return found
    finally:
        _clear(connection)


def _difference(connection: sqlite3.Connection) -> Difference:
    (cards,) = connection.execute("SELECT count(*) FROM derived_cards").fetchone()
    keys = frozenset(
        CardKey(*row[:3])
        for one, other in (("cards", "derived_cards"), ("derived_cards", "cards"))
        for row in connection.execute(f"SELECT {CARD} FROM {one} EXCEPT SELECT {CARD} FROM {other}")  # noqa: S608
    )
    (tallies,) = connection.execute(
        f"SELECT count(*) FROM (SELECT {_TALLY} FROM tallies EXCEPT SELECT {_TALLY} FROM derived_tallies)"  # noqa: S608
    ).fetchone()
    (lacking,) = connection.execute(
        f"SELECT count(*) FROM (SELECT {_TALLY} FROM derived_tallies EXCEPT SELECT {_TALLY} FROM tallies)"  # noqa: S608
    ).fetchone()
    (loads,) = connection.execute(
        f"SELECT count(*) FROM (SELECT bank, day, count FROM loads EXCEPT {_LOADS})"  # noqa: S608
    ).fetchone()
    (unloaded,) = connection.execute(
        f"SELECT count(*) FROM ({_LOADS} EXCEPT SELECT bank, day, count FROM loads)"  # noqa: S608
    ).fetchone()
    return Difference(cards, keys, max(tallies, lacking) + max(loads, unloaded))


def _clear(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE temp.derived_cards")
    connection.execute("DROP TABLE temp.derived_tallies")


def _derive(connection: sqlite3.Connection, through: Facts, report: Report) -> None:
    """Fill `derived_cards` and `derived_tallies`, which no other program sees."""
    for name in ("cards", "tallies"):
        # The same table under another name, so that rows compare as they are stored.
        (made,) = connection.execute("SELECT sql FROM main.sqlite_master WHERE name = ?", (name,)).fetchone()
        connection.execute(str(made).replace(f"CREATE TABLE {name}", f"CREATE TEMP TABLE derived_{name}", 1))
    rows: list[tuple[object, ...]] = []
    totals: dict[str, Counter[Cell]] = defaultdict(Counter)
    amended = connection.execute(f"SELECT {EVENT} FROM events WHERE target IS NOT NULL")  # noqa: S608
    amendments = Amendments.of(sound(amended, report))
    for key, attempts in _by_card(connection, through, report):
        told = course(attempts, amendments, through.timeline)
        if told.card is not None:
            rows.append(card_row(key, told.card, max(one.id for one in attempts)))
            total = totals[key.bank]
            for cell, count in cells(key, told.counted).items():
                total[cell] += count
        if len(rows) >= _BATCH:
            _flush(connection, rows, totals)
    _flush(connection, rows, totals)


def _flush(connection: sqlite3.Connection, rows: list[tuple[object, ...]], totals: dict[str, Counter[Cell]]) -> None:
    connection.executemany(f"INSERT INTO derived_cards ({CARD}) VALUES ({CARD_MARKS})", rows)  # noqa: S608
    connection.executemany(
        f"INSERT INTO derived_tallies ({_TALLY}) VALUES (?, ?, ?, ?, ?)"  # noqa: S608
        " ON CONFLICT DO UPDATE SET count = count + excluded.count",
        [(bank, *cell, count) for bank, total in totals.items() for cell, count in total.items()],
    )
    rows.clear()
    totals.clear()


def _by_card(connection: sqlite3.Connection, through: Facts, report: Report) -> Iterator[tuple[CardKey, list[Attempt]]]:
    """Yield every card with its attempts. Those whose question was renamed are gathered from their several names."""
    touched = through.names.touched
    moved: dict[CardKey, list[Attempt]] = defaultdict(list)
    rows = connection.execute(
        f"SELECT {EVENT} FROM events WHERE kind = 'attempt' ORDER BY question, bank, generation"  # noqa: S608
    )
    attempts = (event for event in sound(rows, report) if isinstance(event, Attempt))
    for key, group in groupby(attempts, key=lambda attempt: attempt.card):
        if key[:2] not in touched:
            yield key, list(group)
            continue
        for attempt in group:
            moved[through.names.key(attempt)].append(attempt)
    yield from moved.items()
