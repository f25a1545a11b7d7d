"""The section on practice: the year by date, the hours of the day, and how long an answer takes."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from quiz.tui import words
from quiz.tui.figures import spelled
from quiz.tui.heat import WEEKDAYS, Heat
from quiz.tui.heat import lay as lay_heat
from quiz.tui.lines import BLANK, Lines, heading, join, wrap
from quiz.tui.plots import Bar, note, upright

if TYPE_CHECKING:
    from textual.content import Content

    from quiz.statistics.practice import Practice, Times
    from quiz.tui.figures import Drawn

_DOUBLINGS: Final = (0, 4, 8, 16, 32, 64, 128, 256, 512)
"""Bounds of the bars of times, in units of 1,024 ms: about a second."""


def lay(drawn: Drawn, width: int) -> Lines:
    """The calendar, then times, then hours."""
    practice = drawn.report.practice
    lines = [*heading("Answers by date", width), *wrap(_totals(drawn), width)]
    if practice.answers:
        lines += calendar(drawn, width)
    lines += [BLANK, *heading("Time of an answer", width), *_times(practice.times, drawn, width)]
    if practice.answers:
        lines += [BLANK, *heading("Hours of the day", width), *_hours(practice, drawn, width)]
    return lines


def calendar(drawn: Drawn, width: int) -> Lines:
    """The year by date."""
    practice = drawn.report.practice
    answers = {day.day: day.answers for day in practice.calendar}
    return lay_heat(Heat(answers, practice.calendar_from, drawn.report.day, drawn.colourless), width)


def _totals(drawn: Drawn) -> Content:
    practice = drawn.report.practice
    if not practice.answers:
        return note("No answers yet." if drawn.report.since is None else "No answers since then.")
    return join(
        (f"{practice.answers:,}", "bold"),
        f" answers on {words.count(practice.days, 'day')}, {spelled.span(practice.ms)}; ",
        (f"{practice.lately} of the last {practice.of_lately}", "bold"),
        " days.",
    )


def _times(times: Times, drawn: Drawn, width: int) -> Lines:
    if times.median is None or times.lower is None or times.upper is None:
        return wrap(note(spelled.missing(times.answers, times.least, "answer")), width)
    bars = []
    for place, low in enumerate(_DOUBLINGS):
        high = _DOUBLINGS[place + 1] if place + 1 < len(_DOUBLINGS) else None
        count = sum(
            one.answers for one in times.classes if one.low >= low * 1024 and (high is None or one.low < high * 1024)
        )
        bars.append(Bar(count, "$term-optimizer", f"{low}" if low < _DOUBLINGS[-1] else f"{low}+"))
    lines = wrap(
        join(
            ("Half take ", ""),
            (spelled.seconds(times.median), "bold"),
            f" or less; the middle half {spelled.seconds(times.lower)} to {spelled.seconds(times.upper)}. "
            f"n = {times.answers:,}",
        ),
        width,
    )
    lines += upright(bars, min(width, 64), 7 if drawn.tall else 5)
    return lines + wrap(
        note(
            "Answers by seconds, from the number under the bar on. Every answer counts, more than ten minutes as ten."
        ),
        width,
    )


def _hours(practice: Practice, drawn: Drawn, width: int) -> Lines:
    bars = [Bar(hour.right.n, "$term-weights", f"{hour.hour}" if hour.hour % 3 == 0 else "") for hour in practice.hours]
    lines = upright(bars, min(width, 80), 7 if drawn.tall else 5)
    lines += wrap(note("Answers by the hour in which they were given."), width)
    known = [hour for hour in practice.hours if hour.right.share is not None]
    if known:
        told = ", ".join(f"{hour.hour}:00 {spelled.percent(hour.right.share)}" for hour in known)
        lines += wrap(note(f"Right, of hours with {known[0].right.least} answers or more: {told}."), width)
    days = ", ".join(f"{name} {count:,}" for name, count in zip(WEEKDAYS, practice.weekdays, strict=True))
    return lines + wrap(note(f"Answers by weekday: {days}."), width)


def weeks(practice: Practice, today: date, count: int) -> list[float]:
    """Answers in each of the last weeks, Monday to Sunday, this one last."""
    monday = today - timedelta(days=today.weekday())
    found = [0.0] * count
    for day in practice.calendar:
        back = (monday - (day.day - timedelta(days=day.day.weekday()))).days // 7
        if 0 <= back < count:
            found[count - 1 - back] += day.answers
    return found
