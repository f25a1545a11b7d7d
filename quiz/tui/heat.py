"""A year of practice as a calendar: a column a week, a row a weekday, the shade the number of answers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from quiz.scheduling.calendar import add_days
from quiz.tui.lines import Lines, join
from quiz.tui.plots import legend

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from textual.content import Content

#: The names of the rows; where there is no room for all, every other one is written.
WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SHADES: Final = "░▒▓█"
_MARGIN: Final = 4
_LEVELS: Final = 4
_LEAST_COLUMNS: Final = 4


@dataclass(frozen=True, slots=True)
class Heat:
    """What is drawn: answers by day, the first day (a Monday) and the last; `colourless`: shades of one ink."""

    answers: Mapping[date, int]
    start: date
    end: date
    colourless: bool = False

    @property
    def weeks(self) -> int:
        """How many columns there are."""
        return (self.end - self.start).days // 7 + 1


def bounds(counts: Sequence[int]) -> tuple[int, ...]:
    """The least count of each of the four shades, ascending: quarters of the days with any; fewer where they agree."""
    ranked = sorted(count for count in counts if count > 0)
    if not ranked:
        return ()
    return tuple(sorted({1, *(ranked[len(ranked) * part // _LEVELS] for part in range(1, _LEVELS))}))


def lay(heat: Heat, width: int) -> Lines:
    """The calendar: on one strip where it fits, on two where it does not; the oldest weeks go where neither does."""
    room = width - _MARGIN
    if room < _LEAST_COLUMNS:
        return []
    cell = 2 if room >= 2 * heat.weeks else 1
    strips = 1 if room >= heat.weeks * cell else 2
    across = min(-(-heat.weeks // strips), room // cell)
    first = add_days(heat.start, 7 * max(0, heat.weeks - across * strips))
    shades = bounds(list(heat.answers.values()))
    lines: Lines = []
    while True:
        last = min(heat.end, add_days(first, 7 * across - 1))
        lines += _strip(heat, first, last, cell, shades)
        if last == heat.end:
            break
        first = add_days(last, 1)
    return lines + _legend(heat, shades, width)


def _strip(heat: Heat, first: date, last: date, cell: int, shades: tuple[int, ...]) -> Lines:
    weeks = (last - first).days // 7 + 1
    lines = [join((" " * _MARGIN + _months(first, last, cell), "$quiet"))]
    for weekday in range(7):
        ahead = [7 * week + weekday for week in range(weeks)]
        shown = (last - first).days
        glyphs = [_glyph(heat, add_days(first, n), cell, shades) if n <= shown else (" " * cell, "") for n in ahead]
        runs = groupby(glyphs, key=lambda glyph: glyph[1])
        name = WEEKDAYS[weekday] if weekday % 2 == 0 else ""
        row = (("".join(glyph for glyph, _ in run), style) for style, run in runs)
        lines.append(join((f"{name:<{_MARGIN}}", "$quiet"), *row))
    return lines


def _months(first: date, last: date, cell: int) -> str:
    """The name of each month over the week in which it begins; one that would touch another is left out."""
    weeks = (last - first).days // 7 + 1
    cells = [" "] * (weeks * cell)
    for week in range(weeks):
        day = add_days(first, 7 * week)
        begins = next((one for one in (add_days(day, n) for n in range(7)) if one.day == 1), None)
        if begins is None and week:
            continue
        if begins is None and add_days(day, 14).month != day.month:
            continue
        label = MONTHS[(begins or day).month - 1]
        at = week * cell
        around = cells[max(0, at - 1) : at + len(label) + 1]
        if at + len(label) <= len(cells) and all(one == " " for one in around):
            cells[at : at + len(label)] = label
    return "".join(cells).rstrip()


def level(count: int, shades: tuple[int, ...]) -> int:
    """The shade of a count: 0 for none, 4 for the most; fewer shades use the dark ones."""
    if count <= 0:
        return 0
    return _LEVELS - len(shades) + sum(count >= bound for bound in shades)


def _glyph(heat: Heat, day: date, cell: int, shades: tuple[int, ...]) -> tuple[str, str]:
    return shade(level(heat.answers.get(day, 0), shades), cell, colourless=heat.colourless)


def shade(found: int, cell: int, *, colourless: bool) -> tuple[str, str]:
    """The glyph of a shade, `cell` cells wide, and its style."""
    if not found:
        return "·" + " " * (cell - 1), "$faint"
    if colourless:
        return _SHADES[found - 1] * cell, ""
    return ("█▌" if cell > 1 else "█")[:cell], f"$heat-{found}"


def _legend(heat: Heat, shades: tuple[int, ...], width: int) -> Lines:
    pieces: list[Content] = [join(("·", "$faint"), (" none", "$quiet"))]
    for place, bound in enumerate(shades):
        to = shades[place + 1] - 1 if place + 1 < len(shades) else None
        said = f"{bound}+" if to is None else f"{bound}" if to == bound else f"{bound}–{to}"
        glyph, style = shade(_LEVELS - len(shades) + place + 1, 1, colourless=heat.colourless)
        pieces.append(join((glyph, style), (f" {said}", "$quiet")))
    return [join(" " * _MARGIN, line) for line in legend([*pieces, join(("answers a day", "$quiet"))], width - _MARGIN)]
