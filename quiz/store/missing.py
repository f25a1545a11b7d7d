"""Answers that are gone from a file that is sound otherwise: the cards and the days counted more than are there.

What counts lies elsewhere in the file than the answers, so it is the only trace of them: to derive the cards again
from the answers that are left would erase it.
"""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from quiz.nouns import count, plural
from quiz.store import counters, sound
from quiz.store.places import backups
from quiz.store.schema import is_derived

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Set as AbstractSet

#: Answers that are there and were not taken back.
_HERE = (
    "FROM events WHERE kind = 'attempt'"
    " AND id NOT IN (SELECT target FROM events WHERE kind = 'retraction' AND target IS NOT NULL)"
)


class Missing(msgspec.Struct, frozen=True):
    """How many answers were counted and how many of these are there; those taken back are in neither.

    `answers` are missing by one of the two counts: that of the cards, or those of the days, day by day.
    """

    answers: int
    here: int

    def counted(self) -> str:
        """Say how that is known."""
        return f"the cards and days counted {self.here + self.answers:,}, and {self.here:,} can be read"

    def told(self) -> str:
        """Say it as a sentence without its stop."""
        return f"{count(self.answers, 'answer')} {plural(self.answers, 'is', 'are')} missing: {self.counted()}"


def missing(connection: sqlite3.Connection) -> Missing | None:
    """Return how many answers were counted and are gone; None where all that is counted is there.

    Nothing is said of counters that an older program left, or that are damaged.
    """
    if not is_derived(connection):
        return None
    (here,) = connection.execute(f"SELECT count(*) {_HERE}").fetchone()
    (of_cards,) = connection.execute("SELECT coalesce(sum(reps), 0) FROM cards").fetchone()
    counted: Counter[int] = Counter()
    for day, text in connection.execute("SELECT day, cells FROM days"):
        counted[day] += (counters.read_day(text) or {}).get("answers", 0)
    there: Counter[int] = Counter()
    for day, number in connection.execute(f"SELECT day, count(*) {_HERE} GROUP BY day"):
        there[date.fromisoformat(day).toordinal()] += number
    gone = max(of_cards - here, (counted - there).total())
    return Missing(gone, here) if gone > 0 else None


class Holding(msgspec.Struct, frozen=True):
    """A backup that was read whole, and how many answers it holds that the history lacks."""

    path: Path
    answers: int


def holding(history: Path, here: AbstractSet[str]) -> Holding | None:
    """Return the backup that holds most of what is missing, of equals the newest; None where no sound one holds any.

    Args:
        history: the file.
        here: the ids of the answers in it.
    """
    best: Holding | None = None
    for one in backups(history):
        ids = sound.ids(one.path)
        more = len(ids - here) if ids is not None else 0
        if more > (best.answers if best else 0):
            best = Holding(one.path, more)
    return best
