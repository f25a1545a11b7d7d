"""The quick way from the canonical text of an attempt to its value, for reading a whole history.

It knows the one form that `quiz.session.wire` writes. For anything else it returns None, and the strict reader decides
and names the fault.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Final

import msgspec

from quiz.scheduling.calendar import MAXIMUM_OFFSET
from quiz.scheduling.cards import CardKey
from quiz.scheduling.rating import Confidence, Rating, Verdict
from quiz.session.attempt import Attempt, Part, Promise, Response, Shown, is_event_id


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
