"""Ordered lists and estimates from the shell, and how a list is cut."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.grading.check import Checked, check
from quiz.grading.listing import pieces_of
from quiz.grading.target import Estimate
from quiz.grading.task import TaskError, task_of
from tests.bounds import is_in_time

SIZES = ["35 GB", "70 GB", "1120 GB"]


def judged(answer: str, reference: object, **keys: object) -> Checked:
    return check(task_of({"answer": answer, "reference": reference, **keys}))


@pytest.mark.parametrize(("text", "pieces"), [
    ("35 GB, 70 GB and 140 GB", ["35 GB", "70 GB", "140 GB"]), ("[1; 2; 3]", ["1", "2", "3"]), ("(1, 2)", ["1", "2"]),
    ("35, 70, 140 GB", ["35 GB", "70 GB", "140 GB"]), ("1,120, 2,240", ["1,120", "2,240"]), ("1,2,3", ["1", "2", "3"]),
    ("1, 2, and 3", ["1", "2", "3"]), ("max(1, 2), 3", ["max(1, 2)", "3"]), ("1\n2", ["1", "2"]), ("", [""]),
    ("(1)(2), 3", ["(1)(2)", "3"]), ("1,5; 2,5", ["1,5", "2,5"]),
])  # fmt: skip
def test_a_list_is_cut_at_what_separates_values(text: str, pieces: list[str]) -> None:
    assert [piece.text.strip() for piece in pieces_of(text)] == pieces


def test_a_comma_that_is_the_decimal_sign_separates_nothing() -> None:
    assert [piece.text.strip() for piece in pieces_of("1,5, 2,5", decimal=",")] == ["1,5", "2,5"]


@pytest.mark.parametrize(("answer", "status"), [
    ("35 GB; 70 GB; 1.12 TB", "correct"), ("35, 70, 1120 GB", "correct"), ("35, 70, 1,120 GB", "correct"),
    ("70 GB; 35 GB; 1120 GB", "incorrect"), ("35 GB; 70 GB", "invalid"), ("35 GB; 70 s; 1120 GB", "wrong-unit"),
    ("35 GB; x; 1120 GB", "invalid"), ("35 GB; 72 GB; 1120 GB", "close"), ("", "invalid"), (";;", "invalid"),
])  # fmt: skip
def test_a_list_is_as_good_as_its_worst_value(answer: str, status: str) -> None:
    assert judged(answer, SIZES, rtol="1 %").grade.status == status


def test_the_share_of_right_values_and_the_wrong_one_are_told() -> None:
    found = judged("35 GB; 99 GB; 1120 GB", SIZES)
    assert found.grade.credit == Fraction(2, 3)
    assert found.grade.message.startswith("Value 2 is wrong")
    assert found.value == (35, 99, 1120)
    assert "order" in judged("70 GB; 35 GB; 1120 GB", SIZES).grade.message


def test_a_place_in_a_value_is_a_place_in_the_whole() -> None:
    found = judged("35 GB; 70 parsec; 1120 GB", SIZES).grade
    assert found.span is not None
    assert "35 GB; 70 parsec; 1120 GB"[slice(*found.span)].strip() == "parsec"


@settings(max_examples=150)
@given(st.text(alphabet="1290,.;()[] GBand\n+x", max_size=60))
def test_any_text_for_a_list_ends_in_a_status(text: str) -> None:
    found = judged(text, SIZES).grade
    assert found.status in ("correct", "close", "incorrect", "wrong-unit", "invalid")
    assert is_in_time(lambda: judged(text, SIZES))


@pytest.mark.parametrize(("terms", "status"), [(20, "incorrect"), (60, "invalid")])
def test_a_long_list_is_judged_in_time(terms: int, status: str) -> None:
    references = [str(n) for n in range(1, 13)]
    answer = "; ".join(["+".join("1" * terms)] * 12)
    assert judged(answer, references).grade.status == status
    assert is_in_time(lambda: judged(answer, references))


@pytest.mark.parametrize(("answer", "status", "credit"), [
    ("2e12", "correct", 1), ("1e12", "correct", 1), ("4e12", "correct", 1), ("8e11", "close", None),
    ("10^12", "correct", 1), ("~1 trillion", "correct", 1), ("2e13", "incorrect", 0),
    ("-2e12", "incorrect", 0), ("0", "incorrect", 0),
    ("on the order of 10^12", "correct", 1), ("1e12 to 3e12", "correct", 1), ("2e11 to 2e12", "incorrect", 0),
])  # fmt: skip
def test_an_estimate_is_judged_by_the_factor_that_it_is_off(answer: str, status: str, credit: int | None) -> None:
    found = judged(answer, "2e12", estimate={"full": 2, "none": 10}).grade
    assert found.status == status
    assert found.credit is not None
    assert found.credit == credit if credit is not None else 0 < found.credit < 1


def test_credit_falls_with_the_logarithm() -> None:
    scale = Estimate(Fraction(1), Fraction(100))
    assert scale.credit(Fraction(10), Fraction(1)) == scale.credit(Fraction(1, 10), Fraction(1)) == Fraction(1, 2)
    assert Estimate(Fraction(3), Fraction(3)).credit(Fraction(4), Fraction(1)) == 0


@pytest.mark.parametrize("estimate", [0.5, "x", {"none": 3}, {"full": 5, "none": 2}, [1, 2, 3], True])
def test_a_scale_that_is_none_is_refused(estimate: object) -> None:
    with pytest.raises(TaskError, match="estimate"):
        task_of({"answer": "1", "reference": "1", "estimate": estimate})
