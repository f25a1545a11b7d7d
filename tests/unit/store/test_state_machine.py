"""Any course of answers, undos, new ratings, settings, marks, renames, merges, clock jumps and restarts.

No answer is lost, what was shown is what is stored, every card can be derived, and none is due twice on a day.
"""

from __future__ import annotations

import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from quiz.scheduling import balance, calendar
from quiz.scheduling.cards import CardKey, review
from quiz.scheduling.rating import Rating
from quiz.session import choosing
from quiz.session.attempt import Attempt, Promise
from quiz.session.events import Event, Mark, Rerating, Retraction, SettingChange
from quiz.store import Damaged, Store
from tests.unit.session.made import START, attempt

QUESTIONS = st.sampled_from(["a", "b", "c"])
RATINGS = st.sampled_from(list(Rating))
TERMINALS = st.integers(0, 1)
OTHER = [0.4, 1.2, 3.1, 15.7, 7.2, 0.53, 1.7, 0.01, 1.5, 0.15, 1.0, 1.9, 0.1, 0.3, 2.3, 0.2, 2.9, 0.5, 0.6, 0.1, 0.3]
CHANGES = st.sampled_from(
    [
        ("rollover_hour", 0),
        ("rollover_hour", 9),
        ("retention", 0.95),
        ("retention.zero", 0.97),
        ("interview_date", "2026-02-10"),
        ("easy_days", ["mon", "sat", "sun"]),
        ("balance", False),
        ("fuzz", False),
        ("weights", {"values": OTHER}),
        ("weights", None),
    ]
)


class Machine:
    """A machine's history, and what it is known to hold: the answers accepted, and those taken back."""

    def __init__(self, path: Path, terminals: int) -> None:
        self.path = path
        self.stores = [Store.open(path) for _ in range(terminals)]
        self.accepted: set[str] = set()
        self.taken: set[str] = set()

    @property
    def counted(self) -> list[str]:
        return sorted(self.accepted - self.taken)

    def events(self) -> list[Event]:
        return [event for event in self.stores[0].events() if not isinstance(event, Damaged)]

    def take_in(self, other: Machine) -> None:
        self.stores[-1].merge(other.events())
        self.accepted |= other.accepted
        self.taken |= other.taken


class History(RuleBasedStateMachine):
    """Two terminals on one file, and another machine whose history is merged now and then."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.home = Machine(self.folder / "home" / "history.db", 2)
        self.away = Machine(self.folder / "away" / "history.db", 1)
        self.now = START
        self.offset = 60
        self.names = {name: name for name in ("a", "b", "c")}
        self.made = 0

    def teardown(self) -> None:
        for store in (*self.home.stores, *self.away.stores):
            store.close()
        shutil.rmtree(self.folder)

    @rule(minutes=st.integers(1, 3_000))
    def time_passes(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @rule(weeks=st.integers(2, 9))
    def weeks_pass(self, weeks: int) -> None:
        self.now += timedelta(weeks=weeks)

    @rule(days=st.integers(1, 30))
    def the_clock_is_set_back(self, days: int) -> None:
        self.now -= timedelta(days=days)

    @rule(offset=st.sampled_from([-480, 0, 60, 120, 840]))
    def the_learner_travels(self, offset: int) -> None:
        self.offset = offset

    def answer(self, machine: Machine, store: Store, name: str, rating: Rating, *, read: bool = False) -> None:
        """What the buttons show just before is what is stored, with or without what is looked up beforehand."""
        key = CardKey("core", name)
        held, before = store.settings(), store.card(key)
        day = calendar.effective_day(self.now, self.offset, rollover_hour=held.rollover_hour)
        target = held.target("zero", day)
        load = choosing.without(store.forecast("core"), before)
        shown = balance.preview(
            before, self.now, self.offset, settings=held, seed=key.seed, day=day, retention=target, load=load
        )
        after, placed = shown[rating]
        if read:
            store.ready(key, day)
        self.made += 1
        one = replace(
            attempt(self.made, now=self.now, key=key, rating=rating, offset=self.offset),
            id=store.new_id(self.now),
            day=day,
            duration_ms=0,
            promise=Promise(after.due, after.card.due_day),
            placed=placed,
            retention=None if target == held.retention else target,
        )
        recorded = store.append(one)
        assert recorded.event == one
        assert recorded.card == after.card
        if not after.card.is_learning:
            assert not after.card.is_due(after.card.last, after.card.last_day)
        machine.accepted.add(one.id)

    @rule(question=QUESTIONS, rating=RATINGS, terminal=TERMINALS, read=st.booleans())
    def an_answer_is_given(self, question: str, rating: Rating, terminal: int, read: bool) -> None:  # noqa: FBT001 - drawn
        self.answer(self.home, self.home.stores[terminal], self.names[question], rating, read=read)

    @rule(question=QUESTIONS, rating=RATINGS)
    def an_answer_is_given_on_the_other_machine(self, question: str, rating: Rating) -> None:
        """Under the names that its bank still has."""
        self.answer(self.away, self.away.stores[0], question, rating)

    @rule()
    def the_histories_are_merged(self) -> None:
        self.home.take_in(self.away)
        self.away.take_in(self.home)
        assert self.home.events() == self.away.events()
        assert self.home.stores[0].cards("core") == self.away.stores[0].cards("core")

    @precondition(lambda self: self.home.accepted)
    @rule(terminal=TERMINALS)
    def the_last_answer_is_taken_back(self, terminal: int) -> None:
        undone = self.home.stores[terminal].undo(self.now, self.offset)
        expected = self.home.counted[-1] if self.home.counted else None
        assert (undone.attempt.id if undone else None) == expected
        if expected:
            self.home.taken.add(expected)

    @precondition(lambda self: self.home.counted)
    @rule(rating=RATINGS, terminal=TERMINALS)
    def the_last_answer_is_rated_anew(self, rating: Rating, terminal: int) -> None:
        store = self.home.stores[terminal]
        last = store.recent(1)[0]
        before = store.append(last).before
        after = review(
            before, rating, last.time, last.offset, settings=store.settings(), seed=last.card.seed, day=last.day
        ).card
        promise = Promise(after.due, after.due_day)
        store.append(Rerating(store.new_id(self.now), self.now, self.offset, last.id, rating, promise))

    @rule(change=CHANGES, terminal=TERMINALS)
    def a_setting_changes(self, change: tuple[str, object], terminal: int) -> None:
        store = self.home.stores[terminal]
        before = store.cards("core")
        store.append(SettingChange(store.new_id(self.now), self.now, self.offset, *change))
        assert store.settings().with_value(*change) == store.settings()
        after = store.cards("core")
        assert {key: card.due for key, card in after.items()} == {key: card.due for key, card in before.items()}

    @rule(question=QUESTIONS, kind=st.sampled_from(["suspend", "flag"]), value=st.booleans())
    def a_question_is_marked(self, question: str, kind: str, value: bool) -> None:  # noqa: FBT001 - drawn
        store = self.home.stores[0]
        before = store.cards("core")
        name = self.names[question]
        store.append(Mark(store.new_id(self.now), self.now, self.offset, "core", name, kind, value))  # type: ignore[arg-type]
        assert store.cards("core") == before

    @rule(question=QUESTIONS, terminal=TERMINALS)
    def a_question_is_renamed(self, question: str, terminal: int) -> None:
        """Its answers follow it to a name that no question had."""
        old = self.names[question]
        self.names[question] = new = f"{question}{len(old)}"
        self.home.stores[terminal].follow("core", {old: new}, self.now, self.offset)

    @rule(terminal=TERMINALS)
    def a_terminal_is_restarted(self, terminal: int) -> None:
        self.home.stores[terminal].close()
        self.home.stores[terminal] = Store.open(self.home.path)

    @invariant()
    def no_answer_is_lost_and_every_card_can_be_derived(self) -> None:
        for machine in (self.home, self.away):
            events = machine.events()
            assert {event.id for event in events if isinstance(event, Attempt)} == machine.accepted
            assert {event.target for event in events if isinstance(event, Retraction)} == machine.taken
            cards = machine.stores[0].cards("core")
            assert sum(card.reps for card in cards.values()) == len(machine.counted)
            assert machine.stores[0].rebuild().changed == 0
            assert machine.stores[-1].cards("core") == cards
            for card in cards.values():
                assert card.is_learning or not card.is_due(card.last, card.last_day)


class LongHistory(History):
    """The same, at length."""


TestHistory = History.TestCase
TestHistory.settings = settings(max_examples=10, stateful_step_count=16, deadline=None)
TestLongHistory = pytest.mark.long(LongHistory.TestCase)
TestLongHistory.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
