"""Figures in words: percentages, times, days, and what is said where there is not enough data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.tui.heat import MONTHS, WEEKDAYS

if TYPE_CHECKING:
    from datetime import date

    from quiz.statistics.estimate import Share

_MINUTE = 60
_HOUR = 60 * _MINUTE
_TEN = 10
_NO_NEWS = 3


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


def enough(share: Share, what: str = "answers") -> str:
    """How many a share is from, or how many it would take: `n = 31`, `n = 3, from 20 answers on`."""
    return f"n = {share.n:,}" if share.share is not None else f"n = {share.n:,}; from {share.least} {what} on"


def calibrated(gap: float) -> tuple[str, str]:
    """What a gap between confidence and outcome says, and its style; within three points it is no news."""
    points = round(100 * gap)
    if abs(points) <= _NO_NEWS:
        return "Well calibrated", "$right"
    return f"{abs(points)} points too {'sure' if points > 0 else 'cautious'}", "$almost"


def missing(n: int, least: int, what: str) -> str:
    """What is said instead of a figure: how many there are, and how many it takes."""
    return f"Not enough data: {n:,} {what}, and {least} are needed."


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
