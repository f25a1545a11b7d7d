"""The section on memory: true retention by maturity and by month."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.nouns import count
from quiz.statistics.estimate import LEAST
from quiz.statistics.standing import MATURE_DAYS
from quiz.tui.figures import spelled
from quiz.tui.heat import MONTHS
from quiz.tui.lines import BLANK, Lines, cut, heading, join, wrap
from quiz.tui.plots import Point, Reference, interval_row, intervals, marks, note

if TYPE_CHECKING:
    from textual.content import Content

    from quiz.statistics.estimate import Share
    from quiz.statistics.memory import Memory
    from quiz.tui.figures import Drawn

NAMES: Final = {
    "learning": "Learning",
    "young": "Young",
    "mature": "Mature",
    "review": "Young + mature",
}
_NAME: Final = 16
_CELL: Final = 16
_LEAST_BAR: Final = 20
_FLOOR: Final = 0.5


def lay(drawn: Drawn, width: int) -> Lines:
    """A table with intervals, the months, and what the words mean."""
    memory = drawn.report.memory
    lines = [*heading("True retention", width), *_table(memory, width, drawn)]
    lines += [BLANK, *heading("By month, young and mature", width), *_months(drawn, width)]
    lines.append(BLANK)
    lines += wrap(
        note(
            "Which answers count: the first of a day to a question met on an earlier day. Passed: rated other than "
            f"“again”. Mature: an interval of {MATURE_DAYS} days or more. The target is "
            f"{spelled.percent(memory.target)}; intervals are 95 %; a figure takes {LEAST} reviews."
        ),
        width,
    )
    return lines


def _table(memory: Memory, width: int, drawn: Drawn) -> Lines:
    windows = list(dict.fromkeys(row.days for row in memory.rows))
    columns = [days for days in windows if days is not None]
    while columns and width - _NAME - _CELL * (len(columns) + 1) < (_LEAST_BAR if len(columns) > 1 else 0):
        columns.pop()
    bar = min(36, width - _NAME - _CELL * (len(columns) + 1))
    since = f"since {spelled.short_day(drawn.report.since)}" if drawn.report.since else "all"
    heads = [f"{days} days" for days in columns] + [since]
    head = join((" " * _NAME + "".join(f"{word:<{_CELL}}" for word in heads), "$quiet"))
    if bar >= _LEAST_BAR:
        head = join(head, (_scale(bar, memory.target), "$quiet"))
    lines = [cut(head, width)]
    for maturity, name in NAMES.items():
        style = "bold" if maturity == "review" else ""
        row = join((f"{name:<{_NAME}}", style))
        for days in [*columns, None]:
            row = join(row, _cell(memory.of(maturity, days), style))  # type: ignore[arg-type]  # the keys of NAMES
        if bar >= _LEAST_BAR:
            whole = memory.of(maturity, None)  # type: ignore[arg-type]  # as above
            row = join(row, interval_row(whole.share, whole.low, whole.high, bar, mark=memory.target, floor=_FLOOR))
        lines.append(cut(row, width))
    return lines + (marks("target", width) if bar >= _LEAST_BAR else [])


def _cell(share: Share, style: str) -> Content:
    if share.share is None:
        words = f"–  {share.n:,} of {share.least}"
        return join((f"{words:<{_CELL}}", "$quiet"))
    shown = f"{spelled.percent(share.share)}"
    rest = f" n = {share.n:,}"
    return join((shown, style), (f"{rest:<{_CELL - len(shown)}}", "$quiet"))


def _scale(bar: int, target: float) -> str:
    """The numbers over the intervals: both ends, and the target over its mark."""
    cells = [" "] * bar
    words = f"{100 * target:.0f}"
    at = round((target - _FLOOR) / (1 - _FLOOR) * (bar - 1))
    start = max(0, min(bar - len(words), at - 1))
    cells[start : start + len(words)] = words
    cells[:2] = "50"
    if start + len(words) < bar - 3:  # room for the end beside the target
        cells[-3:] = "100"
    return "".join(cells)


def _months(drawn: Drawn, width: int) -> Lines:
    memory = drawn.report.memory
    known = [month for month in memory.months if month.passed.share is not None]
    if len(known) < 2:  # noqa: PLR2004 - one point is no course
        n = sum(month.passed.n for month in memory.months)
        return wrap(
            note(f"Not enough data yet: {count(n, 'review')}; it takes two months with {LEAST} reviews each."), width
        )
    lowest = min(month.passed.low or 0.0 for month in known)
    floor = 0.5 if lowest >= _FLOOR else 0.0
    last = max(1, len(memory.months) - 1)
    points = [
        Point(
            (place + 0.5) / (last + 1),
            MONTHS[month.month.month - 1],
            month.passed.share,
            month.passed.low,
            month.passed.high,
        )
        for place, month in enumerate(memory.months)
    ]
    lines = intervals(points, min(width, 100), 13 if drawn.tall else 9, Reference(memory.target, memory.target), floor)
    counts = ", ".join(f"{MONTHS[month.month.month - 1]} {month.passed.n:,}" for month in memory.months)
    return [*lines, *wrap(note(f"Reviews: {counts}. Months with fewer than {LEAST} have no point."), width)]
