"""What another terminal has answered meanwhile, taken into a session. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from quiz.scheduling import calendar
from quiz.scheduling.queue import Item

if TYPE_CHECKING:
    from quiz.scheduling.cards import CardKey
    from quiz.session.messages import Elsewhere
    from quiz.session.practice import State


def still_open(state: State) -> tuple[CardKey, ...]:
    """Return the cards that the session may ask for yet, without the one on the screen."""
    shown = state.item.key if state.item is not None and state.phase in ("asking", "recording", "unrecorded") else None
    keys = dict.fromkeys([*(item.key for item in state.queue), *state.learning])
    return tuple(key for key in keys if key != shown)


def taken_in(state: State, event: Elsewhere) -> State:
    """Return the session with its cards as they stand by now.

    A question that was answered elsewhere is not asked here, unless it is due again; where it is in its learning steps,
    it comes back here when its time has come. What the learner chose by name is asked all the same.
    """
    looked = still_open(state)
    queue: list[Item] = []
    steps = {key for key in looked if (card := event.cards.get(key)) is not None and card.is_learning}
    for item in state.queue:
        card = event.cards.get(item.key)
        if item.reason == "asked" or card is None or item.key not in looked:
            queue.append(item)
        elif item.key not in steps and card.is_due(calendar.utc(event.now), event.day):
            queue.append(Item(item.key, "due"))
    named = {item.key for item in queue if item.reason == "asked"}
    # Those that are not looked at are on the screen.
    learning = state.learning.difference(looked) | (steps - named)
    return structs.replace(state, queue=tuple(queue), learning=learning, cards=state.cards.anew(looked, event.cards))
