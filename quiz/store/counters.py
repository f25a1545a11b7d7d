"""The counters beside the cards: of each day, of each mistake, and of what comes due. Called inside a transaction.

They are caches: what cannot be read as written counts for nothing, and the next opening derives all of them again.
"""

from __future__ import annotations

import struct
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from quiz.scheduling.balance import BLOCK, NOTHING, Loads
from quiz.statistics.tally import Cell, Kept, day_name, mistakes, of_day, quarter_named, quarter_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping
    from datetime import date

    from quiz.scheduling.cards import Card, CardKey
    from quiz.session.history import Counted

#: What, which, question, quarter.
Mistake = tuple[str, str, str, str]

_WRITER: Final = msgspec.json.Encoder(order="sorted")
_READER: Final = msgspec.json.Decoder(dict[str, int])
_COUNTS: Final = struct.Struct(f"<{BLOCK}I")
_COUNT: Final = struct.Struct("<I")

_OF_DAY: Final = "SELECT cells FROM days WHERE bank = ? AND day = ?"
_PUT_DAY: Final = (
    "INSERT INTO days (bank, day, cells) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET cells = excluded.cells"
)
_PUT_MISTAKE: Final = (
    "INSERT INTO mistakes (bank, what, key, question, quarter, count) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET count = count + excluded.count"
)
_DROP_MISTAKE: Final = (
    "DELETE FROM mistakes WHERE bank = ? AND what = ? AND key = ? AND question = ? AND quarter = ? AND count = 0"
)
_LOADS: Final = "SELECT block, counts FROM loads WHERE bank = ? AND block IN (?, ?)"
_PUT_LOADS: Final = (
    "INSERT INTO loads (bank, block, counts) VALUES {} ON CONFLICT DO UPDATE SET counts = excluded.counts"
)
_PUT_LOAD: Final = {count: _PUT_LOADS.format(", ".join(["(?, ?, ?)"] * count)) for count in (1, 2)}


class Added(NamedTuple):
    """What answers add: by day, as `date.toordinal` counts it, and key; and by mistake."""

    days: dict[int, Counter[str]]
    mistakes: Counter[Mistake]

    def add(self, other: Added) -> None:
        """Count what other answers add too."""
        for day, keys in other.days.items():
            mine = self.days.setdefault(day, Counter())
            for key, count in keys.items():
                mine[key] += count
        for mistake, count in other.mistakes.items():
            self.mistakes[mistake] += count

    def subtract(self, other: Added) -> None:
        """Take away what other answers add."""
        for day, keys in other.days.items():
            self.days.setdefault(day, Counter()).subtract(keys)
        self.mistakes.subtract(other.mistakes)


def added(key: CardKey, answers: Iterable[Counted]) -> Added:
    """Return what answers that count for a card add."""
    found = Added({}, Counter())
    for attempt, before, _, rating in answers:
        keys = of_day(attempt, before, rating)
        day = found.days.setdefault(attempt.day.toordinal(), Counter())
        for name, count in keys.items():
            day[name] += count
        quarter = quarter_of(attempt.day)
        found.mistakes.update([(what, which, key.question, quarter) for what, which in mistakes(attempt)])
    return found


def kept(answers: Iterable[Counted]) -> Kept:
    """Return what a card holds of the answers that count for it."""
    found = Kept()
    for attempt, before, _, rating in answers:
        found = found.after(attempt, before, rating)
    return found


def add(connection: sqlite3.Connection, bank: str, more: Added) -> None:
    """Add to the counters of a bank; what comes to nothing goes."""
    for day, keys in more.days.items():
        if any(keys.values()):
            row = connection.execute(_OF_DAY, (bank, day)).fetchone()
            add_day(connection, bank, day, row[0] if row else None, keys)
    add_mistakes(connection, bank, [(mistake, count) for mistake, count in more.mistakes.items() if count])


def add_day(connection: sqlite3.Connection, bank: str, day: int, text: object, keys: Mapping[str, int]) -> None:
    """Add to the counters of a day, whose text is given: None where it has none yet."""
    cells = {} if text is None else read_day(text)
    if cells is None:
        derive_anew(connection)
        cells = {}
    for key, count in keys.items():
        if total := cells.get(key, 0) + count:
            cells[key] = total
        else:
            cells.pop(key, None)
    if cells:
        connection.execute(_PUT_DAY, (bank, day, day_text(cells)))
    else:
        connection.execute("DELETE FROM days WHERE bank = ? AND day = ?", (bank, day))


def add_mistakes(connection: sqlite3.Connection, bank: str, more: Iterable[tuple[Mistake, int]]) -> None:
    """Add to the counters of mistakes."""
    for mistake, count in more:
        connection.execute(_PUT_MISTAKE, (bank, *mistake, count))
        if count < 0:
            connection.execute(_DROP_MISTAKE, (bank, *mistake))


def day_text(cells: Mapping[str, int]) -> str:
    """Return the counters of a day as they are stored: JSON with sorted keys."""
    return _WRITER.encode(cells).decode()


def read_day(text: object) -> dict[str, int] | None:
    """Return the counters of a day, or None where they are damaged."""
    try:
        return _READER.decode(text) if isinstance(text, str) else None
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None


def shift(
    connection: sqlite3.Connection,
    bank: str,
    before: Card | None,
    after: Card | None,
    known: Mapping[int, bytes] | None = None,
) -> None:
    """Bring the load of the days from one standing of a card to the next; None is no card.

    Args:
        connection: in a transaction.
        bank: its id.
        before, after: the card.
        known: all rows of the bank, where they were read already.
    """
    was, now = _due(before), _due(after)
    if was == now:
        return
    touched = sorted({day // BLOCK for day in (was, now) if day is not None})
    rows = known
    if rows is None:
        rows = dict(connection.execute(_LOADS, (bank, touched[0], touched[-1])).fetchall())
    put: list[str | int | bytes] = []
    for block in touched:
        counts = rows.get(block)
        if counts is not None and block_of(counts) is None:
            derive_anew(connection)
            counts = None
        some = bytearray(counts or _COUNTS.size)
        for day, change in ((was, -1), (now, 1)):
            if day is not None and day // BLOCK == block:
                place = day % BLOCK * _COUNT.size
                _COUNT.pack_into(some, place, max(0, _COUNT.unpack_from(some, place)[0] + change))
        if any(some):
            put += (bank, block, bytes(some))
        else:
            connection.execute("DELETE FROM loads WHERE bank = ? AND block = ?", (bank, block))
    if put:
        connection.execute(_PUT_LOAD[len(put) // 3], put)


def _due(card: Card | None) -> int | None:
    return None if card is None or card.state != "review" else card.due_day.toordinal()


def block_of(counts: object) -> tuple[int, ...] | None:
    """Return the counts of a block as they are stored, or None where they are damaged; without a row all are 0."""
    if counts is None:
        return NOTHING
    return _COUNTS.unpack(counts) if isinstance(counts, bytes) and len(counts) == _COUNTS.size else None


def rows_of_loads(connection: sqlite3.Connection, bank: str) -> dict[int, bytes]:
    """Return the load of the days as it is stored, by block."""
    rows = connection.execute("SELECT block, counts FROM loads WHERE bank = ? ORDER BY block", (bank,))
    return dict(rows.fetchall())


def load(connection: sqlite3.Connection, bank: str) -> Loads:
    """Return how many reviews come due on each day."""
    rows = rows_of_loads(connection, bank).items()
    return Loads({block: found for block, counts in rows if (found := block_of(counts)) is not None})


def blocks(days: Iterable[tuple[int, int]]) -> list[tuple[int, bytes]]:
    """Return the load of days, by their ordinals, as blocks are stored."""
    found: dict[int, list[int]] = {}
    for day, count in days:
        found.setdefault(day // BLOCK, [0] * BLOCK)[day % BLOCK] = count
    return [(block, _COUNTS.pack(*counts)) for block, counts in sorted(found.items())]


def derive_anew(connection: sqlite3.Connection) -> None:
    """Let the next opening derive the caches: one of them is damaged."""
    connection.execute("DELETE FROM meta WHERE name = 'derivation'")


def cells_of_days(rows: Iterable[tuple[date, Mapping[str, int]]]) -> Counter[Cell]:
    """Return the counters of days as cells."""
    return Counter({Cell(day_name(day), "", key): count for day, keys in rows for key, count in keys.items()})


def cells_of_card(question: str, held: Kept) -> Counter[Cell]:
    """Return what a card holds as cells."""
    found = Counter({Cell("ms", question, ""): held.ms})
    for quarter, passed, failed in (
        (held.quarter, held.passed, held.failed),
        (held.quarter - 1, held.passed_before, held.failed_before),
    ):
        name = f"recall {quarter_named(quarter)}"
        found.update({Cell(name, question, "pass"): passed, Cell(name, question, "fail"): failed})
    return +found
