"""Two terminals on one history: what one has answered the other does not ask, unless it is due again."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from msgspec import structs

from quiz.scheduling import calendar
from quiz.scheduling.cards import CardKey
from quiz.scheduling.rating import Rating as Scale
from quiz.session.events import Rerating
from quiz.tui import telling
from quiz.tui.ports import Answer, Ended, NotSaved, Rating, Step, Trouble, Turn, Waiting, Wanted
from tests.tui.fixtures import STRATEGY
from tests.tui.real_desk import Clock, opened

if TYPE_CHECKING:
    from quiz.session.marks import MarkKind
    from quiz.tui.desk import HistoryDesk

SIX = tuple(structs.replace(STRATEGY, id=f"q{number}", topic=f"topic-{number % 2}") for number in range(6))


def pair(folder: Path, clock: Clock) -> tuple[HistoryDesk, HistoryDesk]:
    return opened(folder, clock, *SIX), opened(folder, clock, *SIX)


def name(step: Step) -> str:
    assert isinstance(step, Turn)
    return step.question.id


def answered(desk: HistoryDesk, step: Step, rating: Rating = "easy") -> str:
    """Answer what a desk asks; return what that was."""
    desk.submit(Answer(), None)
    desk.rerate(rating)
    return name(step)


def everything(desk: HistoryDesk, step: Step) -> list[str]:
    """Answer all that a desk still asks; return what that was."""
    asked = []
    while isinstance(step, Turn):
        asked.append(answered(desk, step))
        step = desk.next()
    assert isinstance(step, Ended)
    return asked


def learned(folder: Path, clock: Clock) -> None:
    """A history in which each question was answered once, months ago."""
    desk = opened(folder, clock, *SIX)
    assert len(everything(desk, desk.begin(Wanted()))) == 6
    clock.now += timedelta(days=90)


@pytest.mark.parametrize("reviews", [True, False], ids=["due", "new"])
@pytest.mark.parametrize("later", [timedelta(seconds=6), timedelta(hours=14)], ids=["at once", "overnight"])
def test_each_question_is_asked_and_stored_once_by_one_of_them(
    tmp_path: Path,
    reviews: bool,  # noqa: FBT001 - a case
    later: timedelta,
) -> None:
    clock = Clock()
    if reviews:
        learned(tmp_path, clock)
    one, other = pair(tmp_path, clock)
    here, there = one.begin(Wanted()), other.begin(Wanted())
    open_on_both = name(here)
    assert name(there) == open_on_both
    done = []
    for _ in range(3):
        done.append(answered(one, here))
        here = one.next()
    clock.now += later
    rest = [answered(other, there)]
    step = other.next()
    assert isinstance(step, Turn)
    assert (step.number, step.total) == (2, 4)
    rest += everything(other, step)
    assert sorted(done + rest) == sorted([open_on_both, *(question.id for question in SIX)])
    assert (name(here) in rest, one.standing().due, one.standing().new) == (True, 0, 0)
    answered(one, here)
    assert isinstance(one.next(), Ended)


def test_what_the_other_one_missed_comes_back_here_when_its_time_has_come(tmp_path: Path) -> None:
    clock = Clock()
    one, other = pair(tmp_path, clock)
    here, there = one.begin(Wanted()), other.begin(Wanted())
    answered(one, here)
    missed = answered(one, one.next(), "again")
    answered(other, there)
    asked = []
    step = other.next()
    while isinstance(step, Turn):
        asked.append(answered(other, step))
        step = other.next()
    assert missed not in asked
    assert step == Waiting(((f"About {missed}", "in 1 minute"),), 5)
    clock.now += timedelta(minutes=1)
    assert name(other.next()) == missed


def test_what_is_waited_for_is_not_asked_where_the_other_one_has_answered_it(tmp_path: Path) -> None:
    """Neither ahead of its time nor at its time: the session is over."""
    clock = Clock()
    one, other = pair(tmp_path, clock)
    begun = [desk.begin(Wanted(questions=("q1",))) for desk in (one, other)]
    answered(one, begun[0], "again")
    clock.now += timedelta(seconds=5)
    answered(other, begun[1], "again")
    assert isinstance(one.next(), Waiting)
    assert isinstance(other.next(), Waiting)
    clock.now += timedelta(minutes=1)
    answered(other, other.next())
    assert isinstance(one.go_on(), Ended)


def test_a_new_question_that_the_other_one_answered_long_ago_is_due_here(tmp_path: Path) -> None:
    clock = Clock()
    one, other = pair(tmp_path, clock)
    here, there = one.begin(Wanted()), other.begin(Wanted())
    everything(one, here)
    clock.now += timedelta(days=90)
    answered(other, there)
    reasons = []
    while isinstance(step := other.next(), Turn):
        reasons.append(step.reason)
        answered(other, step)
    assert reasons == ["due"] * 5


def test_a_question_chosen_by_name_is_asked_all_the_same(tmp_path: Path) -> None:
    one, other = pair(tmp_path, Clock())
    wanted = Wanted(questions=("q1", "q2"))
    here, there = one.begin(wanted), other.begin(wanted)
    for desk, step in ((one, here), (other, there)):
        assert {answered(desk, step), answered(desk, desk.next())} == {"q1", "q2"}


def promised(desk: HistoryDesk, rating: Rating) -> str:
    """Rate the answer on the screen as its dialog says; what was stored and what is said then are that."""
    told = {choice.rating: choice.back for choice in desk.ratings().choices}
    result = desk.rerate(rating)
    assert (result.rating, result.back) == (rating, told[rating])
    event = desk.store.of_kind("rerating")[-1]
    assert isinstance(event, Rerating)
    key = CardKey("shardwise", "q1")
    at = calendar.moment(desk.clock(), 0)
    card = desk.store.card(key)
    assert card is not None
    assert (event.promise.due, event.promise.day) == (card.due, card.due_day)
    assert telling.back(card, at) == told[rating]
    return told[rating]


def on_one(folder: Path, clock: Clock) -> tuple[HistoryDesk, HistoryDesk]:
    """Two terminals on the same question, answered long ago, which the first has answered again just now."""
    alone = opened(folder, clock, *SIX)
    answered(alone, alone.begin(Wanted(questions=("q1",))))
    clock.now += timedelta(days=30)
    one, other = pair(folder, clock)
    assert name(one.begin(Wanted(questions=("q1",)))) == name(other.begin(Wanted(questions=("q1",)))) == "q1"
    one.submit(Answer(), None)
    one.rerate("hard")
    return one, other


@pytest.mark.parametrize("rating", ["again", "good", "easy"])
def test_a_rating_stores_the_day_that_it_is_shown_with_though_the_other_one_answered_since(
    tmp_path: Path, rating: Rating
) -> None:
    clock = Clock()
    one, other = on_one(tmp_path, clock)
    before = one.ratings()
    clock.now += timedelta(days=7)
    answered(other, other._shown(), "good")
    after = one.ratings()
    assert after.choices != before.choices
    assert "Another terminal answered this question meanwhile" in after.note
    promised(one, rating)
    promised(one, "hard")


@pytest.mark.parametrize("rating", ["again", "good", "easy"])
def test_a_rating_stores_the_day_that_it_is_shown_with_though_an_earlier_answer_was_taken_back(
    tmp_path: Path, rating: Rating
) -> None:
    clock = Clock()
    one, other = on_one(tmp_path, clock)
    earlier = min(attempt.id for attempt in other.store.recent())
    assert other.store.undo(clock.now, 0, attempt=earlier) is not None
    promised(one, rating)
    promised(one, "hard")


def test_a_rating_that_the_other_one_changed_is_shown_as_it_stands(tmp_path: Path) -> None:
    clock = Clock()
    one, other = on_one(tmp_path, clock)
    last = other.store.recent(1)[0]
    elsewhere = Rerating(other.store.new_id(clock.now), clock.now, 0, last.id, Scale.EASY, last.promise)
    other.store.append(elsewhere)
    shown = one.ratings()
    assert shown.rating == "easy"
    assert shown.back == next(choice.back for choice in shown.choices if choice.rating == "easy")
    promised(one, "good")
    promised(one, "easy")


def test_an_answer_that_the_other_one_took_back_is_not_rated(tmp_path: Path) -> None:
    clock = Clock()
    one, other = on_one(tmp_path, clock)
    other.store.undo(clock.now, 0)
    with pytest.raises(Trouble, match="taken back, on another terminal: there is nothing to rate"):
        one.ratings()
    with pytest.raises(Trouble, match="there is nothing to rate"):
        one.rerate("easy")


def test_a_rating_whose_day_moved_while_its_dialog_was_open_is_not_stored(tmp_path: Path) -> None:
    clock = Clock()
    one, other = on_one(tmp_path, clock)
    one.ratings()
    clock.now += timedelta(days=7)
    answered(other, other._shown(), "good")
    stored = len(one.store.of_kind("rerating"))
    with pytest.raises(NotSaved, match="nothing is stored; r shows them"):
        one.rerate("easy")
    assert len(one.store.of_kind("rerating")) == stored
    promised(one, "easy")


@pytest.mark.parametrize("mark", ["suspend", "bury"])
def test_what_the_other_one_suspends_or_buries_is_not_asked_here_any_more(tmp_path: Path, mark: MarkKind) -> None:
    clock = Clock()
    one, other = pair(tmp_path, clock)
    first, there = name(one.begin(Wanted())), other.begin(Wanted())
    assert name(there) == first
    one.submit(Answer(), None)
    one.rerate("again")  # it would come back in this session
    rests = next(question.id for question in SIX if question.id != first)
    for question in (first, rests):
        other.mark_question(question, mark, True)  # noqa: FBT003 - a value
    clock.now += timedelta(minutes=2)
    asked = everything(one, one.next())
    assert sorted(asked) == sorted(question.id for question in SIX if question.id not in (first, rests))


def test_what_was_chosen_by_name_though_it_is_suspended_is_asked_all_the_same(tmp_path: Path) -> None:
    clock = Clock()
    one, other = pair(tmp_path, clock)
    other.mark_question("q1", "suspend", True)  # noqa: FBT003 - a value
    step = one.begin(Wanted(questions=("q1", "q2")))
    other.mark_question("q2", "suspend", True)  # noqa: FBT003 - a value
    one.submit(Answer(), None)
    one.rerate("easy")
    assert {name(step), name(one.next())} == {"q1", "q2"}


TERMINALS = st.integers(0, 1)
RATINGS = st.sampled_from(["again", "hard", "good", "easy"])


class Interleaved(RuleBasedStateMachine):
    """Two terminals, any order of what is done on them, any time between: nothing is asked that is not due or new."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = Clock()
        self.desks = [opened(Path(self.folder.name), self.clock, *SIX) for _ in range(2)]
        self.steps: list[Step] = [Ended(), Ended()]
        self.open = [False, False]  # the question on the screen is not answered yet

    def teardown(self) -> None:
        for desk in self.desks:
            desk.close()
        self.folder.cleanup()

    @initialize(learned=st.booleans())
    def begun(self, learned: bool) -> None:  # noqa: FBT001 - drawn
        if learned:
            everything(self.desks[0], self.desks[0].begin(Wanted()))
            self.clock.now += timedelta(days=60)
        for terminal in range(2):
            self.begin(terminal)

    @rule(terminal=TERMINALS, ratings=st.lists(RATINGS, min_size=1, max_size=4))
    def work(self, terminal: int, ratings: list[Rating]) -> None:
        """Answer and go on, a few times; where nothing is left, begin again."""
        for rating in ratings:
            if isinstance(self.steps[terminal], Ended):
                self.begin(terminal)
            if self.open[terminal]:
                answered(self.desks[terminal], self.steps[terminal], rating)
            self.asked(terminal, self.desks[terminal].next())

    @rule(terminal=TERMINALS, rating=RATINGS)
    def answer(self, terminal: int, rating: Rating) -> None:
        """Answer and leave the solution on the screen."""
        if self.open[terminal]:
            answered(self.desks[terminal], self.steps[terminal], rating)
            self.open[terminal] = False

    @rule(terminal=TERMINALS)
    def undo(self, terminal: int) -> None:
        if not self.open[terminal] and self.desks[terminal]._mine:  # it has answered something
            try:
                step = self.desks[terminal].undo()
            except Trouble:  # two equal answers in the same moment count once, and the other one took it back
                return
            self.steps[terminal], self.open[terminal] = step, True

    @rule(after=st.sampled_from([timedelta(seconds=50), timedelta(minutes=11), timedelta(hours=15), timedelta(40)]))
    def time_passes(self, after: timedelta) -> None:
        self.clock.now += after

    def begin(self, terminal: int) -> None:
        self.asked(terminal, self.desks[terminal].begin(Wanted()))

    def asked(self, terminal: int, step: Step) -> None:
        self.steps[terminal], self.open[terminal] = step, isinstance(step, Turn)
        if isinstance(step, Turn):
            desk = self.desks[1 - terminal]
            card = desk.store.card(CardKey("shardwise", name(step)))
            day = calendar.moment(self.clock.now, 0).day
            assert card is None or card.is_due(self.clock.now, day)
            assert (card is None) == (step.reason == "new")
            assert card is None or card.is_learning == (step.reason == "learning")


TestInterleaved = Interleaved.TestCase
TestInterleaved.settings = settings(max_examples=12, stateful_step_count=15, deadline=None)
