"""Memory: true retention by maturity and by month, as Anki defines it."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from quiz.scheduling.calendar import add_days
from quiz.statistics.estimate import Share, share

if TYPE_CHECKING:
    from quiz.statistics.given import Given, Sums

Grown = Literal["learning", "young", "mature", "review"]

#: What a row is about; `review` is young and mature together, which is what the scheduler's target speaks of.
ROWS: Final[tuple[Grown, ...]] = ("learning", "young", "mature", "review")
#: Days back that the columns cover; None is all of the past, or all since the day asked for.
WINDOWS: Final[tuple[int | None, ...]] = (30, 90, None)
MONTHS: Final = 12


class Retention(msgspec.Struct, frozen=True):
    """True retention of cards of one maturity over a window of days (None: all)."""

    maturity: Grown
    days: int | None
    passed: Share


class Month(msgspec.Struct, frozen=True):
    """True retention of young and mature cards in a calendar month; `month` is its first day."""

    month: date
    passed: Share


class Memory(msgspec.Struct, frozen=True):
    """True retention: the share of first answers of a card's day that passed, of cards seen on an earlier day."""

    target: float
    rows: tuple[Retention, ...]
    months: tuple[Month, ...]

    def of(self, maturity: Grown, days: int | None) -> Share:
        """Return the retention of a row and a column."""
        return next(row.passed for row in self.rows if (row.maturity, row.days) == (maturity, days))


def memory(given: Given, sums: Sums) -> Memory:
    """Return true retention by maturity and window, and the last twelve months of it."""
    windows = WINDOWS if given.since is None else (None,)
    passed = {days: _passed(sums, add_days(given.today, 1 - days) if days else date.min) for days in windows}
    rows = [Retention(grown, days, passed[days][grown]) for grown in ROWS for days in windows]
    return Memory(given.target, tuple(rows), _months(given, sums))


def _passed(sums: Sums, first: date) -> dict[Grown, Share]:
    """Return the retention of each row from a day on."""
    found: dict[tuple[str, str], int] = {}
    for (day, kind, outcome), count in sums.recall.items():
        if day >= first:
            found[kind, outcome] = found.get((kind, outcome), 0) + count
    shares: dict[Grown, Share] = {}
    for grown in ROWS:
        kinds = ("young", "mature") if grown == "review" else (grown,)
        passed, failed = (sum(found.get((kind, outcome), 0) for kind in kinds) for outcome in ("pass", "fail"))
        shares[grown] = share(passed, passed + failed)
    return shares


def _months(given: Given, sums: Sums) -> tuple[Month, ...]:
    """Return the last twelve months in which any review lies between the first and the last; none without one."""
    months = _last_months(given.today)
    found: dict[date, list[int]] = {}
    for (day, kind, outcome), count in sums.recall.items():
        if day >= months[0] and kind in ("young", "mature"):
            passed = found.setdefault(day.replace(day=1), [0, 0])
            passed[outcome == "fail"] += count
    first = min(found, default=None)
    if first is None:
        return ()
    return tuple(
        Month(month, share(found.get(month, [0, 0])[0], sum(found.get(month, [0, 0]))))
        for month in months
        if month >= first
    )


def _last_months(today: date) -> list[date]:
    count = today.year * 12 + today.month - 1
    numbers = [number for number in range(count - MONTHS + 1, count + 1) if number >= MONTHS]
    return [date(number // 12, number % 12 + 1, 1) for number in numbers]
