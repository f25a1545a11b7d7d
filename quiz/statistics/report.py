"""The report: every figure of the statistics, as one value. The screen draws it, and `document` is its JSON."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, Final

import msgspec

from quiz.statistics.ahead import Forecast, Ready, forecast, ready
from quiz.statistics.calibration import Calibration, calibration
from quiz.statistics.given import Sums, current
from quiz.statistics.memory import Memory, memory
from quiz.statistics.mistakes import Mistakes, mistakes
from quiz.statistics.practice import Practice, practice
from quiz.statistics.topics import Topic, topics

if TYPE_CHECKING:
    from quiz.statistics.given import Given

#: Name and version of the JSON form. The version rises where a field goes or changes its meaning.
SCHEMA: Final = "shardwise.stats"
VERSION: Final = 2


class Report(msgspec.Struct, frozen=True):
    """Every figure, on a day.

    Attributes:
        day: the learner's day.
        topic: what it is about; "" for all topics.
        since: the first day that counts for figures of the past; None for all.
        set_aside: questions with a card that the bank no longer asks; they are in no figure made from cards.
        whole: all topics as one.
        topics: in order of name.
    """

    day: date
    topic: str
    since: date | None
    set_aside: int
    whole: Topic
    topics: tuple[Topic, ...]
    memory: Memory
    calibration: Calibration
    practice: Practice
    forecast: Forecast
    ready: Ready
    mistakes: Mistakes


def report(given: Given) -> Report:
    """Return every figure. Cells and cards are gone through once."""
    sums = Sums(given.cells, given.since, given.columns, given.mistakes, given.by_day)
    cards, gone = current(given.cards, given.questions) if given.stock is None else ({}, given.stock.set_aside)
    whole, each = topics(given, sums, cards)
    return Report(
        day=given.today,
        topic=given.topic,
        since=given.since,
        set_aside=gone,
        whole=whole,
        topics=each,
        memory=memory(given, sums),
        calibration=calibration(sums),
        practice=practice(given, sums),
        forecast=forecast(given, cards, whole.reviews),
        ready=ready(given, sums, each),
        mistakes=mistakes(given, sums, cards),
    )


def document(made: Report) -> dict[str, Any]:
    """Return a report as plain JSON values: dates as texts, what is not known as null."""
    plain: dict[str, Any] = msgspec.to_builtins(made)
    return {"schema": SCHEMA, "version": VERSION, **plain}
