"""The cards of a session: some at hand, the others read when their turn comes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Final

from quiz.scheduling.cards import Card, CardKey

if TYPE_CHECKING:
    from datetime import date

#: How cards are read; those that there are not are left out.
Read = Callable[[Iterable[CardKey]], Mapping[CardKey, Card]]

#: So many are read at once: one after the other takes twice as long.
_TOGETHER: Final = 8


class Deck(Mapping[CardKey, Card]):
    """Cards by key. Two of them are equal where their cards are.

    Args:
        held: cards at hand.
        waiting: keys of the others in the order in which they are wanted, with the day on which each was due when the
            session began.
        read: reads those that are wanted next when one of them is asked for; what it raises goes to whoever asks.
    """

    __slots__ = ("_gone", "_held", "_read", "_waiting")

    def __init__(
        self, held: Mapping[CardKey, Card], waiting: Mapping[CardKey, date] | None = None, read: Read | None = None
    ) -> None:
        self._held = dict(held)
        self._waiting = {} if waiting is None else waiting
        self._read = read
        self._gone: set[CardKey] = set()

    @classmethod
    def of(cls, cards: Mapping[CardKey, Card]) -> Deck:
        """Return any cards as a deck."""
        return cards if isinstance(cards, Deck) else cls(cards)

    def __getitem__(self, key: CardKey) -> Card:
        card = self._held.get(key)
        if card is not None:
            return card
        if self._read is None or key in self._gone or key not in self._waiting:
            raise KeyError(key)
        wanted = (one for one in self._waiting if one != key and one not in self._held and one not in self._gone)
        keys = [key, *islice(wanted, _TOGETHER - 1)]
        found = self._read(keys)
        self._held.update(found)
        self._gone.update(one for one in keys if one not in found)
        return self._held[key]

    def __contains__(self, key: object) -> bool:
        return key in self._held or (key in self._waiting and key not in self._gone)

    def __iter__(self) -> Iterator[CardKey]:
        """Go through the keys of all cards, which reads them all: whether one that waits is there shows only then."""
        for key in self._waiting:
            self.get(key)
        return iter(tuple(self._held))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def has_moved(self, key: CardKey) -> bool:
        """Tell whether a card that waited is due on another day than was said."""
        day = self._waiting.get(key)
        if day is None:
            return False
        card = self.get(key)
        return card is not None and card.due_day != day

    def with_(self, key: CardKey, card: Card) -> Deck:
        """Return the deck with a card as it stands now."""
        return self._changed({**self._held, key: card}, self._waiting)

    def without(self, key: CardKey) -> Deck:
        """Return the deck without a card."""
        held = {other: card for other, card in self._held.items() if other != key}
        return self._changed(held, {other: day for other, day in self._waiting.items() if other != key})

    def anew(self, keys: Collection[CardKey], cards: Mapping[CardKey, Card]) -> Deck:
        """Return the deck with some cards as they were read just now; a key without one has none any more."""
        old = frozenset(keys)
        held = {key: card for key, card in self._held.items() if key not in old}
        held.update((key, cards[key]) for key in keys if key in cards)
        return self._changed(held, {key: day for key, day in self._waiting.items() if key not in old})

    def _changed(self, held: dict[CardKey, Card], waiting: Mapping[CardKey, date]) -> Deck:
        made = Deck(held, waiting, self._read)
        made._gone = self._gone - held.keys() if self._gone else set()
        return made
