"""Topics: how much of each would be recalled now, and how sure that is.

Two things are told apart. What the memory model says: the mean chance of recall over the cards seen, with the
questions not yet seen beside it and never counted as known. And what was observed: of the first answers of a card's
day in this quarter of the year and the one before, the share that passed, with Wilson's interval. Where both agree
the figure can be trusted; where the model lies outside the interval, it cannot.

The model is one for all topics, so its figures rest on all reviews: first answers of a day to a card met on an earlier
day. Before there are enough of them they would tell what the model assumes, such as 100 % of what was met today.
"""

from __future__ import annotations

import math
from datetime import date
from typing import TYPE_CHECKING

import msgspec

from quiz.statistics.estimate import LEAST, Share, Z, share
from quiz.statistics.standing import MATURE_DAYS, recalls
from quiz.statistics.stock import TopicSum
from quiz.statistics.tally import quarter_of, quarter_start

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quiz.statistics.given import Given, Sums
    from quiz.statistics.standing import Standing


class Topic(msgspec.Struct, frozen=True):
    """How one topic stands; of the whole bank where `topic` is "".

    Attributes:
        questions, seen: how many there are, and how many were ever answered.
        learning, young, mature: the cards seen, by maturity.
        answers: all answers to them.
        reviews: the tests of memory of the whole history, whatever the topic.
        least: below so many reviews, or so many answers, `recall`, its bounds and `known` are None; `seconds` is below
            so many answers.
        recall: mean chance of recall today over the cards seen, 0 to 1.
        recall_low, recall_high: within two standard deviations of that mean, were the model right.
        known: the share of all questions of the topic that would be recalled today, those not seen counted as not.
        tested: first reviews in this quarter and the one before, the share that passed.
        seconds: mean time of an answer.
        target: the retention aimed at.
    """

    topic: str
    questions: int
    seen: int
    learning: int
    young: int
    mature: int
    answers: int
    reviews: int
    least: int
    recall: float | None
    recall_low: float | None
    recall_high: float | None
    known: float | None
    tested: Share
    seconds: float | None
    target: float


def topics(given: Given, sums: Sums, cards: Mapping[str, Standing]) -> tuple[Topic, tuple[Topic, ...]]:
    """Return the whole, and each topic of the bank in order of name."""
    found = _added(given, sums, cards) if given.stock is None else dict(given.stock.topics)
    reviews = sum(sums.recall.values()) if given.reviews is None else given.reviews
    each = tuple(
        _topic(topic, found[topic], given.targets.get(topic, given.target), reviews) for topic in sorted(found)
    )
    whole = TopicSum(*map(sum, zip(*found.values(), strict=True))) if found else TopicSum(*[0] * len(TopicSum._fields))
    return _topic("", whole, given.target, reviews), each


def _added(given: Given, sums: Sums, cards: Mapping[str, Standing]) -> dict[str, TopicSum]:
    """Add up the cards and the cells of the questions of each topic."""
    by_topic: dict[str, list[str]] = {}
    for question in given.questions:
        by_topic.setdefault(question.topic, []).append(question.id)
    passed, failed = ([sums.column(f"recall {one}", key) for one in quarters(given.today)] for key in ("pass", "fail"))
    spent = [sums.column("ms")]
    found: dict[str, TopicSum] = {}
    for topic, names in by_topic.items():
        seen = [cards[name] for name in names if name in cards]
        spans = [card.due_day.toordinal() - card.last_day.toordinal() for card in seen if card.state == "review"]
        mature = sum([span >= MATURE_DAYS for span in spans])
        chances = recalls(seen, given.today, given.decay)
        found[topic] = TopicSum(
            len(names),
            len(seen),
            len(seen) - len(spans),
            len(spans) - mature,
            mature,
            sum([card.reps for card in seen]),
            math.fsum(chances),
            math.fsum([p * (1 - p) for p in chances]),
            *(_over(names, columns) for columns in (passed, failed, spent)),
        )
    return found


def columns_for(today: date) -> list[tuple[str, str]]:
    """Return name and key of the cells that are needed by question, where they come as columns."""
    return [("ms", ""), *((f"recall {quarter}", key) for quarter in quarters(today) for key in ("pass", "fail"))]


def _over(names: Sequence[str], columns: Sequence[Mapping[str, int]]) -> int:
    """Add up the counts of some questions."""
    return sum(sum([column[name] for name in names if name in column]) for column in columns)


def quarters(today: date) -> tuple[str, ...]:
    """Return the quarter of the year before that of a day, and that one; the first quarter of all has none before."""
    this = quarter_start(today)
    before = date.fromordinal(max(1, this.toordinal() - 1))
    return tuple(dict.fromkeys((quarter_of(before), quarter_of(this))))


def _topic(topic: str, total: TopicSum, target: float, reviews: int) -> Topic:
    enough = min(reviews, total.answers) >= LEAST and total.seen > 0
    mean = total.chance / total.seen if enough else None
    half = Z * math.sqrt(total.variance) / total.seen if enough else 0.0
    return Topic(
        topic=topic,
        questions=total.questions,
        seen=total.seen,
        learning=total.learning,
        young=total.young,
        mature=total.mature,
        answers=total.answers,
        reviews=reviews,
        least=LEAST,
        recall=mean,
        recall_low=None if mean is None else max(0.0, mean - half),
        recall_high=None if mean is None else min(1.0, mean + half),
        known=total.chance / total.questions if enough else None,
        tested=share(total.passed, total.passed + total.failed),
        seconds=total.spent / total.answers / 1000 if total.answers >= LEAST else None,
        target=target,
    )
