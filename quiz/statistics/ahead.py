"""Ahead: what comes due on which day, and when each topic is ready at the pace of new questions."""

from __future__ import annotations

import math
from collections import Counter
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.scheduling.calendar import add_days
from quiz.statistics.estimate import LEAST
from quiz.statistics.stock import Stock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.statistics.given import Given, Sums
    from quiz.statistics.standing import Standing
    from quiz.statistics.topics import Topic

#: Days that the forecast covers, today included.
DAYS: Final = 30
#: Days over which the pace of new questions is taken.
PACE_DAYS: Final = 28
#: The pace is the learner's own from so many days after the first answer on, and from so many new questions on.
LEAST_DAYS: Final = 7
LEAST_NEW: Final = 5


class Due(msgspec.Struct, frozen=True):
    """How many cards come due on a day."""

    day: date
    due: int


class Forecast(msgspec.Struct, frozen=True):
    """Reviews to come, were no new question begun and none forgotten.

    Attributes:
        overdue: cards whose day has passed.
        days: today and the 29 days after it; overdue cards are not among them.
        later: cards due after these days.
        resting: cards that are suspended or buried, counted nowhere else.
        load: reviews a day in the long run: the sum over the cards of one by the interval, at most one a card. None
            below `least` reviews (those of `Topic`): the first intervals are short, whatever will be remembered.
        reviews, least: how many there are, and how many it takes.
    """

    overdue: int
    days: tuple[Due, ...]
    later: int
    resting: int
    load: float | None
    reviews: int
    least: int

    @property
    def week(self) -> int:
        """How many come due today and on the six days after it."""
        return sum(day.due for day in self.days[:7])


class TopicReady(msgspec.Struct, frozen=True):
    """When a topic is ready: every question of it seen, and the mean chance of recall at its target.

    `own` is the day at the learner's own pace, `limit` the day at the limit of new questions a day. Today stands for
    ready now; None says that the pace never gets there or, of a topic with nothing unseen, that its recall is not
    known: there are fewer than `least` answers to it, or reviews of all topics. `never` tells the two apart for the
    limit: something is unseen, and the limit is none a day.
    """

    topic: str
    unseen: int
    target: float
    recall: float | None
    answers: int
    reviews: int
    least: int
    own: date | None
    limit: date | None
    never: bool


class Ready(msgspec.Struct, frozen=True):
    """The projection to readiness.

    Attributes:
        pace: new questions a day over the last 28 days, rest days included; None where there is not enough data.
        pace_n, pace_days: new questions within them, and how many days that is.
        limit: new questions a day that the settings allow.
        topics: in order of name.
        all_own, all_limit: the days on which the last topic is ready.
        interview: the day to be ready by; None without one.
        needed: new questions a day that it takes to have seen all by the day before it; None without one, or past it.
    """

    pace: float | None
    pace_n: int
    pace_days: int
    least_n: int
    least_days: int
    limit: int
    topics: tuple[TopicReady, ...]
    all_own: date | None
    all_limit: date | None
    interview: date | None
    needed: float | None


def forecast(given: Given, cards: Mapping[str, Standing], reviews: int) -> Forecast:
    """Return what comes due, from the cards as they stand; `reviews` are those that they rest on."""
    stock = given.stock or _stock(given, cards)
    days = dict.fromkeys(add_days(given.today, number) for number in range(DAYS))
    return Forecast(
        overdue=sum(count for day, count in stock.due.items() if day < given.today),
        days=tuple(Due(day, stock.due[day]) for day in days),
        later=sum(count for day, count in stock.due.items() if day > max(days)),
        resting=stock.resting,
        load=stock.load if reviews >= LEAST else None,
        reviews=reviews,
        least=LEAST,
    )


def _stock(given: Given, cards: Mapping[str, Standing]) -> Stock:
    awake = [card for card in cards.values() if card.question not in given.resting]
    intervals = Counter([card.due_day.toordinal() - card.last_day.toordinal() for card in awake])
    return Stock(
        due=Counter([card.due_day for card in awake]),
        load=sum(count / max(1, days) for days, count in sorted(intervals.items())),
        resting=len(cards) - len(awake),
    )


def ready(given: Given, sums: Sums, topics: tuple[Topic, ...]) -> Ready:
    """Return when each topic is ready.

    New questions come from the topics in turn, as the queue mixes them: a topic with few unseen questions is done while
    those with more go on. With reviews kept up, the schedule holds what was seen at its target, so that the day of the
    last unseen question decides. The pace is that of the last 28 days, or of the days since the first answer.
    """
    first = min((day for day, count in sums.answers.items() if count > 0), default=None)
    days = min(PACE_DAYS, (given.today - first).days + 1) if first and first <= given.today else 0
    begun = given.today - timedelta(days=min(days - 1, given.today.toordinal() - 1)) if days else given.today
    new = sum(count for day, count in sums.new.items() if begun <= day <= given.today) if days else 0
    enough = days >= LEAST_DAYS and (new >= LEAST_NEW or not new)
    pace = new / days if days and enough else None
    unseen = [topic.questions - topic.seen for topic in topics]

    def when(topic: Topic, speed: float) -> date | None:
        left = topic.questions - topic.seen
        if left:
            before = sum(min(left, other) for other in unseen)
            return add_days(given.today, math.ceil(before / speed)) if speed else None
        if topic.recall is None:
            return None
        # All seen: ready today, or tomorrow, when what is due has been reviewed.
        return given.today if topic.recall >= topic.target else add_days(given.today, 1)

    each = tuple(
        TopicReady(
            topic.topic,
            topic.questions - topic.seen,
            topic.target,
            topic.recall,
            topic.answers,
            topic.reviews,
            topic.least,
            None if pace is None else when(topic, pace),
            when(topic, given.new_per_day),
            never=topic.questions > topic.seen and not given.new_per_day,
        )
        for topic in topics
    )
    return Ready(
        pace=pace,
        pace_n=new,
        pace_days=days,
        least_n=LEAST_NEW,
        least_days=LEAST_DAYS,
        limit=given.new_per_day,
        topics=each,
        all_own=_last([one.own for one in each]),
        all_limit=_last([one.limit for one in each]),
        interview=given.interview,
        needed=_needed(given, sum(unseen)),
    )


def _last(days: list[date | None]) -> date | None:
    known = [day for day in days if day is not None]
    return max(known) if known and len(known) == len(days) else None


def _needed(given: Given, unseen: int) -> float | None:
    if given.interview is None or given.interview <= given.today:
        return None
    return unseen / (given.interview - given.today).days
