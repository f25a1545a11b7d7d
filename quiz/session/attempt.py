"""The Attempt: one answer, as an event that is appended and never changed.

An attempt holds what the learner saw and did, so that it stays readable when the question has changed
since: the options in the order shown, the key and the figures of that variant, the text as typed. It also
holds what was promised: the due instant that the reveal named.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import ClassVar, Final

import msgspec

from quiz.scheduling.cards import CardKey
from quiz.scheduling.rating import Confidence, Rating, Verdict

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LENGTH: Final = 26
_LETTERS: Final = frozenset(_ALPHABET)
_PAIRS: Final = tuple(one + other for one in _ALPHABET for other in _ALPHABET)
#: To the digits that `int` reads, of a number in base 32.
_DIGITS: Final = str.maketrans(_ALPHABET, "0123456789abcdefghijklmnopqrstuv")
_ENTROPY_BITS: Final = 80
_LAST_MS: Final = 2**48 - 1

#: Bytes of entropy that `event_id` takes.
ENTROPY_BYTES: Final = _ENTROPY_BITS // 8


class Part(msgspec.Struct, frozen=True):
    """The verdict of one part of a question: a choice, its numeric follow-on, one claim of several."""

    name: str
    verdict: Verdict
    slip: str | None = None


class Promise(msgspec.Struct, frozen=True):
    """When the card comes back, as the learner was told: the instant in UTC and the learner's day."""

    due: datetime
    day: date


class Shown(msgspec.Struct, frozen=True):
    """What stood on the screen when the question was asked.

    Attributes:
        meaning: the question's meaning revision.
        variant: value of each axis that was drawn, as exact text; empty for the base question.
        options: option ids in the order shown; empty where there are none.
        key: the correct option ids, or the reference answer as one text.
        figures: the rendered figures by name.
    """

    meaning: str
    variant: Mapping[str, str]
    options: tuple[str, ...]
    key: tuple[str, ...]
    figures: Mapping[str, str]


class Response(msgspec.Struct, frozen=True):
    """What the learner gave: chosen option ids, typed text, or both. "I don't know" is neither."""

    chosen: tuple[str, ...] = ()
    text: str | None = None


class Attempt(msgspec.Struct, frozen=True):
    """One answer.

    Attributes:
        id: stable, sortable, unique across machines; see `event_id`.
        time: instant of the answer in UTC, as the clock said.
        offset: minutes east of UTC in force.
        day: the learner's day of the answer, under the rollover of that time.
        card: bank, question and generation.
        shown: what stood on the screen.
        response: what was answered.
        verdict: the grade of the whole.
        slip: id of the recognised mistake.
        parts: verdict of each part, where there are several.
        confidence: percent, None where it was not asked.
        rating: what the rule made of it.
        promise: when the card comes back.
        duration_ms: from the question's appearing to the answer.
        retention: the chance of recall that its interval aims at, where that is not the setting `retention` (a topic
            of its own, an interview that comes near); None where it is.
        placed: the day was chosen by the load of the days, within the spread of the fuzz; it cannot be drawn again
            and is taken from the promise.
    """

    id: str
    time: datetime
    offset: int
    day: date
    card: CardKey
    shown: Shown
    response: Response
    verdict: Verdict
    rating: Rating
    promise: Promise
    duration_ms: int
    slip: str | None = None
    parts: tuple[Part, ...] = ()
    confidence: Confidence | None = None
    retention: float | None = None
    placed: bool = False

    kind: ClassVar[str] = "attempt"

    @property
    def version(self) -> int:
        """2 where one of the last two fields says something, else 1, which has neither."""
        return 2 if self.placed or self.retention is not None else 1


def event_id(now: datetime, after: str | None, entropy: bytes) -> str:
    """Return a new event id: 26 letters and digits that sort in the order of making.

    The first 10 carry milliseconds since 1970, the rest is entropy. Where the clock stands at or before the
    time in `after` (it was set back, or the same millisecond), the id takes the millisecond after that one,
    so that ids made on one machine, or after a merge, never run backwards.

    Args:
        now: the instant of the event.
        after: the greatest id known, or None.
        entropy: 10 bytes, from `os.urandom`.

    Raises:
        ValueError: `after` is no event id, or the entropy has another length.
    """
    if len(entropy) != ENTROPY_BYTES:
        message = f"an event id takes {ENTROPY_BYTES} bytes of entropy, not {len(entropy)}"
        raise ValueError(message)
    milliseconds = max(0, int(now.timestamp() * 1000))
    if after is not None:
        milliseconds = max(milliseconds, (_number(after) >> _ENTROPY_BITS) + 1)
    number = (min(milliseconds, _LAST_MS) << _ENTROPY_BITS) | int.from_bytes(entropy, "big")
    return "".join([_PAIRS[(number >> shift) & 1023] for shift in range(120, -1, -10)])


def is_event_id(text: str) -> bool:
    """Tell whether a text has the form of an event id."""
    return len(text) == _LENGTH and text[0] in "01234567" and _LETTERS.issuperset(text)


def _number(identity: str) -> int:
    if not is_event_id(identity):
        message = f"{identity!r} is not an event id"
        raise ValueError(message)
    return int(identity.translate(_DIGITS), 32)
