"""What can still be read from a damaged history: whole events only, wherever in the file they lie.

The file itself is not touched: a copy is read, filled up with zeros where the end is missing. Rows are fetched by
their place, and one by one where a page cannot be read; each event has to pass its checksum.
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quiz.store.connection import page_size
from quiz.store.places import logs
from quiz.store.rows import EVENT, Damaged, read_event
from quiz.store.schema import packed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.session.events import Event

_BATCH: Final = 200
_HEADER: Final = 100
_SMALLEST_ROW: Final = 200
_GIVE_UP: Final = 20_000


def events(path: Path, scratch: Path | None = None) -> Iterator[Event]:
    """Yield the whole events of a file that may be damaged, or be no history at all.

    Args:
        path: the file.
        scratch: the folder in which the copy is made; by default the system's for such files.

    Raises:
        OSError: the file cannot be read, or the copy not written.
    """
    if not path.is_file():
        return
    with tempfile.TemporaryDirectory(prefix=".salvage-", dir=scratch) as folder:
        copy = Path(folder) / "history.db"
        shutil.copyfile(path, copy)
        for log in logs(path):
            shutil.copyfile(log, copy.with_name(copy.name + log.name.removeprefix(path.name)))
        _fill_up(copy)
        connection = sqlite3.connect(copy, isolation_level=None)
        try:
            for row in _rows(connection, copy.stat().st_size):
                event = _whole(row)
                if event is not None:
                    yield event
        finally:
            connection.close()


def _fill_up(copy: Path) -> None:
    """Give a file that was cut the length that its header states: SQLite reads nothing of a shorter one."""
    with copy.open("rb+") as file:
        header = file.read(_HEADER)
        if len(header) < _HEADER:
            return
        (pages,) = struct.unpack(">I", header[28:32])
        size, stated = copy.stat().st_size, page_size(header) * pages
        if size < stated <= 2 * size + (1 << 20):
            file.truncate(stated)


def _whole(row: tuple[object, ...]) -> Event | None:
    *columns, body, stated = row
    if isinstance(body, str):  # a history of the first schema
        row = (*columns, *packed(body, stated))
    try:
        event = read_event(row)
    except (TypeError, ValueError, OverflowError):  # columns of garbage: of another type than any writer's
        return None
    return None if isinstance(event, Damaged) else event


def _rows(connection: sqlite3.Connection, size: int) -> Iterator[tuple[object, ...]]:
    """Yield the rows that can be read, in the order in which they were stored."""
    end, empty, start = _last(connection, size), 0, 1
    while start <= end and empty < _GIVE_UP:
        stop = start + _BATCH - 1
        rows = _fetch(connection, start, stop)
        if rows is None:
            singles = (_fetch(connection, place, place) for place in range(start, stop + 1))
            rows = [row for single in singles for row in single or ()]
        empty = 0 if rows else empty + _BATCH
        yield from rows
        start = stop + 1


def _last(connection: sqlite3.Connection, size: int) -> int:
    """The place of the last row; where that cannot be read, more than the file can hold."""
    try:
        found = connection.execute("SELECT max(seq) FROM events").fetchone()[0]
    except sqlite3.Error:
        return size // _SMALLEST_ROW
    return min(found or 0, size // _SMALLEST_ROW + _GIVE_UP)


def _fetch(connection: sqlite3.Connection, first: int, last: int) -> list[tuple[object, ...]] | None:
    """The rows between two places, or None where one of them cannot be read."""
    try:
        return connection.execute(
            f"SELECT {EVENT} FROM events NOT INDEXED WHERE seq BETWEEN ? AND ?",  # noqa: S608
            (first, last),
        ).fetchall()
    except sqlite3.Error:
        return None
