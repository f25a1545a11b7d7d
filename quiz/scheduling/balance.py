"""Load balancing: within the spread of the fuzz, the day with least to do. Pure and deterministic.

The fuzz alone draws a day from the card's name; here the learner's other cards decide. So the day cannot be drawn
again from the card's own history: it is stored with the answer (`Attempt.placed`) and taken from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from quiz.scheduling.cards import RATINGS, Answer, Drawn, Reviewed, answer
from quiz.scheduling.settings import WEEKDAYS

if TYPE_CHECKING:
    from quiz.scheduling.cards import Card
    from quiz.scheduling.rating import Rating
    from quiz.scheduling.settings import Settings

#: How many cards come back on each day, the card that is asked about left out; a day that is not named has none.
Load = Mapping[date, int]

#: An easy day counts as so many times as full: it takes a third of what another day takes.
EASY: Final = 3


#: Days that are kept, and copied where one of them changes, together.
BLOCK: Final = 64
NOTHING: Final = (0,) * BLOCK
_LAST: Final = date.max.toordinal()


class Loads(Load):
    """A load that gives a stretch of days at once, and with one card more or less another load, without a copy."""

    __slots__ = ("_blocks",)

    def __init__(self, blocks: dict[int, tuple[int, ...]]) -> None:
        """Take over the counts by blocks of days."""
        self._blocks = blocks

    @classmethod
    def of(cls, load: Load) -> Loads:
        """Return any load as one of these."""
        if isinstance(load, Loads):
            return load
        blocks: dict[int, list[int]] = {}
        for day, count in load.items():
            block, place = divmod(day.toordinal(), BLOCK)
            blocks.setdefault(block, list(NOTHING))[place] = count
        return cls({block: tuple(counts) for block, counts in blocks.items()})

    def __getitem__(self, day: date) -> int:
        block, place = divmod(day.toordinal(), BLOCK)
        count = self._blocks.get(block, NOTHING)[place]
        if not count:
            raise KeyError(day)
        return count

    def __iter__(self) -> Iterator[date]:
        for block, counts in self._blocks.items():
            yield from (date.fromordinal(block * BLOCK + place) for place, count in enumerate(counts) if count)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def by_day(self) -> dict[date, int]:
        """Return it as a dictionary."""
        return {
            date.fromordinal(block * BLOCK + place): count
            for block, counts in self._blocks.items()
            for place, count in enumerate(counts)
            if count
        }

    def between(self, first: int, last: int) -> tuple[int, ...]:
        """Return the counts from one day to another, both by their ordinals and both included."""
        begin, end = first // BLOCK, last // BLOCK
        counts = self._blocks.get(begin, NOTHING)
        for block in range(begin + 1, end + 1):
            counts += self._blocks.get(block, NOTHING)
        return counts[first - begin * BLOCK : last - begin * BLOCK + 1]

    def changed(self, day: date, count: int) -> Loads:
        """Return the load with so many cards more, or less, on a day; never less than none."""
        block, place = divmod(day.toordinal(), BLOCK)
        counts = self._blocks.get(block, NOTHING)
        after = counts[place] + count
        return Loads({**self._blocks, block: (*counts[:place], max(0, after), *counts[place + 1 :])})


class Placed(NamedTuple):
    """What an answer makes of a card, and whether its day was chosen by the load and not drawn."""

    after: Reviewed
    placed: bool = False


def preview(  # noqa: PLR0913 - the facts of one answer
    card: Card | None,
    now: datetime,
    offset: int,
    *,
    settings: Settings,
    seed: str,
    day: date | None = None,
    retention: float | None = None,
    load: Load | None = None,
) -> Mapping[Rating, Placed]:
    """Return what each rating stores.

    Of the days within the spread the one with the least load is taken; of equal ones the nearest to the day that the
    fuzz would draw, the later of two. A better rating never comes back sooner than a worse one. Without `load`, or with
    neither balancing nor easy days, the fuzz decides.

    Args:
        card, now, offset, settings, seed, day, retention: as of `quiz.scheduling.cards.review`.
        load: the other cards of the days between the first and the last day of `span`.
    """
    given = answer(card, now, offset, settings, seed, day, retention)
    held = None if load is None or not moves(settings) else Loads.of(load)
    latest = _LATEST[0] if _LATEST else None
    if latest is None or latest[0] is not given or latest[1] is not held:
        latest = given, held, _chosen(given, held, settings)
        _LATEST[:] = [latest]
    return {drawn.rating: Placed(given.reviewed(drawn, days, now), placed) for drawn, days, placed in latest[2]}


#: The days that were chosen last, with the answer and the load that they were chosen for: none of them depends on the
#: moment of the answer, so that they can be chosen while the question is read.
_LATEST: Final[list[tuple[Answer, Loads | None, list[tuple[Drawn, int, bool]]]]] = []


def _chosen(given: Answer, held: Loads | None, settings: Settings) -> list[tuple[Drawn, int, bool]]:
    """Return what each rating draws, after how many days it comes back, and whether these were chosen by the load."""
    today, floor = given.today.toordinal(), 0
    found = []
    for rating in RATINGS:
        drawn = given.rated(rating)
        days, placed = drawn.days, False
        if held is not None and drawn.told.state == "review":
            due, first, last = today + days, today + drawn.low, today + drawn.high
            if last > _LAST:
                due, first, last = min(due, _LAST), min(first, _LAST), _LAST
            floor = _lightest(max(first, floor), last, max(due, floor), held, settings)
            if floor != due:
                days, placed = floor - today, True
        found.append((drawn, days, placed))
    return found


def span(placed: Mapping[Rating, Placed]) -> tuple[date, date] | None:
    """Return the first and the last day that any rating may choose; None where there is nothing to choose."""
    open_ = [one.after for one in placed.values() if one.after.earliest < one.after.latest]
    return (min(one.earliest for one in open_), max(one.latest for one in open_)) if open_ else None


def moves(settings: Settings) -> bool:
    """Tell whether the load decides at all."""
    return settings.fuzz and (settings.balance or bool(settings.easy_days))


def _lightest(first: int, last: int, drawn: int, load: Loads, settings: Settings) -> int:
    """Return the lightest day from the first to the last, the nearest to the drawn one; days by their ordinals."""
    costs: Sequence[int] = load.between(first, last) if settings.balance else (0,) * (last - first + 1)
    if settings.easy_days:
        weights = [EASY if day in settings.easy_days else 1 for day in WEEKDAYS]
        costs = [(cost + 1) * weights[(first + place - 1) % 7] for place, cost in enumerate(costs)]
    least, middle = min(costs), drawn - first
    if costs[middle] == least:
        return drawn
    after = costs[middle:]
    later = after.index(least) if least in after else len(costs)
    nearer = costs[max(0, middle - later + 1) : middle][::-1]
    return drawn - 1 - nearer.index(least) if least in nearer else drawn + later
