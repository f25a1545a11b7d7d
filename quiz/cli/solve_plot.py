"""A sweep as a plot of characters: curves in braille dots, or bars where the axis has names and not numbers.

Nothing is coloured or moved: the same lines stand in a terminal, a pipe and a file. Where the output cannot spell
braille, plain characters draw the same picture more coarsely.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot in a braille cell, by row and column."""
_WIDE_RANGE = 20
"""From this ratio of the largest to the smallest value the upright axis is logarithmic, if the level one is."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LEAST_WIDTH = 24


@dataclass(frozen=True, slots=True)
class Curve:
    """Points from left to right, and the sign that marks them."""

    name: str
    sign: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn: curves, a bound as a level line, points that are marked, and how values are spelled."""

    curves: tuple[Curve, ...]
    ticks: tuple[tuple[float, str], ...]
    spelled: Callable[[float], str]
    logarithmic: bool
    bound: float | None = None
    marked: tuple[tuple[float, float], ...] = ()
    width: int = 72
    height: int = 12
    plain: bool = False


@dataclass(slots=True)
class _Scale:
    """From a value to a place between 0 and 1, and back."""

    low: float
    high: float
    logarithmic: bool

    def place(self, value: float) -> float:
        low, high, value = (math.log(x) if self.logarithmic else x for x in (self.low, self.high, value))
        return 0.5 if high == low else (value - low) / (high - low)

    def value(self, place: float) -> float:
        if self.logarithmic:
            return math.exp(math.log(self.low) + place * (math.log(self.high) - math.log(self.low)))
        return self.low + place * (self.high - self.low)


@dataclass(slots=True)
class _Canvas:
    """Dots behind signs: two by four dots in each cell."""

    columns: int
    rows: int
    plain: bool
    dots: dict[tuple[int, int], int] = field(default_factory=dict)
    signs: dict[tuple[int, int], str] = field(default_factory=dict)

    def dot(self, across: int, up: int) -> None:
        """Set a dot; `up` is counted from the bottom."""
        down = self.rows * 4 - 1 - up
        cell = (across // 2, down // 4)
        self.dots[cell] = self.dots.get(cell, 0) | _DOTS[down % 4][across % 2]

    def line(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Join two dots."""
        steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1)
        for step in range(steps + 1):
            self.dot(
                round(start[0] + (end[0] - start[0]) * step / steps),
                round(start[1] + (end[1] - start[1]) * step / steps),
            )

    def sign(self, across: int, up: int, sign: str) -> None:
        """Put a character into the cell of a dot."""
        self.signs[across // 2, (self.rows * 4 - 1 - up) // 4] = sign

    def level(self, up: int, sign: str) -> None:
        """Draw a level line where nothing else is."""
        row = (self.rows * 4 - 1 - up) // 4
        for column in range(self.columns):
            if (column, row) not in self.dots:
                self.signs.setdefault((column, row), sign)

    def rows_of_text(self) -> list[str]:
        """The rows from the top."""
        return ["".join(self._cell(column, row) for column in range(self.columns)) for row in range(self.rows)]

    def _cell(self, column: int, row: int) -> str:
        if (column, row) in self.signs:
            return self.signs[column, row]
        bits = self.dots.get((column, row), 0)
        if self.plain:
            return "." if bits else " "
        return chr(0x2800 + bits) if bits else " "


def plotted(picture: Picture) -> list[str]:
    """The picture as lines, without colours; empty where there is nothing to draw."""
    values = [y for curve in picture.curves for _, y in curve.points]
    if not values:
        return []
    upright = _upright(values, picture)
    places = [x for x, _ in picture.ticks]
    level = _Scale(min(places), max(places), picture.logarithmic)
    spelled = _labels(upright, picture)
    margin = max(len(label) for label in spelled.values())
    columns = max(_LEAST_WIDTH, picture.width - margin - 3)
    canvas = _Canvas(columns, picture.height, picture.plain)

    def at(point: tuple[float, float]) -> tuple[int, int]:
        return (
            round(level.place(point[0]) * (columns * 2 - 1)),
            round(upright.place(point[1]) * (picture.height * 4 - 1)),
        )

    for curve in picture.curves:
        joined = [at(point) for point in curve.points]
        for start, end in itertools.pairwise(joined):
            canvas.line(start, end)
    for curve in picture.curves:
        if len(curve.points) * 3 <= columns:
            for point in curve.points:
                canvas.sign(*at(point), curve.sign)
    if picture.bound is not None and upright.low <= picture.bound <= upright.high:
        canvas.level(at((places[0], picture.bound))[1], "-" if picture.plain else "┄")
    for point in picture.marked:
        canvas.sign(*at(point), "@" if picture.plain else "◉")
    return _framed(canvas, spelled, margin, picture, level)


def _upright(values: list[float], picture: Picture) -> _Scale:
    shown = [*values, picture.bound] if picture.bound is not None else values
    low, high = min(shown), max(shown)
    logarithmic = picture.logarithmic and low > 0 and high >= _WIDE_RANGE * low
    if not logarithmic and low >= 0 and low <= high / 2:
        low = 0.0
    return _Scale(low, high, logarithmic) if high > low else _Scale(min(low, 0.0), high or 1.0, logarithmic=False)


def _labels(scale: _Scale, picture: Picture) -> dict[int, str]:
    """What stands beside the rows: top, bottom and between, and the bound where its row is free."""
    last = picture.height - 1
    rows = {row: picture.spelled(scale.value(1 - row / last)) for row in (0, last // 3, 2 * last // 3, last)}
    if picture.bound is not None and scale.low <= picture.bound <= scale.high:
        bound_row = (picture.height * 4 - 1 - round(scale.place(picture.bound) * (picture.height * 4 - 1))) // 4
        rows = {row: text for row, text in rows.items() if abs(row - bound_row) > 1 or row in (0, last)}
        rows[bound_row] = picture.spelled(picture.bound)
    return rows


def _framed(canvas: _Canvas, labels: dict[int, str], margin: int, picture: Picture, level: _Scale) -> list[str]:
    upright, corner, bar, notch = ("|", "+", "-", "+") if picture.plain else ("│", "└", "─", "┤")
    lines = [
        f"{labels.get(row, ''):>{margin}} {notch if row in labels else upright}{text}".rstrip()
        for row, text in enumerate(canvas.rows_of_text())
    ]
    lines.append(f"{'':>{margin}} {corner}{bar * canvas.columns}")
    lines.append((" " * (margin + 2) + _ruler(picture.ticks, canvas.columns, level)).rstrip())
    return lines


def _ruler(ticks: Sequence[tuple[float, str]], columns: int, level: _Scale) -> str:
    """The labels below: the first, the last, and as many between as do not touch."""
    text = [" "] * (columns + 1)
    for at, (value, label) in sorted(enumerate(ticks), key=lambda item: item[0] not in (0, len(ticks) - 1)):
        middle = round(level.place(value) * (columns - 1))
        start = min(max(0, middle - len(label) // 2), max(0, columns - len(label)))
        room = text[max(0, start - 1) : start + len(label) + 1]
        if at in (0, len(ticks) - 1) or all(sign == " " for sign in room):
            text[start : start + len(label)] = label
    return "".join(text)


def bars(rows: Sequence[tuple[str, float | None, str]], width: int, *, plain: bool) -> list[str]:
    """A bar for each named value: label, bar, value; a row without a value says why instead."""
    known = [value for _, value, _ in rows if value is not None]
    most = max((abs(value) for value in known), default=0.0)
    margin = max(len(label) for label, _, _ in rows)
    room = max(10, width - margin - 2 - max((len(text) for _, value, text in rows if value is not None), default=0))
    return [
        f"{label:<{margin}}  {_bar(value, most, room, plain=plain)} {text}".rstrip()
        if value is not None
        else f"{label:<{margin}}  {text}"
        for label, value, text in rows
    ]


def _bar(value: float, most: float, room: int, *, plain: bool) -> str:
    length = abs(value) / most * room if most else 0.0
    if plain:
        return "#" * round(length)
    whole = int(length)
    return "█" * whole + _EIGHTHS[int((length - whole) * 8)].strip()
