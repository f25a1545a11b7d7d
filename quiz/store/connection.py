"""Opening the history file: the folder, the checks before SQLite sees it, the pragmas, the transaction."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import struct
import sys
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quiz.store.begin import begin, refuse_lost
from quiz.store.daily import preserve
from quiz.store.errors import failure, from_os, translate
from quiz.store.places import logs
from quiz.store.schema import APPLICATION_ID, MIGRATIONS, SCHEMA, mark_derived, stamp, teach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quiz.store.errors import Kind

#: What is wrong with a file that SQLite can read and that is not ours.
FOREIGN: Final = "it is a database of another program"

_OPENING: Final = "Opening your history"
_EMPTY: Final = "it is empty; if you had answers, put your copy of it back"
_MAGIC: Final = b"SQLite format 3\0"
_HEADER: Final = 100
#: What the head of a file with a write-ahead log has for the versions of writing and of reading.
_LOGGED: Final = b"\x02\x02"
_SMALLEST_PAGE: Final = 512
_SECOND_LOOK: Final = 0.05
#: What is free of a file is given back from the so-manieth part of it on.
_MUCH: Final = 3
_NETWORK: Final = frozenset(
    {"afs", "ceph", "cifs", "coda", "davfs", "fuse.davfs", "fuse.glusterfs", "fuse.sshfs", "glusterfs"}
    | {"lustre", "ncpfs", "nfs", "nfs4", "smb2", "smb3", "smbfs"}
)


def connect(path: Path, *, read_only: bool, patience: float) -> sqlite3.Connection:
    """Open the history, creating or migrating it where that is allowed.

    An empty file is filled in place; `quiz.store.begin.warning` tells beforehand what that means to the learner.

    Args:
        path: the database file.
        read_only: never write, not even a missing file.
        patience: seconds to wait for another program.

    Raises:
        StoreError: the file cannot be used; the message says what to do.
    """
    if not _at_hand(path):
        _refuse_network(path)
        refuse_lost(path)
        if not path.exists():
            if read_only:
                raise failure("missing", _OPENING, path, "there is no history yet")
            begin(path)
    logged = _check_header(path)
    connection: sqlite3.Connection | None = None
    try:
        if read_only:
            connection = _open_read_only(path, patience)
            if _require_filled(connection, path, patience) < SCHEMA:
                connection = _in_memory(connection, path)
            return connection
        _require_writable(path)
        connection = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
        _prepare(connection, path, patience, logged=logged)
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise translate(error, _OPENING, path) from error
    except BaseException:
        if connection is not None:
            connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection, patience: float) -> Iterator[None]:
    """Hold the write lock for a block; commit at its end, roll back on anything raised in it."""
    insist(lambda: connection.execute("BEGIN IMMEDIATE"), patience)
    try:
        yield
        insist(lambda: connection.execute("COMMIT"), patience)
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold one state for the reads of a block: to look for it anew takes as long as a read."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


def insist(act: Callable[[], object], patience: float) -> None:
    """Do something again while another program holds the lock, for `patience` seconds at most.

    SQLite waits by itself for most locks, but not for all (a change of the journal mode, a recovery).
    """
    deadline = time.monotonic() + patience
    wait = 0.001
    while True:
        try:
            act()
        except sqlite3.OperationalError as error:
            busy = ((error.sqlite_errorcode or 0) & 0xFF) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or time.monotonic() >= deadline:
                raise
        else:
            return
        time.sleep(wait * (0.5 + random.random()))  # noqa: S311 - only spreads two waiters
        wait = min(wait * 2, 0.1)


def _prepare(connection: sqlite3.Connection, path: Path, patience: float, *, logged: bool = False) -> None:
    """Set the pragmas and bring the schema up to date. `logged`: its head says that it has a write-ahead log."""
    if owner(connection, path, patience) == SCHEMA and logged:
        connection.execute("PRAGMA synchronous = FULL")
        return
    insist(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchone(), patience)
    if _mode(connection) != "wal":
        raise failure("network", _OPENING, path, "this file system cannot hold a history that two programs share")
    connection.execute("PRAGMA synchronous = FULL")
    if 0 < owner(connection, path, patience) < SCHEMA:
        preserve(connection, path)
    with transaction(connection, patience):
        version = migrate(connection, path)
    if 0 < version < SCHEMA:
        _shrink(connection)


def migrate(connection: sqlite3.Connection, path: Path) -> int:
    """Bring the tables up to date, inside a transaction; return the schema that they had."""
    version = _read_owner(connection, path)
    teach(connection)
    for step in MIGRATIONS[version:]:
        for statement in step:
            connection.execute(statement)
    if not version:
        mark_derived(connection)
    for statement in stamp():
        connection.execute(statement)
    return version


def _shrink(connection: sqlite3.Connection) -> None:
    """Give back the room that the tables of the older schema took, where that is much and there is enough to do so.

    Pages that are packed full are split by the answers that follow, so little room is left as it is.
    """
    free, pages = (int(connection.execute(f"PRAGMA {one}").fetchone()[0]) for one in ("freelist_count", "page_count"))
    if free * _MUCH < pages:
        return
    try:
        connection.execute("VACUUM")
    except sqlite3.OperationalError as error:
        # It is room and no more: a full disk, or another program that reads, leaves the file as large as it is.
        primary = (error.sqlite_errorcode or 0) & 0xFF
        if primary not in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR):
            raise


def _mode(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def owner(connection: sqlite3.Connection, path: Path, patience: float) -> int:
    """Return the file's schema, 0 for an empty file; refuse a newer one and one that is not ours.

    All that is looked at is read from one state: another program may be about to fill the file.

    Raises:
        StoreError: kind `newer` or `not-a-database`.
        sqlite3.Error: the file cannot be read.
    """
    found = 0

    def look() -> None:
        nonlocal found
        found = _read_owner(connection, path)

    insist(look, patience)
    return found


def _require_filled(connection: sqlite3.Connection, path: Path, patience: float) -> int:
    found = owner(connection, path, patience)
    if not found:
        raise failure("missing", _OPENING, path, _EMPTY)
    return found


def _in_memory(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """Return a copy of a history of an older schema, brought up to date in memory: the file is not to be written."""
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        with closing(connection):
            connection.backup(copy)
        with transaction(copy, 0):
            migrate(copy, path)
    except BaseException:
        copy.close()
        raise
    return copy


def _read_owner(connection: sqlite3.Connection, path: Path) -> int:
    """What `owner` does, once."""
    with snapshot(connection):
        # Where it is ours it is not asked for its tables, which would be read for it.
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        foreign = mark != APPLICATION_ID and (mark or version or _has_tables(connection))
    if foreign:
        raise failure("not-a-database", _OPENING, path, FOREIGN)
    if version > SCHEMA:
        why = f"a newer Shardwise wrote it (schema {version}; this one knows {SCHEMA})"
        raise failure("newer", _OPENING, path, why)
    return int(version)


def _has_tables(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])


def _open_read_only(path: Path, patience: float) -> sqlite3.Connection:
    """Open without writing; where even the shared memory beside it cannot be made, as a file at rest."""
    address = path.absolute().as_uri()
    connection = sqlite3.connect(
        f"{address}?mode=ro", uri=True, timeout=patience, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        connection.close()
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise
        connection = sqlite3.connect(f"{address}?immutable=1", uri=True, isolation_level=None, check_same_thread=False)
    return connection


def _require_writable(path: Path) -> None:
    """Refuse a file that may not be written, or whose folder may not hold the log beside it."""
    if not os.access(path, os.W_OK):
        raise failure("read-only", _OPENING, path, "the file cannot be written")
    if not os.access(path.parent, os.W_OK):
        raise failure("read-only", _OPENING, path, "its folder cannot be written")


def identity(path: Path) -> tuple[int, int] | None:
    """Return what tells one file from another at the same path; None where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - asked at each answer, and a third of what the path's own method takes
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _check_header(path: Path) -> bool:
    """Refuse what is plainly no whole database, before SQLite opens it: cheap, one read. Tell whether it has a log.

    Another program may be writing just now, so a file is called damaged only where a second look finds the same.
    """
    if path.is_dir():
        raise failure("not-a-database", _OPENING, path, "it is a folder, not a file")
    header, size = _head(path)
    logged = header[18:20] == _LOGGED
    if _fault(header, size, at_rest=True) is None:
        return logged  # whether logs lie beside it matters only where it looks cut
    first = _look(path)
    if _fault(*first) is None:
        return logged
    time.sleep(_SECOND_LOOK)
    again = _look(path)
    fault = _fault(*again)
    if fault is not None and again == first:
        raise failure(fault[0], _OPENING, path, fault[1])
    return False


def _look(path: Path) -> tuple[bytes, int, bool]:
    """Return the header, the size, and whether no log lay beside the file before and after they were read."""
    try:
        before = logs(path)
        header, size = _head(path)
        return header, size, not (before or logs(path))
    except OSError as error:
        raise from_os(error, _OPENING, path) from error


def _head(path: Path) -> tuple[bytes, int]:
    """Return the header and the size."""
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0))
        try:
            return os.read(number, _HEADER), os.fstat(number).st_size
        finally:
            os.close(number)
    except OSError as error:
        raise from_os(error, _OPENING, path) from error


def _fault(header: bytes, size: int, at_rest: bool) -> tuple[Kind, str] | None:  # noqa: FBT001 - of the last look
    """Return what is wrong with a file that begins like this, or None."""
    if not size:
        return None
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        if header[: len(_MAGIC)] == _MAGIC[: len(header)]:
            return "corrupt", "it is cut short"
        return "not-a-database", "it is not a database"
    page = page_size(header)
    if page < _SMALLEST_PAGE or page & (page - 1):
        return "corrupt", "its header is damaged"
    changes, pages = struct.unpack(">II", header[24:32])
    (valid_for,) = struct.unpack(">I", header[92:96])
    if at_rest and changes == valid_for and size < page * pages:
        return "corrupt", f"it is cut short ({size} of {page * pages} bytes)"
    return None


def page_size(header: bytes) -> int:
    """Return the page size that a header states, in bytes; a damaged header may state anything."""
    size = int(struct.unpack(">H", header[16:18])[0])
    return 65_536 if size == 1 else size


def _at_hand(path: Path) -> bool:
    """Tell whether a file that holds something lies there, on a disk of this machine: then it need only be opened."""
    try:
        found = os.stat(path)  # noqa: PTH116 - as in `identity`
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size > 0 and _on_a_disk(path)


def _refuse_network(path: Path) -> None:
    """Refuse a file system on which two programs cannot share a log, where the system tells its type."""
    if _on_a_disk(path):
        return
    kind = file_system(path)
    if kind in _NETWORK:
        raise failure("network", _OPENING, path, f"it lies on a network file system ({kind})")


def _on_a_disk(path: Path) -> bool:
    """Tell whether a path certainly lies on a disk of this machine, which Linux tells by the device's number."""
    if not sys.platform.startswith("linux"):
        return False
    for name in (path, path.parent):
        try:
            return os.major(os.stat(name).st_dev) != 0  # noqa: PTH116 - as in `identity`
        except OSError:
            continue  # what is not there yet will lie where its folder does
    return False


def file_system(path: Path, mounts: str | None = None) -> str | None:
    """Return the type of the file system that holds a path, or None where the system does not tell.

    Args:
        path: need not exist.
        mounts: the text of /proc/self/mountinfo; read from there by default.
    """
    if mounts is None:
        try:
            mounts = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape")
        except OSError:
            return None
    target = Path(os.path.realpath(path))
    best, kind = -1, None
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        fields = left.split()
        if len(fields) < 5 or not right:  # noqa: PLR2004 - the mount point is the fifth field
            continue
        point = Path(fields[4].replace("\\040", " "))
        if target.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), right.split()[0]
    return kind
