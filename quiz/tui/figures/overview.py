"""The overview: a tile for each subject, its main figure large and its course small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quiz.nouns import count
from quiz.statistics.estimate import LEAST
from quiz.tui.figures import spelled
from quiz.tui.figures.ahead import due
from quiz.tui.figures.practice import calendar, weeks
from quiz.tui.figures.topics import UNSEEN, parts
from quiz.tui.lines import BLANK, Lines, bar, cut, heading, join, text, wrap
from quiz.tui.plots import interval_row, note, spark, stack

if TYPE_CHECKING:
    from textual.content import Content

    from quiz.statistics.calibration import Calibration
    from quiz.statistics.report import Report
    from quiz.tui.figures import Drawn

#: What stands in the place of a figure.
MISSING: Final = text("not enough data", "$quiet bold")
_LEAST: Final = 34
_MOST: Final = 3
_GAP: Final = 1


@dataclass(frozen=True, slots=True)
class Tile:
    """A box: its title, the figure, what stands beside it, and two lines under it."""

    title: str
    figure: Content
    beside: str
    picture: Content
    under: str


def lay(drawn: Drawn, width: int) -> Lines:
    """The tiles, in as many columns as there is room for."""
    columns = max(1, min(_MOST, (width + _GAP) // (_LEAST + _GAP)))
    tile = (width - _GAP * (columns - 1)) // columns
    boxes = [_box(made, tile) for made in tiles(drawn.report, max(1, tile - 4))]
    lines: Lines = []
    for start in range(0, len(boxes), columns):
        row = boxes[start : start + columns]
        lines += [cut(join(*_spaced(parts)), width) for parts in zip(*row, strict=True)]
    lines += _what_is_missing(drawn.report, width)
    if drawn.report.practice.answers and not drawn.together:
        lines += [BLANK, *heading("Answers by date", width), *calendar(drawn, width)]
        lines += [BLANK, *heading("Cards due by day", width), *due(drawn, width)] if drawn.tall else []
    return lines


def _what_is_missing(report: Report, width: int) -> Lines:
    """Under tiles without figures: what fills them, and what a review is."""
    if not report.practice.answers and report.since is None:
        said = (
            f"Nothing has been answered yet. Counts begin with the first answer, estimates after {LEAST} of their kind."
        )
        return [BLANK, *wrap(note(said), width)]
    if report.whole.recall is None or report.memory.of("review", None).share is None:
        said = "A review is the first answer of a day to a question that you met on an earlier day."
        return [BLANK, *wrap(note(said), width)]
    return []


def _spaced(parts: tuple[Content, ...]) -> list[Content]:
    spaced: list[Content] = []
    for part in parts:
        spaced += [text(" " * _GAP), part] if spaced else [part]
    return spaced


def _box(tile: Tile, width: int) -> Lines:
    if width < 8:  # noqa: PLR2004 - no room for a frame
        return cut_five(tile, width)
    inner = width - 4
    title = cut(text(tile.title, "$text-accent bold"), inner)
    edge = "$faint"

    def row(content: Content) -> Content:
        shown = cut(content, inner)
        return join(("│ ", edge), shown, " " * (inner - shown.cell_length), (" │", edge))

    return [
        join(("╭ ", edge), title, (" " + "─" * (inner - title.cell_length) + "╮", edge)),
        row(join(tile.figure, "  ", (tile.beside, "$quiet"))),
        row(tile.picture),
        row(note(tile.under)),
        join(("╰" + "─" * (inner + 2) + "╯", edge)),
    ]


def cut_five(tile: Tile, width: int) -> Lines:
    """A tile without its frame, five lines as any."""
    made = [text(tile.title), tile.figure, tile.picture, note(tile.under), BLANK]
    return [cut(line, width) for line in made]


def tiles(report: Report, width: int) -> list[Tile]:
    """The six tiles; pictures are at most `width` cells."""
    return [
        _recall(report, width),
        _retention(report, width),
        _ahead(report, width),
        _ready(report, width),
        _practice(report, width),
        _confidence(report, width),
    ]


def _figure(value: str, style: str = "") -> Content:
    return join((value, f"bold {style}".strip()))


def _recall(report: Report, width: int) -> Tile:
    whole = report.whole
    seen = f"{whole.seen:,} of {whole.questions:,} seen"
    if whole.recall is None:
        lacking = spelled.so_far(whole.reviews, whole.least, "review")
        return Tile("Recall today", MISSING, f"{whole.seen:,} seen", stack(parts(whole), width), lacking)
    return Tile(
        "Recall today",
        _figure(spelled.percent(whole.recall)),
        "of what you have seen",
        stack(parts(whole), width),
        f"{seen}, {whole.mature:,} mature",
    )


def _missing(title: str, n: int, least: int, noun: str, width: int) -> Tile:
    """A tile without its figure: how far the data has come, as a bar and in words."""
    return Tile(title, MISSING, "", bar(n / least, width, "$quiet", "$faint"), spelled.so_far(n, least, noun))


def _retention(report: Report, width: int) -> Tile:
    passed = report.memory.of("review", None)
    if passed.share is None:
        return _missing("True retention", passed.n, passed.least, "review", width)
    return Tile(
        "True retention",
        _figure(spelled.percent(passed.share)),
        f"{spelled.interval(passed.low, passed.high)}, n = {passed.n:,}",
        interval_row(passed.share, passed.low, passed.high, width, mark=report.memory.target, floor=0.5),
        f"50 to 100 %, target {spelled.percent(report.memory.target)}",
    )


def _ahead(report: Report, width: int) -> Tile:
    forecast = report.forecast
    days = forecast.days[: min(width, len(forecast.days))]
    late = f"{forecast.overdue:,} overdue" if forecast.overdue else "none overdue"
    return Tile(
        "Due today",
        _figure(f"{forecast.days[0].due:,}"),
        late,
        spark([float(day.due) for day in days]),
        f"{forecast.week:,} in 7 days, {sum(day.due for day in forecast.days):,} in {len(forecast.days)}",
    )


def _ready(report: Report, width: int) -> Tile:
    ready = report.ready
    done = sum(1 for topic in ready.topics if topic.limit == report.day)
    total = len(ready.topics)
    if total and done == total:
        beside = "topics ready now"
    elif ready.all_own is not None:
        beside = f"ready; all by {spelled.short_day(ready.all_own)}"
    else:
        beside = "topics ready"
    coming = ready.interview if ready.interview is not None and ready.interview > report.day else None
    # Beside the day of an interview there is room for few words.
    pace = "pace not known" if coming else f"your pace: after {spelled.pace_missing(ready)}"
    if not any(topic.unseen for topic in ready.topics):
        pace = ("all seen" if coming else "every question seen") if total else "no questions"
    elif ready.pace is not None:
        pace = f"{spelled.number(ready.pace)} new a day"
    if coming:
        pace += f", interview {spelled.short_day(coming)}"
    topics = [(float(done), "━", "$right"), (float(total - done), *UNSEEN)]
    return Tile("Ready", _figure(f"{done} of {total}"), beside, stack(topics, width), pace)


def _practice(report: Report, width: int) -> Tile:
    practice = report.practice
    shown = min(width, 26)
    median = practice.times.median
    time = f", median {spelled.seconds(median)}" if median is not None else ""
    return Tile(
        "Practice",
        _figure(f"{practice.lately} of {practice.of_lately} days"),
        f"{practice.today:,} today" if practice.today else "",
        spark(weeks(practice, report.day, shown), "$term-optimizer"),
        f"{count(practice.answers, 'answer')}{time}" if practice.answers else "no answers yet",
    )


def _confidence(report: Report, width: int) -> Tile:
    found = report.calibration
    if found.brier is None or found.gap is None or found.gap_low is None or found.gap_high is None:
        return _missing("Confidence", found.n, found.least, "answer", width)
    said, style = spelled.calibrated(found.gap, found.gap_low, found.gap_high)
    return Tile(
        "Confidence",
        _figure(said, style),
        "",
        _said_and_right(found, width),
        f"Brier score {found.brier:.3f}, n = {found.n:,}",
    )


def _said_and_right(found: Calibration, width: int) -> Content:
    """What was said to be sure, and beside it how often that was right, where there is enough of it."""
    known = [(bin_.confidence, bin_.right.share) for bin_ in found.bins if bin_.right.share is not None]
    if not known:
        return BLANK
    told = "  ".join(f"{said}→{100 * right:.0f}" for said, right in known) + " %"
    full = f"said→right  {told}"
    return cut(text(full if len(full) <= width else told), width)
