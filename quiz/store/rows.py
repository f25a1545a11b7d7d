"""Between events and rows: written once, verified each time they are read."""

from __future__ import annotations

import hashlib
import json
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from quiz.scheduling.cards import Card, CardKey, State
from quiz.session.attempt import Attempt
from quiz.session.attempt_text import quick_attempt
from quiz.session.events import canonical, from_canonical
from quiz.session.wire import EventError, instant_text
from quiz.statistics.tally import Kept
from quiz.store.packing import pack, unpack

if TYPE_CHECKING:
    from quiz.session.events import Event

#: The columns of an event's row, in the order of `event_row`.
EVENT: Final = "id, kind, version, day, bank, question, generation, target, body, sum"
EVENT_MARKS: Final = ", ".join("?" * (EVENT.count(",") + 1))

#: The columns of a card's row, in the order of `card_row`.
CARD: Final = (
    "bank, question, generation, last_event, state, due, due_day, last, last_day, stability, difficulty, step, reps,"
    " lapses, ms, quarter, passed, failed, passed_before, failed_before, sum"
)
CARD_MARKS: Final = ", ".join("?" * (CARD.count(",") + 1))

Row = tuple[Any, ...]

_BODY: Final = 8
_KEPT: Final = 14
#: What the checksum of a card covers: its columns as one MessagePack array.
_PACKED: Final = msgspec.msgpack.Encoder()
_STATES: Final = frozenset({"learning", "review", "relearning"})


class Damaged(msgspec.Struct, frozen=True):
    """An event whose row cannot be trusted. It is never used; the history says that it is there."""

    id: str
    reason: str


def event_row(event: Event) -> Row:
    """Return the row of an event."""
    text = canonical(event).encode("utf-8", "surrogatepass")
    return (*_columns(event, text), pack(text), _digest(text))


def _columns(event: Event, text: bytes | str) -> Row:
    """Return the columns beside the text, which indexes need: what its outermost fields say, whatever its kind."""
    if isinstance(event, Attempt):
        return (event.id, event.kind, event.version, event.day.isoformat(), *event.card, None)
    fields = json.loads(text)
    texts = [fields[name] if isinstance(fields.get(name), str) else None for name in ("day", "bank", "question")]
    generation = fields.get("generation")
    whole = isinstance(generation, int) and not isinstance(generation, bool) and abs(generation) < 1 << 63
    target = fields.get("target")
    return (
        event.id,
        event.kind,
        event.version,
        *texts,
        generation if whole else None,
        target if isinstance(target, str) else None,
    )


def read_event(row: Row) -> Event | Damaged:
    """Read a row of `EVENT` columns: checksum first, then the text, then the columns against the text."""
    text = unpack(row[_BODY])
    if text is None or _digest(text) != row[_BODY + 1]:
        return Damaged(str(row[0]), "its checksum does not match")
    event: Event | None = quick_attempt(text) if row[1] == Attempt.kind else None
    if event is None:
        try:
            event = from_canonical(text.decode("utf-8", "surrogatepass"), verified=True)
        except (EventError, UnicodeDecodeError) as error:
            return Damaged(str(row[0]), str(error))
    if _columns(event, text) != row[:_BODY]:
        return Damaged(str(row[0]), "its columns do not match its text")
    return event


def _digest(text: bytes) -> bytes:
    """The checksum of a text as the file holds it: the 16 bytes that `quiz.session.events.checksum` spells."""
    return hashlib.blake2b(text, digest_size=16).digest()


def card_row(key: CardKey, card: Card, last_event: str, kept: Kept) -> Row:
    """Return the row of a card. The checksum covers all of it."""
    row = (
        *key,
        last_event,
        card.state,
        instant_text(card.due),
        card.due_day.toordinal(),
        instant_text(card.last),
        card.last_day.toordinal(),
        card.stability,
        card.difficulty,
        card.step,
        card.reps,
        card.lapses,
        *kept,
    )
    return (*row, _digest(_PACKED.encode(row)))


def read_cached(row: Row) -> Card | None:
    """Read a row of `CARD` columns, or return None where it is damaged and must be derived again."""
    try:
        text = _PACKED.encode(row[:-1])
    except UnicodeEncodeError:
        return None
    if _digest(text) != row[-1] or row[4] not in _STATES:
        return None
    _, _, _, _, state, due, due_day, last, last_day, stability, difficulty, step, reps, lapses, *_ = row
    try:
        return Card(
            stability=stability,
            difficulty=difficulty,
            state=cast("State", state),
            step=step,
            due=datetime.fromisoformat(due),
            due_day=date.fromordinal(due_day),
            last=datetime.fromisoformat(last),
            last_day=date.fromordinal(last_day),
            reps=reps,
            lapses=lapses,
        )
    except (TypeError, ValueError, OverflowError):
        return None


def read_kept(row: Row) -> Kept:
    """Read the counters of a row of `CARD` columns that `read_cached` has verified."""
    return Kept(*row[_KEPT:-1])
