"""What lies beside a history file: its logs and its backups. Names only; nothing is opened."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Final

import msgspec

#: The folder of the backups, in the folder of the history.
FOLDER: Final = "backups"


class Backup(msgspec.Struct, frozen=True):
    """One backup: where it lies, the day it was made on, its size in bytes."""

    path: Path
    day: date
    size: int


def backup_folder(history: Path) -> Path:
    """Return the folder that holds the backups of a history; it need not exist."""
    return history.parent / FOLDER


def backup_path(history: Path, day: date) -> Path:
    """Return where the backup of a day lies."""
    return backup_folder(history) / f"{history.stem}-{day.isoformat()}.db"


def backups(history: Path) -> tuple[Backup, ...]:
    """Return the backups of a history, the newest first. A file of another name is none."""
    found = []
    for path in backup_folder(history).glob(f"{history.stem}-*.db"):
        try:
            day = date.fromisoformat(path.stem.removeprefix(f"{history.stem}-"))
        except ValueError:
            continue
        if path.name == backup_path(history, day).name:
            found.append(Backup(path, day, path.stat().st_size))
    return tuple(sorted(found, key=lambda one: one.day, reverse=True))


def logs(history: Path) -> tuple[Path, ...]:
    """Return SQLite's logs beside a history that hold something: answers that are not in the file itself."""
    beside = (history.with_name(history.name + end) for end in ("-wal", "-journal"))
    return tuple(path for path in beside if path.exists() and path.stat().st_size)


def companions(history: Path) -> tuple[Path, ...]:
    """Return every file of SQLite's beside a history that is there, empty or not."""
    beside = (history.with_name(history.name + end) for end in ("-wal", "-journal", "-shm"))
    return tuple(path for path in beside if path.exists())
