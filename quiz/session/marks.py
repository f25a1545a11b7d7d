"""What a learner has said of questions: flagged, suspended, buried until a day, noted. Pure.

A mark is an event about a question and not about an answer, so no card is derived from it: a suspended question keeps
its card, and comes back as it stood. Of each kind the mark with the greatest id counts.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final, Literal, get_args

import msgspec
from msgspec import structs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quiz.session.changes import Names
    from quiz.session.events import Mark

MarkKind = Literal["flag", "suspend", "bury", "note"]
MARK_KINDS: Final[tuple[MarkKind, ...]] = get_args(MarkKind)

#: The longest note, in characters.
LONGEST_NOTE: Final = 2_000


class Marks(msgspec.Struct, frozen=True):
    """The marks of one question.

    Attributes:
        flagged: to be found again; it changes nothing else.
        suspended: never asked until it is taken back.
        buried: not asked before this day; None where it is not buried.
        note: the learner's own words on it, "" without.
    """

    flagged: bool = False
    suspended: bool = False
    buried: date | None = None
    note: str = ""

    def rests(self, today: date) -> bool:
        """Tell whether the question is left out of a day's queue."""
        return self.suspended or (self.buried is not None and today < self.buried)

    def after(self, kind: MarkKind, value: bool | str | None) -> Marks:  # noqa: FBT001 - a value as an event carries it
        """Return the marks after one more.

        Raises:
            ValueError: the value is not one of this kind.
        """
        match kind, value:
            case "flag", bool():
                return structs.replace(self, flagged=value)
            case "suspend", bool():
                return structs.replace(self, suspended=value)
            case "bury", None:
                return structs.replace(self, buried=None)
            case "bury", str():
                return structs.replace(self, buried=_day(value))
            case "note", None | str():
                return structs.replace(self, note=value or "")
        message = f"a mark {kind!r} cannot be {repr(value)[:60]}"
        raise ValueError(message)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"a mark 'bury' takes a day as 2026-03-03, and not {text[:60]!r}") from None


NO_MARKS: Final = Marks()


def of(events: Iterable[Mark], bank: str, names: Names | None = None) -> dict[str, Marks]:
    """Return the marks of a bank by question id, from its events in any order; questions without are left out.

    By the renames of the history (`names`) the marks of a question follow it to its new name.
    """
    found: dict[str, Marks] = {}
    for event in sorted(events, key=lambda event: event.id):
        home, question = event.bank, event.question
        if names is not None:
            home, question = names.now((home, question), event.id)
        if home == bank:
            found[question] = found.get(question, NO_MARKS).after(event.mark, event.value)
    return {question: marks for question, marks in found.items() if marks != NO_MARKS}


def resting(marks: Mapping[str, Marks], today: date) -> frozenset[str]:
    """Return the ids of the questions that a day's queue leaves out."""
    return frozenset(question for question, mine in marks.items() if mine.rests(today))
