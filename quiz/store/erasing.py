"""Erasing a history with everything that was made of it, and saying what is left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from quiz.store.connection import FOREIGN, connect
from quiz.store.errors import StoreError, failure, from_os
from quiz.store.places import backup_folder, backups, companions

if TYPE_CHECKING:
    from collections.abc import Iterator


class Erased(msgspec.Struct, frozen=True):
    """What was erased, and what stands in the folder still (it is not of this program's making)."""

    gone: tuple[Path, ...]
    left: tuple[Path, ...]


def belongings(history: Path) -> tuple[Path, ...]:
    """Return every file that holds answers: the history, SQLite's files beside it, backups, files set aside.

    Raises:
        StoreError: their folder cannot be looked into.
    """
    try:
        return tuple(dict.fromkeys(_belongings(history)))
    except OSError as error:
        raise from_os(error, "Looking for your history", history) from error


def _belongings(history: Path) -> Iterator[Path]:
    if history.is_file():
        yield history
    yield from companions(history)
    for one in backups(history):
        yield from (one.path, *companions(one.path))
    folder = history.parent
    # What `restore` set aside, and what a program that was killed left half made.
    for pattern in (f"{history.name}.aside-*", f".{history.name}.*"):
        yield from (path for path in sorted(folder.glob(pattern)) if path.is_file())
    yield from (path for path in sorted(backup_folder(history).glob(f".{history.stem}-*")) if path.is_file())
    for scratch in sorted(folder.glob(".salvage-*")):
        yield from (path for path in sorted(scratch.rglob("*")) if path.is_file())


def _refuse_foreign(history: Path) -> None:
    """Refuse to remove what another program made: what is damaged or is no database at all may have been ours."""
    try:
        connect(history, read_only=True, patience=1).close()
    except StoreError as error:
        if error.why == FOREIGN:
            raise failure(error.kind, "Erasing your history", history, FOREIGN) from error


def erase(history: Path) -> Erased:
    """Remove all of it. The history goes first: without it no other program writes on.

    Raises:
        StoreError: a file cannot be removed, those before it are gone; or it is a database of another program, and
            nothing is gone.
    """
    here = belongings(history)
    _refuse_foreign(history)  # which may make SQLite's files beside it
    gone = []
    for path in belongings(history):
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise from_os(error, "Erasing your history", path) from error
        gone.append(path)
    folders = [backup_folder(history), *history.parent.glob(".salvage-*")]
    for folder in folders:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    left = sorted(history.parent.iterdir()) if history.parent.is_dir() else []
    return Erased(tuple(one for one in gone if one in here), tuple(left))
