"""The learner's place to work, for real: a bank, a history file, and the session machine between them.

It carries out what the machine asks for and turns what comes back into what screens show. Bank, grading and
clock are handed in, so that a test can stand in for each.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from quiz.tui import material, taking, telling
from quiz.tui.beforehand import Beforehand
from quiz.tui.figured import Figured
from quiz.tui.marked import counted
from quiz.tui.mixed import MixedDesk
from quiz.tui.ports import (
    Answer,
    Ended,
    Given,
    Mark,
    NotSaved,
    Result,
    Standing,
    Step,
    Today,
    TopicLine,
    Trouble,
    Turn,
    Waiting,
    Wanted,
)
from quiz.tui.rereading import GoneError, Reread
from quiz.tui.setting import SettingDesk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from quiz.bank.rendered import NumericPart
    from quiz.scheduling.calendar import Moment
    from quiz.scheduling.cards import Card, CardKey
    from quiz.session.attempt import Attempt
    from quiz.session.events import Event
    from quiz.session.messages import Effect, SessionEvent, ShowReveal
    from quiz.session.practice import State
    from quiz.session.scratch import Scratch
    from quiz.store import Store
    from quiz.tui.needs import BankLike, Grading
    from quiz.tui.ports import Echo


def wall_clock() -> datetime:
    """The instant, with the offset in force."""
    return datetime.now().astimezone()


@dataclass
class HistoryDesk(Figured, MixedDesk, SettingDesk, Beforehand):
    """A desk over a history file. `open_bank` may raise Trouble. Used by one thread at a time."""

    open_bank: Callable[[], BankLike]
    history: Path
    grading: Grading
    clock: Callable[[], datetime] = wall_clock
    seed: str = ""
    warnings: tuple[str, ...] = ()
    # It is only looked at: a history that cannot be written is read as it is.
    looking: bool = False
    # A history that is missing is begun.
    begins: bool = True
    _bank: BankLike | None = None
    _store: Store | None = None
    _state: State | None = None
    _turn: Turn | None = None
    _reveal: ShowReveal | None = None
    _mark: Mark = field(default_factory=lambda: Mark("unknown"))
    _rollover: int = 4
    # Undo: the answers given here, the last one last; up to which event the history was there before them; and the
    # attempt that is being asked again.
    _mine: list[str] = field(default_factory=list)
    _before: str = ""
    _again: Attempt | None = None
    # Answers that are not to count; and of an interview, when its time is over, its minutes and what was answered.
    _scratch: Scratch | None = None
    _ends: datetime | None = None
    _minutes: int = 0
    _given: list[Given] = field(default_factory=list)

    # ---------------------------------------------------------------- opening and closing

    def open(self) -> Standing:
        """Open bank and history; doing so twice is harmless. Raises Trouble."""
        from quiz.store import StoreError

        if self._bank is None:
            self._bank = Reread(self.open_bank)
        if self._store is None:
            try:
                self._store = material.opened(self.history, looking=self.looking, begins=self.begins)
                self._before = self._store.last_id()
                self._rollover = self._store.settings().rollover_hour
                self.warnings += material.followed(self._store, self._bank, self._at())
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
        return calendar.moment(local, calendar.offset_minutes(local), rollover_hour=self._rollover)

    def now(self) -> datetime:
        """The instant."""
        return self._at().now

    def today(self) -> Today:
        """The learner's day, and until when it lasts where the calendar is a day ahead of it."""
        day, wall = self._at().day, self.clock().date()
        return Today(day, f"{self._rollover:02}:00" if wall > day else "")

    # ---------------------------------------------------------------- how things stand

    def standing(self, topics: tuple[str, ...] = ()) -> Standing:
        """How things stand now, in some topics or (none) in all. Raises Trouble."""
        from quiz.session.marks import resting
        from quiz.statistics.estimate import share
        from quiz.store import StoreError

        try:
            settings = self.store.settings()
            self._rollover = settings.rollover_hour
            at = self._at()
            marks = self.marks_now()
            seen = material.overview_of(self.store, self.bank, at, settings, topics, resting(marks, at.day))
        except StoreError as error:
            raise Trouble(str(error), error.code) from error
        coming = seen.next_card
        return Standing(
            bank=self.bank.title,
            due=seen.due,
            new=seen.new,
            later=seen.later,
            next_due=telling.back(coming, at) if coming else "",
            topics=tuple(
                TopicLine(line.topic, line.questions, line.seen, line.due, share(line.right, line.attempts).share)
                for line in seen.topics
            ),
            warnings=(*self.warnings, *self.store.notices, *material.damage(self.store)),
            unseen=seen.unseen,
            marked=counted(marks, at.day),
        )

    # ---------------------------------------------------------------- a session

    def begin(self, wanted: Wanted) -> Step:
        """Start a session on what is wanted. Raises Trouble."""
        from quiz.session.messages import Begin

        self._anew()
        self._state = self._session(wanted) if wanted.mode == "practice" else self._mixed(wanted)
        step = self._step(Begin(self._at().now))
        if isinstance(step, Waiting) and wanted.due_only:
            return self.leave()  # what comes back soon is not due yet
        return step

    def _session(self, wanted: Wanted | None) -> State:
        """A session that waits for its first event; nothing is in it where nothing is wanted."""
        from quiz.scheduling import queue
        from quiz.session import practice
        from quiz.store import StoreError

        try:
            settings = self.store.settings()
            self._rollover = settings.rollover_hour
            at = self._at()
            shelf = material.Shelf.of(telling.entries(self.bank))
            items: tuple[queue.Item, ...] = ()
            cards: Mapping[CardKey, Card] = {}
            if wanted is not None:
                filters = queue.Filters(topics=wanted.topics, questions=wanted.questions, due_only=wanted.due_only)
                resting = self._rested = self.resting()
                items, cards = material.for_session(self.store, shelf, at, settings, filters, self.seed, resting)
            load = self.store.forecast(self.bank.id)
        except StoreError as error:
            raise Trouble(str(error), error.code) from error
        # The seed holds the instant, or each review of a day would show the options in the same order.
        every = shelf.entries
        return practice.begin(items, cards, settings=settings, seed=self._seed(at), entries=every, load=load)

    def next(self) -> Step:
        """Go on to the next question, or to what has come due meanwhile. Raises Trouble."""
        from quiz.session.messages import Next

        if self._ends is not None and self._at().now >= self._ends:
            return self.leave()
        return self._step(Next(self._at().now))

    def go_on(self) -> Step:
        """Do not wait: ask the question that comes back first, now. Raises Trouble."""
        from quiz.session.messages import GoOn

        return self._step(GoOn(self._at().now))

    def leave(self) -> Ended:
        """End the session. Raises Trouble."""
        from quiz.session.messages import Leave

        if self._state is None:
            return Ended()
        ended = self._step(Leave(self._at().now))
        return ended if isinstance(ended, Ended) else Ended()

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
            identity = self._book.new_id(at.now)
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
        return self._noted(turn, answer, confidence)

    def retry(self) -> Result:
        """Store the answer that could not be stored. Raises NotSaved."""
        from quiz.session.messages import Retry

        self._run(Retry())
        return self._result()

    def undo(self) -> Turn:
        """Take back the last answer given here, or else the last of the history, and ask it again. Raises Trouble.

        An answer that another terminal gave since this desk was opened is never taken back here.
        """
        from quiz.session.messages import Undone

        if self._ends is not None:
            raise Trouble("In an interview there is no way back. Its report shows every solution.")
        if self._scratch is not None:
            attempt, card, note = taking.wiped(self._scratch, self.title)
        else:
            mine, before = self._mine, self._before
            attempt, card, note = taking.back(self.store, self._at(), self.bank.id, mine, before, self.title)
        key = attempt.card
        if key.question not in self.questions():
            raise Trouble(f"{note} That question is no longer in this bank.")
        if self._state is None:
            self._state = self._session(None)
        self._again = attempt
        self._step(Undone(self._at().now, key, card, attempt.id))
        self._turn = replace(self._shown(), note=note)
        return self._turn

    # ---------------------------------------------------------------- driving the machine

    def _step(self, event: SessionEvent) -> Step:
        """Send an event after which a question is asked, something is waited for, or the session is over."""
        from quiz.session.messages import Ask, Finished, Wait

        self._catch_up()
        for effect in self._run(event):
            if isinstance(effect, Ask):
                again, self._again = self._again, None
                try:
                    turn = telling.turn(effect, self._session_open, self.bank, self.title, again)
                except GoneError as gone:
                    return self._left_out(effect.item.key, gone)
                self._turn = replace(turn, ends=self._ends)
            elif isinstance(effect, Wait):
                return telling.waiting(effect, self._session_open, self.title)
            elif isinstance(effect, Finished):
                next_due = "" if effect.summary.answered else self.standing().next_due
                ended = telling.ended(effect.summary, self._session_open, self._at(), self.title, next_due)
                return self._reported(ended)
        return self._shown()

    def _run(self, event: SessionEvent) -> tuple[Effect, ...]:
        """Send an event and do what the machine asks for; storing feeds its outcome back. Raises Trouble."""
        from quiz.session import practice
        from quiz.session.messages import Record, RecordFailed, ShowReveal
        from quiz.store import StoreError

        try:
            self._state, effects = practice.step(self._session_open, event)
        except StoreError as error:  # a card is read when it is its turn
            raise Trouble(str(error), error.code) from error
        for effect in effects:
            if isinstance(effect, ShowReveal):
                self._reveal = effect
            elif isinstance(effect, Record):
                try:
                    recorded = self._book.append(effect.event)
                except StoreError as error:
                    self._run(RecordFailed(str(error)))
                    raise NotSaved(str(error), error.code) from error
                self._remember(recorded.event)
                return self._run(recorded)
        return effects

    @property
    def _session_open(self) -> State:
        if self._state is None:
            raise Trouble("no session is open")
        return self._state

    def _result(self) -> Result:
        if self._reveal is None:
            raise Trouble("no answer is stored")
        if self._scratch is not None:
            return telling.uncounted(self._reveal, self._mark, self._session_open)
        self._rollover = self._session_open.settings.rollover_hour  # another terminal may have changed it
        return telling.result(self._reveal, self._mark, self._session_open, self._at())

    def _remember(self, event: Event) -> None:
        """Keep the id of an answer that was given here, for undo."""
        from quiz.session.attempt import Attempt

        if isinstance(event, Attempt) and event.id not in self._mine:
            self._mine.append(event.id)

    def _shown(self) -> Turn:
        if self._turn is None:
            raise Trouble("no question is on the screen")
        return self._turn
