"""Mistakes: the slips made most, the red flags missed, and the questions that will not stick."""

from __future__ import annotations

import heapq
from collections import Counter
from datetime import date
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.scheduling.leeches import LAPSES
from quiz.statistics.tally import quarter_start

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quiz.statistics.given import Given, Made, Sums
    from quiz.statistics.standing import Standing

#: The kind of question that puts a statement before the learner, to be seen through.
CLAIM: Final = "claim"
#: What all slips of this kind are called together: a formula that is one edit off. Their own ids are numbers.
EDIT: Final = "edit"
#: So many of the questions in which a mistake was made are named, those with most of it.
MOST: Final = 20


class Count(msgspec.Struct, frozen=True):
    """How often, of what: a question, or an option."""

    id: str
    count: int


class Slip(msgspec.Struct, frozen=True):
    """A recognised mistake: how often it was made, in which questions, and what the bank says to it ("" unknown)."""

    id: str
    count: int
    questions: tuple[Count, ...]
    says: str = ""


class Missed(msgspec.Struct, frozen=True):
    """A claim that was let pass: its question, how often, with which options, and what to say instead."""

    question: str
    topic: str
    title: str
    count: int
    options: tuple[Count, ...]
    flag: str = ""
    instead: str = ""


class Leech(msgspec.Struct, frozen=True):
    """A question that was forgotten again and again."""

    question: str
    topic: str
    title: str
    lapses: int
    answers: int


class Mistakes(msgspec.Struct, frozen=True):
    """Mistakes, the most frequent first. `since` is the first day that is counted: mistakes are kept by quarter."""

    since: date | None
    slips: tuple[Slip, ...]
    flags: tuple[Missed, ...]
    leeches: tuple[Leech, ...]
    leech_from: int


def mistakes(given: Given, sums: Sums, cards: Mapping[str, Standing]) -> Mistakes:
    """Return the mistakes; those in questions that the bank no longer holds count for slips alone."""
    forgotten = [card for card in _held(given, cards) if card.lapses >= LAPSES]
    named = {card.question for card in forgotten}
    asked = {one.id: one for one in given.questions if one.kind == CLAIM or one.id in named}
    by_slip: dict[str, Made] = {}
    for slip, made in sums.mistakes("slip").items():
        name = EDIT if slip.startswith(f"{EDIT}-") else slip
        by_slip[name] = made.with_(by_slip[name]) if name in by_slip else made
    by_question: dict[str, Counter[str]] = {}
    for option, made in sums.mistakes("chose").items():
        for question, count in made.questions.items():
            if question in asked and asked[question].kind == CLAIM:
                by_question.setdefault(question, Counter())[option] += count
    slips = [Slip(slip, made.times, _counts(made.questions)) for slip, made in by_slip.items()]
    flags = [
        Missed(question, asked[question].topic, asked[question].title, options.total(), _counts(options))
        for question, options in by_question.items()
    ]
    leeches = [
        Leech(card.question, asked[card.question].topic, asked[card.question].title, card.lapses, card.reps)
        for card in forgotten
    ]
    return Mistakes(
        since=quarter_start(given.since) if given.since else None,
        slips=tuple(sorted(slips, key=lambda one: (-one.count, one.id))),
        flags=tuple(sorted(flags, key=lambda one: (-one.count, one.question))),
        leeches=tuple(sorted(leeches, key=lambda one: (-one.lapses, one.question))),
        leech_from=LAPSES,
    )


def _held(given: Given, cards: Mapping[str, Standing]) -> Iterable[Standing]:
    return cards.values() if given.stock is None else given.stock.leeches


def _counts(found: Mapping[str, int]) -> tuple[Count, ...]:
    least = min(heapq.nlargest(MOST, found.values()), default=0)
    most = sorted((-count, name) for name, count in found.items() if count >= least)
    return tuple(Count(name, -count) for count, name in most[:MOST])
