"""Load balancing: within the spread of the fuzz, the day with least to do. Pure and deterministic.

The fuzz alone draws a day from the card's name; here the learner's other cards decide. So the day cannot be drawn
again from the card's own history: it is stored with the answer (`Attempt.placed`) and taken from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from quiz.scheduling import calendar
from quiz.scheduling.cards import Reviewed, review
from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import WEEKDAYS

if TYPE_CHECKING:
    from quiz.scheduling.cards import Card
    from quiz.scheduling.settings import Settings

#: How many cards come back on each day, the card that is asked about left out; a day that is not named has none.
Load = Mapping[date, int]

#: An easy day counts as so many times as full: it takes a third of what another day takes.
EASY: Final = 3


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
    found: dict[Rating, Placed] = {}
    floor = date.min
    for rating in Rating:
        drawn = review(card, rating, now, offset, settings=settings, seed=seed, day=day, retention=retention)
        found[rating] = Placed(drawn)
        if load is None or not moves(settings) or drawn.card.is_learning:
            continue
        due = max(drawn.card.due_day, floor)
        best = _lightest(max(drawn.earliest, floor), drawn.latest, due, load, settings)
        floor = best
        if best != drawn.card.due_day:
            after = review(
                card, rating, now, offset, settings=settings, seed=seed, day=day, retention=retention, chosen=best
            )
            found[rating] = Placed(after, placed=True)
    return found


def span(placed: Mapping[Rating, Placed]) -> tuple[date, date] | None:
    """Return the first and the last day that any rating may choose; None where there is nothing to choose."""
    open_ = [one.after for one in placed.values() if one.after.earliest < one.after.latest]
    return (min(one.earliest for one in open_), max(one.latest for one in open_)) if open_ else None


def moves(settings: Settings) -> bool:
    """Tell whether the load decides at all."""
    return settings.fuzz and (settings.balance or bool(settings.easy_days))


def _lightest(first: date, last: date, drawn: date, load: Load, settings: Settings) -> date:
    def cost(place: int) -> tuple[int, int, int]:
        day = date.fromordinal(place)
        held = load.get(day, 0) + 1 if settings.balance else 1
        weight = EASY if WEEKDAYS[day.weekday()] in settings.easy_days else 1
        return held * weight, abs(calendar.days_between(min(day, drawn), max(day, drawn))), -place

    return date.fromordinal(min(range(first.toordinal(), last.toordinal() + 1), key=cost))
