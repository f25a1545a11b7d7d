"""Practice as a state machine."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from quiz.scheduling.cards import Card, CardKey, review
from quiz.scheduling.queue import Item
from quiz.scheduling.rating import Confidence, Rating, Verdict
from quiz.scheduling.settings import Settings
from quiz.session.attempt import Attempt, Response, Shown, event_id
from quiz.session.events import Rerating
from quiz.session.messages import (
    Ask,
    Begin,
    Effect,
    Finished,
    GoOn,
    Graded,
    Leave,
    Next,
    Record,
    Recorded,
    RecordFailed,
    Rerate,
    Retry,
    SessionEvent,
    ShowFailure,
    ShowReveal,
    Submit,
    Undone,
    Wait,
)
from quiz.session.practice import begin, returning, step

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
SHOWN = Shown("m", {}, ("a", "b"), ("a",), {})
SETTINGS = Settings(fuzz=False)


def key(name: str) -> CardKey:
    return CardKey("core", name)


class Driver:
    """Drives a session as a screen would, with a clock of its own; storing is up to the test."""

    def __init__(self, *names: str, cards: dict[CardKey, Card] | None = None, reason: str = "new") -> None:
        items = [Item(key(name), reason) for name in names]  # type: ignore[arg-type]
        self.state = begin(items, cards or {}, settings=SETTINGS, seed="s")
        self.now = START
        self.count = 0
        self.effects: tuple[Effect, ...] = ()

    def send(self, event: SessionEvent) -> Effect | None:
        self.state, self.effects = step(self.state, event)
        return self.effects[-1] if self.effects else None

    def asked(self, effect: Effect | None) -> str:
        assert isinstance(effect, Ask)
        return effect.item.key.question

    def answer(self, verdict: Verdict = "correct", *, seconds: float = 40, confidence: Confidence = 75) -> Attempt:
        self.now += timedelta(seconds=seconds)
        self.count += 1
        effect = self.send(Submit(self.now, 60, self.identity(), SHOWN, Response(("a",)), Graded(verdict), confidence))
        assert isinstance(effect, Record)
        assert isinstance(effect.event, Attempt)
        return effect.event

    def identity(self) -> str:
        self.count += 1
        return event_id(self.now, None, self.count.to_bytes(10, "big"))

    def record(self, attempt: Attempt) -> ShowReveal:
        before = self.state.cards.get(attempt.card)
        after = review(
            before, attempt.rating, attempt.time, attempt.offset, settings=SETTINGS, seed=attempt.card.seed
        ).card
        effect = self.send(Recorded(attempt.id, attempt, after, before))
        assert isinstance(effect, ShowReveal)
        return effect

    def go_on(self) -> Effect | None:
        return self.send(Next(self.now))


def test_a_session_asks_records_reveals_and_goes_on() -> None:
    driver = Driver("one", "two")
    assert driver.asked(driver.send(Begin(START))) == "one"
    attempt = driver.answer(seconds=40)
    assert (attempt.rating, attempt.duration_ms, attempt.confidence) == (Rating.GOOD, 40_000, 75)
    reveal = driver.record(attempt)
    assert (reveal.due, reveal.due_day) == (attempt.promise.due, attempt.promise.day)
    assert reveal.choices[reveal.rating].due == attempt.promise.due
    assert driver.asked(driver.go_on()) == "two"


def test_the_next_question_waits_for_the_answer_to_be_durable() -> None:
    driver = Driver("one", "two")
    driver.send(Begin(START))
    attempt = driver.answer()
    for event in (Next(driver.now), Begin(driver.now), Retry()):
        assert driver.send(event) is None
        assert driver.state.phase == "recording"
    assert driver.send(Recorded("another", attempt, None)) is None
    driver.record(attempt)
    assert driver.asked(driver.go_on()) == "two"


def test_a_second_enter_records_nothing_more() -> None:
    driver = Driver("one")
    driver.send(Begin(START))
    driver.answer()
    again = Submit(driver.now, 60, driver.identity(), SHOWN, Response(("a",)), Graded("correct"), 75)
    assert driver.send(again) is None


def test_an_answer_that_cannot_be_read_changes_nothing() -> None:
    driver = Driver("one")
    driver.send(Begin(START))
    before = driver.state
    assert driver.send(Submit(START, 60, driver.identity(), SHOWN, Response(text="§"), Graded(invalid=True))) is None
    assert driver.state == before


def test_an_answer_that_cannot_be_stored_stays_and_is_retried_under_its_id() -> None:
    driver = Driver("one", "two")
    driver.send(Begin(START))
    attempt = driver.answer()
    assert driver.send(RecordFailed("the disk is full")) == ShowFailure("the disk is full")
    assert driver.go_on() is None
    assert driver.send(Retry()) == Record(attempt)
    driver.record(attempt)
    assert driver.asked(driver.go_on()) == "two"


def test_leaving_with_an_answer_that_was_not_stored_says_so() -> None:
    driver = Driver("one", "two")
    driver.send(Begin(START))
    driver.answer()
    driver.send(RecordFailed("the disk is full"))
    effect = driver.send(Leave(driver.now))
    assert isinstance(effect, Finished)
    assert effect.summary.unrecorded
    assert (effect.summary.answered, effect.summary.left) == (0, 1)


def test_leaving_while_an_answer_is_stored_waits_for_it() -> None:
    for stored in (True, False):
        driver = Driver("one", "two")
        driver.send(Begin(START))
        attempt = driver.answer()
        assert driver.send(Leave(driver.now)) is None
        card = review(None, attempt.rating, attempt.time, 60, settings=SETTINGS, seed=key("one").seed).card
        effect = driver.send(Recorded(attempt.id, attempt, card) if stored else RecordFailed("full"))
        assert isinstance(effect, Finished)
        assert (effect.summary.answered, effect.summary.unrecorded) == (int(stored), not stored)


def test_a_learning_card_comes_back_when_its_time_has_come() -> None:
    driver = Driver("one", "two", "three")
    driver.send(Begin(START))
    driver.record(driver.answer("incorrect"))
    assert driver.asked(driver.go_on()) == "two"
    driver.record(driver.answer(seconds=61))
    assert driver.asked(driver.go_on()) == "one"
    driver.record(driver.answer())
    assert driver.asked(driver.go_on()) == "three"


def test_a_learning_card_is_not_asked_twice_in_a_row_while_another_is_there() -> None:
    driver = Driver("one", "two")
    driver.send(Begin(START))
    driver.record(driver.answer("incorrect"))
    driver.now += timedelta(hours=1)  # it is due again on its own reveal
    assert driver.asked(driver.go_on()) == "two"


def test_with_nothing_else_left_a_learning_card_is_waited_for_and_asked_when_its_time_has_come() -> None:
    driver = Driver("one")
    driver.send(Begin(START))
    driver.record(driver.answer())
    due = driver.now + timedelta(minutes=10)
    for minutes in (0, 1, 8.9):
        driver.now = due - timedelta(minutes=10 - minutes)
        assert driver.go_on() == Wait(((key("one"), due),), driver.now)
    driver.now = due
    assert driver.asked(driver.go_on()) == "one"
    assert driver.state.item == Item(key("one"), "learning")
    driver.record(driver.answer())
    effect = driver.go_on()
    assert isinstance(effect, Finished)
    assert (effect.summary.answered, effect.summary.questions, effect.summary.right) == (2, 1, 2)


def test_a_learning_card_comes_ahead_of_its_time_only_where_the_learner_says_so() -> None:
    driver = Driver("one", "two")
    driver.send(Begin(START))
    driver.record(driver.answer("incorrect"))
    assert driver.send(GoOn(driver.now)) is None  # nothing is waited for on a reveal
    assert driver.asked(driver.go_on()) == "two"
    assert driver.send(GoOn(driver.now)) is None
    driver.record(driver.answer(seconds=5))
    effect = driver.go_on()
    assert isinstance(effect, Wait)
    assert [name.question for name, _ in effect.back] == ["one", "two"]
    assert driver.asked(driver.send(GoOn(driver.now))) == "one"


def test_a_session_can_be_left_while_it_waits_and_an_answer_taken_back() -> None:
    driver = Driver("one")
    driver.send(Begin(START))
    attempt = driver.answer("incorrect")
    driver.record(attempt)
    assert isinstance(driver.go_on(), Wait)
    assert driver.asked(driver.send(Undone(driver.now, key("one"), None, attempt.id))) == "one"
    driver.record(driver.answer("incorrect"))
    assert isinstance(driver.go_on(), Wait)
    effect = driver.send(Leave(driver.now))
    assert isinstance(effect, Finished)
    assert (effect.summary.answered, effect.summary.left, effect.summary.learning) == (1, 0, 1)


def test_what_comes_back_in_this_session_is_what_is_due_within_it() -> None:
    driver = Driver("one", "two")
    driver.send(Begin(START))
    driver.record(driver.answer("incorrect"))
    assert [name.question for name, _ in returning(driver.state, driver.now)] == ["one"]
    driver.go_on()
    driver.now += timedelta(minutes=2)
    driver.record(driver.answer("correct"))
    assert driver.asked(driver.go_on()) == "one"
    assert [name.question for name, _ in returning(driver.state, driver.now)] == ["two"]  # not the one on the screen


def test_a_learning_card_far_ahead_ends_the_session_and_is_told() -> None:
    settings = Settings(fuzz=False, learning_steps=(7_200.0, 9_000.0))
    state = begin([Item(key("one"), "new")], {}, settings=settings, seed="s")
    state, _ = step(state, Begin(START))
    state, effects = step(
        state, Submit(START, 60, event_id(START, None, bytes(10)), SHOWN, Response(), Graded("incorrect"))
    )
    record = effects[0]
    assert isinstance(record, Record)
    after = review(None, Rating.AGAIN, START, 60, settings=settings, seed=key("one").seed).card
    state, _ = step(state, Recorded(record.event.id, record.event, after))
    _, effects = step(state, Next(START))
    finished = effects[0]
    assert isinstance(finished, Finished)
    assert (finished.summary.learning, finished.summary.next_due) == (1, START + timedelta(hours=2))


def test_the_learner_s_own_rating_amends_the_answer() -> None:
    driver = Driver("one", "two")
    driver.send(Begin(START))
    attempt = driver.answer()
    reveal = driver.record(attempt)
    effect = driver.send(Rerate(driver.now, 60, driver.identity(), Rating.EASY))
    assert isinstance(effect, Record)
    amendment = effect.event
    assert isinstance(amendment, Rerating)
    assert (amendment.target, amendment.rating) == (attempt.id, Rating.EASY)
    assert amendment.promise.due == reveal.choices[Rating.EASY].due
    effect = driver.send(Recorded(amendment.id, amendment, reveal.choices[Rating.EASY].card))
    assert isinstance(effect, ShowReveal)
    assert (effect.rating, effect.due, effect.attempt) == (Rating.EASY, amendment.promise.due, attempt)
    assert driver.asked(driver.go_on()) == "two"
    assert key("one") not in driver.state.learning


def test_a_rating_that_could_not_be_stored_does_not_hold_the_learner_up() -> None:
    driver = Driver("one", "two")
    driver.send(Begin(START))
    driver.record(driver.answer())
    driver.send(Rerate(driver.now, 60, driver.identity(), Rating.EASY))
    driver.send(RecordFailed("locked"))
    assert driver.asked(driver.go_on()) == "two"


def test_the_same_rating_again_records_nothing() -> None:
    driver = Driver("one")
    driver.send(Begin(START))
    driver.record(driver.answer())
    assert driver.send(Rerate(driver.now, 60, driver.identity(), Rating.GOOD)) is None


def test_the_card_of_the_store_wins_over_the_session_s_own() -> None:
    """Another terminal answered in between: the reveal and the queue follow the rebased card."""
    driver = Driver("one")
    driver.send(Begin(START))
    attempt = driver.answer()
    other = review(None, Rating.EASY, START, 60, settings=SETTINGS, seed=key("one").seed).card
    rebased = review(other, attempt.rating, attempt.time, 60, settings=SETTINGS, seed=key("one").seed).card
    effect = driver.send(Recorded(attempt.id, attempt, rebased, other))
    assert isinstance(effect, ShowReveal)
    assert effect.due == rebased.due
    assert effect.choices[Rating.GOOD].card == rebased
    assert isinstance(driver.go_on(), Finished)


def test_an_undone_answer_is_asked_again() -> None:
    driver = Driver("one", "two")
    driver.send(Begin(START))
    attempt = driver.answer("incorrect")
    driver.record(attempt)
    assert driver.asked(driver.go_on()) == "two"
    assert driver.asked(driver.send(Undone(driver.now, key("one"), None, attempt.id))) == "one"
    assert driver.state.item == Item(key("one"), "new")
    driver.record(driver.answer())
    assert driver.asked(driver.go_on()) == "two"
    effect = driver.send(Leave(driver.now))
    assert isinstance(effect, Finished)
    assert (effect.summary.answered, effect.summary.right) == (1, 1)


def test_undo_works_on_the_reveal_and_after_the_end() -> None:
    driver = Driver("one", "two")
    driver.send(Begin(START))
    driver.record(driver.answer())
    assert driver.asked(driver.send(Undone(driver.now, key("one"), None))) == "one"
    driver.send(Leave(driver.now))
    assert driver.asked(driver.send(Undone(driver.now, key("two"), None))) == "two"


def test_an_answer_before_its_question_has_no_negative_duration() -> None:
    driver = Driver("one")
    driver.send(Begin(START))
    assert driver.answer(seconds=-7_200).duration_ms == 0


def test_a_recorded_attempt_without_its_card_is_a_fault_of_the_driver() -> None:
    driver = Driver("one")
    driver.send(Begin(START))
    attempt = driver.answer()
    with pytest.raises(ValueError, match="without its card"):
        driver.send(Recorded(attempt.id, attempt, None))


def test_an_empty_queue_ends_at_once() -> None:
    effect = Driver().send(Begin(START))
    assert isinstance(effect, Finished)
    assert effect.summary.answered == 0


def test_the_variant_s_seed_moves_with_each_review() -> None:
    driver = Driver("one")
    first = driver.send(Begin(START))
    driver.record(driver.answer())
    driver.now += timedelta(minutes=10)
    second = driver.go_on()
    assert isinstance(first, Ask)
    assert isinstance(second, Ask)
    assert first.seed != second.seed


@pytest.mark.parametrize("seed", range(30))
def test_any_course_of_events_ends_with_each_attempt_recorded_once(seed: int) -> None:
    """Events in any order, failures among them: what was recorded is what is summed up, and no question
    of the queue is lost."""
    chance = random.Random(seed)  # noqa: S311
    driver = Driver(*"abcdef")
    stored: dict[str, Attempt] = {}
    driver.send(Begin(START))
    for _ in range(120):
        driver.now += timedelta(seconds=chance.choice([0, 5, 90, 700]))
        match driver.state.phase:
            case "asking":
                driver.answer(chance.choice(["correct", "incorrect", "close"]))
            case "recording" | "unrecorded" if isinstance(driver.state.pending, Attempt):
                if driver.state.phase == "unrecorded":
                    driver.send(Retry())
                if chance.random() < 0.3:
                    driver.send(RecordFailed("locked"))
                else:
                    stored[driver.state.pending.id] = driver.state.pending
                    driver.record(driver.state.pending)
            case "revealed":
                driver.go_on()
            case "waiting":
                driver.send(Next(driver.now) if chance.random() < 0.5 else GoOn(driver.now))
            case _:
                break
        driver.send(chance.choice([Begin(driver.now), Retry() if driver.state.phase == "asking" else Begin(START)]))
    if driver.state.phase != "finished":
        driver.send(Leave(driver.now))
    assert driver.state.answered == stored
    left = {item.key for item in driver.state.queue}
    open_item = {driver.state.item.key} if driver.state.item else set()
    assert left | open_item | {one.card for one in stored.values()} >= {key(name) for name in "abcdef"}
