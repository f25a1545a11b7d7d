"""The queue of a session: which questions, in which order, and why. Pure and deterministic by seed.

Order: cards in their learning steps that have come due or soon will (`Settings.learn_ahead`), by due time;
then reviews; then new questions. A session asks a learning card when its time has come, and early only where
nothing else is left and the learner does not want to wait.

Within reviews and within new questions the topics alternate. Questions related to each other (siblings:
the same scenario under another question) are kept apart where another question can stand between them.
Of two new questions the prerequisite comes first.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import deque
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from quiz.scheduling.apart import apart
from quiz.scheduling.calendar import add_time
from quiz.scheduling.cards import CardKey

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from quiz.scheduling.calendar import Moment
    from quiz.scheduling.cards import Card
    from quiz.scheduling.settings import Settings

Reason = Literal["learning", "due", "new", "asked"]


class Entry(msgspec.Struct, frozen=True, gc=False):
    """What the queue needs to know of a question; the bank's index yields these.

    Attributes:
        key: bank, question, generation.
        topic: the folder it stands in.
        prerequisites: question ids, or topics, that come first.
        difficulty: 1 to 5.
        related: ids of siblings.
    """

    key: CardKey
    topic: str
    prerequisites: tuple[str, ...] = ()
    difficulty: int = 1
    related: tuple[str, ...] = ()


class Item(msgspec.Struct, frozen=True):
    """A question in the queue and why it is there. `asked`: the learner chose it by name."""

    key: CardKey
    reason: Reason


class Filters(msgspec.Struct, frozen=True):
    """What the learner asked for.

    Attributes:
        topics: only these; empty for all.
        questions: exactly these ids, due or not, beyond the daily limits; empty for the usual queue.
        due_only: no new questions.
    """

    topics: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    due_only: bool = False


class DoneToday(msgspec.Struct, frozen=True):
    """What counts against today's limits: cards seen for the first time, and cards reviewed."""

    new: int = 0
    reviews: int = 0


EVERYTHING: Final = Filters()
NOTHING_DONE: Final = DoneToday()


def build(  # noqa: PLR0913 - the facts of a day
    entries: Iterable[Entry],
    cards: Mapping[CardKey, Card],
    at: Moment,
    *,
    settings: Settings,
    seed: int | str,
    filters: Filters = EVERYTHING,
    done: DoneToday = NOTHING_DONE,
    due: Collection[CardKey] = (),
) -> tuple[Item, ...]:
    """Return the items of a session in order.

    Args:
        entries: the questions that exist; a card without one is set aside.
        cards: the cards that exist; a question without one is new.
        at: the instant, and the learner's day of it.
        settings: the limits per day, and how far ahead a learning card may come.
        seed: decides ties; the same seed gives the same order.
        filters: what the learner asked for.
        done: what today's limits have used up.
        due: reviews that are known to be due, the foremost first; no card of theirs is looked at.
    """
    listed = {entry.key: entry for entry in entries}
    if filters.questions:
        return _asked(listed.values(), filters)
    if filters.topics:
        listed = {key: entry for key, entry in listed.items() if entry.topic in filters.topics}
    ahead = add_time(at.now, timedelta(seconds=settings.learn_ahead))
    learning: list[tuple[datetime, CardKey]] = []
    reviews: list[Entry] = []
    new: list[Entry] = []
    known = [entry for key in due if (entry := listed.pop(key, None)) is not None]
    for key, entry in listed.items():
        card = cards.get(key)
        if card is None:
            new.append(entry)
        elif card.is_learning:
            if card.due <= ahead:
                learning.append((card.due, key))
        elif card.is_due(at.now, at.day):
            reviews.append(entry)
    reviews.sort(key=lambda entry: (cards[entry.key].due_day, _draw(seed, entry.key)))
    reviews = known + reviews
    del reviews[max(0, settings.reviews_per_day - done.reviews) :]
    room = 0 if filters.due_only else max(0, settings.new_per_day - done.new)
    fresh = _prerequisites_first(new, seed, room)
    again = _alternate(reviews, {}, None)
    first = _alternate(fresh, _needs(fresh), again[-1] if again else None)
    return (
        *(Item(key, "learning") for _, key in sorted(learning)),
        *(Item(entry.key, "due") for entry in again),
        *(Item(entry.key, "new") for entry in first),
    )


def mixed(entries: Iterable[Entry], *, seed: int | str, most: int | None = None) -> tuple[Item, ...]:
    """Return questions for a session that asks what it likes: by chance, topics alternating, siblings apart.

    Args:
        entries: what there is to choose from.
        seed: decides which and in which order.
        most: so many of them; by default all.
    """
    drawn = sorted(entries, key=lambda entry: _draw(seed, entry.key))
    return tuple(Item(entry.key, "asked") for entry in _alternate(drawn, {}, None)[:most])


def siblings(one: Entry, other: Entry) -> bool:
    """Tell whether either question names the other as related."""
    return other.key.question in one.related or one.key.question in other.related


def follows(entry: Entry, other: Entry) -> bool:
    """Tell whether the other comes first: it is a prerequisite by its id or by its topic."""
    return other.key != entry.key and any(
        name == other.key.question or (name == other.topic and name != entry.topic) for name in entry.prerequisites
    )


def _asked(entries: Iterable[Entry], filters: Filters) -> tuple[Item, ...]:
    by_id = {entry.key.question: entry.key for entry in entries}
    wanted = dict.fromkeys(filters.questions)
    return tuple(Item(by_id[name], "asked") for name in wanted if name in by_id)


def _draw(seed: int | str, key: CardKey) -> int:
    text = f"{seed}\x1f{key.seed}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def _needs(entries: Sequence[Entry]) -> dict[CardKey, set[CardKey]]:
    """Return which of the entries an entry comes after, by question id or by topic; those without any are left out."""
    dependent = [entry for entry in entries if entry.prerequisites]
    if not dependent:
        return {}
    wanted = {name for entry in dependent for name in entry.prerequisites}
    by_name: dict[str, list[CardKey]] = {}
    for entry in entries:
        for name in wanted.intersection((entry.key.question, entry.topic)):
            by_name.setdefault(name, []).append(entry.key)
    return {
        entry.key: {
            other
            for name in entry.prerequisites
            if name != entry.topic
            for other in by_name.get(name, ())
            if other != entry.key
        }
        for entry in dependent
    }


def _prerequisites_first(entries: Sequence[Entry], seed: int | str, most: int) -> list[Entry]:
    """The first ones by difficulty and chance, prerequisites first; a circle is broken at its easiest question."""
    if most <= 0:
        return []
    needs = _needs(entries)
    waiting: dict[CardKey, list[Entry]] = {}
    open_needs = {entry.key: len(needs.get(entry.key, ())) for entry in entries}
    for entry in entries if needs else ():
        for before in needs.get(entry.key, ()):
            waiting.setdefault(before, []).append(entry)
    rank = {entry.key: (entry.difficulty, _draw(seed, entry.key), entry.key) for entry in entries}
    by_key = {entry.key: entry for entry in entries}
    ready = [rank[key] for key, count in open_needs.items() if not count]
    heapq.heapify(ready)
    spare = deque(sorted(rank.values()))
    ordered: list[Entry] = []
    placed: set[CardKey] = set()
    while spare and len(ordered) < most:
        key = heapq.heappop(ready)[2] if ready else spare.popleft()[2]
        if key in placed:
            continue
        placed.add(key)
        ordered.append(by_key[key])
        for after in waiting.get(key, ()):
            open_needs[after.key] -= 1
            if not open_needs[after.key] and after.key not in placed:
                heapq.heappush(ready, rank[after.key])
    return ordered


#: How many questions of a topic are looked at for the next place.
_WINDOW: Final = 8


def _alternate(entries: Sequence[Entry], needs: Mapping[CardKey, set[CardKey]], last: Entry | None) -> list[Entry]:
    """Return the entries with topics alternating and siblings apart.

    Each place takes, of the first few of every topic whose prerequisites are placed: no sibling of the
    one before, then another topic than it, then the one with most siblings still to come, then the topic
    with most left, then the given order. What that leaves together at the end is put apart afterwards.
    """
    if not needs and not any(entry.related for entry in (*entries, *((last,) if last else ()))):
        return _in_turn(entries, last.topic if last else None)
    place = {entry.key: index for index, entry in enumerate(entries)}
    earlier = {key: {before for before in needs.get(key, ()) if place[before] < index} for key, index in place.items()}
    topics: dict[str, list[Entry]] = {}
    for entry in entries:
        topics.setdefault(entry.topic, []).append(entry)
    kin = _kin(entries)
    # Where neither siblings nor prerequisites are among a topic's entries, the first of them is always its best.
    windows = {
        topic: _WINDOW if any(kin[entry.key] or earlier[entry.key] for entry in rest) else 1
        for topic, rest in topics.items()
    }
    first, placed = last, set[CardKey]()
    ordered: list[Entry] = []
    while topics:
        best: tuple[tuple[bool, bool, int, int, int], Entry] | None = None
        for topic, rest in topics.items():
            for entry in rest[: windows[topic]]:
                if earlier[entry.key] - placed:
                    continue
                score = (
                    last is not None and siblings(last, entry),
                    last is not None and last.topic == topic,
                    -len(kin[entry.key] - placed),
                    -len(rest),
                    place[entry.key],
                )
                if best is None or score < best[0]:
                    best = (score, entry)
        if best is None:  # pragma: no cover - the first entry left never waits for a later one
            message = "prerequisites left no question to place"
            raise RuntimeError(message)
        last = best[1]
        ordered.append(last)
        placed.add(last.key)
        topics[last.topic].remove(last)
        if not topics[last.topic]:
            del topics[last.topic]
    return apart(ordered, first, siblings, earlier)


def _in_turn(entries: Sequence[Entry], last: str | None) -> list[Entry]:
    """What `_alternate` returns where no entry has siblings or prerequisites: the fullest of the other topics."""
    topics: dict[str, deque[tuple[int, Entry]]] = {}
    for place, entry in enumerate(entries):
        topics.setdefault(entry.topic, deque()).append((place, entry))
    full = [(-len(rest), rest[0][0], topic) for topic, rest in topics.items()]
    heapq.heapify(full)
    ordered: list[Entry] = []
    while full:
        passed = heapq.heappop(full) if full[0][2] == last and len(full) > 1 else None
        left, _, last = full[0]
        rest = topics[last]
        ordered.append(rest.popleft()[1])
        if rest:
            heapq.heapreplace(full, (left + 1, rest[0][0], last))
        else:
            heapq.heappop(full)
        if passed is not None:
            heapq.heappush(full, passed)
    return ordered


def _kin(entries: Sequence[Entry]) -> dict[CardKey, set[CardKey]]:
    """Return the siblings of each entry among the entries, in both directions."""
    by_id = {entry.key.question: entry.key for entry in entries}
    kin: dict[CardKey, set[CardKey]] = {entry.key: set() for entry in entries}
    for entry in entries:
        for name in entry.related:
            other = by_id.get(name)
            if other is not None and other != entry.key:
                kin[entry.key].add(other)
                kin[other].add(entry.key)
    return kin
