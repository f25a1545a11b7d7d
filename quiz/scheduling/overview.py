"""How things stand, for the home screen: what is due, what is new, how each topic goes. Pure."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import msgspec

from quiz.scheduling.cards import Card, CardKey
from quiz.scheduling.queue import NOTHING_DONE, DoneToday, Entry

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from quiz.scheduling.calendar import Moment
    from quiz.scheduling.rating import Verdict
    from quiz.scheduling.settings import Settings


class TopicStanding(msgspec.Struct, frozen=True):
    """How one topic stands.

    Attributes:
        questions, seen: how many there are, and how many were ever answered.
        due, new: due now, and not yet seen.
        attempts, right: of the recent attempts on this topic, how many, and how many correct.
    """

    topic: str
    questions: int
    seen: int
    due: int
    new: int
    attempts: int
    right: int


class Overview(msgspec.Struct, frozen=True):
    """What the home screen says.

    Attributes:
        due: cards that can be answered now, within today's limit of reviews.
        later: learning cards that come due later today.
        new: new questions that today's limit still allows.
        unseen: new questions without regard to the limit.
        done: what was done today.
        next_due: the next day on which a card comes due, where none is due now.
        next_card: the card that comes due then, the first of them.
        topics: in order of name.
    """

    due: int
    later: int
    new: int
    unseen: int
    done: DoneToday
    next_due: date | None
    topics: tuple[TopicStanding, ...]
    next_card: Card | None = None


def summary(
    entries: Iterable[Entry],
    cards: Mapping[CardKey, Card],
    recent: Iterable[tuple[CardKey, Verdict]],
    at: Moment,
    *,
    settings: Settings,
    done: DoneToday = NOTHING_DONE,
    known: Collection[tuple[str, str, int]] | None = None,
) -> Overview:
    """Return how things stand.

    Args:
        entries: the questions that exist; cards and attempts of others are left out.
        cards: the cards that are due, and those that come next; others change nothing.
        recent: card and verdict of the recent attempts, in any order.
        at: the instant, and the learner's day of it.
        settings: the limits per day.
        done: what today's limits have used up.
        known: the keys of all cards; by default those of `cards`.
    """
    known = cards if known is None else known
    by_topic: dict[str, list[Entry]] = {}
    topic_of: dict[CardKey, str] = {}
    for entry in entries:
        by_topic.setdefault(entry.topic, []).append(entry)
        topic_of[entry.key] = entry.topic
    verdicts: dict[str, list[Verdict]] = {}
    for key, verdict in recent:
        if key in topic_of:
            verdicts.setdefault(topic_of[key], []).append(verdict)
    mine = {key: card for key, card in cards.items() if key in topic_of}
    due_keys = {key for key, card in mine.items() if card.is_due(at.now, at.day)}
    due = [mine[key] for key in due_keys]
    reviews = sum(not card.is_learning for card in due)
    allowed = min(reviews, max(0, settings.reviews_per_day - done.reviews))
    unseen = sum(key not in known for key in topic_of)
    waiting = [card for key, card in mine.items() if key not in due_keys]
    return Overview(
        due=len(due) - reviews + allowed,
        later=sum(card.is_learning and card.due_day <= at.day for card in waiting),
        new=min(unseen, max(0, settings.new_per_day - done.new)),
        unseen=unseen,
        done=done,
        next_due=min((card.due_day for card in waiting), default=None),
        topics=tuple(
            _standing(topic, by_topic[topic], due_keys, known, verdicts.get(topic, ())) for topic in sorted(by_topic)
        ),
        next_card=min(waiting, key=lambda card: (card.due_day, card.due), default=None),
    )


def _standing(
    topic: str,
    entries: Sequence[Entry],
    due: Collection[CardKey],
    known: Collection[tuple[str, str, int]],
    verdicts: Sequence[Verdict],
) -> TopicStanding:
    seen = sum(entry.key in known for entry in entries)
    return TopicStanding(
        topic=topic,
        questions=len(entries),
        seen=seen,
        due=sum(entry.key in due for entry in entries),
        new=len(entries) - seen,
        attempts=len(verdicts),
        right=sum(verdict == "correct" for verdict in verdicts),
    )
