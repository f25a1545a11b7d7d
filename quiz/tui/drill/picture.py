"""A run while it goes on: the legs, a bar of live bytes for each rank, the loss curves on top of each other."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from quiz.drills.records import CATEGORIES, Held
from quiz.nouns import count
from quiz.tui.drill import spelled
from quiz.tui.lines import BLANK, Lines, bar, cut, join, spread, text, wrap
from quiz.tui.plots import Canvas, framed, legend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.content import Content

    from quiz.drills.live import LegNow, Live

CURVES: Final = ("$term-weights", "$term-gradients", "$term-optimizer", "$term-activations", "$term-buffers")
MARKS: Final = "●◆▲■★"
"""What stands for a curve in its legend, so that colour is not needed."""
_SIGNS: Final = {
    "waiting": ("·", "$faint"),
    "running": ("▸", "$text-primary bold"),
    "done": ("✓", "$right"),
    "died": ("✗", "$wrong bold"),
}
_MOST_RANKS: Final = 8
_NARROW: Final = 56
_LETTERED: Final = 3


def legs(live: Live, width: int) -> Lines:
    """One line for each leg: its state, its progress, its steps, what it holds or held at most."""
    lines: Lines = []
    for leg in live.legs.values():
        sign, style = _SIGNS[leg.state]
        words = _how_far(live, leg)
        room = max(6, min(24, width // 4))
        share = 1.0 if leg.state == "done" else min(1.0, (leg.step + 1) / max(1, live.steps))
        colour = "$wrong" if leg.state == "died" else "$right" if leg.state == "done" else "$primary"
        drawn = bar(share, room, colour, "$faint") if width >= _NARROW else BLANK
        name = join((f"{sign} ", style), (leg.leg.name, "bold" if leg.state == "running" else ""))
        lines.append(spread(name, join(text(words, "$quiet"), "  " if drawn else "", drawn), width))
    return lines


def _how_far(live: Live, leg: LegNow) -> str:
    most = max((held.total for held in leg.most.values()), default=0)
    high = leg.highest
    most = max(most, high.held.total if high else 0)
    held = f", at most {spelled.size(most)}" if most else ""
    match leg.state:
        case "waiting":
            return "waits"
        case "running":
            return f"{leg.phase or 'starts'} {max(0, leg.step + 1)}/{live.steps}"
        case "died":
            return f"ran out of memory in {leg.died_in}" if leg.died_in else "died"
        case "done":
            return (f"{leg.took:.1f} s" if leg.took is not None else "done") + held


def ranks(live: Live, width: int, *, colourless: bool = False) -> Lines:
    """A bar for each rank of the leg that runs: live bytes by category, on the scale of the most that any rank held."""
    leg = live.running
    if leg is None:
        return []
    seen = sorted(leg.held)
    if not seen:
        return [text(f"{leg.leg.name}: nothing is allocated yet", "$quiet")]
    top = max(held.total for one in live.legs.values() for held in one.most.values())
    if live.spec.cap is not None:
        top = max(top, live.spec.cap)
    shown = seen[:_MOST_RANKS]
    lines: Lines = [join((f"{leg.leg.name} now", "bold"), (f"  {leg.leg.says}" if leg.leg.says else "", "$quiet"))]
    for rank in shown:
        lines.append(held_row(str(rank), leg.held[rank], top, width, colourless=colourless, cap=live.spec.cap))
    if len(seen) > len(shown):
        lines.append(text(f"and {count(len(seen) - len(shown), 'rank')} more", "$quiet"))
    legend_of = key([leg.held[rank] for rank in shown], width, colourless=colourless)
    return [*(cut(line, width) for line in lines), *legend_of]


def held_row(
    name: str, held: Held, top: float, width: int, *, colourless: bool = False, cap: int | None = None
) -> Content:
    """One bar: a name, live bytes by category on a scale to `top`, the total; a line where the cap stands."""
    total = spelled.size(held.total)
    lead = f"{name} "
    room = max(1, width - len(lead) - 10)
    length = min(room, max(1, round(room * held.total / top))) if top > 0 and held.total else 0
    drawn = _segments(held, length, colourless=colourless)
    drawn = drawn.pad_right(max(0, room - drawn.cell_length))
    if cap is not None and top > 0:
        at = min(room - 1, max(0, round(room * cap / top) - 1))
        drawn = drawn[:at] + text("┃", "$line bold") + drawn[at + 1 :]
    return join((lead, "$quiet"), drawn, (f"{total:>10}", "bold"))


def _segments(held: Held, width: int, *, colourless: bool) -> Content:
    """Live bytes by category in so many cells, each with its letter where it has room for one."""
    shown = [category for category in CATEGORIES if getattr(held, category) > 0]
    if width < len(shown):
        return text("▏", "$quiet")
    pieces: list[tuple[str, str]] = []
    start, running = 0, 0
    for number, category in enumerate(shown):
        running += getattr(held, category)
        left = len(shown) - number - 1
        end = width if not left else max(start + 1, min(round(width * running / held.total), width - left))
        fill, style = _fill(category, colourless=colourless), _style(category)
        cells = end - start
        letter = spelled.CATEGORIES[category][0] if cells >= _LETTERED else ""
        before = 1 if letter else 0
        pieces += [(fill * before, style), (letter, f"bold {style}"), (fill * (cells - before - len(letter)), style)]
        start = end
    return join(*[piece for piece in pieces if piece[0]])


def _style(category: str) -> str:
    return f"$on-term on $term-{spelled.CATEGORIES[category][1]}"


def _fill(category: str, *, colourless: bool) -> str:
    return spelled.CATEGORIES[category][2] if colourless else " "


def key(helds: Sequence[Held], width: int, *, colourless: bool = False) -> Lines:
    """What the colours stand for, of the categories that are there."""
    pieces = []
    for category in CATEGORIES:
        if any(getattr(held, category) for held in helds):
            letter, term, _ = spelled.CATEGORIES[category]
            fill = _fill(category, colourless=colourless)
            pieces.append(join((f"{fill}{letter}{fill}", f"bold $on-term on $term-{term}"), (f" {category}", "$quiet")))
    return legend(pieces, width)


def losses(live: Live, width: int, height: int) -> Lines:
    """The loss of every leg by step, on top of each other, and how far they are apart."""
    curves = [(place, leg) for place, leg in enumerate(live.legs.values()) if len(leg.curve) > 1]
    if not curves:
        return []
    values = [loss for _, leg in curves for loss in leg.curve.values() if math.isfinite(loss)]
    low, high = min(values, default=0.0), max(values, default=1.0)
    high = high if high > low else low + 1e-6
    margin = 6
    columns = max(8, width - margin - 2)
    canvas = Canvas(columns, height)
    last = max(1, live.steps - 1)

    def place_of(step: int, loss: float) -> tuple[float, float]:
        return step / last * (columns * 2 - 1), (high - loss) / (high - low) * (height * 4 - 1)

    for place, leg in reversed(curves):
        points = [place_of(step, loss) for step, loss in sorted(leg.curve.items()) if math.isfinite(loss)]
        for start, end in pairwise(points):
            canvas.line(start, end, CURVES[place % len(CURVES)], every=1 + place % 3)
    marks = {0: f"{high:.3f}", height - 1: f"{low:.3f}"}
    lines = framed(canvas, marks, margin - 1, [(0, "0"), (columns - 1, str(last))])
    pieces = [
        join((f"{MARKS[place % len(MARKS)]} ", CURVES[place % len(CURVES)]), (leg.leg.name, "$quiet"))
        for place, leg in curves
    ]
    return [*lines, *legend(pieces, width), *wrap(text(_apart(live), "$quiet"), width)]


def _apart(live: Live) -> str:
    """The largest difference between two curves at a step that both have."""
    curves = [leg.curve for leg in live.legs.values() if leg.curve]
    steps = set.intersection(*(set(curve) for curve in curves)) if len(curves) > 1 else set()
    if not steps:
        return ""
    gap, step = max((max(c[step] for c in curves) - min(c[step] for c in curves), step) for step in steps)
    if not gap:
        return "The curves agree to the last digit."
    return f"The curves are at most {gap:.1e} apart, at step {step}."


def bottom(live: Live, now: float, width: int) -> Lines:
    """Time, time left, and how it stands."""
    left = live.left(now)
    words = f"{spelled.clock(now)}" + (f", about {spelled.clock(left)} left" if left is not None else "")
    return [spread(bar(live.share, max(4, width // 3), "$primary", "$faint"), text(words, "$quiet"), width)]
