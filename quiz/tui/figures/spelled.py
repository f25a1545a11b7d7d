"""Figures in words: percentages, times, days, and what is said where there is not enough data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.nouns import count, plural
from quiz.tui.heat import MONTHS, WEEKDAYS

if TYPE_CHECKING:
    from datetime import date

    from quiz.statistics.ahead import Ready

_MINUTE = 60
_HOUR = 60 * _MINUTE
_TEN = 10
_NO_NEWS = 3
_VAGUE = 0.2  # an interval wider than this tells nothing


def percent(value: float | None) -> str:
    """`93 %`; a dash for what is not known. Only what is all or nothing says 100 or 0."""
    if value is None:
        return "–"
    shown = round(100 * value)
    if shown in (0, 100) and value not in (0.0, 1.0):
        return "> 99 %" if shown else "< 1 %"
    return f"{shown} %"


def interval(low: float | None, high: float | None) -> str:
    """`90–95 %`."""
    return "–" if low is None or high is None else f"{100 * low:.0f}–{100 * high:.0f} %"


def calibrated(gap: float, low: float, high: float) -> tuple[str, str]:
    """What a gap between confidence and outcome says, and its style.

    Within three points it is no news; where the answers leave open whether there is one, that is what is said.
    """
    points = round(100 * gap)
    if low > 0 or high < 0:
        if abs(points) > _NO_NEWS:
            return f"{abs(points)} points too {'sure' if points > 0 else 'cautious'}", "$almost"
    elif high - low > _VAGUE:
        return "No gap to be seen yet", "$quiet"
    return "Well calibrated", "$right"


def missing(n: int, least: int, noun: str, several: str = "") -> str:
    """What is said instead of a figure: how many there are, and how many more it takes."""
    left = max(1, least - n)
    return f"Not enough data yet: {count(n, noun, several)} of the {least} that it takes, {left} more to go."


def so_far(n: int, least: int, noun: str) -> str:
    """The same on one short line: `3 of 20 answers, 17 more to go`."""
    return f"{n:,} of {least} {noun}s, {max(1, least - n)} more to go"


def more(n: int, least: int, noun: str) -> str:
    """How many more it takes: `17 more answers`."""
    left = max(1, least - n)
    return f"{left} more {plural(left, noun)}"


def pace_missing(ready: Ready) -> str:
    """What the pace of new questions still takes: `6 more days`, `2 more new questions`."""
    if ready.pace_days < ready.least_days:
        return more(ready.pace_days, ready.least_days, "day")
    return more(ready.pace_n, ready.least_n, "new question")


def seconds(milliseconds: float) -> str:
    """A time that an answer takes: `37 s`, `2:05 min`."""
    whole = round(milliseconds / 1000)
    if whole < _MINUTE:
        return f"{milliseconds / 1000:.1f} s" if milliseconds < _TEN * 1000 else f"{whole} s"
    return f"{whole // _MINUTE}:{whole % _MINUTE:02d} min"


def span(milliseconds: float) -> str:
    """A time spent in all: `14 h 20 min`, `20 min`, `40 s`."""
    whole = round(milliseconds / 1000)
    if whole < _MINUTE:
        return f"{whole} s"
    hours, minutes = whole // _HOUR, whole % _HOUR // _MINUTE
    if hours >= _TEN * _TEN:
        return f"{hours:,} h"
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min"


def day(value: date, today: date | None = None) -> str:
    """`Tue 3 Mar`, with the year where it is another than today's."""
    year = f" {value.year}" if today is None or value.year != today.year else ""
    return f"{WEEKDAYS[value.weekday()]} {value.day} {MONTHS[value.month - 1]}{year}"


def short_day(value: date) -> str:
    """`3 Mar`."""
    return f"{value.day} {MONTHS[value.month - 1]}"


def number(value: float) -> str:
    """A rate: `0.3`, `2.5`, `14`."""
    if value >= _TEN or not value:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 0.05 else "< 0.1"  # noqa: PLR2004 - what rounds to 0.1
