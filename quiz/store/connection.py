"""Opening the history file: the folder, the checks before SQLite sees it, the pragmas, the transaction."""

from __future__ import annotations

import errno
import os
import random
import sqlite3
import struct
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quiz.store.errors import StoreError, failure, translate
from quiz.store.schema import APPLICATION_ID, MIGRATIONS, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_OPENING: Final = "Opening your history"
_MAGIC: Final = b"SQLite format 3\0"
_HEADER: Final = 100
_SMALLEST_PAGE: Final = 512
_NETWORK: Final = frozenset(
    {"afs", "ceph", "cifs", "coda", "davfs", "fuse.davfs", "fuse.glusterfs", "fuse.sshfs", "glusterfs"}
    | {"lustre", "ncpfs", "nfs", "nfs4", "smb2", "smb3", "smbfs"}
)


def connect(path: Path, *, read_only: bool, patience: float) -> sqlite3.Connection:
    """Open the history, creating or migrating it where that is allowed.

    Args:
        path: the database file.
        read_only: never write, not even a missing file.
        patience: seconds to wait for another program.

    Raises:
        StoreError: the file cannot be used; the message says what to do.
    """
    _refuse_network(path)
    if not path.exists():
        if read_only:
            raise failure("missing", _OPENING, path, "there is no history yet")
        _create(path)
    _check_header(path)
    connection: sqlite3.Connection | None = None
    try:
        if read_only:
            connection = _open_read_only(path, patience)
            _check_owner(connection, path)
            return connection
        _require_writable(path)
        connection = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
        _prepare(connection, path, patience)
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


def _prepare(connection: sqlite3.Connection, path: Path, patience: float) -> None:
    """Set the pragmas and bring the schema up to date."""
    if _check_owner(connection, path) == SCHEMA and _mode(connection) == "wal":
        connection.execute("PRAGMA synchronous = FULL")
        return
    insist(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchone(), patience)
    if _mode(connection) != "wal":
        raise failure("network", _OPENING, path, "this file system cannot hold a history that two programs share")
    connection.execute("PRAGMA synchronous = FULL")
    with transaction(connection, patience):
        version = _check_owner(connection, path)
        for step in MIGRATIONS[version:]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _mode(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def _check_owner(connection: sqlite3.Connection, path: Path) -> int:
    """Return the file's schema, 0 for an empty file; refuse a newer one and one that is not ours."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    owner = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if owner != APPLICATION_ID and (owner or version or tables):
        raise failure("not-a-database", _OPENING, path, "it is a database of another program")
    if version > SCHEMA:
        why = f"a newer Shardwise wrote it (schema {version}; this one knows {SCHEMA})"
        raise failure("newer", _OPENING, path, why)
    return version


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


def _create(path: Path) -> None:
    """Make the folder (for its owner only) and an empty file (likewise); SQLite's files beside it follow."""
    try:
        if not path.parent.exists():
            path.parent.parent.mkdir(parents=True, exist_ok=True)
            path.parent.mkdir(mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise _from_os(error, path) from error


def _require_writable(path: Path) -> None:
    """Refuse a file that may not be written, or whose folder may not hold the log beside it."""
    if not os.access(path, os.W_OK):
        raise failure("read-only", _OPENING, path, "the file cannot be written")
    if not os.access(path.parent, os.W_OK):
        raise failure("read-only", _OPENING, path, "its folder cannot be written")


def _check_header(path: Path) -> None:
    """Refuse what is plainly no whole database, before SQLite opens it: cheap, one read."""
    try:
        if path.is_dir():
            raise failure("not-a-database", _OPENING, path, "it is a folder, not a file")
        with path.open("rb") as file:
            header = file.read(_HEADER)
        size = path.stat().st_size
    except OSError as error:
        raise _from_os(error, path) from error
    if not size:
        return
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        if header[: len(_MAGIC)] == _MAGIC[: len(header)]:
            raise failure("corrupt", _OPENING, path, "it is cut short")
        raise failure("not-a-database", _OPENING, path, "it is not a database")
    page = struct.unpack(">H", header[16:18])[0]
    page = 65_536 if page == 1 else page
    if page < _SMALLEST_PAGE or page & (page - 1):
        raise failure("corrupt", _OPENING, path, "its header is damaged")
    changes, pages = struct.unpack(">II", header[24:32])
    (valid_for,) = struct.unpack(">I", header[92:96])
    log = path.with_name(path.name + "-wal")
    at_rest = not (log.exists() and log.stat().st_size)
    if at_rest and changes == valid_for and size < page * pages:
        why = f"it is cut short ({size} of {page * pages} bytes)"
        raise failure("corrupt", _OPENING, path, why)


def _from_os(error: OSError, path: Path) -> StoreError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return failure("full" if full else "read-only", _OPENING, path, (error.strerror or str(error)).lower())


def _refuse_network(path: Path) -> None:
    """Refuse a file system on which two programs cannot share a log, where the system tells its type."""
    kind = file_system(path)
    if kind in _NETWORK:
        raise failure("network", _OPENING, path, f"it lies on a network file system ({kind})")


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
