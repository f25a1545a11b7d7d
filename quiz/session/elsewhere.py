"""What another terminal has answered or marked meanwhile, taken into a session. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from quiz.scheduling import calendar
from quiz.scheduling.queue import Item
from quiz.session.messages import ShowReveal

if TYPE_CHECKING:
    from quiz.scheduling.cards import CardKey
    from quiz.session.messages import Cause, Elsewhere, Reoffered
    from quiz.session.practice import State


def still_open(state: State) -> tuple[CardKey, ...]:
    """Return the cards that the session may ask for yet, without the one on the screen."""
    shown = state.item.key if state.item is not None and state.phase in ("asking", "recording", "unrecorded") else None
    keys = dict.fromkeys([*(item.key for item in state.queue), *state.learning])
    return tuple(key for key in keys if key != shown)


def taken_in(state: State, event: Elsewhere) -> State:
    """Return the session with its cards as they stand by now.

    A question that was answered elsewhere is not asked here, unless it is due again; where it is in its learning steps,
    it comes back here when its time has come. One that was suspended or buried there is not asked either. What the
    learner chose by name is asked all the same.
    """
    looked = still_open(state)
    queue: list[Item] = []
    rests = {key for key in looked if key.question in event.resting}
    steps = {key for key in looked if (card := event.cards.get(key)) is not None and card.is_learning} - rests
    for item in state.queue:
        if item.reason != "asked" and item.key in rests:
            continue
        card = event.cards.get(item.key)
        if item.reason == "asked" or card is None or item.key not in looked:
            queue.append(item)
        elif item.key not in steps and card.is_due(calendar.utc(event.now), event.day):
            queue.append(Item(item.key, "due"))
    named = {item.key for item in queue if item.reason == "asked"}
    # Those that are not looked at are on the screen.
    learning = state.learning.difference(looked) | (steps - named)
    return structs.replace(state, queue=tuple(queue), learning=learning, cards=state.cards.anew(looked, event.cards))


def offered_anew(state: State, event: Reoffered) -> tuple[State, tuple[ShowReveal, ...]]:
    """Return the session with the answer on the reveal as it stands by now; nothing changes where it stands as it was.

    What each rating stores is told from the history as it is, so that what is stored is what was shown.
    """
    attempt = state.attempt
    was = state.cards.get(attempt.card) if attempt is not None else None
    if attempt is None or was is None or (event.card == was and event.rating == state.rating):
        return state, ()
    key, card = attempt.card, event.card
    comes_back = card.is_learning and state.mode != "interview"
    state = structs.replace(
        state,
        rating=event.rating,
        choices=event.choices,
        cards=state.cards.with_(key, card),
        learning=state.learning | {key} if comes_back else state.learning - {key},
        load=event.load,
        apart=None,
    )
    moved: tuple[Cause, ...] = ("answer",) if card.reps > was.reps else ("undo",) if card.reps < was.reps else ()
    buttons = {rating: choice.after for rating, choice in event.choices.items()}
    return state, (ShowReveal(attempt, event.rating, card.due, card.due_day, buttons, moved),)
