"""Tables as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.tui.lines import BLANK, Lines, cut, fold, join, text, wrap
from quiz.tui.prose import inline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.content import Content

_GAP = 2
_LEAST = 6


def lay(rows: Sequence[Sequence[str]], width: int, *, rule: bool = True) -> Lines:
    """A table whose first row is its head, with a `rule` below it.

    Where the columns have no room each row becomes a small list.
    """
    if not rows:
        return []
    columns = max(len(row) for row in rows)
    cells = [[inline(cell) for cell in (*row, *[""] * (columns - len(row)))] for row in rows]
    room = width - _GAP * (columns - 1)
    if room < _LEAST * columns:
        return _listed(cells, width)
    widths = _widths([max(row[column].cell_length for row in cells) for column in range(columns)], room)
    lines: Lines = []
    for number, row in enumerate(cells):
        lines += _row([cell.stylize("bold $quiet") for cell in row] if number == 0 else row, widths)
        if rule and number == 0:
            lines.append(text("─" * (sum(widths) + _GAP * (columns - 1)), "$faint"))
    return [cut(line, width) for line in lines]


def _widths(wanted: list[int], room: int) -> list[int]:
    """Widths that fit: the widest columns give way first, none under a least width."""
    widths = [max(1, want) for want in wanted]
    while sum(widths) > room:
        widest = widths.index(max(widths))
        widths[widest] -= 1
    return widths


def _row(cells: Sequence[Content], widths: Sequence[int]) -> Lines:
    made = [fold(cell, size) if cell else [BLANK] for cell, size in zip(cells, widths, strict=True)]
    lines: Lines = []
    for number in range(max(len(cell) for cell in made)):
        pieces = [cell[number] if number < len(cell) else BLANK for cell in made]
        padded = [piece.pad_right(max(0, size - piece.cell_length)) for piece, size in zip(pieces, widths, strict=True)]
        lines.append(join(*[part for piece in padded for part in (piece, " " * _GAP)][:-1]))
    return lines


def _listed(cells: Sequence[Sequence[Content]], width: int) -> Lines:
    head, *body = cells
    lines: Lines = []
    for row in body:
        for name, cell in zip(head, row, strict=True):
            if cell:
                lines += wrap(join(name.stylize("$quiet"), ": " if name else "", cell), width, "", "  ")
        lines.append(BLANK)
    return lines[:-1] if body else wrap(join(*[part for cell in head for part in (cell, " ")]), width)
