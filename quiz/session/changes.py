"""What happens to questions and is told to the history: one gets another name, an answer is graded anew. Pure.

Neither changes what was stored. A renamed question's answers follow it to its new name, because the name is looked up
when they are read; an answer graded anew keeps the verdict it was given, beside the one that counts.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec
from msgspec import structs

from quiz.scheduling.cards import CardKey
from quiz.scheduling.rating import Rating, Verdict
from quiz.session import wire
from quiz.session.attempt import Attempt, Part

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quiz.session.wire import Fields


class Rename(msgspec.Struct, frozen=True):
    """A question has another name from here on: what was answered under the old one before belongs to the new one."""

    id: str
    time: datetime
    offset: int
    bank: str
    question: str
    to_bank: str
    to_question: str

    kind: ClassVar[str] = "rename"
    version: ClassVar[int] = 1


class Regrade(msgspec.Struct, frozen=True):
    """An attempt graded again, since its question was corrected. The one with the greatest id counts.

    `rating` is what the rule makes of the new verdict, None where the rating stands; a learner's own rating goes before
    it. `meaning` and `key` are the question's as it was graded by.
    """

    id: str
    time: datetime
    offset: int
    target: str
    verdict: Verdict
    slip: str | None
    parts: tuple[Part, ...]
    rating: Rating | None
    meaning: str
    key: tuple[str, ...]

    kind: ClassVar[str] = "regrade"
    version: ClassVar[int] = 1

    def applied(self, attempt: Attempt) -> Attempt:
        """Return the attempt as it counts now."""
        return structs.replace(attempt, verdict=self.verdict, slip=self.slip, parts=self.parts)


def change_fields(event: Rename | Regrade) -> dict[str, Any]:
    """Return what an event has beyond the fields of every event."""
    if isinstance(event, Rename):
        return {
            "bank": event.bank,
            "question": event.question,
            "to_bank": event.to_bank,
            "to_question": event.to_question,
        }
    return {
        "target": event.target,
        "verdict": event.verdict,
        "slip": event.slip,
        "parts": [{"name": part.name, "verdict": part.verdict, "slip": part.slip} for part in event.parts],
        "rating": None if event.rating is None else int(event.rating),
        "meaning": event.meaning,
        "key": list(event.key),
    }


def read_rename(identity: str, time: datetime, offset: int, fields: Fields) -> Rename:
    """Read a rename whose common fields are read already."""
    names = (fields.text(name) for name in ("bank", "question", "to_bank", "to_question"))
    return Rename(identity, time, offset, *names)


def read_regrade(identity: str, time: datetime, offset: int, fields: Fields) -> Regrade:
    """Read a regrade whose common fields are read already."""
    return Regrade(
        identity,
        time,
        offset,
        target=fields.event_id("target"),
        verdict=fields.verdict("verdict"),
        slip=fields.optional_text("slip"),
        parts=wire.read_parts(fields),
        rating=None if fields.any("rating") is None else fields.rating("rating"),
        meaning=fields.text("meaning"),
        key=fields.texts("key"),
    )


class Name(NamedTuple):
    """A question of a bank."""

    bank: str
    question: str


class Names:
    """Which question an answer belongs to now, by the renames of a history."""

    def __init__(self, renames: Iterable[Rename] = ()) -> None:
        self._steps = [
            (one.id, Name(one.bank, one.question), Name(one.to_bank, one.to_question))
            for one in sorted(renames, key=lambda one: one.id)
        ]
        self._old = frozenset(old for _, old, _ in self._steps)

    @property
    def touched(self) -> frozenset[Name]:
        """Every question that a rename names, as its old or its new name."""
        return self._old | {new for _, _, new in self._steps}

    def key(self, attempt: Attempt) -> CardKey:
        """Return the card that an attempt counts for: the renames after it move it, one after the other."""
        bank, question, generation = attempt.card
        return CardKey(*self.now((bank, question), attempt.id), generation)

    def now(self, name: tuple[str, str], since: str) -> tuple[str, str]:
        """Return the bank and the question that had this name at an event, as they are called now."""
        if name not in self._old:
            return name
        for identity, old, new in self._steps:
            if identity > since and old == name:
                name = new
        return name

    def sources(self, key: CardKey) -> tuple[CardKey, ...]:
        """Return the cards under whose names answers to this one may stand, itself first."""
        found = [Name(*key[:2])]
        for name in found:
            found.extend(old for _, old, new in self._steps if new == name and old not in found)
        return tuple(CardKey(*name, key.generation) for name in dict.fromkeys(found))
