"""Leeches: questions that are forgotten again and again, and cost more than they teach. Pure.

A question is one from `LAPSES` lapses on (a lapse: forgotten when it was due), and it is told then and at each `AGAIN`
lapses more. Nothing is suspended by itself: the learner decides, and the author sees which questions do this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from quiz.scheduling.cards import CardKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.scheduling.cards import Card

#: Lapses from which on a question is a leech.
LAPSES: Final = 8
#: It is told again at each so many lapses more.
AGAIN: Final = 4

ADVICE: Final = (
    "Forgotten {lapses} times. Asking it more often will not help: read its steps once more, write down in a note what "
    "you mix up, or suspend it for a while (m)."
)


class Leech(msgspec.Struct, frozen=True):
    """A figure for the author: how often a question was forgotten, of how many answers."""

    key: CardKey
    lapses: int
    answers: int


def is_leech(card: Card) -> bool:
    """Tell whether a card has been forgotten `LAPSES` times."""
    return card.lapses >= LAPSES


def bites(before: Card | None, after: Card) -> bool:
    """Tell whether an answer is one at which it is told: lapse number 8, 12, 16 and so on."""
    lapsed = after.lapses > (before.lapses if before else 0)
    return lapsed and is_leech(after) and (after.lapses - LAPSES) % AGAIN == 0


def leeches(cards: Mapping[CardKey, Card]) -> tuple[Leech, ...]:
    """Return the leeches among cards, the most forgotten first."""
    found = [Leech(key, card.lapses, card.reps) for key, card in cards.items() if is_leech(card)]
    return tuple(sorted(found, key=lambda leech: (-leech.lapses, leech.key)))
