"""The history as JSON Lines: one event a line, in the order of ids, for other programs and for backups.

Each line is one JSON object with sorted keys: the event's fields (docs/contributors/history.md lists them)
and `checksum`, the BLAKE2b of the canonical text of the other fields. A line stands alone: lines of several
exports may be put together, in any order, with repetitions.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.session.events import EventError, as_mapping, canonical, checksum, from_canonical
from quiz.store.rows import Damaged, event_row

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

    from quiz.session.events import Event


#: Ids are made in order, the next one after the greatest. From here on few are left: this is thirteen days before
#: the last instant that an id can carry, in the year 10889.
_BEYOND: Final = "7ZZYZ"


class NoLineError(EventError):
    """A line is none of an export: there is no checksum that could be held against it."""


class Exported(msgspec.Struct, frozen=True):
    """What an export wrote: how many events, and those left out because they are damaged."""

    events: int
    damaged: tuple[Damaged, ...]


def line(event: Event) -> str:
    """Return one line of the export, without its line end."""
    fields = {**as_mapping(event), "checksum": checksum(canonical(event))}
    return json.dumps(fields, sort_keys=True, separators=(",", ":"))


def read_line(text: str) -> Event:
    """Read one line of an export.

    Raises:
        NoLineError: it is not JSON, or it has no checksum.
        EventError: it is no event, or its checksum is another: the message says which.
    """
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        message = f"it is not JSON ({error})"
        raise NoLineError(message) from error
    if not isinstance(fields, dict) or "checksum" not in fields:
        message = "it is no line of an export: it has no checksum"
        raise NoLineError(message)
    stated = fields.pop("checksum")
    body = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    if checksum(body) != stated:
        message = "its checksum does not match"
        raise EventError(message)
    event = from_canonical(body)
    if event.id >= _BEYOND:
        message = f"event {event.id} has an id of a time that no clock tells, after which none could be made"
        raise EventError(message)
    _require_storable(event)
    return event


def _require_storable(event: Event) -> None:
    """Refuse values that no column can hold, which a checksum does not exclude."""
    for value in event_row(event):
        try:
            if isinstance(value, str):
                value.encode()
            elif isinstance(value, int):
                value.to_bytes(8, signed=True)
        except (UnicodeEncodeError, OverflowError) as error:
            message = f"event {event.id} holds a value that cannot be stored ({error})"
            raise EventError(message) from error


def write(events: Iterable[Event | Damaged], out: TextIO) -> Exported:
    """Write events as JSON Lines. A damaged event is left out and named in the result."""
    count = 0
    damaged: list[Damaged] = []
    for event in events:
        if isinstance(event, Damaged):
            damaged.append(event)
        else:
            out.write(line(event) + "\n")
            count += 1
    return Exported(count, tuple(damaged))
