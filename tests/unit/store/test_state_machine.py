"""Any course of answers, undos, new ratings, settings, clock jumps and restarts: nothing lost, cards derivable."""

from __future__ import annotations

import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from quiz.scheduling import calendar
from quiz.scheduling.cards import CardKey, preview, review
from quiz.scheduling.rating import Rating
from quiz.session.attempt import Attempt, Promise
from quiz.session.events import Rerating, Retraction, SettingChange
from quiz.store import Store
from tests.unit.session.made import START, attempt

QUESTIONS = st.sampled_from(["a", "b", "c"])
RATINGS = st.sampled_from(list(Rating))
CHANGES = st.sampled_from([("rollover_hour", 0), ("rollover_hour", 9), ("retention", 0.95), ("fuzz", False)])


class History(RuleBasedStateMachine):
    """Two terminals on one file, beside a list of what was accepted."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "data" / "history.db"
        self.stores = [Store.open(self.path), Store.open(self.path)]
        self.now = START
        self.offset = 60
        self.accepted: list[str] = []
        self.counted: list[str] = []

    def teardown(self) -> None:
        for store in self.stores:
            store.close()
        shutil.rmtree(self.folder)

    @rule(minutes=st.integers(1, 3_000))
    def time_passes(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @rule(days=st.integers(1, 30))
    def the_clock_is_set_back(self, days: int) -> None:
        self.now -= timedelta(days=days)

    @rule(offset=st.sampled_from([-480, 0, 60, 120, 840]))
    def the_learner_travels(self, offset: int) -> None:
        self.offset = offset

    @rule(question=QUESTIONS, rating=RATINGS, terminal=st.integers(0, 1))
    def an_answer_is_given(self, question: str, rating: Rating, terminal: int) -> None:
        """What the preview shows just before is what is stored."""
        store = self.stores[terminal]
        key = CardKey("core", question)
        scheduling = store.settings()
        shown = preview(store.cards("core").get(key), self.now, self.offset, settings=scheduling, seed=key.seed)
        one = replace(
            attempt(len(self.accepted), now=self.now, key=key, rating=rating, offset=self.offset),
            id=store.new_id(self.now),
            day=calendar.effective_day(self.now, self.offset, rollover_hour=scheduling.rollover_hour),
            duration_ms=0,
        )
        recorded = store.append(one)
        assert recorded.card == shown[rating].card
        assert isinstance(recorded.event, Attempt)
        assert recorded.event.promise == Promise(shown[rating].due, shown[rating].card.due_day)
        self.accepted.append(one.id)
        self.counted.append(one.id)

    @precondition(lambda self: self.accepted)
    @rule(terminal=st.integers(0, 1))
    def the_last_answer_is_taken_back(self, terminal: int) -> None:
        undone = self.stores[terminal].undo(self.now, self.offset)
        expected = self.counted.pop() if self.counted else None
        assert (undone.attempt.id if undone else None) == expected

    @precondition(lambda self: self.counted)
    @rule(rating=RATINGS, terminal=st.integers(0, 1))
    def the_last_answer_is_rated_anew(self, rating: Rating, terminal: int) -> None:
        store = self.stores[terminal]
        last = store.recent(1)[0]
        before = store.append(last).before
        after = review(
            before, rating, last.time, last.offset, settings=store.settings(), seed=last.card.seed, day=last.day
        ).card
        promise = Promise(after.due, after.due_day)
        store.append(Rerating(store.new_id(self.now), self.now, self.offset, last.id, rating, promise))

    @rule(change=CHANGES, terminal=st.integers(0, 1))
    def a_setting_changes(self, change: tuple[str, object], terminal: int) -> None:
        store = self.stores[terminal]
        store.append(SettingChange(store.new_id(self.now), self.now, self.offset, *change))
        assert getattr(store.settings(), change[0]) == change[1]

    @rule(terminal=st.integers(0, 1))
    def a_terminal_is_restarted(self, terminal: int) -> None:
        self.stores[terminal].close()
        self.stores[terminal] = Store.open(self.path)

    @invariant()
    def no_answer_is_lost_and_every_card_can_be_derived(self) -> None:
        one, other = self.stores
        events = list(one.events())
        assert [event.id for event in events if isinstance(event, Attempt)] == self.accepted
        taken = {event.target for event in events if isinstance(event, Retraction)}
        assert [identity for identity in self.accepted if identity not in taken] == self.counted
        cards = one.cards("core")
        assert sum(card.reps for card in cards.values()) == len(self.counted)
        assert one.rebuild().changed == 0
        assert other.cards("core") == cards
        for card in cards.values():
            assert card.due_day > card.last_day or card.is_learning


TestHistory = History.TestCase
TestHistory.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
