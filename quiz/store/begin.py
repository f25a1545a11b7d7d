"""Beginning a history, and telling a lost one from a new one.

A new file is made whole under another name and then linked to its own, so that nobody ever sees a history without
its tables: a file of no bytes is therefore never the work of this program.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from typing import TYPE_CHECKING, Final

from quiz.store.errors import failure, from_os, translate
from quiz.store.places import backups, logs
from quiz.store.schema import MIGRATIONS, mark_derived, stamp, teach

if TYPE_CHECKING:
    from pathlib import Path

_BEGINNING: Final = "Opening your history"


def begin(path: Path) -> None:
    """Make an empty history, for its owner only; where another program was quicker, its file stands.

    Raises:
        StoreError: the folder or the file cannot be made.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}.new")
    try:
        if not path.parent.exists():
            path.parent.parent.mkdir(parents=True, exist_ok=True)
            path.parent.mkdir(mode=0o700, exist_ok=True)
        try:
            make(part)
            _give_name(part, path)
        finally:
            part.unlink(missing_ok=True)
    except sqlite3.Error as error:
        raise translate(error, _BEGINNING, path) from error
    except OSError as error:
        raise from_os(error, _BEGINNING, path) from error


def make(path: Path) -> None:
    """Make an empty history under a name that must be free. Raises OSError, sqlite3.Error."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        teach(connection)
        connection.execute("BEGIN")
        for statement in (*(one for step in MIGRATIONS for one in step), *stamp()):
            connection.execute(statement)
        mark_derived(connection)
        connection.execute("COMMIT")
        connection.execute("VACUUM")  # the steps leave room behind
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
    finally:
        connection.close()


def _give_name(part: Path, path: Path) -> None:
    try:
        path.hardlink_to(part)
    except FileExistsError:
        return
    except OSError:
        # A file system without links. Of two programs that get here at once one replaces the other's empty file, and
        # that other one is told at its first answer that the file was moved.
        if not path.exists():
            part.rename(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, where the system lets a folder be synced."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def refuse_lost(path: Path) -> None:
    """Refuse to begin anew where a history was: its file is missing or empty, its backups or its log are there.

    Raises:
        StoreError: kind `lost`.
    """
    if path.exists() and (path.is_dir() or path.stat().st_size):
        return
    what = "it is empty (0 bytes)" if path.exists() else "it is missing"
    left, kept = logs(path), backups(path)
    if left:
        # SQLite throws away a log whose file is empty.
        raise failure("lost", _BEGINNING, path, f"{what}, but its log is there ({left[0].name})")
    if kept:
        raise failure("lost", _BEGINNING, path, f"{what}, but there are backups of it")


def warning(path: Path) -> tuple[str, ...]:
    """Return what to tell where a file of no bytes is about to become a new history; nothing anywhere else."""
    try:
        found = os.stat(path)  # noqa: PTH116 - asked at each opening, and a third of what a path's own method takes
    except (FileNotFoundError, NotADirectoryError):
        return ()
    if found.st_size or not stat.S_ISREG(found.st_mode):
        return ()
    told = (
        f"{path} was empty (0 bytes) and nothing beside it can restore it: a new history begins. "
        "If you had answers before, move your copy of that file back, or `shardwise history merge` an export."
    )
    return (told,)
