"""What a desk does beside practice alone: cramming, interviews, and a session beside another terminal's.

What is asked in the first two is drawn, and nothing is stored unless it is to count.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from quiz.tui import telling
from quiz.tui.marked import MarkingDesk
from quiz.tui.ports import Ended, Given, NotSaved, Trouble

if TYPE_CHECKING:
    from quiz.scheduling.calendar import Moment
    from quiz.scheduling.rating import Rating as Scale
    from quiz.session.messages import Effect, SessionEvent, ShowReveal
    from quiz.session.practice import State
    from quiz.session.scratch import Scratch
    from quiz.store import Store
    from quiz.tui.ports import Answer, Rating, Result, Turn, Wanted


class MixedDesk(MarkingDesk):
    """The part of a desk for sessions that are not practice, or are not the only one.

    Attributes:
        _scratch: in place of the history, where answers are not to count.
        _ends, _minutes: of an interview, when its time is over, and how long it was to be.
        _given: of an interview, what was answered.
        _version: of the history, when the session last looked at it.
        _rested: what was suspended or buried when the session began.
        _offered: the answer whose ratings were told, and the version of the history by which they were.
    """

    seed: str
    _state: State | None
    _reveal: ShowReveal | None
    _rollover: int
    _scratch: Scratch | None
    _ends: datetime | None
    _minutes: int
    _given: list[Given]
    _version: int = 0
    _rested: frozenset[str] = frozenset()
    _offered: tuple[str, int] = ("", 0)

    @abstractmethod
    def _run(self, event: SessionEvent) -> tuple[Effect, ...]:
        """Send an event and do what the machine asks for. Raises Trouble."""

    @abstractmethod
    def _result(self) -> Result:
        """The result of the answer just given."""

    @property
    def _book(self) -> Store | Scratch:
        """Where answers are written: the history, or a slate that is wiped."""
        return self._scratch or self.store

    def _anew(self) -> None:
        """Make ready for another session: what is stored elsewhere from now on is news to it. Raises Trouble."""
        from quiz.store import StoreError

        self._scratch, self._ends, self._given = None, None, []
        try:
            self._version = self.store.version()
        except StoreError as error:
            raise Trouble(str(error), error.code) from error

    def _catch_up(self) -> None:
        """Take in what another terminal has stored: what it answered or set aside is not asked here. Raises Trouble."""
        from quiz.store import StoreError

        if self._state is None or self._scratch is not None:
            return
        try:
            version = self.store.version()
            if version == self._version:
                return
            from quiz.session import elsewhere, practice
            from quiz.session.messages import Elsewhere

            at = self._at()
            cards = self.store.chosen(elsewhere.still_open(self._state))
        except StoreError as error:
            raise Trouble(str(error), error.code) from error
        news = self.resting() - self._rested
        self._state, _ = practice.step(self._state, Elsewhere(at.now, at.day, cards, news))
        self._version = version

    def ratings(self) -> Result:
        """The answer just given, with what each rating of it stores as the history stands by now. Raises Trouble."""
        from quiz.store import StoreError

        state = self._state
        if state is not None and state.attempt is not None and state.phase == "revealed" and self._scratch is None:
            try:
                offered = (state.attempt.id, self.store.version())
                found = self.store.reoffered(state.attempt) if offered != self._offered else None
            except StoreError as error:
                raise Trouble(str(error), error.code) from error
            if offered != self._offered:
                if found is None:
                    raise Trouble("That answer was taken back, on another terminal: there is nothing to rate.")
                self._run(found)
                self._offered = offered
        return self._result()

    def rerate(self, rating: Rating) -> Result:
        """The learner's own rating of the answer just given, as `ratings` last told it. Raises Trouble."""
        from quiz.scheduling.rating import Rating as Scale
        from quiz.session.messages import Rerate
        from quiz.store import StoreError

        at, scale, known = self._at(), Scale[rating.upper()], self._offered[0]
        told = self._days()
        self.ratings()
        if self._days().get(scale) != told.get(scale) and known == self._offered[0]:
            raise NotSaved("Another terminal moved these days meanwhile: nothing is stored; r shows them as they are.")
        try:
            identity = self._book.new_id(at.now)
        except StoreError as error:
            raise NotSaved(str(error), error.code) from error
        self._run(Rerate(at.now, at.offset, identity, scale))
        return self._result()

    def _days(self) -> dict[Scale, date]:
        choices = self._state.choices if self._state is not None else {}
        return {rating: choice.after.card.due_day for rating, choice in choices.items()}

    def _mixed(self, wanted: Wanted) -> State:
        """A session for cramming, or an interview: what is asked is drawn, whatever is due."""
        from quiz.scheduling import queue
        from quiz.scheduling.calendar import add_time
        from quiz.session import practice
        from quiz.session.scratch import Scratch
        from quiz.store import StoreError

        rest = self._rested = self.resting()
        try:
            settings = self.store.settings()
            self._rollover = settings.rollover_hour
            at, every = self._at(), telling.entries(self.bank)
            entries = [entry for entry in every if entry.key.question not in rest]
            chosen = [entry for entry in entries if not wanted.topics or entry.topic in wanted.topics]
            items = queue.mixed(chosen, seed=self._seed(at), most=wanted.most)
            cards = {}
            if wanted.counts:
                cards = {item.key: card for item in items if (card := self.store.card(item.key)) is not None}
            load = self.store.forecast(self.bank.id) if wanted.counts else {}
        except StoreError as error:
            raise Trouble(str(error), error.code) from error
        if not wanted.counts:
            self._scratch = Scratch(settings)
        if wanted.minutes:
            self._minutes, self._ends = wanted.minutes, add_time(at.now, timedelta(minutes=wanted.minutes))
        return practice.begin(
            items, cards, settings=settings, seed=self._seed(at), entries=entries, load=load, mode=wanted.mode
        )

    def _seed(self, at: Moment) -> str:
        return f"{self.seed}\x1f{at.now.isoformat()}"

    def _reported(self, ended: Ended) -> Ended:
        """The end, with what an interview was made of."""
        if self._scratch is not None:
            ended = replace(ended, back=(), next_due="", counts=False)
        if self._ends is None:
            return ended
        seconds = self._minutes * 60 - (self._ends - self._at().now).total_seconds()
        return replace(ended, given=tuple(self._given), seconds=seconds, minutes=self._minutes)

    def _noted(self, turn: Turn, answer: Answer, confidence: int | None) -> Result:
        """The result of an answer that is stored; in an interview it is kept for the report."""
        result = self._result()
        if self._ends is not None and self._reveal is not None:
            seconds = self._reveal.attempt.duration_ms / 1_000
            self._given.append(Given(turn, answer, result, confidence, seconds))
        return result
