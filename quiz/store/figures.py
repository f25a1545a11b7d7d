"""What the statistics ask of the counters, added up where they lie: the figures of years without the cells of years."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from typing import TYPE_CHECKING, Final

from quiz.statistics.given import Made
from quiz.statistics.mistakes import EDIT, MOST
from quiz.statistics.tally import DAYS, Cell, Kept, day_name, quarter_of
from quiz.store import counters

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator

#: Cells that some figure wants day by day; of the others it wants the sum, and today's.
_BY_DAY: Final = frozenset({"answers", "ms", "new"})
_RECALL: Final = "recall "

_MADE: Final = "FROM mistakes WHERE bank = ?1 AND what = ?2 AND {} AND quarter >= ?5"
_SOME: Final = _MADE.format("key >= ?3 AND key <= ?4")
# Of one key the rows lie in the order of its questions already.
_ONE: Final = _MADE.format("key = ?3 AND ?4 = ?4")
_AFTER_ALL: Final = "\U0010ffff"


def _days(connection: sqlite3.Connection, bank: str, first: int = 0) -> Iterator[tuple[date, dict[str, int]]]:
    rows = connection.execute("SELECT day, cells FROM days WHERE bank = ? AND day >= ? ORDER BY day", (bank, first))
    for day, text in rows:
        keys = counters.read_day(text)
        if keys is not None:
            yield date.fromordinal(day), keys


class _Sums(dict[str, "int | None"]):
    """Sums by key; None for a key that is wanted day by day. It is asked for each of some ten thousand cells."""

    def __missing__(self, key: str) -> int | None:
        self[key] = found = None if key in _BY_DAY or key.startswith(_RECALL) else 0
        return found


def days(connection: sqlite3.Connection, bank: str, today: date, since: date | None) -> list[tuple[Cell, int]]:
    """Return the cells of days from a day on; those of which the figures need sums alone as one, named `DAYS`."""
    found: list[tuple[Cell, int]] = []
    sums = _Sums()
    for day, keys in _days(connection, bank, since.toordinal() if since else 0):
        name, whole = day_name(day), day == today
        for key, count in keys.items():
            total = sums[key]
            if total is None or whole:
                found.append((Cell(name, "", key), count))
            else:
                sums[key] = total + count
    return found + [(Cell(DAYS, "", key), total) for key, total in sums.items() if total]


def mistakes(
    connection: sqlite3.Connection, bank: str, what: str, since: date | None, among: Collection[str] | None = None
) -> dict[str, Made]:
    """Return by key how often a `slip` or `chose` was made, from the quarter of a day on, and in which questions.

    Args:
        connection: the history.
        bank: its id.
        what: `slip` or `chose`.
        since: a day; None for all.
        among: of these questions alone, and then of all of them; None for any, of which the foremost are named.
            Slips of one edit, whose keys are numbered, are counted as one.
    """
    quarter = quarter_of(since) if since else ""
    if among is not None:
        found: dict[str, Counter[str]] = {}
        rows = connection.execute(
            f"SELECT key, question, sum(count) {_SOME} AND question IN (SELECT value FROM json_each(?6))"  # noqa: S608
            " GROUP BY key, question",
            (bank, what, "", _AFTER_ALL, quarter, json.dumps(sorted(among))),
        )
        for key, question, count in rows:
            found.setdefault(key, Counter())[question] = count
        return {key: Made(questions.total(), questions) for key, questions in found.items()}
    edits = f"{EDIT}-"
    made: dict[str, Made] = {}
    after = ""
    while True:
        (key,) = connection.execute(
            "SELECT min(key) FROM mistakes WHERE bank = ? AND what = ? AND key > ?", (bank, what, after)
        ).fetchone()
        if key is None:
            return made
        last = after = edits + _AFTER_ALL if key.startswith(edits) else key
        one = _foremost(connection, (bank, what, key, last, quarter))
        if one.times:
            name = EDIT if last != key else key
            made[name] = one.with_(made[name]) if name in made else one


def _foremost(connection: sqlite3.Connection, values: tuple[str, ...]) -> Made:
    _, _, first, last, _ = values
    made = _ONE if first == last else _SOME
    rows = connection.execute(
        f"SELECT question, sum(count) AS times {made} GROUP BY question ORDER BY times DESC, question LIMIT ?6",
        (*values, MOST),
    ).fetchall()
    (count,) = connection.execute(f"SELECT coalesce(sum(count), 0) {made}", values).fetchone()
    return Made(count, dict(rows))


def tallies(connection: sqlite3.Connection, bank: str) -> Counter[Cell]:
    """Return all counters of a bank as cells."""
    found = counters.cells_of_days(_days(connection, bank))
    for what, key, question, quarter, count in connection.execute(
        "SELECT what, key, question, quarter, count FROM mistakes WHERE bank = ?", (bank,)
    ):
        found[Cell(f"{what} {quarter}", question, key)] += count
    for question, *held in connection.execute(
        "SELECT question, ms, quarter, passed, failed, passed_before, failed_before FROM cards WHERE bank = ?", (bank,)
    ):
        found.update(counters.cells_of_card(question, Kept(*held)))
    return found
