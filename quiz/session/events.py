"""The events of a history, and their canonical text.

A history is a set of events. Each is appended once and never changed; what they say together (cards,
statistics, settings) is derived from them in the order of their ids. An event of a kind or version that
this program does not know is kept as it stands, so that a history written by a newer program survives.

The canonical text is JSON with sorted keys, no spaces and ASCII only; instants are UTC to the microsecond,
`2022-11-29T12:30:00.000000Z`. The checksum is BLAKE2b over that text, 16 bytes as 32 hex digits.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from quiz.scheduling.rating import Rating
from quiz.session import wire
from quiz.session.attempt import Attempt, Promise
from quiz.session.attempt_text import quick_text
from quiz.session.changes import Regrade, Rename, change_fields, read_regrade, read_rename
from quiz.session.drilled import Drilled, drilled_fields, read_drilled
from quiz.session.marks import MarkKind
from quiz.session.wire import EventError

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = [
    "Drilled",
    "Event",
    "EventError",
    "Mark",
    "Regrade",
    "Rename",
    "Rerating",
    "Retraction",
    "SettingChange",
    "Unknown",
    "canonical",
    "checksum",
    "from_canonical",
    "general_text",
]


class Retraction(msgspec.Struct, frozen=True):
    """An attempt taken back. The attempt stays in the history and no longer counts."""

    id: str
    time: datetime
    offset: int
    target: str

    kind: ClassVar[str] = "retraction"
    version: ClassVar[int] = 1


class Rerating(msgspec.Struct, frozen=True):
    """The learner's own rating of an attempt, instead of the rule's. The one with the greatest id counts.

    It amends and does not replace: the attempt keeps its id, so undo takes back exactly one attempt, and
    two machines that both amended it merge into one answer and not two. `placed` is as in `Attempt`.
    """

    id: str
    time: datetime
    offset: int
    target: str
    rating: Rating
    promise: Promise
    placed: bool = False

    kind: ClassVar[str] = "rerating"

    @property
    def version(self) -> int:
        """2 where the day was placed, else 1, which does not have the field."""
        return 2 if self.placed else 1


class SettingChange(msgspec.Struct, frozen=True):
    """A scheduling setting from now on; answers before it keep the setting of their time."""

    id: str
    time: datetime
    offset: int
    name: str
    value: object

    kind: ClassVar[str] = "setting"
    version: ClassVar[int] = 1


class Mark(msgspec.Struct, frozen=True):
    """What the learner says of a question, not of an answer. Of each kind the one with the greatest id counts.

    `value` is a bool for `flag` and `suspend`; for `bury` the day (`2026-03-03`) on which the question is back, or
    None; for `note` a text, or None.
    """

    id: str
    time: datetime
    offset: int
    bank: str
    question: str
    mark: MarkKind
    value: bool | str | None

    kind: ClassVar[str] = "mark"
    version: ClassVar[int] = 1


class Unknown(msgspec.Struct, frozen=True):
    """An event of a kind or version that a newer program wrote: kept, exported, never interpreted."""

    id: str
    time: datetime
    offset: int
    kind: str
    version: int
    body: str


Event = Attempt | Retraction | Rerating | SettingChange | Mark | Rename | Regrade | Drilled | Unknown


def canonical(event: Event) -> str:
    """Return the canonical text of an event.

    Raises:
        EventError: a value cannot be written (a setting that is no JSON value, a float that is no number).
    """
    quick = quick_text(event) if isinstance(event, Attempt) else None
    return general_text(event) if quick is None else quick


def general_text(event: Event) -> str:
    """Do what `canonical` does, for any event and any value."""
    if isinstance(event, Unknown):
        return event.body
    fields: dict[str, Any] = {
        "id": event.id,
        "kind": event.kind,
        "version": event.version,
        "time": wire.instant_text(event.time),
        "offset": event.offset,
    }
    match event:
        case Attempt():
            fields |= wire.attempt_fields(event)
        case Retraction():
            fields["target"] = event.target
        case Rerating():
            fields["target"] = event.target
            fields["rating"] = int(event.rating)
            fields["promise"] = wire.promise_fields(event.promise)
            if event.placed:
                fields["placed"] = True
        case SettingChange():
            fields |= {"name": event.name, "value": event.value}
        case Mark() | Drilled():
            fields |= wire.mark_fields(event) if isinstance(event, Mark) else drilled_fields(event)
        case Rename() | Regrade():
            fields |= change_fields(event)
    try:
        return json.dumps(fields, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        message = f"event {event.id} cannot be written: {error}"
        raise EventError(message) from error


def checksum(text: str) -> str:
    """Return the checksum of a canonical text, 32 hex digits."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def from_canonical(text: str, *, verified: bool = False) -> Event:
    """Read an event from its canonical text.

    Args:
        text: one event.
        verified: its checksum was compared already, so that it is the canonical text that was written; by default
            the form is checked too.

    Raises:
        EventError: the text is not JSON, a field is missing or of another type, or it is not canonical.
    """
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        message = f"not JSON: {error}"
        raise EventError(message) from error
    fields = wire.Fields(raw)
    kind, version = fields.text("kind"), fields.integer("version")
    common = (fields.event_id("id"), fields.instant("time"), fields.offset("offset"))
    event = _read(kind, version, common, fields, text)
    if not verified and canonical(event) != text:
        message = f"event {event.id} is not in canonical form"
        raise EventError(message)
    return event


def _read(  # noqa: PLR0911 - one case per event
    kind: str, version: int, common: tuple[str, datetime, int], fields: wire.Fields, text: str
) -> Event:
    match kind, version:
        case Attempt.kind, 1 | 2:
            return wire.read_attempt(*common, fields)
        case Retraction.kind, Retraction.version:
            return Retraction(*common, target=fields.event_id("target"))
        case Rerating.kind, 1 | 2:
            return Rerating(
                *common,
                target=fields.event_id("target"),
                rating=fields.rating("rating"),
                promise=wire.read_promise(fields.inner("promise")),
                placed=fields.truth("placed") if version > 1 else False,
            )
        case SettingChange.kind, SettingChange.version:
            return SettingChange(*common, name=fields.text("name"), value=fields.any("value"))
        case Mark.kind, Mark.version:
            return Mark(*common, **wire.read_mark(fields))
        case Rename.kind, Rename.version:
            return read_rename(*common, fields)
        case Regrade.kind, Regrade.version:
            return read_regrade(*common, fields)
        case Drilled.kind, Drilled.version:
            return read_drilled(*common, fields)
    return Unknown(*common, kind=kind, version=version, body=text)


def as_mapping(event: Event) -> Mapping[str, Any]:
    """Return an event as plain JSON values, for export and for scripts."""
    mapping: dict[str, Any] = json.loads(canonical(event))
    return mapping
