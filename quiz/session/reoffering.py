"""What each rating of a stored answer makes of its card, where the history moved on since it was answered. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.scheduling.balance import Placed
from quiz.scheduling.cards import RATINGS, Reviewed
from quiz.session import choosing
from quiz.session.attempt import Promise
from quiz.session.events import Rerating
from quiz.session.history import course, fold
from quiz.session.messages import Reoffered

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from quiz.scheduling.balance import Loads
    from quiz.scheduling.cards import Card
    from quiz.scheduling.rating import Rating
    from quiz.session.attempt import Attempt
    from quiz.session.history import Amendments, Timeline


def reoffered(
    attempt: Attempt, attempts: Collection[Attempt], amendments: Amendments, timeline: Timeline, load: Loads
) -> Reoffered | None:
    """Return an answer as it stands, with the card that each rating of it would leave; None where it was taken back.

    Args:
        attempt: the answer.
        attempts: all those on its card, this one too, in any order.
        amendments: what later events say of them.
        timeline: the settings through time.
        load: of the days, with this card.
    """
    counted = course(attempts, amendments, timeline)
    mine = next((one for one in counted.counted if one.attempt.id == attempt.id), None)
    standing = counted.card
    if mine is None or standing is None:
        return None
    earlier = [one for one in attempts if one.id < attempt.id]
    before = fold(earlier, amendments, timeline, until=attempt.id)
    settings = timeline.at(attempt.id)
    placed = choosing.stored(attempt, before, settings, choosing.without(load, standing))
    is_last = counted.counted[-1] is mine
    kept = amendments.reratings.get(attempt.id) or attempt

    def after(rating: Rating) -> Placed:
        if rating is mine.rating:
            return _standing(standing, attempt.time, placed=is_last and kept.placed)
        if is_last:
            return placed[rating]
        # Answers came after it, from which the day follows: nothing is left to be placed.
        wanted = Rerating("", attempt.time, 0, attempt.id, rating, Promise(attempt.time, attempt.day))
        anew = amendments._replace(reratings={**amendments.reratings, attempt.id: wanted})
        card = fold(attempts, anew, timeline)
        return _standing(card or standing, attempt.time)

    return Reoffered(standing, mine.rating, {rating: after(rating) for rating in RATINGS}, load)


def _standing(card: Card, answered: datetime, *, placed: bool = False) -> Placed:
    return Placed(Reviewed(card, card.due, card.due - answered, card.due_day, card.due_day), placed)
