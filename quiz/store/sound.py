"""Whether a backup can be relied on: a name and a size say nothing, so all of it is read before it is named."""

from __future__ import annotations

import sqlite3
from datetime import date
from pathlib import Path

import msgspec

from quiz.store.copying import quick_check
from quiz.store.packing import is_whole
from quiz.store.places import backups
from quiz.store.schema import APPLICATION_ID, SCHEMA, packed


class Sound(msgspec.Struct, frozen=True):
    """A backup that was read whole: where it lies, its day, and the answers in it."""

    path: Path
    day: date
    answers: int


def newest(history: Path) -> Sound | None:
    """Return the newest backup of a history that is whole; None where there is none."""
    for one in backups(history):
        count = answers(one.path)
        if count is not None:
            return Sound(one.path, one.day, count)
    return None


def answers(backup: Path) -> int | None:
    """Return how many answers a backup holds that passes SQLite's check and each checksum; None of any other file."""
    found = ids(backup)
    return None if found is None else len(found)


def ids(backup: Path) -> frozenset[str] | None:
    """Return the ids of the answers in a backup that is as whole as `answers` asks; None of any other file."""
    try:
        connection = sqlite3.connect(f"{backup.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    except sqlite3.Error:
        return None
    try:
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        (schema,) = connection.execute("PRAGMA user_version").fetchone()
        if mark != APPLICATION_ID or not 1 <= schema <= SCHEMA or quick_check(connection):
            return None
        found = set()
        for identity, kind, body, stated in connection.execute("SELECT id, kind, body, sum FROM events"):
            if not is_whole(*(packed(body, stated) if schema == 1 else (body, stated))):
                return None
            if kind == "attempt":
                found.add(identity)
    except sqlite3.Error:
        return None
    finally:
        connection.close()
    return frozenset(found)
