"""Plots of characters, as lines of content: upright bars, points with their intervals, stacks, sparks.

Every plot is legible without colour: what a hue says, a glyph, a place or a word says too. Axes carry numbers. A plot
is at most as wide as it is told; where it cannot be drawn it is shorter, never wider.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final

from quiz.tui.lines import BLANK, Lines, cut, join, text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.content import Content

EIGHTHS: Final = " ▁▂▃▄▅▆▇█"
_DOTS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot in a braille cell, by row and column."""
_QUIET: Final = "$quiet"
_FAINT: Final = "$faint"


@dataclass(slots=True)
class Canvas:
    """Cells with a glyph and a style each; dots of braille lie behind the glyphs, two by four to a cell."""

    columns: int
    rows: int
    glyphs: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)
    dots: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)

    def put(self, column: int, row: int, words: str, style: str = "") -> None:
        """Write from a cell on; what lies outside is left out. Row 0 is the top."""
        for offset, glyph in enumerate(words):
            if 0 <= column + offset < self.columns and 0 <= row < self.rows:
                self.glyphs[column + offset, row] = (glyph, style)

    def dot(self, across: int, down: int, style: str = "") -> None:
        """Set a dot, counted from the top left."""
        cell = (across // 2, down // 4)
        if 0 <= across < self.columns * 2 and 0 <= down < self.rows * 4:
            self.dots[cell] = (self.dots.get(cell, (0, ""))[0] | _DOTS[down % 4][across % 2], style)

    def line(self, start: tuple[float, float], end: tuple[float, float], style: str = "", *, every: int = 1) -> None:
        """Join two dots; with `every` above 1 the line is dotted."""
        steps = round(max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1))
        for step in range(0, steps + 1, every):
            share = step / steps
            across, down = (start[axis] + (end[axis] - start[axis]) * share for axis in (0, 1))
            self.dot(round(across), round(down), style)

    def lines(self) -> Lines:
        """The rows from the top."""
        return [self._row(row) for row in range(self.rows)]

    def _row(self, row: int) -> Content:
        cells = [self._cell(column, row) for column in range(self.columns)]
        return join(*(("".join(g for g, _ in run), style) for style, run in groupby(cells, key=lambda cell: cell[1])))

    def _cell(self, column: int, row: int) -> tuple[str, str]:
        if (column, row) in self.glyphs:
            return self.glyphs[column, row]
        bits, style = self.dots.get((column, row), (0, ""))
        return (chr(0x2800 + bits), style) if bits else (" ", "")


def nice_top(value: float) -> float:
    """The least of 1, 2, 4, 6, 8, 10 times a power of ten that is at least `value`; 1 for nothing."""
    if value <= 1:
        return 1
    power = 10 ** math.floor(math.log10(value))
    return next(float(step * power) for step in (1, 2, 4, 6, 8, 10) if step * power >= value)


@dataclass(frozen=True, slots=True)
class Bar:
    """One upright bar: its value, its style, and what stands under it ("" nothing)."""

    value: float
    style: str = "$term-weights"
    label: str = ""


def upright(bars: Sequence[Bar], width: int, height: int, spelled: Callable[[float], str] | None = None) -> Lines:
    """Upright bars with numbers on the level axis; as many as there is room for, from the left."""
    top = nice_top(max((bar.value for bar in bars), default=0))
    spell = spelled or (lambda value: f"{value:,.0f}")
    marks = {0: spell(top), height - 1: ""} | ({height // 2: spell(top / 2)} if height >= 4 and top > 1 else {})  # noqa: PLR2004
    margin = max(len(mark) for mark in marks.values())
    room = width - margin - 2
    if room < 1 or not bars:
        return []
    gap = 1 if room >= 2 * len(bars) else 0
    thick = max(1, min(5, (room + gap) // len(bars) - gap))
    shown = bars[: max(1, (room + gap) // (thick + gap))]
    canvas = Canvas(min(room, len(shown) * (thick + gap)), height)
    for place, bar in enumerate(shown):
        eighths = round(bar.value / top * height * 8)
        if bar.value > 0:
            eighths = max(1, eighths)
        for row in range(height):
            part = min(8, max(0, eighths - 8 * row))
            if part:
                canvas.put(place * (thick + gap), height - 1 - row, EIGHTHS[part] * thick, bar.style)
    places = [(place * (thick + gap), thick, bar.label) for place, bar in enumerate(shown)]
    return framed(canvas, marks, margin, [(start + thick // 2, label) for start, thick, label in places])


def framed(canvas: Canvas, marks: dict[int, str], margin: int, labels: Sequence[tuple[int, str]]) -> Lines:
    """A canvas with numbers at its left, an axis under it, and labels under that, centred on their columns."""
    lines: Lines = [
        join(
            (f"{marks.get(row, ''):>{margin}} ", _QUIET),
            ("┤" if marks.get(row) else "│", _FAINT),
            made,
        )
        for row, made in enumerate(canvas.lines())
    ]
    lines.append(join((" " * (margin + 1) + "└" + "─" * canvas.columns, _FAINT)))
    under = ruler(labels, canvas.columns)
    if under.strip():
        lines.append(join((" " * (margin + 2) + under, _QUIET)))
    return lines


def ruler(labels: Sequence[tuple[int, str]], columns: int) -> str:
    """Labels centred on their columns on one line; one that would touch another before it is left out."""
    cells = [" "] * columns
    for column, label in labels:
        start = min(max(0, column - len(label) // 2), columns - len(label))
        around = cells[max(0, start - 1) : start + len(label) + 1]
        if label and start >= 0 and all(cell == " " for cell in around):
            cells[start : start + len(label)] = label
    return "".join(cells).rstrip()


@dataclass(frozen=True, slots=True)
class Point:
    """A share with its interval, all 0 to 1, at a place 0 to 1 from the left; no share: nothing is drawn."""

    place: float
    label: str
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Reference:
    """A dotted line to compare with: its height at the left and at the right end, 0 to 1."""

    left: float
    right: float


def intervals(points: Sequence[Point], width: int, height: int, reference: Reference, floor: float = 0.0) -> Lines:
    """Points with upright intervals over a dotted line; the level axis runs from `floor` to 100 %."""
    margin = 5
    columns = width - margin - 2
    if columns < 8:  # noqa: PLR2004 - nothing can be told apart on less
        return []
    canvas = Canvas(columns, height)

    def down(share: float) -> float:
        return (1 - (max(floor, min(1.0, share)) - floor) / (1 - floor)) * (height * 4 - 1)

    if reference.left == reference.right:
        canvas.put(0, round(down(reference.left)) // 4, "┄" * columns, _QUIET)
    else:
        canvas.line((0, down(reference.left)), (columns * 2 - 1, down(reference.right)), _QUIET, every=3)
    labels = []
    for point in points:
        column = round(point.place * (columns - 1))
        labels.append((column, point.label))
        if point.share is None or point.low is None or point.high is None:
            continue
        top, bottom, at = (round(down(value)) // 4 for value in (point.high, point.low, point.share))
        for row in range(top, bottom + 1):
            glyph = "┬" if row == top else "┴" if row == bottom else "│"
            canvas.put(column, row, glyph, "$term-weights")
        canvas.put(column, at, "●", "$accent bold")
    middle = (1 + floor) / 2
    marks = {0: "100 %", height - 1: f"{100 * floor:.0f} %", (height - 1) // 2: f"{100 * middle:.0f} %"}
    return framed(canvas, marks, margin, labels)


def interval_row(
    share: float | None, low: float | None, high: float | None, width: int, *, mark: float, floor: float = 0.0
) -> Content:
    """One share as a level interval `├──●──┤` on a scale from `floor` to 1, with a mark to compare with."""
    if width < 1:
        return BLANK
    cells: list[tuple[str, str]] = [("·", _FAINT)] * width

    def at(value: float) -> int:
        return round((max(floor, min(1.0, value)) - floor) / (1 - floor) * (width - 1))

    if share is not None and low is not None and high is not None:
        start, end = at(low), at(high)
        for cell in range(start, end + 1):
            cells[cell] = ("├" if cell == start else "┤" if cell == end else "─", "$term-weights")
    cells[at(mark)] = ("┃" if cells[at(mark)][0] != "·" else "┊", _QUIET)
    if share is not None:
        cells[at(share)] = ("●", "$accent bold")
    return join(*cells)


def marks(compared: str, width: int, indent: int = 0) -> Lines:
    """What the signs of `interval_row` mean; `compared` names its mark."""
    pieces = [
        join(("●", "$accent bold"), (" share", "$quiet")),
        join(("├─┤", "$term-weights"), (" 95 % interval", "$quiet")),
        join(("┊", _QUIET), (f" {compared}", "$quiet")),
    ]
    return [cut(join(" " * indent, line), width) for line in legend(pieces, width - indent)]


def stack(parts: Sequence[tuple[float, str, str]], width: int) -> Content:
    """Parts of a whole side by side, `width` cells: size, glyph, style. A part above nothing keeps a cell."""
    total = sum(size for size, _, _ in parts)
    shown = [part for part in parts if part[0] > 0]
    if total <= 0 or width < len(shown):
        return join((" " * max(0, width), ""))
    ends: list[int] = []
    running = 0.0
    for number, (size, _, _) in enumerate(shown):
        running += size
        left = len(shown) - number - 1
        least = (ends[-1] if ends else 0) + 1
        ends.append(width if not left else max(least, min(round(running / total * width), width - left)))
    starts = [0, *ends[:-1]]
    pieces = zip(shown, starts, ends, strict=True)
    return join(*((glyph * (end - start), style) for (_, glyph, style), start, end in pieces))


def spark(values: Sequence[float | None], style: str = "$term-weights", floor: float = 0.0) -> Content:
    """A bar of one cell for each value, scaled to the greatest above `floor`; `·` where there is none."""
    top = max((value for value in values if value is not None), default=0.0)
    pieces: list[tuple[str, str]] = []
    for value in values:
        if value is None or (value <= 0 and floor <= 0):
            pieces.append(("·", _FAINT))
            continue
        share = (value - floor) / (top - floor) if top > floor else 1.0
        pieces.append((EIGHTHS[max(1, min(8, round(share * 8)))], style))
    return join(*pieces)


def level_bar(value: float, top: float, width: int, style: str = "$term-weights") -> Content:
    """A level bar to half a cell, padded to `width`; something above nothing shows."""
    halves = round(value / top * width * 2) if top > 0 else 0
    halves = min(width * 2, max(1 if value > 0 else 0, halves))
    drawn = "━" * (halves // 2) + "╸" * (halves % 2)
    return join((drawn, style), " " * (width - len(drawn)))


def legend(pieces: Sequence[Content], width: int) -> Lines:
    """Pieces side by side, on as many lines as it takes."""
    lines: Lines = []
    row = BLANK
    for piece in pieces:
        if row and row.cell_length + 3 + piece.cell_length > width:
            lines.append(row)
            row = BLANK
        row = join(row, "   " if row else "", piece)
    return [cut(line, width) for line in [*lines, row] if line]


def column(words: str, width: int, style: str = "") -> Content:
    """Words cut to a column and padded to it, a blank at its end."""
    shown = cut(text(words, style), max(0, width - 1))
    return shown.pad_right(width - shown.cell_length)


def note(words: str) -> Content:
    """A remark under a plot."""
    return text(words, _QUIET)
