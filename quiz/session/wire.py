"""Between events and JSON values: each field read strictly, its fault named.

Nothing here knows files or SQL. A reader never guesses: a field of another type is an `EventError`.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

import msgspec

from quiz.scheduling.calendar import MAXIMUM_OFFSET, utc
from quiz.scheduling.cards import CardKey
from quiz.scheduling.rating import CONFIDENCES, VERDICTS, Confidence, Rating, Verdict
from quiz.session.attempt import Attempt, Part, Promise, Response, Shown, is_event_id
from quiz.session.marks import MARK_KINDS, NO_MARKS

if TYPE_CHECKING:
    from quiz.session.events import Mark

#: The most characters of a wrong value that an error repeats.
_TOLD: Final = 60
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)


class EventError(ValueError):
    """An event that cannot be written or read: the message says which field and why."""


def instant_text(instant: datetime) -> str:
    """Return an instant as fixed-width text in UTC, so that text order is time order."""
    text: str = msgspec.to_builtins(utc(instant))  # a seventh of what the standard library takes, at each answer
    return text if instant.microsecond else f"{text[:-1]}.000000Z"


def instant(text: str) -> datetime:
    """Read what `instant_text` wrote.

    Raises:
        ValueError: another form.
    """
    if _INSTANT.fullmatch(text) is None:
        message = f"{text!r} is not an instant of the form 2022-11-29T12:30:00.000000Z"
        raise ValueError(message)
    return datetime.fromisoformat(text)


class Fields:
    """A JSON object whose fields are read by name and type."""

    __slots__ = ("_values", "_where")

    def __init__(self, values: object, where: str = "") -> None:
        """Wrap a decoded JSON value.

        Raises:
            EventError: it is no object.
        """
        if not isinstance(values, dict):
            message = f"{where or 'the event'} is not an object"
            raise EventError(message)
        self._values: dict[str, Any] = values
        self._where = where

    def any(self, name: str) -> Any:  # noqa: ANN401 - a JSON value
        """Return a field of any JSON type."""
        if name not in self._values:
            message = f"{self._where}{name} is missing"
            raise EventError(message)
        return self._values[name]

    def text(self, name: str) -> str:
        """Return a text."""
        return cast("str", self._of(name, str, "text"))

    def optional_text(self, name: str) -> str | None:
        """Return a text or None."""
        return None if self.any(name) is None else self.text(name)

    def integer(self, name: str) -> int:
        """Return a whole number."""
        value = self._of(name, int, "a whole number")
        if isinstance(value, bool):
            self._fail(name, "a whole number")
        return cast("int", value)

    def number(self, name: str) -> float:
        """Return a number."""
        value = self.any(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self._fail(name, "a number")
        try:
            return float(value)
        except OverflowError:
            self._fail(name, "a number of a size that can be told")

    def share(self, name: str) -> float | None:
        """Return a number between 0 and 1, both left out, or None."""
        if self.any(name) is None:
            return None
        value = self.number(name)
        if not 0 < value < 1:
            self._fail(name, "a share between 0 and 1")
        return value

    def truth(self, name: str) -> bool:
        """Return true or false."""
        return cast("bool", self._of(name, bool, "true or false"))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        values = self._of(name, list, "a list of texts")
        if not all(isinstance(value, str) for value in values):
            self._fail(name, "a list of texts")
        return tuple(values)

    def mapping(self, name: str) -> dict[str, str]:
        """Return an object from text to text."""
        values = self._of(name, dict, "an object of texts")
        if not all(isinstance(value, str) for value in values.values()):
            self._fail(name, "an object of texts")
        return dict(values)

    def inner(self, name: str) -> Fields:
        """Return an object."""
        return Fields(self.any(name), f"{self._where}{name}.")

    def objects(self, name: str) -> tuple[Fields, ...]:
        """Return a list of objects."""
        values = self._of(name, list, "a list of objects")
        return tuple(Fields(value, f"{self._where}{name}[{index}].") for index, value in enumerate(values))

    def event_id(self, name: str) -> str:
        """Return an event id."""
        value = self.text(name)
        if not is_event_id(value):
            self._fail(name, "an event id")
        return value

    def instant(self, name: str) -> datetime:
        """Return an instant in UTC."""
        value = self.text(name)
        try:
            return instant(value)
        except ValueError:
            self._fail(name, "an instant in UTC")

    def day(self, name: str) -> date:
        """Return a calendar date."""
        value = self.text(name)
        try:
            return date.fromisoformat(value)
        except ValueError:
            self._fail(name, "a date")

    def offset(self, name: str) -> int:
        """Return minutes east of UTC."""
        value = self.integer(name)
        if abs(value) > MAXIMUM_OFFSET:
            self._fail(name, "a UTC offset")
        return value

    def rating(self, name: str) -> Rating:
        """Return a rating from its number."""
        value = self.integer(name)
        try:
            return Rating(value)
        except ValueError:
            self._fail(name, "a rating, 1 to 4")

    def verdict(self, name: str) -> Verdict:
        """Return a verdict."""
        value = self.text(name)
        if value not in VERDICTS:
            self._fail(name, "a verdict")
        return value

    def confidence(self, name: str) -> Confidence | None:
        """Return a confidence in percent, or None."""
        if self.any(name) is None:
            return None
        value = self.integer(name)
        if value not in CONFIDENCES:
            self._fail(name, "a confidence")
        return value

    def _of(self, name: str, kind: type, what: str) -> Any:  # noqa: ANN401 - of the kind that was asked for
        value = self.any(name)
        if not isinstance(value, kind):
            self._fail(name, what)
        return value

    def _fail(self, name: str, what: str) -> NoReturn:
        told = repr(self._values[name])
        cut = told if len(told) <= _TOLD else f"{told[:_TOLD]}… ({len(told):,} characters)"
        message = f"{self._where}{name} is not {what}: {cut}"
        raise EventError(message)


def promise_fields(promise: Promise) -> dict[str, str]:
    """Return a promise as JSON values."""
    return {"due": instant_text(promise.due), "day": promise.day.isoformat()}


def read_promise(fields: Fields) -> Promise:
    """Read a promise."""
    return Promise(due=fields.instant("due"), day=fields.day("day"))


def read_parts(fields: Fields) -> tuple[Part, ...]:
    """Read the verdicts of the parts."""
    return tuple(
        Part(part.text("name"), part.verdict("verdict"), part.optional_text("slip")) for part in fields.objects("parts")
    )


def attempt_fields(attempt: Attempt) -> dict[str, Any]:
    """Return what an attempt has beyond the fields of every event."""
    shown, response = attempt.shown, attempt.response
    later = {"retention": attempt.retention, "placed": attempt.placed} if attempt.version > 1 else {}
    return later | {
        "day": attempt.day.isoformat(),
        "bank": attempt.card.bank,
        "question": attempt.card.question,
        "generation": attempt.card.generation,
        "shown": {
            "meaning": shown.meaning,
            "variant": dict(shown.variant),
            "options": list(shown.options),
            "key": list(shown.key),
            "figures": dict(shown.figures),
        },
        "response": {"chosen": list(response.chosen), "text": response.text},
        "verdict": attempt.verdict,
        "slip": attempt.slip,
        "parts": [{"name": part.name, "verdict": part.verdict, "slip": part.slip} for part in attempt.parts],
        "confidence": attempt.confidence,
        "rating": int(attempt.rating),
        "promise": promise_fields(attempt.promise),
        "duration_ms": attempt.duration_ms,
    }


def read_attempt(identity: str, time: datetime, offset: int, fields: Fields) -> Attempt:
    """Read an attempt of version 1 or 2 whose common fields are read already."""
    later = fields.integer("version") > 1
    shown, response = fields.inner("shown"), fields.inner("response")
    return Attempt(
        id=identity,
        time=time,
        offset=offset,
        day=fields.day("day"),
        card=CardKey(fields.text("bank"), fields.text("question"), fields.integer("generation")),
        shown=Shown(
            meaning=shown.text("meaning"),
            variant=shown.mapping("variant"),
            options=shown.texts("options"),
            key=shown.texts("key"),
            figures=shown.mapping("figures"),
        ),
        response=Response(chosen=response.texts("chosen"), text=response.optional_text("text")),
        verdict=fields.verdict("verdict"),
        slip=fields.optional_text("slip"),
        parts=read_parts(fields),
        confidence=fields.confidence("confidence"),
        rating=fields.rating("rating"),
        promise=read_promise(fields.inner("promise")),
        duration_ms=fields.integer("duration_ms"),
        retention=fields.share("retention") if later else None,
        placed=fields.truth("placed") if later else False,
    )


def mark_fields(mark: Mark) -> dict[str, Any]:
    """Return what a mark has beyond the fields of every event."""
    return {"bank": mark.bank, "question": mark.question, "mark": mark.mark, "value": mark.value}


def read_mark(fields: Fields) -> dict[str, Any]:
    """Read what `mark_fields` wrote."""
    kind, value = fields.text("mark"), fields.any("value")
    if kind not in MARK_KINDS:
        raise EventError(f"mark is not one of {', '.join(MARK_KINDS)}: {kind!r}")
    try:
        NO_MARKS.after(kind, value)
    except ValueError as error:
        raise EventError(str(error)) from error
    return {"bank": fields.text("bank"), "question": fields.text("question"), "mark": kind, "value": value}
