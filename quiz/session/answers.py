"""The answers of each card, as a fit of the model takes them: the learner's day, and the rating that counts. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.session.attempt import Attempt
from quiz.session.changes import Names, Rename
from quiz.session.history import Amendments

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from quiz.scheduling.cards import CardKey
    from quiz.scheduling.rating import Rating
    from quiz.session.events import Event


def by_card(events: Iterable[Event]) -> dict[CardKey, list[tuple[date, Rating]]]:
    """Return the answers that count, by card and in order, from the events of a history in any order."""
    attempts: list[Attempt] = []
    others: list[Event] = []
    for event in events:
        if isinstance(event, Attempt):
            attempts.append(event)
        else:
            others.append(event)
    amendments = Amendments.of(others)
    names = Names(event for event in others if isinstance(event, Rename))
    found: dict[CardKey, list[tuple[date, Rating]]] = {}
    for attempt in sorted(attempts, key=lambda attempt: attempt.id):
        if attempt.id in amendments.retracted:
            continue
        rated, regraded = amendments.reratings.get(attempt.id), amendments.regrades.get(attempt.id)
        rating = rated.rating if rated else (regraded.rating if regraded else None) or attempt.rating
        found.setdefault(names.key(attempt), []).append((attempt.day, rating))
    return found
