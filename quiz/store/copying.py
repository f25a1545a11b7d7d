"""A database copied as it stands into one file, whole and durable, beside other programs that read and write it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quiz.store.beside import aside
from quiz.store.places import logs

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK: Final = 1 << 20

#: Databases whose bytes were read here, by device and inode. They stay open: to close one would release the locks that
#: SQLite holds on the same file in this process.
_HELD: dict[tuple[int, int], int] = {}


def copy(connection: sqlite3.Connection, target: Path) -> tuple[str, ...]:
    """Copy a database as it stands into one durable file; return what is wrong with the copy.

    Where its log can be emptied into the file and the system copies files by itself, the file is copied and compared
    with the copy byte by byte while SQLite's check goes through it, and nobody writes into it meanwhile: what others
    store goes into the log. Elsewhere SQLite copies page by page, and checks the copy.

    Raises:
        OSError: the copy cannot be written.
        sqlite3.Error: the database cannot be read, or the copy not written.
    """
    target.unlink(missing_ok=True)
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    with _at_rest(connection) as source:
        problems = None if source is None else _quick(source, target)
    with target.open("rb+") as file:
        if problems is None:
            file.truncate(0)
            with _whole(target) as into:
                connection.backup(into)
            with _whole(target) as into:
                problems = quick_check(into)
        else:
            with _whole(target):
                pass
        os.fsync(file.fileno())
    return problems


def _quick(source: Path, target: Path) -> tuple[str, ...] | None:
    """Check a database at rest while its file is copied; None where that makes no copy."""
    start = _held(source)
    size = os.fstat(start).st_size
    same: list[bool] = []

    def make() -> None:
        with target.open("rb+", buffering=0) as file:
            number = file.fileno()
            if _copied(start, number, size):
                with aside(lambda: os.fsync(number)):
                    same.append(_same(start, number, size))

    # As the file has it: the connection that is there may hold pages in memory, and others write into the log.
    address = f"{source.absolute().as_uri()}?mode=ro&immutable=1"
    with aside(make), closing(sqlite3.connect(address, uri=True)) as alone:
        problems = quick_check(alone)
    return problems if same == [True] else None


@contextmanager
def _whole(target: Path) -> Iterator[sqlite3.Connection]:
    """Open a copy, and leave it as one file without a log, so that it can be read where nothing can be written."""
    into = sqlite3.connect(target, isolation_level=None)
    try:
        into.execute("PRAGMA synchronous = OFF")  # synced once, in the end
        yield into
        into.execute("PRAGMA journal_mode = DELETE").fetchone()
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


def _copied(start: int, target: int, size: int) -> bool:
    """Copy the bytes of an open file into another; False where the system does not do that here."""
    done = 0
    try:
        while done < size:
            moved = os.copy_file_range(start, target, size - done, done, done)
            if not moved:
                return False
            done += moved
    except OSError:
        return False
    return True


def _same(one: int, other: int, size: int) -> bool:
    """Compare the bytes of two open files."""
    return all(os.pread(one, _CHUNK, place) == os.pread(other, _CHUNK, place) for place in range(0, size, _CHUNK))


def _held(path: Path) -> int:
    found = path.stat()
    key = (found.st_dev, found.st_ino)
    if key not in _HELD:
        _HELD[key] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    return _HELD[key]
