"""What the statistics ask of the tallies, added up where they lie: the figures of years, without the cells of years."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from quiz.statistics.tally import DAYS, Cell, day_name, quarter_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection
    from datetime import date

_OF_DAYS = "bank = ?1 AND name >= ?2 AND name < 'day~' AND question = ''"
#: Cells that some figure wants day by day; of the others it wants the sum, and today's.
_BY_DAY = "(key IN ('answers', 'ms', 'new') OR key GLOB 'recall *' OR name = ?3)"


def days(connection: sqlite3.Connection, bank: str, today: date, since: date | None) -> list[tuple[Cell, int]]:
    """Return the cells of days from a day on; those of which the figures need sums alone as one, named `DAYS`."""
    values = (bank, day_name(since) if since else "day ", day_name(today))
    found = [
        (Cell(name, "", key), count)
        for name, key, count in connection.execute(
            f"SELECT name, key, count FROM tallies WHERE {_OF_DAYS} AND {_BY_DAY}",  # noqa: S608
            values,
        )
    ]
    sums = connection.execute(
        f"SELECT key, sum(count) FROM tallies WHERE {_OF_DAYS} AND NOT {_BY_DAY} GROUP BY key",  # noqa: S608
        values,
    )
    return found + [(Cell(DAYS, "", key), count) for key, count in sums]


def mistakes(
    connection: sqlite3.Connection, bank: str, what: str, since: date | None, among: Collection[str] | None = None
) -> dict[str, dict[str, int]]:
    """Return by key and by question the counts of `slip` or of `chose`, from the quarter of a day on.

    Args:
        connection: the history.
        bank: its id.
        what: the name of the cells.
        since: a day; None for all.
        among: these questions alone; None for all.
    """
    some = "" if among is None else " AND question IN (SELECT value FROM json_each(?4))"
    values = (bank, f"{what} {quarter_of(since) if since else ''}", f"{what}~")
    rows = connection.execute(
        f"SELECT question, key, count FROM tallies WHERE bank = ?1 AND name >= ?2 AND name < ?3{some}",  # noqa: S608
        values if among is None else (*values, json.dumps(sorted(among))),
    )
    found: dict[str, dict[str, int]] = {}
    for question, key, count in rows:
        of_key = found.get(key)
        if of_key is None:
            of_key = found[key] = {}
        of_key[question] = of_key.get(question, 0) + count
    return found
