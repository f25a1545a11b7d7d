"""Memory bars: what one GPU holds under each plan, stacked by term, against its capacity.

All bars of a question share one scale, or they could not be compared. Where the largest is far beyond the
capacity (1,135 GB on an 80 GB card) one linear scale would crush what decides, so the scale is broken: the
first part is linear to twice the capacity, the rest is linear too, with more bytes a cell. The
break is drawn (`≈`) in every bar that crosses it and under the axis.

Each segment carries its letter, so that colour is never needed; what the question gives (and no relation
derives) is hatched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from quiz.tui.lines import BLANK, Lines, cut, join, spread, text, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.content import Content

    from quiz.bank.rendered import Bar, BarPart

LETTERS = {"weights": "W", "gradients": "G", "optimizer": "O", "activations": "A", "buffers": "B"}
HATCH = "╱"  # noqa: RUF001 - a hatch
FILLS = {"weights": "█", "gradients": "▓", "optimizer": "▒", "activations": "░", "buffers": "="}  # where no colour is
LIMIT = "┃"
BREAK = "≈"

_BREAK_BEYOND = 2.2  # times the capacity: beyond it the scale is broken
_LINEAR_TO = 2.0  # times the capacity: how far the first part of a broken scale goes
_LINEAR_SHARE = 0.74  # of the width: what the first part takes
_NARROW = 56
_WIDE = 100
_SHARE = re.compile(r"\s*\([^)]*%\)")  # the part of the capacity, left out where there is little room


@dataclass(frozen=True, slots=True)
class Scale:
    """From bytes to cells. `knee` is where the scale breaks, in bytes and cells; none: linear throughout."""

    width: int
    limit: float
    end: float
    knee: tuple[float, int] | None = None

    def cell(self, size: float) -> float:
        """Where a size ends, in cells from the left."""
        if self.knee is None:
            return self.width * size / self.end
        at, cells = self.knee
        if size <= at:
            return cells * size / at
        return cells + (self.width - cells) * (size - at) / (self.end - at)

    @property
    def limit_cell(self) -> int:
        """The cell in which the capacity line stands."""
        return max(0, min(self.width - 1, round(self.cell(self.limit))))

    @property
    def break_cell(self) -> int | None:
        """The cell in which the break is drawn."""
        return None if self.knee is None else self.knee[1]


@dataclass(frozen=True, slots=True)
class Plan:
    """One bar with what stands over it."""

    key: str
    label: str
    bar: Bar
    right: bool = False
    chosen: bool = False


def scale_for(bars: Sequence[Bar], width: int) -> Scale:
    """The one scale on which all these bars are drawn, `width` cells wide."""
    width = max(1, width)
    limit = max(bar.capacity for bar in bars)
    largest = max(limit, *(bar.total for bar in bars))
    if largest <= _BREAK_BEYOND * limit:
        return Scale(width, limit, largest * 1.05 if largest <= limit else largest)
    return Scale(width, limit, largest, (limit * _LINEAR_TO, round(width * _LINEAR_SHARE)))


def draw(bar: Bar, scale: Scale, *, colourless: bool = False) -> Content:
    """One bar, `scale.width` cells wide: segments, the break where it is crossed, the capacity line."""
    owners = _cells(bar, scale)
    glyphs = [(" ", "") if part is None else (_fill(part, colourless), _style(part)) for part in owners]
    _label(owners, glyphs, scale)
    if scale.break_cell is not None and scale.break_cell < scale.width and owners[scale.break_cell] is not None:
        glyphs[scale.break_cell] = (BREAK, glyphs[scale.break_cell][1])
    beneath = glyphs[scale.limit_cell][1]
    part = owners[scale.limit_cell]
    glyphs[scale.limit_cell] = (LIMIT, "$line bold" if part is None else f"$on-term bold on $term-{part.term}")
    if part is not None and part.given:
        glyphs[scale.limit_cell] = (LIMIT, beneath)
    return _assemble(glyphs)


def _cells(bar: Bar, scale: Scale) -> list[BarPart | None]:
    """Which part owns each cell. A part above nothing keeps a cell; the end stays on its side of the capacity."""
    owners: list[BarPart | None] = [None] * scale.width
    parts = [part for part in bar.parts if part.size > 0]
    end = round(scale.cell(bar.total))
    end = min(end, scale.limit_cell) if bar.fits else max(end, scale.limit_cell + 2)
    end = max(min(end, scale.width), min(len(parts), scale.width))
    start, total = 0, 0.0
    for number, part in enumerate(parts):
        total += part.size
        left = len(parts) - number - 1
        stop = end if not left else max(start + 1, min(round(scale.cell(total)), end - left))
        for cell in range(start, min(stop, scale.width)):
            owners[cell] = part
        start = stop
    return owners


def _style(part: BarPart) -> str:
    return f"$term-{part.term} on $panel" if part.given else f"$on-term on $term-{part.term}"


def _fill(part: BarPart, colourless: bool) -> str:  # noqa: FBT001 - a drawing detail
    return HATCH if part.given else FILLS[part.term] if colourless else " "


def _letter_style(part: BarPart) -> str:
    return "bold $foreground on $panel" if part.given else f"bold {_style(part)}"


def _label(owners: list[BarPart | None], glyphs: list[tuple[str, str]], scale: Scale) -> None:
    """Write letter and size, or the letter alone, into each segment where no mark will stand."""
    marks = {scale.limit_cell, scale.break_cell}
    for part in {id(owner): owner for owner in owners if owner is not None}.values():
        cells = [cell for cell, owner in enumerate(owners) if owner is part]
        free = max(_runs([cell for cell in cells if cell not in marks]), key=len, default=[])
        letter = LETTERS[part.term]
        words = next(
            (word for word in (f" {letter} {part.text} ", f" {letter} ", letter) if len(word) <= len(free)), ""
        )
        for offset, glyph in enumerate(words):
            glyphs[free[offset]] = (glyph, _letter_style(part) if glyph == letter else _style(part))


def _runs(cells: list[int]) -> list[list[int]]:
    runs = groupby(enumerate(cells), key=lambda pair: pair[1] - pair[0])
    return [[cell for _, cell in run] for _, run in runs]


def _assemble(glyphs: list[tuple[str, str]]) -> Content:
    runs = groupby(glyphs, key=lambda glyph: glyph[1])
    return join(*[("".join(glyph for glyph, _ in run), style) for style, run in runs])


def lay(plans: Sequence[Plan], width: int, *, roomy: bool = False, colourless: bool = False) -> Lines:
    """All bars with their headers, the axis and the legend; `colourless`: each term has a fill of its own."""
    indent = 2 if width >= _NARROW else 0
    scale = scale_for([plan.bar for plan in plans], width - indent)
    lines: Lines = []
    for plan in plans:
        lines.append(_header(plan, width))
        lines.append(join(" " * indent, draw(plan.bar, scale, colourless=colourless)))
        if roomy:
            lines.append(BLANK)
    lines += [join(" " * indent, line) for line in _axis(plans, scale)]
    return lines + _legend(plans, width, colourless)


def _header(plan: Plan, width: int) -> Content:
    bar = plan.bar
    colour = "$right" if bar.fits else "$wrong"
    margin = bar.margin_text
    if width < _WIDE:
        margin = _SHARE.sub("", margin)
    figures = join((bar.total_text, "bold"), "  ", (margin, colour))
    if width < _NARROW:
        figures = join((bar.total_text, "bold"), ("  fits" if bar.fits else "  over", colour))
    label = join(
        (f"{plan.key} ", "$text-primary bold" if plan.chosen else "$quiet"),
        ("✓ ", "$right bold") if plan.right else "",
        ("▸ ", "$text-primary bold") if plan.chosen else "",
        (plan.label, "bold" if plan.right or plan.chosen else ""),
    )
    return spread(label, figures, width)


def _axis(plans: Sequence[Plan], scale: Scale) -> Lines:
    """The axis: zero, the capacity under its line, the break and the end."""
    first = plans[0].bar
    cells = [("─", "$faint")] * scale.width
    cells[scale.limit_cell] = ("┻", "$line")
    if scale.break_cell is not None and scale.break_cell < scale.width:
        cells[scale.break_cell] = (BREAK, "$quiet")
    words = [" "] * scale.width

    def put(at: int, word: str) -> int:
        at = max(0, min(at, scale.width - len(word)))
        if any(words[cell] != " " for cell in range(max(0, at - 1), min(scale.width, at + len(word) + 1))):
            return -1
        for offset, glyph in enumerate(word[: scale.width]):
            words[at + offset] = glyph
        return at

    capacity = f"{first.capacity_text} capacity"
    put(scale.limit_cell - len(first.capacity_text) // 2, capacity if scale.width >= _NARROW else first.capacity_text)
    put(0, "0")
    largest = max((plan.bar for plan in plans), key=lambda bar: bar.total)
    if scale.knee is not None:
        put(scale.width, largest.total_text)
        put(scale.knee[1], BREAK)
    return [_assemble(cells), text("".join(words), "$quiet")]


def _legend(plans: Sequence[Plan], width: int, colourless: bool) -> Lines:  # noqa: FBT001 - a drawing detail
    parts = {part.term for plan in plans for part in plan.bar.parts if part.size > 0}
    given = any(part.given for plan in plans for part in plan.bar.parts if part.size > 0)
    pieces: list[Content] = []
    for term, letter in LETTERS.items():
        if term in parts:
            fill = FILLS[term] if colourless else " "
            pieces.append(join((f"{fill}{letter}{fill}", f"bold $on-term on $term-{term}"), (f" {term}", "$quiet")))
    if given:
        pieces.append(join((f"{HATCH}{HATCH}", "$quiet on $panel"), (" given", "$quiet")))
    broken = any(plan.bar.total > _BREAK_BEYOND * plan.bar.capacity for plan in plans)
    if broken:
        pieces.append(text(f"{BREAK} new scale", "$quiet"))
    lines: Lines = []
    row = BLANK
    for piece in pieces:
        if row and row.cell_length + 2 + piece.cell_length > width:
            lines.append(row)
            row = BLANK
        row = join(row, "  " if row else "", piece)
    return [cut(line, width) for line in [*lines, row] if line]


def describe(plan: Plan, width: int) -> Lines:
    """The bar in words, term by term, for whoever cannot read a bar."""
    pieces = [f"{part.term} {part.text}{' (given)' if part.given else ''}" for part in plan.bar.parts]
    name = plan.bar.capacity_name
    total = f"total {plan.bar.total_text} of {plan.bar.capacity_text} ({name})"
    return wrap(text(" + ".join(pieces) + f" = {total}", "$quiet"), width)
