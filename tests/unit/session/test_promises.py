"""What is promised is what is stored: by topic, before an interview, by the load of the days, with two terminals."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from quiz.scheduling.cards import Card, CardKey
from quiz.scheduling.memory import WEIGHTS
from quiz.scheduling.queue import Entry, Item
from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import Settings
from quiz.session.attempt import Attempt, Response, Shown
from quiz.session.events import Rerating
from quiz.session.messages import (
    Ask,
    Begin,
    Graded,
    Next,
    Record,
    Rerate,
    SetAside,
    ShowReveal,
    Submit,
)
from quiz.session.practice import State, begin, step
from quiz.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SHOWN = Shown("m", {}, ("a", "b"), ("a",), {})
PLAIN = Settings(fuzz=False)


def key(name: str) -> CardKey:
    return CardKey("core", name)


class Terminal:
    """A session over a store, as a desk drives it."""

    def __init__(self, store: Store, state: State) -> None:
        self.store = store
        self.state = state
        self.now = START
        self.reveal: ShowReveal | None = None
        self.stored: Attempt | None = None

    def send(self, event: object) -> tuple[object, ...]:
        self.state, effects = step(self.state, event)  # type: ignore[arg-type]
        for effect in effects:
            if isinstance(effect, Record):
                recorded = self.store.append(effect.event)
                if isinstance(recorded.event, Attempt):
                    self.stored = recorded.event
                return self.send(recorded)
            if isinstance(effect, ShowReveal):
                self.reveal = effect
        return effects

    def answer(self, verdict: str = "correct") -> ShowReveal:
        self.now += timedelta(seconds=40)
        self.send(
            Submit(self.now, 0, self.store.new_id(self.now), SHOWN, Response((verdict,)), Graded(verdict), 75)  # type: ignore[arg-type]
        )
        assert self.reveal is not None
        return self.reveal

    def rerate(self, rating: Rating) -> ShowReveal:
        self.send(Rerate(self.now, 0, self.store.new_id(self.now), rating))
        assert self.reveal is not None
        return self.reveal

    @property
    def card(self) -> Card:
        assert self.stored is not None
        return self.store.cards("core")[self.stored.card]


def terminal(
    store: Store,
    *names: str,
    settings: Settings = PLAIN,
    entries: Sequence[Entry] = (),
    load: dict[date, int] | None = None,
) -> Terminal:
    items = [Item(key(name), "due") for name in names]
    made = Terminal(store, begin(items, store.cards("core"), settings=settings, seed="s", entries=entries, load=load))
    made.send(Begin(START))
    return made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A history in which question `a` was answered often enough to come back after weeks."""
    with Store.open(tmp_path / "history.db") as opened:
        now = START - timedelta(days=200)
        for wait in (0, 1, 5, 30, 90):
            now += timedelta(days=wait)
            learner = terminal(opened, "a")
            learner.now = now
            learner.send(Begin(now))
            learner.answer()
        yield opened


def heavy(*, but: int) -> dict[date, int]:
    """A load of nine a day for two years, but for every so many days."""
    return {START.date() + timedelta(days=n): 9 for n in range(800) if n % but}


def set_(store: Store, **values: object) -> Settings:
    from quiz.session.events import SettingChange

    for name, value in values.items():
        store.append(SettingChange(store.new_id(START), START, 0, name, value))
    return store.settings()


def test_a_balanced_day_is_stored_shown_and_derived_again(store: Store) -> None:
    """Each button, pressed, stores what it showed; rebuilding the cards changes no byte."""
    settings = set_(store, balance=True)
    learner = terminal(store, "a", settings=settings, load=heavy(but=5))
    reveal = learner.answer()
    assert learner.stored is not None
    assert learner.stored.placed
    assert (learner.stored.promise.day - START.date()).days % 5 == 0
    assert learner.card.due_day == reveal.due_day == learner.stored.promise.day
    for rating in (Rating.HARD, Rating.EASY, Rating.AGAIN, Rating.GOOD):
        shown = reveal.choices[rating]
        again = learner.rerate(rating)
        assert (again.due, again.due_day) == (shown.due, shown.card.due_day)
        assert learner.card == shown.card
        assert again.choices == reveal.choices
    assert store.rebuild().changed == 0


def test_the_card_itself_is_no_load_of_its_own_day(store: Store) -> None:
    """Answered and rated anew, it is not pushed away by itself."""
    settings = set_(store, balance=True)
    learner = terminal(
        store, "a", settings=settings, load=Counter(card.due_day for card in store.cards("core").values())
    )
    reveal = learner.answer()
    first = reveal.due_day
    learner.rerate(Rating.AGAIN)
    assert learner.rerate(Rating.GOOD).due_day == first
    assert sum(learner.state.load.values()) == 1


def test_two_terminals_with_one_question_open_the_second_is_told_and_shown_what_is_stored(store: Store) -> None:
    settings = set_(store, balance=True)
    one = terminal(store, "a", settings=settings, load=heavy(but=5))
    other = terminal(store, "a", settings=settings, load=heavy(but=7))
    assert not one.answer("incorrect").moved
    other.now += timedelta(minutes=5)
    reveal = other.answer()
    assert reveal.moved == ("answer",)
    assert (reveal.due, reveal.due_day) == (other.card.due, other.card.due_day)
    assert reveal.choices[reveal.rating].card == other.card
    for rating in Rating:
        if rating is not reveal.rating:
            assert other.rerate(rating).choices[rating].card == other.card
    assert other.card.reps == 7
    assert store.rebuild().changed == 0


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("new", {"learning_steps": [1800.0, 7200.0]}),
        ("a", {"maximum_interval": 20}),
        ("a", {"relearning_steps": [5400.0]}),
        ("a", {"balance": False}),
        ("a", {"weights": {"values": [weight * 1.01 for weight in WEIGHTS]}}),
    ],
)
def test_the_buttons_show_what_is_stored_also_where_a_setting_changed_while_the_question_was_open(
    store: Store, name: str, changed: dict[str, object]
) -> None:
    """And the promise of what is stored, the answer's and each rating's, is the day of the card."""
    learner = terminal(store, name, "next", settings=set_(store, balance=True), load=heavy(but=5))
    settings = set_(store, **changed)
    reveal = learner.answer("incorrect")
    assert reveal.choices[reveal.rating].card == learner.card
    assert learner.stored is not None
    assert (learner.stored.promise.due, learner.stored.promise.day) == (learner.card.due, learner.card.due_day)
    for rating in (Rating.HARD, Rating.EASY, Rating.GOOD, Rating.AGAIN):
        shown = reveal.choices[rating]
        assert learner.rerate(rating).choices == reveal.choices
        assert learner.card == shown.card
        last = list(store.events())[-1]
        assert isinstance(last, Rerating)
        assert (last.promise.due, last.promise.day) == (learner.card.due, learner.card.due_day)
    assert store.rebuild().changed == 0
    assert learner.state.settings == settings, "the next question is asked under the new setting"
    learner.send(Next(learner.now))
    assert learner.answer().moved == ()


def test_what_moved_a_day_is_told_apart(store: Store) -> None:
    """A change of the settings, another terminal's answer, or both."""
    for name, answered, reset in (("b", False, True), ("c", True, False), ("d", True, True)):
        mine, other = terminal(store, name, settings=store.settings()), terminal(store, name)
        if answered:
            other.now += timedelta(minutes=5)
            other.answer()
        if reset:
            set_(store, learning_steps=[1800.0, 7200.0, 9000.0 + answered])
        mine.now += timedelta(minutes=20)
        assert mine.answer().moved == ("answer",) * answered + ("settings",) * reset


def test_a_topic_s_retention_and_the_interview_make_intervals_shorter_and_are_kept_with_the_answer(
    store: Store,
) -> None:
    entry = Entry(key("a"), "zero")
    days = {}
    cases: dict[str, dict[str, object]] = {
        "plain": {},
        "topic": {"retention.zero": 0.95},
        "near": {"interview_date": "2026-03-05"},
        "far": {"interview_date": "2027-03-05"},
        "past": {"interview_date": "2026-03-01"},
    }
    for name, values in cases.items():
        changed = PLAIN
        for setting, value in values.items():
            changed = changed.with_value(setting, value)
        learner = terminal(store, "a", settings=changed, entries=[entry])
        set_(store, fuzz=False)
        days[name] = (learner.answer().due_day - START.date()).days
        assert learner.stored is not None
        aimed = changed.target("zero", START.date())
        assert learner.stored.retention == (None if aimed == 0.9 else aimed)
        assert learner.card.due_day == learner.stored.promise.day
        store.undo(START, 0)
    assert days["plain"] == days["far"] == days["past"]
    assert days["topic"] < days["plain"]
    assert days["topic"] <= days["near"] < days["plain"]
    assert store.rebuild().changed == 0


def test_what_is_set_aside_leaves_the_session_and_no_answer(store: Store) -> None:
    learner = terminal(store, "a", "b", "c")
    before = store.last_id()
    effects = learner.send(SetAside(START, key("a")))
    assert [effect.item.key.question for effect in effects if isinstance(effect, Ask)] == ["b"]
    assert learner.send(SetAside(START, key("c"))) == ()
    learner.answer("incorrect")
    learner.send(SetAside(START, key("b")))
    assert learner.state.learning == frozenset()
    assert [type(effect).__name__ for effect in learner.send(Next(START + timedelta(hours=1)))] == ["Finished"]
    assert [event.id for event in store.events() if event.id > before] == [learner.stored.id if learner.stored else ""]


def test_what_comes_back_is_put_where_no_sibling_follows_and_no_prerequisite_is_passed_over(store: Store) -> None:
    """`a` comes back; `b` is its sibling and waits for `c`, but `e` needs `d` and does not go before it."""
    entries = [
        Entry(key("a"), "x", related=("b", "d")),
        Entry(key("b"), "x"),
        Entry(key("c"), "y"),
        Entry(key("d"), "y"),
        Entry(key("e"), "z", prerequisites=("d",)),
    ]
    learner = terminal(store, "c", "a", "b", "d", "e", entries=entries)
    asked = []
    for _ in range(6):
        assert learner.state.item is not None
        asked.append(learner.state.item.key.question)
        learner.answer("incorrect" if len(asked) == 2 else "correct")
        learner.now += timedelta(minutes=11) if len(asked) == 3 else timedelta()
        learner.send(Next(learner.now))
    # After a no sibling of a is free to come: e needs d, so the order stands and b follows.
    assert asked[:3] == ["c", "a", "b"]
    # a is due again, but b was its sibling: d stands between.
    assert asked.index("a", 3) > 3
