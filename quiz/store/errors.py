"""What can go wrong with the history file, said to the person who meets it."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from typing import TYPE_CHECKING, Final, Literal

from quiz.nouns import count
from quiz.store.places import backup_folder, backups

if TYPE_CHECKING:
    from pathlib import Path

Kind = Literal[
    "read-only",
    "corrupt",
    "lost",
    "full",
    "locked",
    "newer",
    "not-a-database",
    "network",
    "missing",
    "moved",
    "disk",
    "closed",
]

#: The exit code of a command that ends with a `StoreError`: something outside is missing or full.
EXIT_CODE: Final = 3


class StoreError(Exception):
    """The history cannot be read or written.

    The message says what was being done, where, why it failed and what to do next.

    Attributes:
        kind: what went wrong, for programs.
        why: why it failed, without the file's name.
        advice: what to do next, in whole sentences.
        code: the exit code, 3.
    """

    code = EXIT_CODE

    def __init__(self, kind: Kind, message: str, *, why: str = "", advice: str = "") -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.why = why or message
        self.advice = advice


_ADVICE: Final[dict[Kind, str]] = {
    "read-only": "Let yourself read and write the folder and the file, or set SHARDWISE_DATA to another folder.",
    "corrupt": "`shardwise history restore` saves what can still be read; the damaged file is kept.",
    "lost": "Put the file back, or move what lies beside it aside to begin anew.",
    "full": "Free some space and try again; every answer stored before is safe.",
    "locked": "Another program holds it for long. Close it, or try again in a moment.",
    "newer": "Update Shardwise, or set SHARDWISE_DATA to another folder.",
    "not-a-database": "Move it aside, or set SHARDWISE_DATA to another folder.",
    "network": "Set SHARDWISE_DATA to a folder on a local disk, and copy the file there if it exists already.",
    "missing": "Answer a question first: that begins the history.",
    "moved": "The file was moved or replaced while it was open. Put it back, or start again.",
    "disk": "Check the disk; keep a copy of the file before anything else.",
    "closed": "Start again.",
}


#: Where a backup helps: what `shardwise history restore` does about it.
_RESTORE: Final[dict[Kind, str]] = {
    "corrupt": "sets the damaged file aside, puts {backup} in its place and adds what can still be read",
    "not-a-database": "sets that file aside and puts {backup} in its place",
    "lost": "puts {backup} in its place. To begin anew instead, move {folder} aside",
}


def failure(kind: Kind, doing: str, path: Path, why: str, advice: str = "") -> StoreError:
    """Return the error: what was being done, where, why, and what to do next; by default what its kind advises."""
    advice = advice or _advice(kind, path)
    more = " `shardwise doctor` says how many answers are lost." if kind == "corrupt" else ""
    return StoreError(kind, f"{doing} failed: {path}: {why}. {advice}{more}", why=why, advice=advice)


def _advice(kind: Kind, path: Path) -> str:
    """Return what to do next; a backup is named only where it was read and is whole."""
    there = backups(path) if kind in _RESTORE else ()
    if not there:
        return _ADVICE[kind]
    from quiz.store import sound

    folder, found = backup_folder(path), sound.newest(path)
    if found is None:
        which = "The only backup" if len(there) == 1 else f"None of the {len(there)} backups"
        not_whole = "is not whole" if len(there) == 1 else "is whole"
        return (
            f"{which} in {folder} {not_whole}, so none is named here. `shardwise history restore` saves what can still "
            "be read, of backups too, and keeps the file; `shardwise doctor` says what is wrong with each."
        )
    backup = f"the fullest backup (that of {found.day} is whole: {count(found.answers, 'answer')})"
    return f"`shardwise history restore` {_RESTORE[kind]}.".format(backup=backup, folder=folder)


def from_os(error: OSError, doing: str, path: Path) -> StoreError:
    """Return what a refusal of the system means to a person."""
    place = next((one for one in path.parents if os.path.isfile(one)), None)  # noqa: PTH113 - it never raises
    if place is not None:
        return failure("not-a-database", doing, path, f"{place} is a file, and a folder is needed there")
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return failure("full" if full else "read-only", doing, path, (error.strerror or str(error)).lower())


def translate(error: sqlite3.Error, doing: str, path: Path) -> StoreError:
    """Return what an error of SQLite means to a person."""
    primary = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    extended = getattr(error, "sqlite_errorcode", None) or 0
    if extended == sqlite3.SQLITE_READONLY_DBMOVED:
        return failure("moved", doing, path, "it is no longer the file that was opened")
    if isinstance(error, sqlite3.ProgrammingError) and not extended:
        return failure("closed", doing, path, "the history is closed already")
    if primary == sqlite3.SQLITE_IOERR:
        if _is_full(path):
            return failure("full", doing, path, "the disk, or the limit on the size of files, is full")
        return failure("disk", doing, path, f"the disk reported an error ({error})")
    if not extended and str(error).startswith("Could not decode"):
        return failure("corrupt", doing, path, "a text in it is damaged")
    kind, why = _MEANING.get(primary, ("corrupt", _OF_FUNCTIONS.get(str(error), str(error))))
    return failure(kind, doing, path, why)


_MEANING: Final[dict[int, tuple[Kind, str]]] = {
    sqlite3.SQLITE_READONLY: ("read-only", "it cannot be written"),
    sqlite3.SQLITE_PERM: ("read-only", "access is not allowed"),
    sqlite3.SQLITE_AUTH: ("read-only", "access is not allowed"),
    sqlite3.SQLITE_CANTOPEN: ("read-only", "it, or a file beside it, cannot be opened for writing"),
    sqlite3.SQLITE_FULL: ("full", "the disk is full"),
    sqlite3.SQLITE_BUSY: ("locked", "it is in use by another program"),
    sqlite3.SQLITE_LOCKED: ("locked", "it is in use by another program"),
    sqlite3.SQLITE_NOTADB: ("not-a-database", "it is not a history of Shardwise"),
    sqlite3.SQLITE_CORRUPT: ("corrupt", "it is damaged"),
}

#: What Python says of our functions where the rows they are given, or were reading, are damaged; it tells no more.
_OF_FUNCTIONS: Final = dict.fromkeys(
    ("Error creating function", "user-defined function raised exception"), "it is damaged"
)

_ROOM: Final = 1 << 20


def _is_full(path: Path) -> bool:
    """Tell whether the disk has no room left, or the process may not let a file grow further."""
    try:
        if shutil.disk_usage(path.parent).free < _ROOM:
            return True
        import resource
    except (OSError, ImportError):
        return False
    limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    if limit == resource.RLIM_INFINITY:
        return False
    files = (path, path.with_name(path.name + "-wal"))
    return any(file.exists() and file.stat().st_size + _ROOM > limit for file in files)
