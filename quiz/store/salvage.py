"""What can still be read from a damaged history: whole events only, wherever in the file they lie.

The file itself is not touched: a copy is read, filled up with zeros where the end is missing. Rows are fetched by
their place, and one by one where a page cannot be read; each event has to pass its checksum.
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.nouns import count
from quiz.session.attempt import Attempt
from quiz.session.events import Retraction
from quiz.store import counters, rowids
from quiz.store.connection import page_size
from quiz.store.places import logs
from quiz.store.rows import EVENT, Damaged, read_event
from quiz.store.schema import packed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quiz.session.events import Event

_BATCH: Final = 200
_HEADER: Final = 100
_SMALLEST_ROW: Final = 200
_GIVE_UP: Final = 20_000
_GARBAGE: Final = 1 << 31  # no counter is as large


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
    with _copied(path, scratch) as (connection, copy):
        for row in _rows(connection, copy.stat().st_size):
            event = _whole(row)
            if event is not None:
                yield event


@contextmanager
def _copied(path: Path, scratch: Path | None) -> Iterator[tuple[sqlite3.Connection, Path]]:
    """A connection to a copy of a file and its logs, filled up to its length, and that copy."""
    with tempfile.TemporaryDirectory(prefix=".salvage-", dir=scratch) as folder:
        copy = Path(folder) / "history.db"
        shutil.copyfile(path, copy)
        for log in logs(path):
            shutil.copyfile(log, copy.with_name(copy.name + log.name.removeprefix(path.name)))
        _fill_up(copy)
        connection = sqlite3.connect(copy, isolation_level=None)
        try:
            yield connection, copy
        finally:
            connection.close()


class Left(msgspec.Struct, frozen=True):
    """What is left of the answers of a damaged history; those that were taken back are in neither count.

    Attributes:
        answers: those that can be read whole.
        counted: how many there were, by the counters beside them; None where none of these can be read.
        exact: all of one kind of counters could be read; otherwise there were `counted` or more.
        events: events that can be read whole, answers and others.
        stored: so many events or more were stored, by the pages that lead to them.
    """

    answers: int
    counted: int | None
    exact: bool
    events: int = 0
    stored: int = 0

    def lost(self, answers: int, events: int) -> str:
        """Say how many are missing where so many answers and events are at hand; "" where none is known to be."""
        of_answers, of_events = (self.counted or 0) - answers, self.stored - events
        if self.exact or of_answers >= of_events:
            return "" if of_answers <= 0 else f"{count(of_answers, 'answer')}{'' if self.exact else ' or more'}"
        return "" if of_events <= 0 else f"{count(of_events, 'event')} or more (an answer is one, a mark too)"

    def told(self) -> str:
        """Say how many are lost, or why that cannot be known."""
        readable = f"{count(self.answers, 'answer')} can still be read"
        if lost := self.lost(self.answers, self.events):
            return f"{readable}, and {lost} cannot, by what counted them: lost unless a backup holds them"
        if self.exact:
            return f"{readable}, and by the counters beside them that is all of them"
        return f"{readable}; how many there were cannot be known, since what counted them is damaged or cut off too"


def left(path: Path, scratch: Path | None = None) -> Left:
    """Return how many answers can be read of a file that may be damaged, and how many there were.

    Each card counts its answers and each day its own, so either says how many there were, if all of it can be read. How
    far the rows went is told by the pages above them.

    Args:
        path: the file.
        scratch: as of `events`.

    Raises:
        OSError: as of `events`.
    """
    if not path.is_file():
        return Left(0, None, exact=False)
    with _copied(path, scratch) as (connection, copy):
        whole: set[str] = set()
        back: set[str] = set()
        events = 0
        for row in _rows(connection, copy.stat().st_size):
            event = _whole(row)
            events += event is not None
            if isinstance(event, Attempt):
                whole.add(event.id)
            elif isinstance(event, Retraction):
                back.add(event.target)
        of_cards, cards = _added_up(connection, "SELECT reps FROM cards", lambda reps: reps)
        of_days, days = _added_up(connection, "SELECT cells FROM days", _answers_of_day)
        stored = _stored(connection, copy)
    readable = len(whole - back)
    if cards or days:
        counted = max([one for one, every in ((of_cards, cards), (of_days, days)) if every])
        return Left(readable, counted, exact=True, events=events, stored=stored)
    return Left(readable, max(of_cards, of_days) or None, exact=False, events=events, stored=stored)


def _stored(connection: sqlite3.Connection, copy: Path) -> int:
    with copy.open("rb") as file:
        page = page_size(file.read(_HEADER).ljust(_HEADER, b"\0"))
    try:
        return rowids.highest(connection, copy, page, "events")
    except sqlite3.Error:
        return 0


def _answers_of_day(cells: object) -> object:
    keys = counters.read_day(cells) if isinstance(cells, str) else None
    return None if keys is None else keys.get("answers", 0)


def _added_up(connection: sqlite3.Connection, asked: str, number: Callable[[object], object]) -> tuple[int, bool]:
    """Return the sum over rows as far as they can be read, and whether that was all of them, and not none."""
    total = rows = 0
    try:
        for (value,) in connection.execute(asked):
            found = number(value)
            if not isinstance(found, int) or not 0 <= found < _GARBAGE:
                return total, False
            total, rows = total + found, rows + 1
    except sqlite3.Error:
        return total, False
    return total, rows > 0


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
