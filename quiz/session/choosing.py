"""What each rating of an answer stores, and the load of the days that it is chosen by. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from quiz.scheduling import balance, calendar
from quiz.scheduling.balance import Loads, Placed
from quiz.scheduling.cards import review

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime

    from quiz.scheduling.balance import Load
    from quiz.scheduling.cards import Card, CardKey
    from quiz.scheduling.rating import Rating
    from quiz.scheduling.settings import Settings
    from quiz.session.attempt import Attempt
    from quiz.session.messages import Cause
    from quiz.session.practice import State


class Offer(NamedTuple):
    """What an answer to the question on the screen may store.

    Attributes:
        card: before the answer; None where it is the first.
        day: the learner's day of the answer.
        retention: the chance of recall aimed at.
        load: of the days, without this card.
        choices: what each rating stores.
    """

    card: Card | None
    day: date
    retention: float
    load: Loads
    choices: Mapping[Rating, Placed]


def offer(state: State, key: CardKey, now: datetime, offset: int) -> Offer:
    """Return what an answer to a question of a session stores, at a moment in UTC and an offset east of it."""
    settings, card, entry = state.settings, state.cards.get(key), state.entries.get(key)
    day = calendar.effective_day(now, offset, rollover_hour=settings.rollover_hour)
    retention = settings.target(entry.topic if entry else "", day)
    load = without_one(state, card)
    choices = balance.preview(
        card, now, offset, settings=settings, seed=key.seed, day=day, retention=retention, load=load
    )
    return Offer(card, day, retention, load, choices)


def ready(state: State, now: datetime, offset: int) -> State:
    """Return a session that has worked out, while its question is read, what an answer to it stores.

    It changes nothing: where the answer is given on another day, or from another card, that is worked out again.
    """
    if state.phase != "asking" or state.item is None:
        return state
    made = offer(state, state.item.key, calendar.utc(now), offset)
    return structs.replace(state, apart=(made.card, made.load))


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
    also: tuple[Cause, ...] = ("settings",) if reset else ()
    there, expected = (card and (card.reps, card.last) for card in (before, was))
    if was is not None and (before is None or before.reps < was.reps):
        return ("undo", *also)
    if there != expected:
        return ("answer", *also)
    # The same answers: without other settings the rating of one of them is another.
    return also or (("rating",) if before is not None else ("answer",))


def without_one(state: State, card: Card | None) -> Loads:
    """Return the load of a session without a card, where it stands already as it was left for the card's answer."""
    apart = state.apart
    return apart[1] if apart is not None and apart[0] is card else without(state.load, card)


def without(load: Load, card: Card | None) -> Loads:
    """Return the load without a card; cards in their learning steps are not in it."""
    found = Loads.of(load)
    return found if card is None or card.is_learning else found.changed(card.due_day, -1)


def with_(load: Load, card: Card) -> Loads:
    """Return the load with a card."""
    found = Loads.of(load)
    return found if card.is_learning else found.changed(card.due_day, 1)
