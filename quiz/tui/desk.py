"""The learner's place to work, for real: a bank, a history file, and the session machine between them.

It carries out what the machine asks for and turns what comes back into what screens show. Bank, grading and
clock are handed in, so that a test can stand in for each.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from quiz.tui import when
from quiz.tui.ports import (
    Answer,
    Back,
    Choice,
    Ended,
    Mark,
    NotSaved,
    Rating,
    Result,
    Standing,
    TopicLine,
    Trouble,
    Turn,
    Wanted,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from quiz.bank.rendered import NumericPart
    from quiz.scheduling.calendar import Moment
    from quiz.scheduling.cards import CardKey
    from quiz.scheduling.queue import Entry
    from quiz.session.attempt import Attempt
    from quiz.session.messages import Ask, Effect, SessionEvent, ShowReveal, Summary
    from quiz.session.practice import State
    from quiz.store import Store
    from quiz.tui.ports import BankLike, Echo, Grading


def wall_clock() -> datetime:
    """The instant, with the offset in force."""
    return datetime.now().astimezone()


@dataclass
class HistoryDesk:
    """A desk over a history file. `open_bank` may raise Trouble. Used by one thread at a time."""

    open_bank: Callable[[], BankLike]
    history: Path
    grading: Grading
    clock: Callable[[], datetime] = wall_clock
    seed: str = ""
    warnings: tuple[str, ...] = ()
    _bank: BankLike | None = None
    _store: Store | None = None
    _state: State | None = None
    _turn: Turn | None = None
    _reveal: ShowReveal | None = None
    _mark: Mark = field(default_factory=lambda: Mark("unknown"))
    _ended: Ended = field(default_factory=Ended)

    # ---------------------------------------------------------------- opening and closing

    def open(self) -> Standing:
        """Open bank and history; doing so twice is harmless. Raises Trouble."""
        from quiz.store import Store, StoreError

        if self._bank is None:
            self._bank = self.open_bank()
        if self._store is None:
            try:
                self._store = Store.open(self.history)
            except StoreError as error:
                raise Trouble(str(error), error.code) from error
        if not self.seed:
            self.seed = self._at().day.isoformat()
        return self.standing()

    def close(self) -> None:
        """Close the history. Everything stored is durable already."""
        if self._store is not None:
            self._store.close()
            self._store = None

    @property
    def bank(self) -> BankLike:
        """The open bank."""
        if self._bank is None:
            raise Trouble("the questions are not open yet")
        return self._bank

    @property
    def store(self) -> Store:
        """The open history."""
        if self._store is None:
            raise Trouble("the history is not open yet")
        return self._store

    def _at(self) -> Moment:
        from quiz.scheduling import calendar

        local = self.clock()
        return calendar.moment(local.astimezone(UTC), calendar.offset_minutes(local))

    # ---------------------------------------------------------------- how things stand

    def standing(self) -> Standing:
        """How things stand now. Raises Trouble."""
        from quiz.scheduling import overview
        from quiz.store import StoreError

        at = self._at()
        try:
            settings = self.store.settings()
            seen = overview.summary(
                self._entries().values(),
                self.store.cards(self.bank.id),
                [(attempt.card, attempt.verdict) for attempt in self.store.recent()],
                at,
                settings=settings,
                done=self.store.attempts_today(at.day, self.bank.id),
            )
        except StoreError as error:
            raise Trouble(str(error), error.code) from error
        damaged = len(self.store.damaged)
        told = (f"{damaged} damaged answers were left out; `shardwise doctor` says more.",) if damaged else ()
        return Standing(
            bank=self.bank.title,
            due=seen.due,
            new=seen.new,
            later=seen.later,
            next_due=when.day(seen.next_due, at.day) if seen.next_due else "",
            topics=tuple(
                TopicLine(line.topic, line.questions, line.seen, line.due, line.right_share) for line in seen.topics
            ),
            warnings=(*self.warnings, *self.store.notices, *told),
        )

    def _entries(self) -> dict[str, Entry]:
        from quiz.scheduling.queue import Entry

        return {
            entry.id: Entry(self._key(entry.id), entry.topic, entry.prerequisites, entry.difficulty, entry.related)
            for entry in self.bank.index
        }

    def _key(self, question: str) -> CardKey:
        from quiz.scheduling.cards import CardKey

        return CardKey(self.bank.id, question)

    def title(self, question: str) -> str:
        """The title of a question, or its id."""
        return next((entry.title for entry in self.bank.index if entry.id == question), question) or question

    def topics(self) -> tuple[str, ...]:
        """The topics of the bank, in order of name."""
        return tuple(sorted({entry.topic for entry in self.bank.index}))

    def questions(self) -> tuple[str, ...]:
        """The ids of the bank's questions."""
        return tuple(entry.id for entry in self.bank.index)

    # ---------------------------------------------------------------- a session

    def begin(self, wanted: Wanted) -> Turn | Ended:
        """Start a session on what is wanted. Raises Trouble."""
        from quiz.scheduling import queue
        from quiz.session import practice
        from quiz.session.messages import Begin
        from quiz.store import StoreError

        at = self._at()
        filters = queue.Filters(topics=wanted.topics, questions=wanted.questions, due_only=wanted.due_only)
        try:
            settings, cards = self.store.settings(), self.store.cards(self.bank.id)
            done = self.store.attempts_today(at.day, self.bank.id)
        except StoreError as error:
            raise Trouble(str(error), error.code) from error
        items = queue.build(
            self._entries().values(), cards, at, settings=settings, seed=self.seed, filters=filters, done=done
        )
        # The seed of the variants holds the instant, or each review of a day would ask with the same numbers.
        self._state = practice.begin(items, cards, settings=settings, seed=f"{self.seed}\x1f{at.now.isoformat()}")
        return self._step(Begin(at.now))

    def next(self) -> Turn | Ended:
        """Go on to the next question. Raises Trouble."""
        from quiz.session.messages import Next

        return self._step(Next(self._at().now))

    def leave(self) -> Ended:
        """End the session. Raises Trouble."""
        from quiz.session.messages import Leave

        if self._state is None:
            return Ended()
        self._step(Leave(self._at().now))
        return self._ended

    def mark(self, answer: Answer) -> Mark:
        """Grade an answer to the question on the screen, storing nothing."""
        return self.grading.mark(self._shown().question, answer)

    def read_back(self, part: NumericPart, text: str) -> Echo:
        """How a typed answer is read."""
        return self.grading.read_back(part, text)

    def submit(self, answer: Answer, confidence: int | None) -> Result:
        """Grade an answer and store it. Raises NotSaved."""
        from quiz.session.messages import Submit
        from quiz.store import StoreError
        from quiz.tui import history

        turn, at = self._shown(), self._at()
        self._mark = self.grading.mark(turn.question, answer)
        try:
            identity = self.store.new_id(at.now)
        except StoreError as error:
            raise NotSaved(str(error), error.code) from error
        self._run(
            Submit(
                now=at.now,
                offset=at.offset,
                event_id=identity,
                shown=history.shown(turn),
                response=history.response(answer),
                graded=history.graded(self._mark),
                confidence=confidence,  # type: ignore[arg-type]  # the scale of the screens is the scheduler's
            )
        )
        return self._result()

    def retry(self) -> Result:
        """Store the answer that could not be stored. Raises NotSaved."""
        from quiz.session.messages import Retry

        self._run(Retry())
        return self._result()

    def rerate(self, rating: Rating) -> Result:
        """The learner's own rating of the answer just given. Raises NotSaved."""
        from quiz.scheduling.rating import Rating as Scale
        from quiz.session.messages import Rerate
        from quiz.store import StoreError

        at = self._at()
        try:
            identity = self.store.new_id(at.now)
        except StoreError as error:
            raise NotSaved(str(error), error.code) from error
        self._run(Rerate(at.now, at.offset, identity, Scale[rating.upper()]))
        return self._result()

    def undo(self) -> Turn:
        """Take back the last answer and ask its question again. Raises Trouble."""
        from quiz.session.messages import Undone
        from quiz.store import StoreError

        at = self._at()
        try:
            undone = self.store.undo(at.now, at.offset)
        except StoreError as error:
            raise Trouble(str(error), error.code) from error
        if undone is None:
            raise Trouble("There is no answer to take back.")
        key = undone.attempt.card
        if key.bank != self.bank.id or key.question not in self.questions():
            raise Trouble(f"The answer to {key.question} was taken back; that question is not in this bank.")
        turn = self._step(Undone(at.now, key, undone.card))
        if isinstance(turn, Ended):
            raise Trouble("The answer was taken back.")
        return turn

    # ---------------------------------------------------------------- driving the machine

    def _step(self, event: SessionEvent) -> Turn | Ended:
        """Send an event after which a question is asked or the session is over."""
        from quiz.session.messages import Ask, Finished

        for effect in self._run(event):
            if isinstance(effect, Ask):
                self._turn = self._ask(effect)
            elif isinstance(effect, Finished):
                self._ended = self._end(effect.summary)
                return self._ended
        return self._shown()

    def _run(self, event: SessionEvent) -> tuple[Effect, ...]:
        """Send an event and do what the machine asks for; storing feeds its outcome back. Raises NotSaved."""
        from quiz.session import practice
        from quiz.session.messages import Record, RecordFailed, ShowReveal
        from quiz.store import StoreError

        if self._state is None:
            raise Trouble("no session is open")
        self._state, effects = practice.step(self._state, event)
        for effect in effects:
            if isinstance(effect, ShowReveal):
                self._reveal = effect
            elif isinstance(effect, Record):
                try:
                    recorded = self.store.append(effect.event)
                except StoreError as error:
                    self._run(RecordFailed(str(error)))
                    raise NotSaved(str(error), error.code) from error
                return self._run(recorded)
        return effects

    def _shown(self) -> Turn:
        if self._turn is None:
            raise Trouble("no question is on the screen")
        return self._turn

    def _ask(self, ask: Ask) -> Turn:
        """The question with the numbers and the order that the seed draws."""
        state = self._state
        draw = random.Random(ask.seed)  # noqa: S311 - which numbers a learner sees is no secret
        name = ask.item.key.question
        # A first meeting is with the numbers of the author; later ones test the method and not the memory.
        fresh = state is None or ask.item.key not in state.cards
        variants = () if fresh else self.bank.variants(name)
        question = self.bank.question(name, draw.choice(variants) if variants else None)
        order = [option.id for option in question.options] or [item.id for item in question.items]
        draw.shuffle(order)
        if question.items and tuple(order) == question.key:
            order.reverse()  # an order that is right already would be no question
        done = len(state.answered) if state else 0
        left = len(state.queue) if state else 0
        return Turn(question, self.title(name), done + 1, done + 1 + left, ask.item.reason, tuple(order))

    def _result(self) -> Result:
        """What the reveal shows of the answer that is stored now."""
        from quiz.scheduling.rating import why

        shown, state = self._reveal, self._state
        if shown is None or state is None:
            raise Trouble("no answer is stored")
        attempt = shown.attempt
        own = shown.rating is not attempt.rating
        reason = why(attempt.verdict, attempt.confidence, attempt.duration_ms, quick_ms=state.settings.quick_ms)
        card = state.cards[attempt.card]
        choices = tuple(
            Choice(rating.label, self._back(after.card.is_learning, after.due, after.card.due_day))  # type: ignore[arg-type]
            for rating, after in sorted(shown.choices.items())
        )
        return Result(
            mark=self._mark,
            rating=shown.rating.label,  # type: ignore[arg-type]  # the four names are those of the port
            why="you said so" if own else reason,
            back=self._back(card.is_learning, shown.due, shown.due_day),
            choices=choices,
        )

    def _back(self, learning: bool, due: datetime, due_day: object) -> str:  # noqa: FBT001 - a property of the card
        at = self._at()
        return when.wait(due, at.now) if learning else when.day(due_day, at.day)  # type: ignore[arg-type]

    def _end(self, summary: Summary) -> Ended:
        state = self._state
        if state is None:
            return Ended()
        last: dict[CardKey, Attempt] = {attempt.card: attempt for attempt in state.answered.values()}
        back = tuple(
            Back(
                self.title(key.question),
                attempt.verdict == "correct",
                self._back(state.cards[key].is_learning, state.cards[key].due, state.cards[key].due_day),
            )
            for key, attempt in last.items()
            if key in state.cards
        )
        next_due = "" if summary.answered else self.standing().next_due
        return Ended(summary.answered, summary.right, summary.left, back, next_due, summary.unrecorded)
