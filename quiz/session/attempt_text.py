"""The quick way between an attempt and its canonical text, for the moment of an answer and for reading a history.

It knows the one form that `quiz.session.wire` writes. For anything else it returns None, and the general way decides:
the strict reader names the fault, the general writer escapes what has to be.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Final

import msgspec

from quiz.scheduling.calendar import MAXIMUM_OFFSET
from quiz.scheduling.cards import CardKey
from quiz.scheduling.rating import Confidence, Rating, Verdict
from quiz.session.attempt import Attempt, Part, Promise, Response, Shown, is_event_id
from quiz.session.wire import instant_text


class _Text(msgspec.Struct):
    """The fields of an attempt as they stand in its text."""

    id: str
    kind: str
    version: int
    time: datetime
    offset: int
    day: date
    bank: str
    question: str
    generation: int
    shown: Shown
    response: Response
    verdict: Verdict
    slip: str | None
    parts: tuple[Part, ...]
    confidence: Confidence | None
    rating: Rating
    promise: Promise
    duration_ms: int
    retention: float | None = None
    placed: bool = False


_DECODER: Final = msgspec.json.Decoder(_Text)


def quick_attempt(text: bytes | str) -> Attempt | None:
    """Return the attempt of a text whose checksum has been verified, or None where the strict reader must look."""
    try:
        read = _DECODER.decode(text)
    except (msgspec.MsgspecError, ValueError):
        return None
    if (
        abs(read.offset) > MAXIMUM_OFFSET
        or read.kind != Attempt.kind
        or read.version not in (1, 2)
        or not is_event_id(read.id)
    ):
        return None
    return Attempt(
        id=read.id,
        time=read.time,
        offset=read.offset,
        day=read.day,
        card=CardKey(read.bank, read.question, read.generation),
        shown=read.shown,
        response=read.response,
        verdict=read.verdict,
        rating=read.rating,
        promise=read.promise,
        duration_ms=read.duration_ms,
        slip=read.slip,
        parts=read.parts,
        confidence=read.confidence,
        retention=read.retention,
        placed=read.placed,
    )


class _Promised(msgspec.Struct):
    due: str
    day: date


class _Written(msgspec.Struct):
    """The fields of an attempt as they are written; what is unset is left out."""

    id: str
    time: str
    offset: int
    day: date
    bank: str
    question: str
    generation: int
    shown: Shown
    response: Response
    verdict: str
    slip: str | None
    parts: tuple[Part, ...]
    confidence: int | None
    rating: int
    promise: _Promised
    duration_ms: int
    version: int
    kind: str = Attempt.kind
    retention: float | msgspec.UnsetType | None = msgspec.UNSET
    placed: bool | msgspec.UnsetType = msgspec.UNSET


_ENCODER: Final = msgspec.json.Encoder(order="sorted")

#: What the canonical text writes as an escape of its own, where it is ASCII.
_ESCAPED: Final = (b"\\", b"\x7f")

#: Shares from here on are written with the same digits everywhere, below it perhaps as a power of ten.
_PLAIN: Final = 1e-3


def quick_text(attempt: Attempt) -> str | None:
    """Return the canonical text of an attempt, or None where the general writer must look."""
    retention, version, promise = attempt.retention, attempt.version, attempt.promise
    if retention is not None and not _PLAIN <= retention < 1:
        return None
    bank, question, generation = attempt.card
    written = _Written(
        attempt.id,
        instant_text(attempt.time),
        attempt.offset,
        attempt.day,
        bank,
        question,
        generation,
        attempt.shown,
        attempt.response,
        attempt.verdict,
        attempt.slip,
        attempt.parts,
        attempt.confidence,
        int(attempt.rating),
        _Promised(instant_text(promise.due), promise.day),
        attempt.duration_ms,
        version,
    )
    if version > 1:
        written.retention, written.placed = retention, attempt.placed
    try:
        text = _ENCODER.encode(written)
    except (msgspec.MsgspecError, TypeError, ValueError):
        return None
    if not text.isascii() or any(letter in text for letter in _ESCAPED):
        return None
    return text.decode("ascii")
