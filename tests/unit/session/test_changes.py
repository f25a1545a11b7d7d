"""Names through time, and attempts graded anew."""

from __future__ import annotations

from datetime import timedelta

from quiz.scheduling.cards import CardKey
from quiz.scheduling.rating import Rating
from quiz.session.attempt import Promise
from quiz.session.changes import Names, Regrade, Rename
from quiz.session.events import Rerating
from quiz.session.history import Amendments, Timeline, course
from tests.unit.session.made import START, attempt, identity


def rename(days: int, old: str, new: str) -> Rename:
    now = START + timedelta(days=days)
    return Rename(identity(now), now, 0, "core", old, "core", new)


def name_of(names: Names, question: str, days: int = 0) -> str:
    now = START + timedelta(days=days)
    return names.key(attempt(1, now=now, key=CardKey("core", question))).question


def test_answers_before_a_rename_follow_it_step_by_step_and_later_ones_stay() -> None:
    names = Names([rename(5, "b", "c"), rename(2, "a", "b")])
    assert [name_of(names, "a", days) for days in (1, 3)] == ["c", "a"]
    assert [name_of(names, "b", days) for days in (1, 3, 6)] == ["c", "c", "b"]
    assert name_of(names, "other") == "other"


def test_a_name_given_back_brings_the_answers_back() -> None:
    names = Names([rename(2, "a", "b"), rename(4, "b", "a")])
    assert [name_of(names, "a", days) for days in (1, 3, 5)] == ["a", "a", "a"]
    assert [name_of(names, "b", days) for days in (1, 3, 5)] == ["a", "a", "b"]


def test_every_name_from_which_answers_may_come_is_known() -> None:
    names = Names([rename(2, "a", "b"), rename(4, "b", "c"), rename(5, "x", "c"), rename(6, "c", "a")])
    assert {key.question for key in names.sources(CardKey("core", "c", 3))} == {"c", "b", "x", "a"}
    assert names.sources(CardKey("core", "z", 1)) == (CardKey("core", "z", 1),)


def regrade(number: int, target: str, rating: Rating | None) -> Regrade:
    return Regrade(identity(START, number), START, 0, target, "incorrect", "one-node", (), rating, "new", ("ddp",))


def test_the_latest_regrade_counts_and_a_learners_own_rating_goes_before_it() -> None:
    one = attempt()
    regrades = [regrade(5, one.id, Rating.AGAIN), regrade(4, one.id, Rating.EASY)]
    own = Rerating(identity(START, 3), START, 0, one.id, Rating.HARD, Promise(START, START.date()))
    (by_rule,) = course([one], Amendments.of(regrades), Timeline()).counted
    assert (by_rule.rating, by_rule.attempt.verdict, by_rule.attempt.slip) == (Rating.AGAIN, "incorrect", "one-node")
    (by_learner,) = course([one], Amendments.of([own, *regrades]), Timeline()).counted
    assert (by_learner.rating, by_learner.attempt.verdict) == (Rating.HARD, "incorrect")
    (kept,) = course([one], Amendments.of([regrade(5, one.id, None)]), Timeline()).counted
    assert kept.rating is one.rating
