"""What a session and the home screen need of the history: what is due, never all of it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from quiz.tui import telling

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from quiz.scheduling.calendar import Moment
    from quiz.scheduling.cards import Card, CardKey
    from quiz.scheduling.overview import Overview
    from quiz.scheduling.queue import Entry
    from quiz.scheduling.settings import Settings
    from quiz.store import Store
    from quiz.tui.ports import BankLike


def for_session(
    store: Store, bank: BankLike, at: Moment, settings: Settings, questions: Sequence[str], resting: Collection[str]
) -> tuple[list[Entry], dict[CardKey, Card]]:
    """Return the questions that can be asked (due, never seen, or named), and the cards of those that have one.

    Those that rest (suspended, buried) are left out unless they are named.

    Raises:
        StoreError: the history cannot be read.
    """
    cards = store.due(bank.id, at.day, at.now + timedelta(seconds=settings.learn_ahead))
    known = store.known(bank.id)
    entries = []
    for entry in telling.entries(bank):
        if entry.key.question in questions:
            card = store.card(entry.key)
            if card is not None:
                cards[entry.key] = card
            entries.append(entry)
        elif entry.key.question not in resting and (entry.key in cards or entry.key not in known):
            entries.append(entry)
    return entries, cards


def overview_of(
    store: Store, bank: BankLike, at: Moment, settings: Settings, topics: Sequence[str], resting: Collection[str]
) -> Overview:
    """Return how things stand in some topics, or (none) in all, but for the questions that rest.

    Raises:
        StoreError: the history cannot be read.
    """
    from quiz.scheduling import overview

    entries = [
        entry
        for entry in telling.entries(bank)
        if (not topics or entry.topic in topics) and entry.key.question not in resting
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
