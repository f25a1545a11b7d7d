"""A database copied as it stands into one file, whole and durable, beside other programs that read and write it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final

from quiz.store.beside import aside
from quiz.store.places import logs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: So much is copied, then compared while the disk writes it and the next is copied.
_PIECE: Final = 1 << 25
#: So much is compared at once: both sides of it stay in the processor's cache.
_CHUNK: Final = 1 << 17

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
        with target.open("rb+", buffering=0) as file, _brought_out(file.fileno()) as written:
            same.append(_copied(start, file.fileno(), size, written))

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


@contextmanager
def _brought_out(number: int) -> Iterator[Callable[[], None]]:
    """Let another thread bring to the disk what stands in a file by then, each time it is told to."""
    told: SimpleQueue[int | None] = SimpleQueue()

    def bring() -> None:
        while told.get() is not None:
            os.fsync(number)

    with aside(bring):
        try:
            yield lambda: told.put(number)
        finally:
            told.put(None)


def _copied(start: int, target: int, size: int, written: Callable[[], None]) -> bool:
    """Copy the bytes of an open file into another and compare them; False where the system does not do that here.

    Args:
        start, target: both open files.
        size: how many bytes.
        written: called after each piece.
    """
    done, compared = 0, 0
    buffers = bytearray(_CHUNK), bytearray(_CHUNK)
    while done < size:
        try:
            moved = os.copy_file_range(start, target, min(_PIECE, size - done), done, done)
        except OSError:
            return False
        if not moved:
            return False
        done += moved
        written()
        if not _same(start, target, compared, done, buffers):
            return False
        compared = done
    return True


def _same(one: int, other: int, place: int, end: int, buffers: tuple[bytearray, bytearray]) -> bool:
    """Compare the bytes of two open files from a place to an end, read into two buffers of the same size."""
    while place < end:
        found = [os.preadv(number, (buffer,), place) for number, buffer in zip((one, other), buffers, strict=True)]
        read = min(*found, end - place)
        if not read:
            return False
        mine, theirs = (buffer if read == len(buffer) else buffer[:read] for buffer in buffers)
        if mine != theirs:
            return False
        place += read
    return True


def _held(path: Path) -> int:
    found = path.stat()
    key = (found.st_dev, found.st_ino)
    if key not in _HELD:
        _HELD[key] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    return _HELD[key]
