"""What lies beside a history file: its logs and its backups. Names only; nothing is opened."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import Final

import msgspec

#: The folder of the backups, in the folder of the history.
FOLDER: Final = "backups"


class Backup(msgspec.Struct, frozen=True):
    """One backup: where it lies, the day it was made on, its size in bytes.

    `schema` is what it was made before leaving, None for the one of a day.
    """

    path: Path
    day: date
    size: int
    schema: int | None = None


def backup_folder(history: Path) -> Path:
    """Return the folder that holds the backups of a history; it need not exist."""
    return history.parent / FOLDER


def backup_path(history: Path, day: date, schema: int | None = None) -> Path:
    """Return where the backup of a day lies, or that of a day on which a schema was left."""
    end = "" if schema is None else f"-schema-{schema}"
    return history.parent / FOLDER / f"{history.stem}-{day.isoformat()}{end}.db"


def backups(history: Path) -> tuple[Backup, ...]:
    """Return the backups of a history, the newest first. A file of another name is none."""
    found = []
    for path in backup_folder(history).glob(f"{history.stem}-*.db"):
        said, _, left = path.stem.removeprefix(f"{history.stem}-").partition("-schema-")
        try:
            day, schema = date.fromisoformat(said), int(left) if left else None
        except ValueError:
            continue
        if path.name == backup_path(history, day, schema).name:
            found.append(Backup(path, day, path.stat().st_size, schema))
    return tuple(sorted(found, key=lambda one: (one.day, one.schema is None), reverse=True))


def logs(history: Path) -> tuple[Path, ...]:
    """Return SQLite's logs beside a history that hold something: answers that are not in the file itself."""
    return tuple(Path(name) for end in ("-wal", "-journal") if _size(name := f"{history}{end}"))


def _size(name: str) -> int:
    """The size of a file in bytes; 0 where there is none."""
    try:
        return os.stat(name).st_size  # noqa: PTH116 - asked at each opening, and a third of what a path's own method takes
    except (FileNotFoundError, NotADirectoryError):
        return 0


def companions(history: Path) -> tuple[Path, ...]:
    """Return every file of SQLite's beside a history that is there, empty or not."""
    beside = (history.with_name(history.name + end) for end in ("-wal", "-journal", "-shm"))
    return tuple(path for path in beside if path.exists())
