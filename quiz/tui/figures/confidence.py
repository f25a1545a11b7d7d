"""The section on confidence: how often what was said to be sure was right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.nouns import count
from quiz.statistics.estimate import LEAST
from quiz.tui import words
from quiz.tui.figures import spelled
from quiz.tui.lines import BLANK, Lines, cut, heading, join, wrap
from quiz.tui.plots import Point, Reference, interval_row, intervals, marks, note

if TYPE_CHECKING:
    from quiz.statistics.calibration import Calibration
    from quiz.tui.figures import Drawn

COUNTED: Final = (
    "Which answers count: the first of a day to a question, the first meeting too, where you said how sure you were. "
    "Close is not right. A confidence takes {least} answers."
)
_PLOT: Final = 56
_NAME: Final = 18
# Where the interval stands under it: the longest name and a blank.
_NARROW: Final = 17
_FIGURES: Final = 22
_LEAST_BAR: Final = 10


def lay(drawn: Drawn, width: int) -> Lines:
    """The curve where there is room, a row for each confidence, the score."""
    found = drawn.report.calibration
    lines = heading("Sure and right", width)
    if not found.n:
        return [*lines, *wrap(note("No answer with a confidence yet."), width)]
    lines += _verdict(found, width)
    if width >= _PLOT and any(bin_.right.share is not None for bin_ in found.bins):
        points = [
            Point(
                bin_.confidence / 100,
                f"{bin_.confidence} %",
                bin_.right.share,
                bin_.right.low,
                bin_.right.high,
            )
            for bin_ in found.bins
        ]
        lines += [BLANK, cut(note("  right"), width)]
        lines += intervals(points, min(width, 72), 15 if drawn.tall else 11, Reference(0, 1))
        lines += wrap(
            note("Across: said to be sure. Dotted: as sure as right; above it too cautious, below it too sure."), width
        )
    lines += [BLANK, *_rows(found, width), BLANK, *_score(found, width)]
    return lines + wrap(note(COUNTED.format(least=LEAST)), width)


def _verdict(found: Calibration, width: int) -> Lines:
    if found.gap is None or found.gap_low is None or found.gap_high is None:
        lacking = spelled.missing(found.n, found.least, "answer with a confidence", "answers with a confidence")
        return wrap(note(lacking), width)
    said, style = spelled.calibrated(found.gap, found.gap_low, found.gap_high)
    between = f"{_points(found.gap_low)} and {_points(found.gap_high)}"
    return wrap(join((said, f"{style} bold"), f" on average: between {between} (95 %)."), width)


def _points(gap: float) -> str:
    """A bound of the gap: `3 points too cautious`."""
    points = round(100 * gap)
    return f"{count(abs(points), 'point')} too {'sure' if points >= 0 else 'cautious'}"


def _rows(found: Calibration, width: int) -> Lines:
    """A row for each confidence, its interval on the row or, where that leaves no room, under it."""
    beside = width - _NAME - _FIGURES
    bar, under = (min(44, beside), False) if beside >= _LEAST_BAR else (width - 2, True)
    lines: Lines = []
    for bin_ in found.bins:
        right = bin_.right
        name = f"{words.confidence(bin_.confidence):<{_NARROW if under else _NAME}}"
        figure = f"{spelled.percent(right.share):>{5 if under else 7}}"
        n = f"  n = {right.n:,}" if right.share is not None else f"  {right.n:,} of {right.least}"
        drawn = interval_row(right.share, right.low, right.high, bar, mark=bin_.confidence / 100)
        row = join(name, "" if under else drawn, (figure, "bold"), (n, "$quiet"))
        lines += [cut(row, width), *([cut(join("  ", drawn), width)] if under else [])]
    middle = bar // 2
    scale = f"0{'50':>{middle}}{'100 %':>{max(5, bar - middle - 1)}}" if bar >= _LEAST_BAR else ""
    lines += [cut(note(" " * (2 if under else _NAME) + scale), width)] if scale else []
    return lines + marks("said to be sure", width, indent=2 if under else _NAME)


def _score(found: Calibration, width: int) -> Lines:
    if found.brier is None or found.reliability is None or found.resolution is None or found.uncertainty is None:
        return []
    lines = wrap(
        join(
            ("Brier score ", ""),
            (f"{found.brier:.3f}", "bold"),
            f" = {found.reliability:.3f} reliability − {found.resolution:.3f} resolution "
            f"+ {found.uncertainty:.3f} uncertainty. n = {found.n:,}",
        ),
        width,
    )
    return lines + wrap(
        note(
            "0 is perfect; saying 50 % to everything earns 0.250. Reliability is what being too sure or too cautious "
            "costs, resolution what telling the two apart earns."
        ),
        width,
    )
