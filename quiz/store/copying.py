"""A database copied as it stands into one file, whole and durable, beside other programs that read and write it."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quiz.store.places import logs

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK: Final = 1 << 20

#: Databases whose bytes were read here, by device and inode. They stay open: to close one would release the locks that
#: SQLite holds on the same file in this process.
_HELD: dict[tuple[int, int], int] = {}


def copy(connection: sqlite3.Connection, target: Path) -> tuple[str, ...]:
    """Copy a database as it stands into one durable file; return what is wrong with the copy.

    Where its log can be emptied into the file and the system copies files by itself, the file is copied, compared with
    the copy byte by byte, and nobody writes into it meanwhile: what others store goes into the log. Elsewhere SQLite
    copies page by page. Either way SQLite's check goes through the copy.

    Raises:
        OSError: the copy cannot be written.
        sqlite3.Error: the database cannot be read, or the copy not written.
    """
    target.unlink(missing_ok=True)
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    with _at_rest(connection) as source:
        quick = source is not None and _copied(source, target)
    with target.open("rb+") as file, _syncing(file.fileno()) if quick else nullcontext():
        problems = _finished(connection, target, quick=quick)
        os.fsync(file.fileno())
    return problems


@contextmanager
def _syncing(number: int) -> Iterator[None]:
    """Let what was copied go to the disk while it is checked. Raises OSError where it does not get there."""
    failed: list[OSError] = []

    def sync() -> None:
        try:
            os.fsync(number)
        except OSError as error:
            failed.append(error)

    thread = threading.Thread(target=sync)
    thread.start()
    try:
        yield
    finally:
        thread.join()
    if failed:
        raise failed[0]


def _finished(connection: sqlite3.Connection, target: Path, *, quick: bool) -> tuple[str, ...]:
    """Make a whole database of its own out of the target, and check it."""
    into = sqlite3.connect(target, isolation_level=None)
    try:
        into.execute("PRAGMA synchronous = OFF")  # synced once, in the end
        if not quick:
            connection.backup(into)
        # Without a log, so that the copy is one file and can be read where nothing can be written.
        into.execute("PRAGMA journal_mode = DELETE").fetchone()
        return quick_check(into)
    finally:
        into.close()


def quick_check(connection: sqlite3.Connection, *, full: bool = False) -> tuple[str, ...]:
    """Return what SQLite's own check of the whole file finds, at most 20 faults; `full`: indexes against tables too."""
    check = "integrity_check" if full else "quick_check"
    told = tuple(str(row[0]) for row in connection.execute(f"PRAGMA {check}(20)"))
    if told == ("ok",):
        return ()
    # SQLite heads what it finds with the name of the database, in a line of its own.
    return tuple(line for row in told for line in row.splitlines() if not line.startswith("***")) or told


@contextmanager
def _at_rest(connection: sqlite3.Connection) -> Iterator[Path | None]:
    """Hold a database so that nothing is written into its file; None where that cannot be had at once.

    The log is emptied into the file, and then a reader stands at a state that the file holds alone: until it goes,
    SQLite moves nothing from the log to the file.
    """
    name = str(connection.execute("PRAGMA database_list").fetchone()[2])
    if not name or connection.in_transaction or not hasattr(os, "copy_file_range"):
        yield None
        return
    (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        with suppress(sqlite3.OperationalError):  # others read or write: whether it is empty is looked at below
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(patience)}")
    connection.execute("BEGIN")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        path = Path(name)
        mode = str(connection.execute("PRAGMA journal_mode").fetchone()[0])
        # A log that is empty now was empty when the reader came: only then does the file hold all that it sees.
        yield path if mode == "wal" and not logs(path) else None
    finally:
        connection.execute("ROLLBACK")


def _copied(source: Path, target: Path) -> bool:
    """Copy the bytes of a file and compare; False where the system does not do that here, or the copy is another."""
    start = _held(source)
    size = os.fstat(start).st_size
    with target.open("rb+", buffering=0) as file:
        done = 0
        try:
            while done < size:
                moved = os.copy_file_range(start, file.fileno(), size - done, done, done)
                if not moved:
                    return False
                done += moved
        except OSError:
            file.truncate(0)  # SQLite copies, and says so where the disk is full
            return False
        return _same(start, file.fileno(), size)


def _same(one: int, other: int, size: int) -> bool:
    for place in range(0, size, _CHUNK):
        if os.pread(one, _CHUNK, place) != os.pread(other, _CHUNK, place):
            os.ftruncate(other, 0)
            return False
    return True


def _held(path: Path) -> int:
    found = path.stat()
    key = (found.st_dev, found.st_ino)
    if key not in _HELD:
        _HELD[key] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    return _HELD[key]
