"""The cards of a session: some at hand, the others read when it is their turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from quiz.scheduling.cards import Card, CardKey

if TYPE_CHECKING:
    from datetime import date

#: How a card is read; None where there is none.
Read = Callable[[CardKey], Card | None]


class Deck(Mapping[CardKey, Card]):
    """Cards by key. Two of them are equal where their cards are.

    Args:
        held: cards at hand.
        waiting: keys of the others, with the day on which each was due when the session began.
        read: reads one of those when it is first asked for; what it raises goes to whoever asks.
    """

    __slots__ = ("_held", "_read", "_waiting")

    def __init__(
        self, held: Mapping[CardKey, Card], waiting: Mapping[CardKey, date] | None = None, read: Read | None = None
    ) -> None:
        self._held = dict(held)
        self._waiting = {} if waiting is None else waiting
        self._read = read

    @classmethod
    def of(cls, cards: Mapping[CardKey, Card]) -> Deck:
        """Return any cards as a deck."""
        return cards if isinstance(cards, Deck) else cls(cards)

    def __getitem__(self, key: CardKey) -> Card:
        card = self._held.get(key)
        if card is not None:
            return card
        found = self._read(key) if self._read is not None and key in self._waiting else None
        if found is None:
            raise KeyError(key)
        self._held[key] = found
        return found

    def __contains__(self, key: object) -> bool:
        return key in self._held or key in self._waiting

    def __iter__(self) -> Iterator[CardKey]:
        yield from self._held
        yield from (key for key in self._waiting if key not in self._held)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def has_moved(self, key: CardKey) -> bool:
        """Tell whether a card that waited is due on another day by now: it was answered elsewhere."""
        day = self._waiting.get(key)
        if day is None:
            return False
        card = self.get(key)
        return card is not None and card.due_day != day

    def with_(self, key: CardKey, card: Card) -> Deck:
        """Return the deck with a card as it stands now."""
        return Deck({**self._held, key: card}, self._waiting, self._read)

    def without(self, key: CardKey) -> Deck:
        """Return the deck without a card."""
        held = {other: card for other, card in self._held.items() if other != key}
        return Deck(held, {other: day for other, day in self._waiting.items() if other != key}, self._read)
