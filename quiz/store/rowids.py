"""The highest place that a table of a damaged file is known to have had, by the pages that lead to its rows.

A page above the rows names the last row of each page below it but the last one. So where the end of a file is missing,
what is left above still tells how far the rows went, but for those of the last page. Source: the SQLite file format,
section 1.6 (https://www.sqlite.org/fileformat2.html).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

_INTERIOR: Final = 5
_LEAF: Final = 13
_DEEPEST: Final = 20
_LARGEST: Final = 1 << 40  # more rows than any file holds


def highest(connection: sqlite3.Connection, file: Path, page: int, table: str) -> int:
    """Return the highest row id that is known of; 0 where none is.

    Args:
        connection: to the file.
        file: the same, whose pages are read as they lie.
        page: bytes to a page.
        table: its name.

    Raises:
        sqlite3.Error: the list of tables cannot be read.
        OSError: the file cannot be read.
    """
    found = connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)
    ).fetchone()
    number, best = (int(found[0]) if found else 0), 0
    with file.open("rb") as content:
        for _ in range(_DEEPEST):
            if number < 2:  # noqa: PLR2004 - the first page is the list of tables
                break
            content.seek((number - 1) * page)
            told, number = _last(content.read(page))
            best = max(best, told)
    return best


def _last(content: bytes) -> tuple[int, int]:
    """Return the last row id that a page of a table names, and the page that leads further; 0 for what it does not."""
    try:
        kind, cells = content[0], struct.unpack_from(">H", content, 3)[0]
        if kind not in (_INTERIOR, _LEAF):
            return 0, 0
        start = 12 if kind == _INTERIOR else 8
        below = struct.unpack_from(">I", content, 8)[0] if kind == _INTERIOR else 0
        if not cells:
            return 0, below
        at = struct.unpack_from(">H", content, start + 2 * (cells - 1))[0]
        at = at + 4 if kind == _INTERIOR else _number(content, at)[1]
        row = _number(content, at)[0]
    except (struct.error, IndexError):
        return 0, 0
    return (row, below) if row < _LARGEST else (0, 0)


def _number(content: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, and where what follows it begins."""
    value = 0
    for place in range(8):
        byte = content[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004 - the last byte of it
            return value, at + place + 1
    return value << 8 | content[at + 8], at + 9
