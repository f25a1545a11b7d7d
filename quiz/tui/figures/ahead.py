"""The section on what is ahead: what comes due on which day, and when each topic is ready."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.nouns import count
from quiz.tui import words
from quiz.tui.figures import spelled
from quiz.tui.lines import BLANK, Lines, cut, heading, join, text, wrap
from quiz.tui.plots import Bar, column, level_bar, note, upright

if TYPE_CHECKING:
    from quiz.statistics.ahead import Forecast, Ready, TopicReady
    from quiz.tui.figures import Drawn

_NAME: Final = 18
_WIDE: Final = 62


def lay(drawn: Drawn, width: int) -> Lines:
    """The forecast by day, then the topics by the day on which they are ready."""
    return [*_forecast(drawn, width), BLANK, *_ready(drawn, width)]


def _forecast(drawn: Drawn, width: int) -> Lines:
    forecast = drawn.report.forecast
    lines = heading("Cards due by day", width)
    if not any(day.due for day in forecast.days) and not forecast.overdue and not forecast.later:
        return [*lines, *wrap(note("Nothing has been learned yet, so nothing comes due."), width)]
    overdue = join((f"{forecast.overdue:,} overdue", "$wrong bold")) if forecast.overdue else text("none overdue")
    lines += wrap(
        join(
            overdue,
            " · ",
            (f"{forecast.days[0].due:,}", "bold"),
            " today · ",
            *(join((f"{day.due:,}", "bold"), " tomorrow · ") for day in forecast.days[1:2]),
            (f"{forecast.week:,}", "bold"),
            " in 7 days · ",
            (f"{sum(day.due for day in forecast.days):,}", "bold"),
            f" in {len(forecast.days)}",
        ),
        width,
    )
    if any(day.due for day in forecast.days):
        lines += due(drawn, width)
    resting = f" {words.count(forecast.resting, 'card')} suspended or buried." if forecast.resting else ""
    return lines + wrap(
        note(
            f"Were nothing new begun and nothing forgotten; dates are Mondays. {forecast.later:,} later.{resting} "
            f"{_long_run(forecast)}"
        ),
        width,
    )


def _long_run(forecast: Forecast) -> str:
    if forecast.load is None:
        told = spelled.so_far(forecast.reviews, forecast.least, "review")
        return f"How many a day in the long run: not enough data yet, {told}."
    return f"In the long run {spelled.number(forecast.load)} a day (n = {count(forecast.reviews, 'review')})."


def due(drawn: Drawn, width: int) -> Lines:
    """The days ahead as bars, today's in another colour and named."""
    today = drawn.report.day
    bars = [
        Bar(
            day.due,
            "$accent" if day.day == today else "$term-weights",
            "today" if day.day == today else spelled.short_day(day.day) if day.day.weekday() == 0 else "",
        )
        for day in drawn.report.forecast.days
    ]
    return upright(bars, min(width, 100), 9 if drawn.tall else 6)


def _ready(drawn: Drawn, width: int) -> Lines:
    ready, today = drawn.report.ready, drawn.report.day
    lines = heading("Ready by", width)
    lines += wrap(text(_pace(ready)), width)
    if ready.interview is not None:
        lines += wrap(text(_interview(drawn)), width)
    most = max((topic.unseen for topic in ready.topics), default=0)
    if width >= _WIDE:
        lines.append(
            cut(
                join((f"{'':<{_NAME}}{'not yet seen':<{_bar(width) + 5}}{'at your pace':<16}at the limit", "$quiet")),
                width,
            )
        )
    ordered = sorted(ready.topics, key=lambda topic: (topic.unseen, topic.topic))
    done = [topic for topic in ordered if topic.own == today or (topic.own is None and topic.limit == today)]
    for topic in ordered:
        if topic not in done:
            lines += _row(drawn, topic, most, width)
    if done:
        names = ", ".join(words.topic(topic.topic) for topic in done)
        lines += wrap(join(("Ready now: ", "$right bold"), names), width)
    lines += _not_known(ready, width)
    return lines + wrap(
        note(
            "A topic is ready when every question of it has been seen and its mean chance of recall is at its target. "
            "New questions come from the topics in turn; reviews are taken as kept up."
        ),
        width,
    )


def _not_known(ready: Ready, width: int) -> Lines:
    """What it still takes until topics that have been seen as a whole have a day."""
    open_ = [topic for topic in ready.topics if not topic.unseen and topic.limit is None]
    if not open_:
        return []
    least = open_[0].least
    return wrap(
        note(
            f"Where all has been seen, a day takes {count(least, 'answer')} in the topic and "
            f"{count(least, 'review')} in all: not enough data yet."
        ),
        width,
    )


def _bar(width: int) -> int:
    return max(8, min(40, width - _NAME - 40))


def _row(drawn: Drawn, topic: TopicReady, most: int, width: int) -> Lines:
    today = drawn.report.day
    own = spelled.day(topic.own, today) if topic.own else "–"
    limit = spelled.day(topic.limit, today) if topic.limit else "never" if topic.never else "–"
    name = words.topic(topic.topic)
    left = f"{topic.unseen}" if topic.unseen else "0"
    if width >= _WIDE:
        bar = level_bar(topic.unseen, most, _bar(width), "$term-gradients")
        return [cut(join(column(name, _NAME), bar, (f"{left:>3}  ", "$quiet"), f"{own:<16}", (limit, "$quiet")), width)]
    return [
        cut(join((name, "bold"), (f"  {left} not yet seen", "$quiet")), width),
        cut(join(("  yours ", "$quiet"), own, ("  limit ", "$quiet"), limit), width),
    ]


def _pace(ready: Ready) -> str:
    if not any(topic.unseen for topic in ready.topics):
        return "Every question has been seen."
    limit = f"The limit is {ready.limit} new a day."
    if ready.pace is None:
        return (
            f"Your pace: not enough data yet, {spelled.pace_missing(ready)} to go "
            f"({words.count(ready.pace_n, 'new question')} in {words.count(ready.pace_days, 'day')}). {limit}"
        )
    return (
        f"Your pace: {spelled.number(ready.pace)} new questions a day "
        f"({ready.pace_n} in the last {ready.pace_days} days). {limit}"
    )


def _interview(drawn: Drawn) -> str:
    ready, today = drawn.report.ready, drawn.report.day
    if ready.interview is None:
        return ""
    left = (ready.interview - today).days
    when = spelled.day(ready.interview, today)
    if left < 0:
        return f"The interview was on {when}."
    if not left:
        return "The interview is today. Good luck!"
    in_time = sum(1 for topic in ready.topics if topic.own is not None and topic.own < ready.interview)
    said = f"Interview on {when}, in {words.count(left, 'day')}: "
    if ready.pace is not None:
        said += f"{in_time} of {words.count(len(ready.topics), 'topic')} ready by then at your pace; "
    return said + (f"{spelled.number(ready.needed)} new a day see all of them." if ready.needed else "all are seen.")
