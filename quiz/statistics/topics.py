"""Topics: how much of each would be recalled now, and how sure that is.

Two things are told apart. What the memory model says: the mean chance of recall over the cards seen, with the
questions not yet seen beside it and never counted as known. And what was observed: of the first answers of a card's
day in this quarter of the year and the one before, the share that passed, with Wilson's interval. Where both agree
the figure can be trusted; where the model lies outside the interval, it cannot.
"""

from __future__ import annotations

import math
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.statistics.estimate import Share, Z, share
from quiz.statistics.standing import maturity, recall
from quiz.statistics.tally import quarter_of, quarter_start

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from quiz.statistics.given import Asked, Given, Sums
    from quiz.statistics.standing import Standing

#: Fewest answers in a topic for a figure of recall from the model.
LEAST: Final = 5
#: Fewest first reviews in the two quarters for a share that passed.
LEAST_TESTED: Final = 10


class Topic(msgspec.Struct, frozen=True):
    """How one topic stands; of the whole bank where `topic` is "".

    Attributes:
        questions, seen: how many there are, and how many were ever answered.
        learning, young, mature: the cards seen, by maturity.
        answers: all answers to them.
        least: below so many answers the figures of recall are None.
        recall: mean chance of recall today over the cards seen, 0 to 1.
        recall_low, recall_high: within two standard deviations of that mean, were the model right.
        known: the share of all questions of the topic that would be recalled today, those not seen counted as not.
        tested: first reviews in this quarter and the one before, the share that passed.
        seconds: mean time of an answer, None below `least` answers.
        target: the retention aimed at.
    """

    topic: str
    questions: int
    seen: int
    learning: int
    young: int
    mature: int
    answers: int
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
    tested = recently(given.today, sums)
    by_topic: dict[str, list[Asked]] = {}
    for question in given.questions:
        by_topic.setdefault(question.topic, []).append(question)
    each = tuple(
        _topic(topic, by_topic[topic], given, sums, cards, tested, given.targets.get(topic, given.target))
        for topic in sorted(by_topic)
    )
    return _topic("", given.questions, given, sums, cards, tested, given.target), each


def recently(today: date, sums: Sums) -> dict[str, tuple[int, int]]:
    """Return by question how many first reviews passed and failed, in this quarter of the year and the one before."""
    this = quarter_start(today)
    quarters = {quarter_of(this)}
    if this.toordinal() > 1:
        quarters.add(quarter_of(this - timedelta(days=1)))
    found: dict[str, tuple[int, int]] = {}
    for (quarter, question, outcome), count in sums.tested.items():
        if quarter in quarters:
            passed, failed = found.get(question, (0, 0))
            found[question] = (passed + count, failed) if outcome == "pass" else (passed, failed + count)
    return found


def _topic(
    topic: str,
    questions: list[Asked] | tuple[Asked, ...],
    given: Given,
    sums: Sums,
    cards: Mapping[str, Standing],
    tested: Mapping[str, tuple[int, int]],
    target: float,
) -> Topic:
    seen = [cards[question.id] for question in questions if question.id in cards]
    grown = [maturity(card.state, card.last_day, card.due_day) for card in seen]
    answers = sum(card.reps for card in seen)
    chances = [recall(card, given.today, given.decay) for card in seen] if answers >= LEAST else []
    total = sum(chances)
    mean = total / len(chances) if chances else None
    spread = Z * math.sqrt(sum(p * (1 - p) for p in chances)) / len(chances) if chances else 0.0
    results = [tested[question.id] for question in questions if question.id in tested]
    passed = sum(one for one, _ in results)
    spent = sum(sums.spent[question.id] for question in questions)
    return Topic(
        topic=topic,
        questions=len(questions),
        seen=len(seen),
        learning=grown.count("learning"),
        young=grown.count("young"),
        mature=grown.count("mature"),
        answers=answers,
        least=LEAST,
        recall=mean,
        recall_low=None if mean is None else max(0.0, mean - spread),
        recall_high=None if mean is None else min(1.0, mean + spread),
        known=total / len(questions) if chances else None,
        tested=share(passed, passed + sum(failed for _, failed in results), least=LEAST_TESTED),
        seconds=spent / answers / 1000 if answers >= LEAST else None,
        target=target,
    )
