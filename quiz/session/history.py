"""From events to cards: the fold that makes every card derivable from the history. Pure.

The order is the order of event ids. An attempt counts unless a retraction names it; its rating is the
rule's, or that of the latest rerating. The settings of an answer are those in force at its place in the
history, and its day is the one stored with it, so a later change of rollover leaves the past as it was.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.scheduling.cards import Card, State, review
from quiz.scheduling.settings import Settings
from quiz.session import wire
from quiz.session.weighing import Weighing
from quiz.session.wire import EventError, Fields

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from quiz.scheduling.rating import Rating
    from quiz.session.attempt import Attempt
    from quiz.session.events import Rerating, SettingChange

#: Two equal answers to a question that both stood open count once within this time.
SAME_MOMENT: Final = timedelta(seconds=2)


class Timeline(msgspec.Struct, frozen=True):
    """The settings through time.

    Attributes:
        ids: event ids at which they changed, ascending.
        values: the settings from each of these on; one more than `ids`, the first from the beginning.
    """

    ids: tuple[str, ...] = ()
    values: tuple[Settings, ...] = (Settings(),)

    @classmethod
    def of(cls, changes: Iterable[SettingChange]) -> Timeline:
        """Build a timeline. A change this program cannot read (a newer program's) changes nothing."""
        ids: list[str] = []
        values = [Settings()]
        for change in sorted(changes, key=lambda change: change.id):
            try:
                values.append(values[-1].with_value(change.name, change.value))
            except ValueError:
                continue
            ids.append(change.id)
        return cls(tuple(ids), tuple(values))

    def at(self, identity: str) -> Settings:
        """Return the settings in force for an event with this id."""
        return self.values[bisect_right(self.ids, identity)]

    @property
    def now(self) -> Settings:
        """The settings after the last change."""
        return self.values[-1]


def fold(
    attempts: Iterable[Attempt],
    retracted: Collection[str],
    reratings: Mapping[str, Rerating],
    timeline: Timeline,
    until: str | None = None,
) -> Card | None:
    """Derive one card from all attempts on it.

    Args:
        attempts: attempts of one card, in any order.
        retracted: ids of attempts that do not count.
        reratings: by attempt id, the rerating that counts.
        timeline: the settings through time.
        until: its memory is told by the weights in force at this event; by default by those in force now.

    Returns:
        The card, or None where no attempt counts.
    """
    card: Card | None = None
    weighing = Weighing()
    for attempt in sorted(attempts, key=lambda attempt: attempt.id):
        if attempt.id not in retracted:
            amended = reratings.get(attempt.id)
            rating = amended.rating if amended else attempt.rating
            settings = timeline.at(attempt.id)
            card = advance(weighing.under(card, settings), attempt, rating, settings, amended)
            weighing.answered(card, rating)
    return weighing.under(card, timeline.at(until) if until else timeline.now)


def advance(
    card: Card | None, attempt: Attempt, rating: Rating, settings: Settings, amended: Rerating | None = None
) -> Card:
    """Return the card after one more attempt.

    Where its day was placed by the load of the days, it is the promised one, as far as that still lies within the
    spread: another terminal, a merge or an undo may have moved the card meanwhile.
    """
    kept = amended or attempt
    return review(
        card,
        rating,
        attempt.time,
        attempt.offset,
        settings=settings,
        seed=attempt.card.seed,
        day=attempt.day,
        retention=attempt.retention,
        chosen=kept.promise.day if kept.placed else None,
    ).card


def same_moment(one: Attempt, other: Attempt) -> bool:
    """Tell whether two attempts are one answer given twice in a hurry.

    They are where the same card got the same response within `SAME_MOMENT` and the later one's question
    already stood on its screen when the earlier one was given: a key pressed twice, or one press that
    reached two terminals. A question that was asked again in between is a new answer, however quick.
    """
    if one.card != other.card or one.response != other.response or one.verdict != other.verdict:
        return False
    earlier, later = sorted((one, other), key=lambda attempt: attempt.time)
    apart = later.time - earlier.time
    return apart <= SAME_MOMENT and apart / timedelta(milliseconds=1) < later.duration_ms


def latest(reratings: Iterable[Rerating]) -> dict[str, Rerating]:
    """Return by attempt id the rerating that counts: the one with the greatest id."""
    return {rerating.target: rerating for rerating in sorted(reratings, key=lambda event: event.id)}


_STATES: Final[Mapping[str, State]] = {"learning": "learning", "review": "review", "relearning": "relearning"}


def card_text(card: Card) -> str:
    """Return a card as canonical JSON; floats are written to their last digit."""
    fields = {
        "stability": card.stability,
        "difficulty": card.difficulty,
        "state": card.state,
        "step": card.step,
        "due": wire.instant_text(card.due),
        "due_day": card.due_day.isoformat(),
        "last": wire.instant_text(card.last),
        "last_day": card.last_day.isoformat(),
        "reps": card.reps,
        "lapses": card.lapses,
    }
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), allow_nan=False)


def read_card(text: str) -> Card:
    """Read what `card_text` wrote.

    Raises:
        EventError: it is no card.
    """
    try:
        fields = Fields(json.loads(text))
    except ValueError as error:
        raise EventError(f"not JSON: {error}") from error
    state = _STATES.get(fields.text("state"))
    if state is None:
        raise EventError(f"{fields.text('state')!r} is not a state of a card")
    return Card(
        stability=fields.number("stability"),
        difficulty=fields.number("difficulty"),
        state=state,
        step=None if fields.any("step") is None else fields.integer("step"),
        due=fields.instant("due"),
        due_day=fields.day("due_day"),
        last=fields.instant("last"),
        last_day=fields.day("last_day"),
        reps=fields.integer("reps"),
        lapses=fields.integer("lapses"),
    )
