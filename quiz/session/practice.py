"""Practice as a state machine: `step(state, event) -> (state, effects)`. Pure.

Whoever drives it (a screen, a test) carries out the effects in order and feeds back what happened:

    Begin ──► Ask ──► Submit ──► Record ──► Recorded ──► ShowReveal ──► Next ──► Ask …
                        │           └─► RecordFailed ──► ShowFailure ──► Retry ──► Record
                        └─ invalid answer: nothing changes, nothing is counted

The next question is asked only after `Recorded` has come back for the answer, so an answer is durable
before it leaves the screen. Where it cannot be stored, it stays on the screen and may be retried under the
same event id, which makes a retry harmless even where the first one did reach the disk.

A card in its learning steps comes back when its time has come. Where nothing else is left before that, the
session does not ask it early of itself: it says what comes back when (`Wait`), and the learner waits (`Next` asks
what has come due), goes on ahead of time (`GoOn`) or leaves.

A rating is stored with the answer, at once. The learner may set another on the reveal (`Rerate`): that
appends a `Rerating`, an amendment, and the card is derived again with it. Where the history moved on since the answer,
the driver first says how it stands by now (`Reoffered`).

What another terminal stored meanwhile is taken in (`Elsewhere`) before a question is asked.

Undo is the store's: it retracts one attempt. The driver then sends `Undone`, and the question whose answer was
taken back is asked again.

An event that does not fit the phase (a second Enter, a Next while the answer is being stored) changes
nothing and has no effects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import structs

from quiz.scheduling import calendar
from quiz.scheduling.balance import Loads, Placed
from quiz.scheduling.cards import Card, CardKey
from quiz.scheduling.deck import Deck
from quiz.scheduling.leeches import bites
from quiz.scheduling.queue import Entry, Item, Reason
from quiz.scheduling.rating import Rating, rate
from quiz.scheduling.settings import Settings
from quiz.session import choosing, elsewhere, order
from quiz.session.attempt import Attempt, Promise
from quiz.session.events import Rerating
from quiz.session.messages import (
    Ask,
    Begin,
    Effect,
    Elsewhere,
    Finished,
    GoOn,
    Leave,
    Next,
    Record,
    Recorded,
    RecordFailed,
    Reoffered,
    Rerate,
    Retry,
    SessionEvent,
    SetAside,
    ShowFailure,
    ShowReveal,
    Submit,
    Summary,
    Undone,
    Wait,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


Mode = Literal["practice", "cram", "interview"]
Phase = Literal["ready", "asking", "recording", "unrecorded", "revealed", "waiting", "finished"]
Effects = tuple[Effect, ...]


class State(msgspec.Struct, frozen=True):
    """Where a session stands.

    Attributes:
        phase: `asking` a question, `recording` an event, `unrecorded` after a failure, `revealed`,
            `waiting` for cards that come back.
        settings: scheduling settings, those of the last answer that was stored.
        queue: items still to come.
        cards: the cards as they stand, by key; one that waits its turn is read when it is asked.
        learning: cards of this session in their learning steps, which come back in it.
        item, asked_at: the question on the screen and since when.
        pending: the event being stored.
        attempt: the stored answer on the reveal.
        answered: verdict correct or not, by attempt id.
        entries: what the queue knows of the questions: topics, for the retention aimed at; siblings and prerequisites,
            for the order in which what comes back stands between the others.
        load: cards in review by the day on which they come back, all of the bank.
        apart: the card of the question on the screen and the load without it, once they were needed.
        choices: what each rating of the answer on the reveal stores.
        mode: in `practice` a session waits for what comes back; in `cram` that is asked at once when nothing else is
            left; in an `interview` nothing comes back.
    """

    settings: Settings
    queue: tuple[Item, ...]
    cards: Deck
    seed: str = ""
    phase: Phase = "ready"
    learning: frozenset[CardKey] = frozenset()
    item: Item | None = None
    asked_at: datetime | None = None
    pending: Attempt | Rerating | None = None
    failure: str | None = None
    attempt: Attempt | None = None
    rating: Rating | None = None
    answered: Mapping[str, Attempt] = {}
    leaving: datetime | None = None
    entries: Mapping[CardKey, Entry] = {}
    load: Loads = Loads({})
    apart: tuple[Card | None, Loads] | None = None
    choices: Mapping[Rating, Placed] = {}
    mode: Mode = "practice"


def begin(
    items: Sequence[Item],
    cards: Mapping[CardKey, Card],
    *,
    settings: Settings,
    seed: str,
    entries: Iterable[Entry] | Mapping[CardKey, Entry] = (),
    load: Mapping[date, int] | None = None,
    mode: Mode = "practice",
) -> State:
    """Return a session that waits for `Begin`. `seed` decides the order of what is shown; the rest is as in `State`."""
    return State(
        settings=settings,
        entries=entries if isinstance(entries, Mapping) else {entry.key: entry for entry in entries},
        load=Loads.of({} if load is None else load),
        mode=mode,
        queue=tuple(item for item in items if item.reason != "learning"),
        cards=Deck.of(cards),
        seed=seed,
        learning=frozenset(item.key for item in items if item.reason == "learning"),
    )


def step(state: State, event: SessionEvent) -> tuple[State, Effects]:  # noqa: C901, PLR0911, PLR0912 - one case per event
    """Return the state after an event, and what is to be done, in order."""
    match event:
        case Submit() if state.phase == "asking":
            return _submit(state, event)
        case Recorded(event_id) if _awaits(state, event_id):
            return _recorded(state, event)
        case Next(now) if state.phase in ("revealed", "waiting") or _only_a_rating_failed(state):
            return _ask_next(state, now)
        case Begin(now) if state.phase == "ready":
            return _ask_next(state, now)
        case RecordFailed(reason) if state.phase == "recording":
            failed = structs.replace(state, phase="unrecorded", failure=reason)
            if state.leaving is not None:
                return _finish(failed, state.leaving)
            return failed, (ShowFailure(reason),)
        case Retry() if state.phase == "unrecorded" and state.pending is not None:
            return structs.replace(state, phase="recording", failure=None), (Record(state.pending),)
        case Rerate() if state.phase == "revealed":
            return _rerate(state, event)
        case GoOn(now) if state.phase == "waiting":
            back = returning(state, now)
            return _ask(state, Item(back[0][0], "learning"), calendar.utc(now)) if back else _ask_next(state, now)
        case Elsewhere():
            return elsewhere.taken_in(state, event), ()
        case Reoffered() if state.phase == "revealed":
            return elsewhere.offered_anew(state, event)
        case SetAside() if state.phase in ("asking", "revealed", "waiting"):
            return _set_aside(state, event)
        case Undone() if state.phase not in ("recording", "unrecorded") or _only_a_rating_failed(state):
            return _undone(state, event)
        case Leave(now) if state.phase == "recording":
            return structs.replace(state, leaving=now), ()
        case Leave(now) if state.phase != "finished":
            return _finish(state, now)
    return state, ()


def _awaits(state: State, event_id: str) -> bool:
    return state.phase in ("recording", "unrecorded") and state.pending is not None and state.pending.id == event_id


def _only_a_rating_failed(state: State) -> bool:
    return state.phase == "unrecorded" and isinstance(state.pending, Rerating)


def _submit(state: State, event: Submit) -> tuple[State, Effects]:
    if event.graded.invalid or state.item is None or state.asked_at is None:
        return state, ()
    key = state.item.key
    now = calendar.utc(event.now)
    duration = max(0, round((now - state.asked_at) / timedelta(milliseconds=1)))
    rating = rate(event.graded.status, event.confidence, duration, quick_ms=state.settings.quick_ms)
    card, day, target, load, choices = choosing.offer(state, key, now, event.offset)
    after, placed = choices[rating]
    attempt = Attempt(
        id=event.event_id,
        time=now,
        offset=event.offset,
        day=day,
        card=key,
        shown=event.shown,
        response=event.response,
        verdict=event.graded.status,
        rating=rating,
        promise=Promise(after.due, after.card.due_day),
        duration_ms=duration,
        slip=event.graded.slip,
        parts=event.graded.parts,
        confidence=event.confidence,
        retention=None if target == state.settings.retention else target,
        placed=placed,
    )
    state = structs.replace(state, phase="recording", pending=attempt, choices=choices, apart=(card, load))
    return state, (Record(attempt),)


def _recorded(state: State, event: Recorded) -> tuple[State, Effects]:
    stored = event.event
    attempt = stored if isinstance(stored, Attempt) else state.attempt
    if attempt is None or event.card is None or not isinstance(stored, (Attempt, Rerating)):
        message = f"event {event.event_id} was recorded without its card"
        raise ValueError(message)
    key, card = attempt.card, event.card
    fresh = isinstance(stored, Attempt)
    expected = state.pending.promise if state.pending else stored.promise
    was = state.cards.get(key)
    choices = state.choices
    load = choosing.without_one(state, was)
    changed = stored is not state.pending and stored != state.pending
    settings = event.settings if isinstance(stored, Attempt) and event.settings is not None else state.settings
    reset = settings != state.settings
    if isinstance(stored, Attempt) and (changed or reset or event.before != was):
        # It counts otherwise than it was submitted: another program answered, or changed the settings, in between.
        choices = choosing.stored(stored, event.before, settings, load)
    state = structs.replace(
        state,
        phase="revealed",
        settings=settings,
        pending=None,
        failure=None,
        attempt=attempt,
        rating=stored.rating,
        cards=state.cards.with_(key, card),
        learning=state.learning | {key} if card.is_learning and state.mode != "interview" else state.learning - {key},
        answered={**state.answered, attempt.id: attempt},
        choices=choices,
        load=choosing.with_(load, card),
        apart=None,
    )
    if state.leaving is not None:
        return _finish(state, state.leaving)
    buttons = {rating: choice.after for rating, choice in choices.items()}
    rebased = fresh and not event.duplicate and stored.promise != expected
    moved = choosing.causes(event.before, was, reset=reset) if rebased else ()
    leech = fresh and bites(event.before, card)
    return state, (ShowReveal(attempt, stored.rating, card.due, card.due_day, buttons, moved, leech),)


def _rerate(state: State, event: Rerate) -> tuple[State, Effects]:
    if state.attempt is None or event.rating == state.rating:
        return state, ()
    after, placed = state.choices[event.rating]
    amendment = Rerating(
        id=event.event_id,
        time=calendar.utc(event.now),
        offset=event.offset,
        target=state.attempt.id,
        rating=event.rating,
        promise=Promise(after.due, after.card.due_day),
        placed=placed,
    )
    return structs.replace(state, phase="recording", pending=amendment), (Record(amendment),)


def _ask_next(state: State, now: datetime) -> tuple[State, Effects]:  # noqa: PLR0911 - one for each thing to ask
    now = calendar.utc(now)
    last = state.item.key if state.item else None
    back = returning(state, now)
    due = [key for key, when in back if when <= now]
    other = [key for key in due if key != last]
    apart = [key for key in other if not order.kin(state.entries, last, key)]
    if apart:
        return _ask(state, Item(apart[0], "learning"), now)
    place = order.place(state.queue, state.entries, last)
    while place is not None and state.cards.has_moved(state.queue[place].key):
        # It is due on another day than the index of what is due told.
        state = structs.replace(state, queue=(*state.queue[:place], *state.queue[place + 1 :]))
        place = order.place(state.queue, state.entries, last)
    if place is not None and (not other or not order.kin(state.entries, last, state.queue[place].key)):
        queue = (*state.queue[:place], *state.queue[place + 1 :])
        return _ask(state, state.queue[place], now, queue)
    if other:
        return _ask(state, Item(other[0], "learning"), now)
    if due:
        return _ask(state, Item(due[0], "learning"), now)
    if back and state.mode == "cram":
        return _ask(state, Item(back[0][0], "learning"), now)
    if back:
        return structs.replace(state, phase="waiting"), (Wait(back, now),)
    return _finish(state, now)


def returning(state: State, now: datetime) -> tuple[tuple[CardKey, datetime], ...]:
    """Return the cards that come back in this session, with their due instants, the first one first.

    They are those in their learning steps that are due within `Settings.learn_ahead` of now. The question on the
    screen is not among them until it is answered.
    """
    if not state.learning:
        return ()
    until = calendar.add_time(now, timedelta(seconds=state.settings.learn_ahead))
    asked = state.item.key if state.item and state.phase == "asking" else None
    due = [(state.cards[key].due, key) for key in state.learning if key in state.cards and key != asked]
    return tuple((key, when) for when, key in sorted(due) if when <= until)


def _ask(state: State, item: Item, now: datetime, queue: tuple[Item, ...] | None = None) -> tuple[State, Effects]:
    """Ask a question; `queue` is what is left where that changes."""
    card = state.cards.get(item.key)
    seed = f"{state.seed}\x1f{item.key.seed}\x1f{card.reps if card else 0}"
    state = structs.replace(
        state,
        phase="asking",
        queue=state.queue if queue is None else queue,
        item=item,
        asked_at=now,
        pending=None,
        failure=None,
        attempt=None,
        choices={},
        rating=None,
        apart=None,
    )
    return state, (Ask(item, now, seed),)


def _set_aside(state: State, event: SetAside) -> tuple[State, Effects]:
    queue = tuple(item for item in state.queue if item.key != event.key)
    asked = state.phase == "asking" and state.item is not None and state.item.key == event.key
    state = structs.replace(state, queue=queue, learning=state.learning - {event.key})
    return _ask_next(state, event.now) if asked else (state, ())


def _undone(state: State, event: Undone) -> tuple[State, Effects]:
    key, card = event.key, event.card
    queue = tuple(item for item in state.queue if item.key != key)
    current = state.item
    if state.phase == "asking" and current is not None and current.key != key and current.reason != "learning":
        queue = (current, *queue)
    cards = state.cards.without(key) if card is None else state.cards.with_(key, card)
    answered = dict(state.answered)
    answered.pop(event.attempt, None)
    state = structs.replace(state, queue=queue, cards=cards, answered=answered, learning=state.learning - {key})
    reason: Reason = "new" if card is None else "learning" if card.is_learning else "due"
    return _ask(state, Item(key, reason), calendar.utc(event.now))


def _finish(state: State, now: datetime) -> tuple[State, Effects]:
    waiting = [state.cards[key].due for key in state.learning if key in state.cards]
    unasked = state.phase == "asking" and state.item is not None and state.item.reason != "learning"
    answered = state.answered.values()
    summary = Summary(
        answered=len(answered),
        right=sum(attempt.verdict == "correct" for attempt in answered),
        questions=len({attempt.card for attempt in answered}),
        left=len(state.queue) + unasked,
        learning=len(waiting),
        next_due=min(waiting, default=None),
        unrecorded=state.phase == "unrecorded" and isinstance(state.pending, Attempt),
        ended_at=now,
    )
    return structs.replace(state, phase="finished"), (Finished(summary),)
