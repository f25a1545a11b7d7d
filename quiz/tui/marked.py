"""What the learner says of questions, and the list of all of them, as a desk gives it to the screens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from quiz.tui import telling, when, words
from quiz.tui.harmless import plain
from quiz.tui.ports import Line, Marked, Trouble, Turn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from quiz.scheduling.calendar import Moment
    from quiz.scheduling.cards import Card, CardKey
    from quiz.session.marks import MarkKind, Marks
    from quiz.session.messages import SessionEvent
    from quiz.session.practice import State
    from quiz.store import Store
    from quiz.tui.needs import BankLike
    from quiz.tui.ports import Given, Step


def spoken(marks: Marks, at: Moment) -> Marked:
    """Marks as the screens and the commands show them: nothing in a note steers the terminal."""
    rests = marks.buried is not None and at.day < marks.buried
    back = when.day(marks.buried, at.day) if rests and marks.buried else ""
    return Marked(
        flagged=marks.flagged, suspended=marks.suspended, buried=back, note=plain("\n".join(marks.note.splitlines()))
    )


def sentence(marked: Marked) -> str:
    """Marks in words, on one line: `suspended; flagged; note: …`; "" where there are none."""
    said = ["suspended"] if marked.suspended else []
    said += [f"buried, back {marked.buried}"] if marked.buried else []
    said += ["flagged"] if marked.flagged else []
    said += [f"note: {one_line(marked.note)}"] if marked.note else []
    return "; ".join(said)


def one_line(note: str) -> str:
    """A note on one line, ` / ` where one of its own ended."""
    return " / ".join(" ".join(line.split()) for line in note.splitlines() if line.strip())


def counted(marks: Mapping[str, Marks], today: date) -> str:
    """How many questions are marked, in words: `2 suspended · 1 buried`; "" where none is."""
    counts: Counter[str] = Counter()
    for mine in marks.values():
        counts["suspended"] += mine.suspended
        counts["buried"] += mine.buried is not None and today < mine.buried
        counts["flagged"] += mine.flagged
    noted = sum(bool(mine.note) for mine in marks.values())
    told = [f"{count} {name}" for name, count in counts.items() if count]
    return " · ".join([*told, *([words.count(noted, "note")] if noted else [])])


class MarkingDesk(ABC):
    """The part of a desk that marks questions and lists them; `HistoryDesk` has the rest."""

    _state: State | None

    @property
    @abstractmethod
    def bank(self) -> BankLike:
        """The open bank."""

    @property
    @abstractmethod
    def store(self) -> Store:
        """The open history."""

    @abstractmethod
    def _at(self) -> Moment:
        """The instant, and the learner's day of it."""

    @abstractmethod
    def _step(self, event: SessionEvent) -> Step:
        """Send an event after which something else is on the screen."""

    def title(self, question: str) -> str:
        """The title of a question, or its id."""
        return next((entry.title for entry in self.bank.index if entry.id == question), question) or question

    def topics(self) -> tuple[str, ...]:
        """The topics of the bank, in order of name."""
        return tuple(sorted({entry.topic for entry in self.bank.index}))

    def topic_of(self, question: str) -> str:
        """The topic of a question of the bank."""
        return next(entry.topic for entry in self.bank.index if entry.id == question)

    def questions(self) -> tuple[str, ...]:
        """The ids of the bank's questions."""
        return tuple(entry.id for entry in self.bank.index)

    def marks_now(self) -> dict[str, Marks]:
        """The marks of the bank's questions, by id. Raises Trouble."""
        from quiz.store import StoreError, marks

        try:
            return marks.read(self.store, self.bank.id)
        except StoreError as error:
            raise Trouble(str(error), error.code) from error

    def resting(self) -> frozenset[str]:
        """The ids of the questions that today's queue leaves out. Raises Trouble."""
        from quiz.session import marks

        retired = {entry.id for entry in self.bank.index if entry.deprecated}
        return marks.resting(self.marks_now(), self._at().day) | retired

    def marked(self, question: str) -> Marked:
        """What was said of a question. Raises Trouble."""
        from quiz.session.marks import NO_MARKS

        return spoken(self.marks_now().get(question, NO_MARKS), self._at())

    def mark_question(self, question: str, kind: MarkKind, value: bool | str | None) -> Step | None:  # noqa: FBT001 - a value
        """Say something of a question, stored at once; `bury` takes True for until tomorrow. Raises Trouble.

        Where the question leaves the session while it is on the screen, what comes instead is given back.
        """
        from quiz.scheduling.calendar import add_days
        from quiz.store import StoreError, marks

        at = self._at()
        if kind == "bury":
            value = add_days(at.day, 1).isoformat() if value else None
        try:
            marks.put(self.store, at, self.bank.id, question, kind, value)
        except StoreError as error:
            raise Trouble(str(error), error.code) from error
        rests = kind in ("suspend", "bury") and bool(value)
        return self._set_aside(question, self._state) if rests and self._state is not None else None

    def _set_aside(self, question: str, state: State) -> Step | None:
        """Take a question out of the session; what comes instead of it, where it stood on the screen."""
        from quiz.session.messages import SetAside

        key = next((key for key in state.entries if key.question == question), None)
        if key is None or state.phase not in ("asking", "revealed", "waiting"):
            return None
        asked = state.phase == "asking" and state.item is not None and state.item.key == key
        step = self._step(SetAside(self._at().now, key))
        return step if asked else None

    def _left_out(self, key: CardKey, gone: Trouble) -> Step:
        """Take a question that the bank no longer has out of the session; what comes instead says so."""
        from quiz.session.messages import SetAside

        step = self._step(SetAside(self._at().now, key))
        return replace(step, note=gone.message) if isinstance(step, Turn) else step

    def browse(self) -> tuple[Line, ...]:
        """All questions of the bank, by topic, with how each stands. Raises Trouble."""
        from quiz.scheduling.cards import CardKey
        from quiz.session.marks import NO_MARKS
        from quiz.store import StoreError

        at, marks = self._at(), self.marks_now()
        try:
            cards = self.store.cards(self.bank.id)
        except StoreError as error:
            raise Trouble(str(error), error.code) from error
        found = [
            Line(
                entry.id,
                entry.title or entry.id,
                entry.topic,
                "retired"
                if entry.deprecated
                else _standing(cards.get(CardKey(self.bank.id, entry.id, entry.generation)), at),
                spoken(marks.get(entry.id, NO_MARKS), at),
                _leech(cards.get(CardKey(self.bank.id, entry.id, entry.generation))),
            )
            for entry in self.bank.index
        ]
        return tuple(sorted(found, key=lambda line: (line.topic, line.title)))

    def look(self, question: str) -> Given:
        """A question with its author's numbers and its solution, to be read and not answered. Raises Trouble."""
        return telling.looked_at(self.bank, question, self.title)


def _standing(card: Card | None, at: Moment) -> str:
    if card is None:
        return "new"
    return "due" if card.is_due(at.now, at.day) else telling.back(card, at)


def _leech(card: Card | None) -> int:
    from quiz.scheduling.leeches import is_leech

    return card.lapses if card is not None and is_leech(card) else 0
