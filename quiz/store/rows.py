"""Between events and rows: written once, verified each time they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from quiz.scheduling.cards import Card, CardKey
from quiz.session.attempt import Attempt
from quiz.session.events import Rerating, Retraction, canonical, checksum, from_canonical
from quiz.session.history import card_text, read_card
from quiz.session.wire import EventError, instant_text

if TYPE_CHECKING:
    from quiz.session.events import Event

#: The columns of an event's row, in the order of `event_row`.
EVENT: Final = "id, kind, version, time, day, bank, question, generation, target, body, sum"
EVENT_MARKS: Final = ", ".join("?" * (EVENT.count(",") + 1))

#: The columns of a card's row, in the order of `card_row`.
CARD: Final = "bank, question, generation, last_event, state, due, due_day, body, sum"
CARD_MARKS: Final = ", ".join("?" * (CARD.count(",") + 1))


class Damaged(msgspec.Struct, frozen=True):
    """An event whose row cannot be trusted. It is never used; the history says that it is there."""

    id: str
    reason: str


def event_row(event: Event) -> tuple[object, ...]:
    """Return the row of an event."""
    body = canonical(event)
    return (*_columns(event), body, checksum(body))


def _columns(event: Event) -> tuple[object, ...]:
    """Return the columns beside the text, which indexes need."""
    time = instant_text(event.time)
    head = (event.id, event.kind, event.version, time)
    if isinstance(event, Attempt):
        return (*head, event.day.isoformat(), *event.card, None)
    target = event.target if isinstance(event, (Retraction, Rerating)) else None
    return (*head, None, None, None, None, target)


def read_event(row: tuple[Any, ...]) -> Event | Damaged:
    """Read a row of `EVENT` columns: checksum first, then the text, then the columns against the text."""
    identity, body, stored = str(row[0]), row[9], row[10]
    if not isinstance(body, str) or checksum(body) != stored:
        return Damaged(identity, "its checksum does not match")
    try:
        event = from_canonical(body, verified=True)
    except EventError as error:
        return Damaged(identity, str(error))
    if _columns(event) != row[:9]:
        return Damaged(identity, "its columns do not match its text")
    return event


def card_row(key: CardKey, card: Card, last_event: str) -> tuple[object, ...]:
    """Return the row of a card. The checksum covers the key and the last event too."""
    body = card_text(card)
    due, due_day = instant_text(card.due), card.due_day.isoformat()
    return (*key, last_event, card.state, due, due_day, body, _card_sum(key, last_event, body))


def read_cached(row: tuple[Any, ...]) -> Card | None:
    """Read a row of `CARD` columns, or return None where it is damaged and must be derived again."""
    key = CardKey(*row[:3])
    last_event, body, stored = row[3], row[7], row[8]
    if not isinstance(body, str) or _card_sum(key, last_event, body) != stored:
        return None
    try:
        card = read_card(body)
    except EventError:
        return None
    columns = (card.state, instant_text(card.due), card.due_day.isoformat())
    return card if columns == row[4:7] else None


def _card_sum(key: CardKey, last_event: object, body: str) -> str:
    return checksum(f"{key.seed}\x1f{last_event}\x1f{body}")
