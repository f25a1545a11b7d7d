"""What a session and the home screen need of the history: what is due, never all of it."""

from __future__ import annotations

import hashlib
import os
import zlib
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, cast

from quiz.tui import telling

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from quiz.scheduling.calendar import Moment
    from quiz.scheduling.cards import CardKey
    from quiz.scheduling.deck import Deck
    from quiz.scheduling.overview import Overview
    from quiz.scheduling.queue import Entry, Filters, Item
    from quiz.scheduling.settings import Settings
    from quiz.store import Store
    from quiz.tui.needs import BankLike


class Shelf(NamedTuple):
    """The questions of a bank by key, and a mark that is another one where these are others.

    They stand in the order in which new ones are asked: the easier first, else by chance. `waits` tells whether any of
    them comes after others.
    """

    entries: Mapping[CardKey, Entry]
    mark: str
    waits: bool

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Shelf:
        """Return the shelf of these questions."""
        inorder = sorted(entries, key=lambda one: (one.difficulty, zlib.crc32(one.key.question.encode()), one.key))
        by_key = {entry.key: entry for entry in inorder}
        text = "\x1e".join([f"{entry.difficulty} {key.seed}" for key, entry in by_key.items()])
        mark = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        return cls(by_key, mark, any(entry.prerequisites for entry in inorder))


def for_session(
    store: Store, shelf: Shelf, at: Moment, settings: Settings, filters: Filters, seed: str, resting: Collection[str]
) -> tuple[tuple[Item, ...], Deck]:
    """Return the items of a session in order, and its cards.

    Its questions are the foremost of those that are due, those in their learning steps, those never seen, and those
    that are named. Those that rest (suspended, buried) are left out unless they are named. Nothing else is looked at,
    however many there are, and the cards of those that are due are read when it is their turn.

    Raises:
        StoreError: the history cannot be read.
    """
    from quiz.scheduling import queue
    from quiz.scheduling.calendar import add_time
    from quiz.scheduling.deck import Deck

    bank = next(iter(shelf.entries)).bank if shelf.entries else ""
    done = store.attempts_today(at.day, bank)
    if filters.questions:
        named = [entry for entry in shelf.entries.values() if entry.key.question in filters.questions]
        cards = Deck(store.chosen(entry.key for entry in named))
        return queue.build(named, cards, at, settings=settings, seed=seed, filters=filters, done=done), cards

    among = shelf.entries
    if filters.topics or resting:
        among = {
            key: entry
            for key, entry in shelf.entries.items()
            if key.question not in resting and (not filters.topics or entry.topic in filters.topics)
        }
    room = settings.reviews_per_day - done.reviews
    due = store.foremost(bank, at.day, among, seed=seed, room=room)
    learning = store.learning(bank, add_time(at.now, timedelta(seconds=settings.learn_ahead)))
    asked: list[tuple[str, str, int]] = [*due, *learning]
    by_key = cast("Mapping[tuple[str, str, int], Entry]", among)  # a key is such a tuple
    new = 0 if filters.due_only else settings.new_per_day - done.new
    if new > 0:
        # Where one question waits for another, the order of them all decides.
        most = None if shelf.waits else new
        asked += store.unseen(bank, shelf.entries.keys(), shelf.mark, among=by_key, most=most)
    entries = [entry for key in asked if (entry := by_key.get(key)) is not None]
    cards = Deck(learning, due)
    items = queue.build(entries, cards, at, settings=settings, seed=seed, filters=filters, done=done, due=due)
    return items, Deck(learning, {item.key: due[item.key] for item in items if item.reason == "due"}, store.chosen)


def opened(history: Path, *, looking: bool, begins: bool = True) -> Store:
    """Open the history; where it is only looked at and cannot be written, as it is. Raises StoreError.

    Without `begins` one that is missing is not begun: nothing is shown in its place.
    """
    from quiz.store import Store, StoreError

    if not begins and not history.exists():
        from quiz.store.blank import blank

        return blank(history)
    try:
        return Store.open(history)
    except StoreError as error:
        if not looking or error.kind != "read-only" or not os.path.isfile(history):  # noqa: PTH113 - it never raises
            raise
        return Store.open(history, read_only=True)


def damage(store: Store) -> tuple[str, ...]:
    """What is to be told of damage that was met and that no notice of the history names; there may be more of it."""
    met = any(one.id not in store.named for one in store.damaged)
    told = "Your history holds entries that cannot be read as written; `shardwise history` says how many."
    return (told,) if met else ()


def renamed(bank: BankLike) -> dict[str, str]:
    """The names that questions of a bank have now, by those that they had before and no other question has."""
    ids = {entry.id for entry in bank.index}
    return {old: entry.id for entry in bank.index for old in entry.renamed_from if old not in ids}


def followed(store: Store, bank: BankLike, at: Moment) -> tuple[str, ...]:
    """Let histories follow their questions to new names; return what to tell the learner."""
    from quiz.store import StoreError

    former = renamed(bank)
    if not former:
        return ()
    try:
        made = store.follow(bank.id, former, at.now, at.offset)
    except StoreError as error:
        return (f"New names of questions could not be recorded, so their history waits. {error}",)
    if not made:
        return ()
    what = "A question has a new name" if len(made) == 1 else f"{len(made)} questions have new names"
    return (f"{what}; your answers to {'it' if len(made) == 1 else 'them'} count on as before.",)


def overview_of(
    store: Store, bank: BankLike, at: Moment, settings: Settings, topics: Sequence[str], resting: Collection[str]
) -> Overview:
    """Return how things stand in some topics, or (none) in all, but for the questions that rest.

    Raises:
        StoreError: the history cannot be read.
    """
    from quiz.scheduling import overview

    left_out = {*resting, *(entry.id for entry in bank.index if entry.deprecated)}
    entries = [
        entry
        for entry in telling.entries(bank)
        if (not topics or entry.topic in topics) and entry.key.question not in left_out
    ]
    next_ones = store.upcoming(bank.id, at.day, at.now, {entry.key for entry in entries})
    return overview.summary(
        entries,
        store.due(bank.id, at.day, at.now) | next_ones,
        [(attempt.card, attempt.verdict) for attempt in store.recent()],
        at,
        settings=settings,
        done=store.attempts_today(at.day, bank.id),
        known=store.known(bank.id),
    )
