"""What the statistics ask of the counters, added up where they lie: the figures of years without the cells of years."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from functools import cache
from heapq import nlargest
from itertools import compress
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from quiz.statistics.given import Made
from quiz.statistics.mistakes import EDIT, MOST
from quiz.statistics.tally import DAYS, Cell, Kept, day_name, keys_of_days, quarter_of
from quiz.store import columns, counters

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterator

#: Cells that some figure wants day by day; of the others it wants the sum, and today's.
_BY_DAY: Final = frozenset({"answers", "ms", "new"})
_RECALL: Final = "recall "

_SOME: Final = "FROM mistakes WHERE bank = ?1 AND what = ?2 AND key >= ?3 AND key <= ?4 AND quarter >= ?5"
_AFTER_ALL: Final = "\U0010ffff"


_OF_DAYS: Final = "SELECT day, cells FROM days WHERE bank = ? AND day >= ? ORDER BY day"


def _days(connection: sqlite3.Connection, bank: str) -> Iterator[tuple[date, dict[str, int]]]:
    for day, text in connection.execute(_OF_DAYS, (bank, 0)):
        keys = counters.read_day(text)
        if keys is not None:
            yield date.fromordinal(day), keys


class _Form(NamedTuple):
    """How the counters of a day are read as a row of numbers: the key of each, and which are wanted day by day."""

    decode: Callable[[str], msgspec.Struct]
    keys: tuple[str, ...]
    by_day: frozenset[int]


@cache
def _form() -> _Form:
    keys = keys_of_days()
    names = [f"at_{place}" for place in range(len(keys))]
    row = msgspec.defstruct(
        "Row",
        [(name, int, 0) for name in names],
        rename=dict(zip(names, keys, strict=True)),
        forbid_unknown_fields=True,
        gc=False,
    )
    by_day = frozenset(place for place, key in enumerate(keys) if key in _BY_DAY or key.startswith(_RECALL))
    return _Form(msgspec.json.Decoder(row).decode, keys, by_day)


class DaySums(NamedTuple):
    """The cells of days: of some keys the count on each day, of the others their sum in a cell named `DAYS`.

    Of today, and of days that hold what this program does not count, all cells stand as they are.
    """

    cells: list[tuple[Cell, int]]
    by_day: dict[str, dict[date, int]]


def days(connection: sqlite3.Connection, bank: str, today: date, since: date | None) -> DaySums:
    """Return the cells of days from a day on."""
    found: list[tuple[Cell, int]] = []
    rows: list[tuple[int, ...]] = []
    of: list[date] = []
    form = _form()
    for number, text in connection.execute(_OF_DAYS, (bank, since.toordinal() if since else 0)):
        day = date.fromordinal(number)
        row = _row(form, text)
        if row is None or day == today:
            name = day_name(day)
            found += [(Cell(name, "", key), count) for key, count in (counters.read_day(text) or {}).items()]
            continue
        rows.append(row)
        of.append(day)
    by_day: dict[str, dict[date, int]] = {}
    for place, (key, column) in enumerate(zip(form.keys, zip(*rows, strict=True), strict=False)):
        if place in form.by_day:
            by_day[key] = dict(compress(zip(of, column, strict=True), column))
        elif total := sum(column):
            found.append((Cell(DAYS, "", key), total))
    return DaySums(found, by_day)


def _row(form: _Form, text: object) -> tuple[int, ...] | None:
    """Return the counters of a day as a row; None where they are damaged, or others than this program counts."""
    try:
        return msgspec.structs.astuple(form.decode(text)) if isinstance(text, str) else None
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None


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
    """Return how often some keys were met, and those questions where they were met most."""
    # Which are the foremost is looked for here: SQLite takes twice as long to add up each question's.
    asked = f"SELECT json_group_array(question), json_group_array(count) {_SOME}"
    questions, counts = connection.execute(asked, values).fetchone()
    found: dict[str, int] = {}
    for question, count in zip(columns.names(questions), columns.numbers(counts), strict=True):
        found[question] = found.get(question, 0) + count
    times = found.values()
    least = min(nlargest(MOST, times), default=0)
    some = sorted((-count, question) for question, count in found.items() if count >= least)
    return Made(sum(times), {question: -count for count, question in some[:MOST]})


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
