"""A slate in place of the history, for answers that are not to count: what is written on it is gone afterwards. Pure.

It has of the history what a session needs, so that cramming and an interview that does not count run through the same
machine as practice, and nothing of them can reach the schedule: there is no file behind it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import structs

from quiz.scheduling import calendar
from quiz.scheduling.cards import Card, review
from quiz.session.attempt import ENTROPY_BYTES, Attempt, Promise, event_id
from quiz.session.events import Rerating
from quiz.session.messages import Recorded

if TYPE_CHECKING:
    from quiz.scheduling.cards import CardKey
    from quiz.scheduling.settings import Settings

#: What was not right comes again so much later, or as soon as nothing else is left.
AGAIN: Final = timedelta(minutes=1)


class Wiped(NamedTuple):
    """An answer taken back: it, and the card as it stands without it."""

    attempt: Attempt
    card: Card | None


class Scratch:
    """Answers of one session, none of them stored."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._answers: list[tuple[Attempt, Card | None]] = []
        self._cards: dict[CardKey, Card] = {}
        self._made = 0

    def new_id(self, now: datetime) -> str:
        """Return an id for an answer, as the history would."""
        self._made += 1
        return event_id(now, None, self._made.to_bytes(ENTROPY_BYTES, "big"))

    def append(self, event: Attempt | Rerating) -> Recorded:
        """Take in an answer. What is right is done with; anything else comes again in this session."""
        if isinstance(event, Rerating):
            message = "an answer that is not stored is not rated anew"
            raise TypeError(message)
        before = self._cards.get(event.card)
        after = review(
            before, event.rating, event.time, event.offset, settings=self._settings, seed=event.card.seed
        ).card
        if event.verdict == "correct":
            after = structs.replace(after, state="review", step=None, due_day=calendar.add_days(event.day, 1))
        else:
            due = calendar.add_time(event.time, AGAIN)
            after = structs.replace(after, state="learning", step=0, due=due, due_day=event.day)
        self._cards[event.card] = after
        event = structs.replace(event, promise=Promise(after.due, after.due_day), placed=False, retention=None)
        self._answers.append((event, before))
        return Recorded(event.id, event, after, before)

    def undo(self) -> Wiped | None:
        """Take back the last answer; None where there is none."""
        if not self._answers:
            return None
        attempt, before = self._answers.pop()
        if before is None:
            self._cards.pop(attempt.card, None)
        else:
            self._cards[attempt.card] = before
        return Wiped(attempt, before)
