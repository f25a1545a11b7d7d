"""All caches derived again from the events: beside those in the file first, so that they can be compared.

It goes through the answers card by card and holds one card's at a time, whatever the size of the history.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from quiz.scheduling.cards import CardKey
from quiz.session.attempt import Attempt
from quiz.session.history import Amendments, course
from quiz.store import counters
from quiz.store.derive import THIS_CARD, sound
from quiz.store.rows import CARD, CARD_MARKS, EVENT, card_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from quiz.store.derive import Facts, Report

_BATCH = 500
#: The caches beside the cards, with their columns.
_TABLES: Final = {
    "days": "bank, day, cells",
    "mistakes": "bank, what, key, question, quarter, count",
    "loads": "bank, block, counts",
}


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
        if found.stale_tallies:
            for name, columns in _TABLES.items():
                connection.execute(f"DELETE FROM {name}")  # noqa: S608
                connection.execute(f"INSERT INTO {name} ({columns}) SELECT {columns} FROM derived_{name}")  # noqa: S608
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
    stale = 0
    for name, columns in _TABLES.items():
        one, other = f"SELECT {columns} FROM {name}", f"SELECT {columns} FROM derived_{name}"  # noqa: S608
        stale += max(
            connection.execute(f"SELECT count(*) FROM ({here} EXCEPT {there})").fetchone()[0]  # noqa: S608
            for here, there in ((one, other), (other, one))
        )
    return Difference(cards, keys, stale)


def _clear(connection: sqlite3.Connection) -> None:
    for name in ("cards", *_TABLES):
        connection.execute(f"DROP TABLE IF EXISTS temp.derived_{name}")


def _derive(connection: sqlite3.Connection, through: Facts, report: Report) -> None:
    """Fill the tables `derived_…`, which no other program sees."""
    _clear(connection)
    for name in ("cards", *_TABLES):
        # The same table under another name, so that rows compare as they are stored.
        (made,) = connection.execute("SELECT sql FROM main.sqlite_master WHERE name = ?", (name,)).fetchone()
        connection.execute(str(made).replace(f"CREATE TABLE {name}", f"CREATE TEMP TABLE derived_{name}", 1))
    rows: list[tuple[object, ...]] = []
    totals: dict[str, counters.Added] = {}
    amended = connection.execute(f"SELECT {EVENT} FROM events WHERE target IS NOT NULL")  # noqa: S608
    amendments = Amendments.of(sound(amended, report))
    for key, attempts in _by_card(connection, through, report):
        told = course(attempts, amendments, through.timeline)
        if told.card is not None:
            kept = counters.kept(told.counted)
            rows.append(card_row(key, told.card, max(one.id for one in attempts), kept))
            totals.setdefault(key.bank, counters.Added({}, Counter())).add(counters.added(key, told.counted))
        if len(rows) >= _BATCH:
            _flush(connection, rows, totals)
    _flush(connection, rows, totals)
    for bank, total in totals.items():
        connection.executemany(
            "INSERT INTO derived_days (bank, day, cells) VALUES (?, ?, ?)",
            [(bank, day, counters.day_text(keys)) for day, keys in sorted(total.days.items())],
        )
        days = connection.execute(
            "SELECT due_day, count(*) FROM derived_cards WHERE bank = ? AND state = 'review' GROUP BY due_day", (bank,)
        )
        connection.executemany(
            "INSERT INTO derived_loads (bank, block, counts) VALUES (?, ?, ?)",
            [(bank, *block) for block in counters.blocks(days)],
        )


def _flush(connection: sqlite3.Connection, rows: list[tuple[object, ...]], totals: dict[str, counters.Added]) -> None:
    """Write cards and mistakes, of which there are many; the days are few, and kept to the end."""
    connection.executemany(f"INSERT INTO derived_cards ({CARD}) VALUES ({CARD_MARKS})", rows)  # noqa: S608
    rows.clear()
    for bank, total in totals.items():
        connection.executemany(
            "INSERT INTO derived_mistakes (bank, what, key, question, quarter, count) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET count = count + excluded.count",
            [(bank, *mistake, count) for mistake, count in total.mistakes.items()],
        )
        total.mistakes.clear()


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
