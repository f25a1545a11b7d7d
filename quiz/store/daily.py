"""A backup a day, made when a history is opened, or before the first write of another day, and verified.

The last ones are kept.

A backup is a whole history of its own, in one file, made from one consistent state beside other programs that write.
"""

from __future__ import annotations

import os
import sqlite3
import time
from datetime import date, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from quiz.store.begin import sync_folder
from quiz.store.copying import copy
from quiz.store.errors import failure, from_os, translate
from quiz.store.packing import is_whole
from quiz.store.places import backup_folder, backup_path, backups

if TYPE_CHECKING:
    from pathlib import Path

#: How many backups stay, the latest ones.
KEPT: Final = 7

_BACKING_UP: Final = "Backing up your history"
_PART: Final = ".part"
_LEFT_BEHIND: Final = 86_400.0

#: Of so many of the newest events, and of so many others, the text is verified at each backup.
_READ: Final = 10_000


def local_day() -> date:
    """Return the day that it is here."""
    return date(*time.localtime()[:3])


class Looked(NamedTuple):
    """What came of a look for a backup: what to tell the learner, and the ids of events that are damaged."""

    told: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()


def daily(connection: sqlite3.Connection, history: Path, today: date) -> Looked:
    """Back the history up if it holds something and today's backup is not there.

    Returns:
        What to tell the learner: why there is no backup today (answering goes on without one), or what is damaged.

    Raises:
        StoreError: kind `corrupt`, the history itself is damaged.
        sqlite3.Error: the history cannot be read.
    """
    target = backup_path(history, today)
    if os.path.exists(target) or not _holds_something(connection):  # noqa: PTH110 - as in `quiz.store.places`
        return Looked()
    try:
        made = make(connection, history, target)
        damaged = unsound(made, today)
        if damaged:
            # Older backups stay: one of them may hold what is damaged here.
            return Looked((_unsound(history, damaged),), damaged)
        rotate(history, today)
    except OSError as error:
        return Looked((_untold(history, (error.strerror or str(error)).lower()),))
    except sqlite3.Error as error:
        if _damaged(error):
            raise
        return Looked((_untold(history, translate(error, _BACKING_UP, history).why),))
    return Looked()


def _untold(history: Path, why: str) -> str:
    folder = backup_folder(history)
    return f"Today's backup of your history could not be made: {folder}: {why}. Your answers are stored all the same."


def _unsound(history: Path, damaged: tuple[str, ...]) -> str:
    one = len(damaged) == 1
    return (
        f"{'An entry' if one else f'{len(damaged):,} entries'} of {history} cannot be read as written "
        f"({damaged[0]}{'' if one else ', …'}). What {'it' if one else 'they'} added to your cards and figures stays "
        "until these are derived anew. No older backup is removed. "
        "`shardwise history restore` brings back what a backup or the file still holds."
    )


def unsound(copy: Path, today: date) -> tuple[str, ...]:
    """Return the ids of events in a backup whose text is not what was written.

    Of a large history the newest ones are read, and a share of the others each day, so that each is read in its turn;
    `shardwise doctor` reads all of them.
    """
    connection = sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        (last,) = connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()
        share = today.toordinal() % max(1, -(-last // _READ)) * _READ
        rows = connection.execute(
            "SELECT id, CAST(body AS BLOB), CAST(sum AS BLOB) FROM events WHERE seq > ?1 - ?2"
            " UNION ALL SELECT id, CAST(body AS BLOB), CAST(sum AS BLOB) FROM events WHERE seq > ?3 AND seq <= ?3 + ?2"
            " AND seq <= ?1 - ?2",
            (last, _READ, share),
        )
        return tuple(str(identity) for identity, body, stated in rows if not is_whole(body, stated))
    finally:
        connection.close()


def _damaged(error: sqlite3.Error) -> bool:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _holds_something(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM events LIMIT 1").fetchone() is not None


def preserve(connection: sqlite3.Connection, history: Path) -> Path:
    """Back a history up before it leaves its schema. Such a backup is not rotated.

    Raises:
        StoreError: the history is damaged, or the backup cannot be written; the history then stays as it is.
    """
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    day = datetime.now().astimezone().date()
    try:
        return make(connection, history, backup_path(history, day, schema))
    except OSError as error:
        raise from_os(error, _BACKING_UP, backup_folder(history)) from error


def make(connection: sqlite3.Connection, history: Path, target: Path) -> Path:
    """Make a backup, verified; it appears under its name only when it is whole.

    Raises:
        StoreError: kind `corrupt`, the copy does not pass SQLite's check, so neither does the history.
        OSError: the folder cannot be written.
        sqlite3.Error: the history cannot be read, or the copy not written.
    """
    target.parent.mkdir(mode=0o700, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}{_PART}")
    try:
        problems = copy(connection, part)
        if problems:
            raise failure("corrupt", _BACKING_UP, history, f"it does not pass SQLite's check ({problems[0]})")
        part.replace(target)
        sync_folder(target.parent)
    finally:
        part.unlink(missing_ok=True)
    return target


def rotate(history: Path, today: date) -> None:
    """Remove all but the latest backups; today's stays.

    Those of days to come, which a wrong clock wrote, go first, or they would stand in the place of the latest for ever.
    """
    others = [one for one in backups(history) if one.day != today and one.schema is None]
    others.sort(key=lambda one: one.day > today)
    for one in others[KEPT - 1 :]:
        one.path.unlink(missing_ok=True)
    for part in backup_folder(history).glob(f".*{_PART}"):
        # What a killed program left; a younger one may be another program's, at work.
        if time.time() - part.stat().st_mtime > _LEFT_BEHIND:
            part.unlink(missing_ok=True)
