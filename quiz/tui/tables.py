"""Tables and derivations as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.tui.lines import BLANK, Lines, cut, join, text, wrap
from quiz.tui.prose import inline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.content import Content

    from quiz.bank.rendered import Line, Way

_GAP = 2
_LEAST = 6


def lay(rows: Sequence[Sequence[str]], width: int) -> Lines:
    """A table whose first row is its head. Where the columns have no room each row becomes a small list."""
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
        if number == 0:
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
    made = [cell.wrap(size) if cell else [BLANK] for cell, size in zip(cells, widths, strict=True)]
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


def derivation(way: Way, width: int) -> Lines:
    """A derivation: what is put in, then each step as symbols, as numbers and as a value, with its reason."""
    title = way.title[:1].upper() + way.title[1:]
    lines = wrap(
        join((title, "bold"), ("  =  ", "$quiet"), (way.result, "bold $text-primary")),
        width,
        "",
        "  ",
    )
    if way.inputs:
        lines += [BLANK, *wrap(text("Put in", "$quiet"), width)]
        letters = min(14, max(len(line.letter) for line in way.inputs))
        for line in way.inputs:
            lines += _input(line, letters, width)
    for step in way.steps:
        lines.append(BLANK)
        lines += _step(step, width)
    return lines


def _input(line: Line, letters: int, width: int) -> Lines:
    lead = join("  ", (line.letter.ljust(letters), "$code"), " ")
    origin = f"  {line.origin}{', ' + line.source if line.source else ''}"
    return wrap(join((line.value, "bold"), ("  " + line.meaning, ""), (origin, "$quiet")), width, lead)


def _step(step: Line, width: int) -> Lines:
    lines = wrap(text(step.meaning), width) if step.meaning else []
    lead = join("  ", (step.letter, "$code bold"), " = ")
    hang = " " * (lead.cell_length - 2) + "= "
    shown: list[Content] = []
    for form, style in ((step.symbolic, "$code"), (step.substituted, ""), (step.value, "bold $text-primary")):
        if form and (not shown or shown[-1].plain != form):
            shown.append(text(form, style))
    for number, line in enumerate(shown):
        lines += wrap(line, width, hang if number else lead, " " * lead.cell_length)
    because = " · ".join(part for part in (step.because, step.source) if part)
    if because:
        lines += wrap(inline(because, "$quiet"), width, "    ")
    return lines
