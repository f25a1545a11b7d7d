"""From events to cards: the fold that makes every card derivable from the history. Pure.

The order is the order of event ids. An attempt counts unless a retraction names it; its rating is the
rule's, or that of the latest rerating. The settings of an answer are those in force at its place in the
history, and its day is the one stored with it, so a later change of rollover leaves the past as it was.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import msgspec

from quiz.scheduling.cards import Card, review
from quiz.scheduling.settings import Settings
from quiz.session.events import Regrade, Rerating, Retraction
from quiz.session.weighing import Weighing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from quiz.scheduling.rating import Rating
    from quiz.session.attempt import Attempt
    from quiz.session.events import Event, SettingChange

Amendment = TypeVar("Amendment", Rerating, Regrade)

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


class Amendments(NamedTuple):
    """What later events say of attempts, by attempt id: taken back, rated anew, graded anew."""

    retracted: Collection[str] = frozenset()
    reratings: Mapping[str, Rerating] = {}
    regrades: Mapping[str, Regrade] = {}

    @classmethod
    def of(cls, events: Iterable[Event]) -> Amendments:
        """Gather them from events in any order; of several for an attempt the one with the greatest id counts."""
        retracted: set[str] = set()
        reratings: list[Rerating] = []
        regrades: list[Regrade] = []
        for event in events:
            match event:
                case Retraction():
                    retracted.add(event.target)
                case Rerating():
                    reratings.append(event)
                case Regrade():
                    regrades.append(event)
                case _:
                    continue
        return cls(frozenset(retracted), latest(reratings), latest(regrades))


class Counted(NamedTuple):
    """An attempt that counts: as it is graded now, the card before and after it, the rating that counts."""

    attempt: Attempt
    before: Card | None
    after: Card
    rating: Rating


class Course(NamedTuple):
    """What became of one card: its answers that count, in order, and the card as it stands (None without any)."""

    counted: tuple[Counted, ...]
    card: Card | None


def course(attempts: Iterable[Attempt], amendments: Amendments, timeline: Timeline, until: str | None = None) -> Course:
    """Derive one card from all attempts on it, answer by answer.

    Args:
        attempts: attempts of one card, in any order.
        amendments: what later events say of them.
        timeline: the settings through time.
        until: its memory is told by the weights in force at this event; by default by those in force now.
    """
    card: Card | None = None
    counted: list[Counted] = []
    weighing = Weighing()
    for attempt in sorted(attempts, key=lambda attempt: attempt.id):
        if attempt.id in amendments.retracted:
            continue
        amended = amendments.reratings.get(attempt.id)
        regraded = amendments.regrades.get(attempt.id)
        by_rule = (regraded.rating if regraded else None) or attempt.rating
        rating = amended.rating if amended else by_rule
        settings = timeline.at(attempt.id)
        before = weighing.under(card, settings)
        card = advance(before, attempt, rating, settings, amended)
        weighing.answered(card, rating)
        counted.append(Counted(regraded.applied(attempt) if regraded else attempt, before, card, rating))
    return Course(tuple(counted), weighing.under(card, timeline.at(until) if until else timeline.now))


def fold(
    attempts: Iterable[Attempt], amendments: Amendments, timeline: Timeline, until: str | None = None
) -> Card | None:
    """Derive one card from all attempts on it; None where no attempt counts. The arguments are those of `course`."""
    return course(attempts, amendments, timeline, until).card


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


def latest(amendments: Iterable[Amendment]) -> dict[str, Amendment]:
    """Return by attempt id the amendment that counts: the one with the greatest id."""
    return {one.target: one for one in sorted(amendments, key=lambda event: event.id)}
