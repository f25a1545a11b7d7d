"""What is made ready while the learner reads, so that the next step need not wait for it. Nothing depends on it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING

from quiz.tui import telling
from quiz.tui.ports import Trouble

if TYPE_CHECKING:
    from quiz.scheduling.calendar import Moment
    from quiz.session.practice import State
    from quiz.session.scratch import Scratch
    from quiz.store import Store
    from quiz.tui.needs import BankLike


def ready(state: State, bank: BankLike, store: Store | None, at: Moment) -> State:
    """Make ready what a session needs next, and return the session, which goes on as it would have.

    While a question is read: what each rating of an answer stores, and what of the history that rests on. While a
    solution is read: the card and the text of the question that would come now.

    Args:
        state: of the session.
        bank: of its questions.
        store: the history; None where answers are not stored.
        at: now.

    Raises:
        StoreError, BankError, LookupError: something of it cannot be read.
    """
    from quiz.session import choosing, practice
    from quiz.session.messages import Ask, Next

    if state.phase == "asking" and state.item is not None:
        if store is not None:
            store.ready(state.item.key, at.day)
        return choosing.ready(state, at.now, at.offset)
    if state.phase == "revealed":
        after, effects = practice.step(state, Next(at.now))
        for effect in effects:
            if isinstance(effect, Ask):
                telling.turn(effect, after, bank, str, None)
    return state


class Beforehand(ABC):
    """The part of a desk that works while the learner reads; `HistoryDesk` has the rest."""

    _state: State | None
    _scratch: Scratch | None

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

    def ready(self) -> None:
        """Make ready what comes next. What cannot be read is told by the step that needs it."""
        from quiz.bank.diagnostics import BankError
        from quiz.store import StoreError

        if self._state is None:
            return
        with suppress(StoreError, BankError, LookupError, Trouble):
            self._state = ready(self._state, self.bank, None if self._scratch else self.store, self._at())
