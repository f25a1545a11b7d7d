"""An order of questions, mended: siblings that still follow on each other are put apart where there is a way. Pure."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from quiz.scheduling.cards import CardKey
    from quiz.scheduling.queue import Entry

#: Of at most so many pairs a way is looked for, each among so many questions before and behind it.
_PAIRS: Final = 16
_NEAR: Final = 24
#: Of so few, any one may be moved to part a pair.
_FEW: Final = 12


def apart(
    order: Sequence[Entry],
    last: Entry | None,
    meet: Callable[[Entry, Entry], bool],
    earlier: Mapping[CardKey, set[CardKey]],
) -> list[Entry]:
    """Return the order with fewer siblings that follow on each other, where one can be moved or a part turned round.

    Whoever chose from the first to the last place may have left siblings for the end. Of the ways that part most of
    them the one with the fewest repetitions of a topic is taken.

    Args:
        order: as it was chosen.
        last: what stands before it.
        meet: tells whether two are siblings.
        earlier: those that come before each.
    """
    found = list(order)
    tries = _PAIRS
    for place in range(len(found)):
        before = found[place - 1] if place else last
        if not tries or before is None or not meet(before, found[place]):
            continue
        tries -= 1
        low, high = max(0, place - _NEAR), place + _NEAR
        part = found[low:high]
        ends = (found[low - 1] if low else last, found[high] if high < len(found) else None)
        allowed = (one for one in _others(part, place - low) if _in_order(one, earlier))
        best = min(allowed, key=lambda one: _weight(one, ends, meet), default=part)
        if _weight(best, ends, meet)[0] < _weight(part, ends, meet)[0]:
            found[low:high] = best
    return found


def _weight(
    part: Sequence[Entry], ends: tuple[Entry | None, Entry | None], meet: Callable[[Entry, Entry], bool]
) -> tuple[int, int]:
    """Return how many siblings follow on each other, and how many of the same topic do."""
    row = [one for one in (ends[0], *part, ends[1]) if one is not None]
    pairs = list(pairwise(row))
    return sum(meet(*pair) for pair in pairs), sum(one.topic == other.topic for one, other in pairs)


def _others(part: list[Entry], place: int) -> Iterator[list[Entry]]:
    """Yield orders in which one of a pair (at a place, and before it) is moved, or what lies on one side is turned."""
    for moved in range(len(part)) if len(part) <= _FEW else sorted({max(0, place - 1), place}):
        rest = part[:moved] + part[moved + 1 :]
        for to in range(len(part)):
            yield [*rest[:to], part[moved], *rest[to:]]
    for end in range(place + 1, len(part)):
        yield [*part[:place], *part[place : end + 1][::-1], *part[end + 1 :]]
    for start in range(place - 1):
        yield [*part[:start], *part[start:place][::-1], *part[place:]]


def _in_order(part: Sequence[Entry], earlier: Mapping[CardKey, set[CardKey]]) -> bool:
    """Tell whether each comes after those that are to come before it."""
    left = {one.key for one in part}
    for one in part:
        if earlier[one.key] & left:
            return False
        left.discard(one.key)
    return True
