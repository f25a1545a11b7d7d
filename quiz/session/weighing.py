"""A card's memory when the model's weights change: it is told again from all its answers, and its day stays. Pure.

A memory under new weights is not the old one carried on: the fit was accepted for memories told from the first answer
on. What was promised is kept all the same, so that no card moves by itself; the next answer counts from the new memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from quiz.scheduling.cards import remembered

if TYPE_CHECKING:
    from datetime import date

    from quiz.scheduling.cards import Card
    from quiz.scheduling.rating import Rating
    from quiz.scheduling.settings import Settings


class Weighing:
    """The answers of one card so far, and the weights under which its memory stands."""

    def __init__(self) -> None:
        self._answers: list[tuple[date, Rating]] = []
        self._weights: tuple[float, ...] = ()

    def under(self, card: Card | None, settings: Settings) -> Card | None:
        """Return the card with its memory under the weights of the settings."""
        if settings.weights == self._weights:
            return card
        self._weights = settings.weights
        memory = remembered(self._answers, settings)
        if card is None or memory is None:
            return card
        return structs.replace(card, stability=memory[0], difficulty=memory[1])

    def answered(self, after: Card, rating: Rating) -> None:
        """Take in an answer: the card after it, and the rating that counts."""
        self._answers.append((after.last_day, rating))
