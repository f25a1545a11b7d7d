"""Marks: what a learner says of questions; of each kind the latest counts, in any order of arrival."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import permutations

from quiz.session import marks
from quiz.session.changes import Names
from quiz.session.events import Mark, Rename
from quiz.session.marks import Marks
from tests.unit.session.made import START, identity


def mark(number: int, kind: marks.MarkKind, value: bool | str | None, question: str = "a", bank: str = "core") -> Mark:  # noqa: FBT001 - as an event has it
    return Mark(identity(START + timedelta(minutes=number), number), START, 0, bank, question, kind, value)


def test_of_each_kind_the_latest_counts_whatever_the_order_of_arrival() -> None:
    events = [
        mark(1, "suspend", value=True),
        mark(2, "note", "x"),
        mark(3, "note", "y"),
        mark(4, "suspend", value=False),
    ]
    for order in permutations(events):
        assert marks.of(order, "core") == {"a": Marks(note="y")}


def test_a_bank_has_its_own_marks() -> None:
    events = [mark(1, "flag", value=True), mark(2, "flag", value=True, bank="other", question="b")]
    assert marks.of(events, "core") == {"a": Marks(flagged=True)}


def test_marks_follow_a_question_to_its_new_name() -> None:
    renamed = Rename(identity(START + timedelta(minutes=5)), START, 0, "core", "a", "core", "b")
    events = [mark(1, "flag", value=True), mark(9, "suspend", value=True)]
    assert marks.of(events, "core", Names([renamed])) == {"b": Marks(flagged=True), "a": Marks(suspended=True)}


def test_a_question_without_marks_left_is_not_named() -> None:
    assert marks.of([mark(1, "flag", value=True), mark(2, "flag", value=False)], "core") == {}


def test_a_buried_question_rests_until_its_day_and_a_suspended_one_until_it_is_taken_back() -> None:
    day = date(2026, 1, 6)
    buried = Marks(buried=day)
    assert buried.rests(day - timedelta(days=1))
    assert not buried.rests(day)
    assert Marks(suspended=True).rests(date.max)
    assert not Marks(flagged=True, note="n").rests(day)
    assert marks.resting({"a": buried, "b": Marks(flagged=True)}, date(2026, 1, 5)) == {"a"}
