"""What the figures need of a card, without the rest of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from quiz.scheduling.cards import Card, CardKey

Maturity = Literal["learning", "young", "mature"]

#: The decay of the default forgetting curve (FSRS-6, weight 20).
DECAY: Final = 0.1542

#: A card whose interval is at least so many days is mature (Anki's bound).
MATURE_DAYS: Final = 21


class Standing(NamedTuple):
    """A card as the figures see it: days are the learner's, `state` is the scheduler's."""

    question: str
    generation: int
    stability: float
    last_day: date
    due_day: date
    state: str
    lapses: int
    reps: int

    @classmethod
    def of(cls, key: CardKey, card: Card) -> Standing:
        """Return the standing of a card."""
        return cls(
            key.question,
            key.generation,
            card.stability,
            card.last_day,
            card.due_day,
            card.state,
            card.lapses,
            card.reps,
        )


def maturity(state: str, last_day: date, due_day: date) -> Maturity:
    """Tell how far a card has come, by its state and the interval it was given."""
    if state != "review":
        return "learning"
    return "mature" if due_day.toordinal() - last_day.toordinal() >= MATURE_DAYS else "young"


def recall(card: Standing, today: date, decay: float = DECAY) -> float:
    """Return the chance that a card is recalled on a day, 0 to 1, by the forgetting curve of FSRS-6."""
    return recalls((card,), today, decay)[0]


def recalls(cards: Iterable[Standing], today: date, decay: float = DECAY) -> list[float]:
    """Return `recall` of many cards."""
    factor: float = 0.9 ** (-1 / decay) - 1
    day = today.toordinal()
    elapsed = ((card.stability, day - card.last_day.toordinal()) for card in cards)
    return [(1 + factor * days / stability) ** -decay if days > 0 else 1.0 for stability, days in elapsed]
