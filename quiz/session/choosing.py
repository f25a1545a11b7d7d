"""What each rating of an answer stores, and the load of the days that it is chosen by. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.scheduling import balance
from quiz.scheduling.balance import Loads, Placed
from quiz.scheduling.cards import review

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.scheduling.balance import Load
    from quiz.scheduling.cards import Card
    from quiz.scheduling.rating import Rating
    from quiz.scheduling.settings import Settings
    from quiz.session.attempt import Attempt
    from quiz.session.messages import Cause


def stored(attempt: Attempt, before: Card | None, settings: Settings, load: Load) -> Mapping[Rating, Placed]:
    """Return what each rating of a stored answer stores; for the answer's own rating, what is stored already.

    Args:
        attempt: the answer as stored, with its promise.
        before: the card before it, as the history has it.
        settings: those that the answer is stored under.
        load: of the days, without this card.
    """
    found = balance.preview(
        before,
        attempt.time,
        attempt.offset,
        settings=settings,
        seed=attempt.card.seed,
        day=attempt.day,
        retention=attempt.retention,
        load=load,
    )
    own = review(
        before,
        attempt.rating,
        attempt.time,
        attempt.offset,
        settings=settings,
        seed=attempt.card.seed,
        day=attempt.day,
        retention=attempt.retention,
        chosen=attempt.promise.day if attempt.placed else None,
    )
    return {**found, attempt.rating: Placed(own, attempt.placed)}


def causes(before: Card | None, was: Card | None, *, reset: bool) -> tuple[Cause, ...]:
    """Return why an answer counts otherwise than it was submitted.

    Args:
        before: the card before it, as the history has it.
        was: the same, as the session had it. New weights tell the memory of a card anew, but not its answers.
        reset: whether the settings changed.
    """
    told = [card and (card.reps, card.last) for card in (before, was)]
    answered = told[0] != told[1] or not reset
    return (*(("answer",) if answered else ()), *(("settings",) if reset else ()))


def without(load: Load, card: Card | None) -> Loads:
    """Return the load without a card; cards in their learning steps are not in it."""
    found = Loads.of(load)
    return found if card is None or card.is_learning else found.changed(card.due_day, -1)


def with_(load: Load, card: Card) -> Loads:
    """Return the load with a card."""
    found = Loads.of(load)
    return found if card.is_learning else found.changed(card.due_day, 1)
