"""Which reviews a session takes of those that are due, by an index alone: no card is read for it."""

from __future__ import annotations

import hashlib
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Final

from quiz.scheduling.cards import CardKey

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Container, Iterable, Iterator

# All that is asked for is in the index, in this order. A card's checksum is another one after each answer, and as good
# as a lot.
_DUE: Final = (
    "SELECT due_day, sum >= ?3, question, generation FROM cards"
    " WHERE bank = ?1 AND state = 'review' AND due_day <= ?2 ORDER BY due_day, sum"
)
_OF_DAY: Final = (
    "SELECT question, generation FROM cards"
    " WHERE bank = ?1 AND state = 'review' AND due_day = ?2 AND sum {} ?3 ORDER BY sum"
)


def foremost(
    connection: sqlite3.Connection, bank: str, day: date, among: Container[CardKey], *, seed: int | str, room: int
) -> dict[CardKey, date]:
    """Return the longest due reviews, each with its day, within a day by lot; `Reader.foremost` tells the rest."""
    found: dict[CardKey, date] = {}
    if room <= 0:
        return found
    start = hashlib.blake2b(str(seed).encode(), digest_size=16).digest()
    of = -1
    # Of one day: those at and after the place where drawing begins, then those before it.
    drawn: tuple[list[CardKey], list[CardKey]] = [], []
    for due, late, question, generation in connection.execute(_DUE, (bank, day.toordinal(), start)):
        if due != of:
            _put(found, of, drawn)
            if len(found) >= room:
                return found
            of, drawn = due, ([], [])
        key = CardKey(bank, question, generation)
        if key not in among:
            continue
        drawn[not late].append(key)
        if len(found) + len(drawn[0]) + len(drawn[1]) > room:
            break
    else:
        _put(found, of, drawn)
        return found
    # More of this day than there is room for, of which the first are drawn; there may be many.
    here = (key for key in _drawn(connection, bank, of, start) if key in among)
    _put(found, of, [islice(here, room - len(found))])
    return found


def _drawn(connection: sqlite3.Connection, bank: str, day: int, start: bytes) -> Iterator[CardKey]:
    """Yield the reviews that are due on a day, by lot."""
    for part in (">=", "<"):
        for question, generation in connection.execute(_OF_DAY.format(part), (bank, day, start)):
            yield CardKey(bank, question, generation)


def _put(found: dict[CardKey, date], day: int, drawn: Iterable[Iterable[CardKey]]) -> None:
    if day > 0:
        when = date.fromordinal(day)
        found.update((key, when) for keys in drawn for key in keys)
