"""Which question of a session is asked next, when what comes back has come between. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.scheduling.queue import follows, siblings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quiz.scheduling.cards import CardKey
    from quiz.scheduling.queue import Entry, Item

#: How many questions of the queue are looked at for the next one.
LOOK_AHEAD: Final = 8


def kin(entries: Mapping[CardKey, Entry], one: CardKey | None, other: CardKey) -> bool:
    """Tell whether two questions are siblings, which do not follow on each other where another can stand between."""
    first, second = entries.get(one) if one else None, entries.get(other)
    return first is not None and second is not None and siblings(first, second)


def place(queue: Sequence[Item], entries: Mapping[CardKey, Entry], last: CardKey | None) -> int | None:
    """Return the place in the queue of the question that is asked next; None where it is empty.

    The queue was put in order without what comes back, so the question before may be another than it was made for. The
    first of the next few that is no sibling of it is taken, unless it comes after one that would be passed over.
    """
    for number, item in enumerate(queue[:LOOK_AHEAD]):
        if kin(entries, last, item.key):
            continue
        if not number:
            return 0
        entry = entries.get(item.key)
        passed = [entries[one.key] for one in queue[:number] if one.key in entries]
        if entry is None or not any(follows(entry, before) for before in passed):
            return number
    return 0 if queue else None
