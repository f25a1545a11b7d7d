"""The history as JSON Lines: one event a line, in the order of ids, for other programs and for backups.

Each line is one JSON object with sorted keys: the event's fields (docs/contributors/history.md lists them)
and `checksum`, the BLAKE2b of the canonical text of the other fields. A line stands alone: lines of several
exports may be put together, in any order, with repetitions.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from quiz.session.events import as_mapping, canonical, checksum
from quiz.store.rows import Damaged

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

    from quiz.session.events import Event


class Exported(msgspec.Struct, frozen=True):
    """What an export wrote: how many events, and those left out because they are damaged."""

    events: int
    damaged: tuple[Damaged, ...]


def line(event: Event) -> str:
    """Return one line of the export, without its line end."""
    fields = {**as_mapping(event), "checksum": checksum(canonical(event))}
    return json.dumps(fields, sort_keys=True, separators=(",", ":"))


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
