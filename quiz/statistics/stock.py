"""The cards, added up: what the figures need of them, whoever does the sum."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from quiz.statistics.standing import Standing


class TopicSum(NamedTuple):
    """What is added up over the questions of a topic; of several topics it adds up again.

    Attributes:
        questions, seen: how many there are, and how many have a card.
        learning, young, mature: the cards, by maturity.
        answers: all answers to them.
        chance, variance: the sums of the chance p of recall today, and of p (1 - p).
        passed, failed: first reviews of a day in this quarter of the year and the one before.
        spent: milliseconds.
    """

    questions: int
    seen: int
    learning: int
    young: int
    mature: int
    answers: int
    chance: float
    variance: float
    passed: int
    failed: int
    spent: int


@dataclass(frozen=True, slots=True)
class Stock:
    """The cards of a bank's questions; of a question that was reset, the card of its own generation.

    Attributes:
        topics: by topic.
        due: how many come due on each day, without those that rest.
        load: over the cards that do not rest, the sum of one by the interval in days, at most one a card.
        resting: cards of questions that are suspended or buried.
        set_aside: questions with cards that the bank no longer asks; they are in no other figure.
        leeches: cards that were forgotten again and again.
    """

    topics: Mapping[str, TopicSum] = field(default_factory=dict)
    due: Counter[date] = field(default_factory=Counter)
    load: float = 0.0
    resting: int = 0
    set_aside: int = 0
    leeches: tuple[Standing, ...] = ()
