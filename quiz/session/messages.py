"""What goes into and out of a practice session: events from the driver, effects for it.

The machine between them is `quiz.session.practice.step`. All of these are values; nothing here acts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Literal

import msgspec

from quiz.scheduling.balance import Loads, Placed
from quiz.scheduling.cards import Card, CardKey, Reviewed
from quiz.scheduling.queue import Item
from quiz.scheduling.rating import Confidence, Rating, Verdict
from quiz.scheduling.settings import Settings
from quiz.session.attempt import Attempt, Part, Response, Shown
from quiz.session.events import Event, Rerating

# ---------------------------------------------------------------- what the driver tells the machine


class Graded(msgspec.Struct, frozen=True):
    """The grade of an answer, from `quiz.grading`. An invalid answer could not be read; it costs nothing."""

    status: Verdict = "unknown"
    read_as: str | None = None
    slip: str | None = None
    parts: tuple[Part, ...] = ()
    invalid: bool = False


class Begin(msgspec.Struct, frozen=True):
    """Start the session."""

    now: datetime


class Submit(msgspec.Struct, frozen=True):
    """An answer with its grade. `event_id` comes from the store (`Store.new_id`)."""

    now: datetime
    offset: int
    event_id: str
    shown: Shown
    response: Response
    graded: Graded
    confidence: Confidence | None = None


class Recorded(msgspec.Struct, frozen=True):
    """An event is durable. `Store.append` returns this.

    Attributes:
        event_id: the id of the event that was to be stored.
        event: the event as stored. Another terminal may have answered in between: then the promise was
            made again from the card as it stands. Of two equal answers within a moment the first one
            stands here, with its own id.
        card: the card after it; None where the event concerns no card, or took back its only answer.
        before: the card before the answer.
        duplicate: the answer was already there and is counted once.
        settings: those that the answer is stored under, which any rating of it follows; None where they are the
            session's own.
    """

    event_id: str
    event: Event
    card: Card | None = None
    before: Card | None = None
    duplicate: bool = False
    settings: Settings | None = None


class RecordFailed(msgspec.Struct, frozen=True):
    """The event could not be stored; the reason is shown beside the answer."""

    reason: str


class Retry(msgspec.Struct, frozen=True):
    """Store the same answer again."""


class Rerate(msgspec.Struct, frozen=True):
    """The learner's own rating, given on the reveal."""

    now: datetime
    offset: int
    event_id: str
    rating: Rating


class SetAside(msgspec.Struct, frozen=True):
    """A question is not to be asked now (suspended, buried): it leaves the session, answered or not."""

    now: datetime
    key: CardKey


class Undone(msgspec.Struct, frozen=True):
    """The store has retracted an attempt on this card; `card` is how it stands without it, None if new."""

    now: datetime
    key: CardKey
    card: Card | None
    attempt: str = ""


class Elsewhere(msgspec.Struct, frozen=True):
    """Another terminal has stored something: so the cards that this session may ask for yet stand by now.

    `day` is the learner's, `cards` those of `elsewhere.still_open`; a question without a card is new. `resting` are
    the questions, by id, that were suspended or buried since the session began.
    """

    now: datetime
    day: date
    cards: Mapping[CardKey, Card]
    resting: Collection[str] = frozenset()


class Reoffered(msgspec.Struct, frozen=True):
    """The answer on the reveal as the history has it by now, which moved on: its card, its rating, what each stores.

    Attributes:
        card: its card as it stands.
        rating: the one that counts.
        choices: what each rating of it would leave.
        load: of the days, with this card.
    """

    card: Card
    rating: Rating
    choices: Mapping[Rating, Placed]
    load: Loads


class Next(msgspec.Struct, frozen=True):
    """Go on from the reveal; while waiting: ask whatever has come due meanwhile."""

    now: datetime


class GoOn(msgspec.Struct, frozen=True):
    """Do not wait: ask the card that comes back first now, ahead of its time."""

    now: datetime


class Leave(msgspec.Struct, frozen=True):
    """End the session."""

    now: datetime


Answering = Begin | Submit | Recorded | RecordFailed | Retry | Rerate
SessionEvent = Answering | SetAside | Undone | Elsewhere | Reoffered | Next | GoOn | Leave


# ---------------------------------------------------------------- what the machine wants done


class Ask(msgspec.Struct, frozen=True):
    """Show a question and take an answer. The variant is drawn from `seed`."""

    item: Item
    shown_at: datetime
    seed: str


class Record(msgspec.Struct, frozen=True):
    """Make an event durable, then send `Recorded` or `RecordFailed`."""

    event: Attempt | Rerating


#: What moved a day: another terminal's answer to the same question, one that it took back or rated anew, or a change of
#: the settings.
Cause = Literal["answer", "undo", "rating", "settings"]


class ShowReveal(msgspec.Struct, frozen=True):
    """Show the reveal: the stored rating and due date, and what each rating would have stored.

    `moved`: what happened in between, so that the day is not the one this session expected; empty where it is.
    `leech`: this answer made the question a leech, or made it one again (`quiz.scheduling.leeches`).
    """

    attempt: Attempt
    rating: Rating
    due: datetime
    due_day: date
    choices: Mapping[Rating, Reviewed]
    moved: tuple[Cause, ...] = ()
    leech: bool = False


class ShowFailure(msgspec.Struct, frozen=True):
    """Say that the answer is not stored and why; it stays on the screen."""

    reason: str


class Wait(msgspec.Struct, frozen=True):
    """Nothing is left but cards that come back soon: the first one first, each with its due instant."""

    back: tuple[tuple[CardKey, datetime], ...]
    now: datetime


class Summary(msgspec.Struct, frozen=True):
    """What a session came to.

    Attributes:
        answered, right: stored attempts of this session, and those of them with the verdict correct.
        questions: different questions answered.
        left: questions of the queue that were not reached.
        learning: cards in their learning steps that come due later, with the first due instant.
        unrecorded: an answer was left that could not be stored.
    """

    answered: int = 0
    right: int = 0
    questions: int = 0
    left: int = 0
    learning: int = 0
    next_due: datetime | None = None
    unrecorded: bool = False
    ended_at: datetime | None = None


class Finished(msgspec.Struct, frozen=True):
    """The session is over."""

    summary: Summary


Effect = Ask | Record | ShowReveal | ShowFailure | Wait | Finished
