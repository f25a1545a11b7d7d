"""The rules that a request may set: ranges, percentages, signs of numbers, names; what others call the keys."""

from __future__ import annotations

import pytest

from quiz.grading.check import Checked, check
from quiz.grading.task import TaskError, task_of


def judged(answer: str, reference: object, **keys: object) -> Checked:
    return check(task_of({"answer": answer, "reference": reference, **keys}))


@pytest.mark.parametrize(("answer", "status"), [
    ("35 GB", "correct"), ("34 GB", "correct"), ("36 GB", "correct"), ("34.5-35.5 GB", "correct"), ("36.1 GB", "close"),
    ("33-36 GB", "close"), ("40 GB", "incorrect"), ("35", "wrong-unit"),
])  # fmt: skip
def test_a_reference_that_is_a_range_holds_what_lies_in_it(answer: str, status: str) -> None:
    assert judged(answer, "34-36 GB").grade.status == status
    assert judged(answer, "35±1 GB").grade.status == status
    assert judged(answer, "34-36", unit="GB").grade.status == status


def test_an_edge_that_floats_miss_is_inside_a_range() -> None:
    assert judged("46.0", "45.8±0.2").grade.status == "correct"
    assert judged("46.0", "45.8", atol="0.2").grade.status == "correct"
    assert judged("46.0", "45.8", atol="0.2", inclusive=False).grade.status == "incorrect"


@pytest.mark.parametrize(("answer", "contained", "overlapping"), [
    ("34-36 GB", "correct", "correct"), ("30-50 GB", "incorrect", "correct"), ("36-50 GB", "incorrect", "correct"),
    ("36.1-50 GB", "incorrect", "incorrect"), ("35 GB", "correct", "correct"),
])  # fmt: skip
def test_a_typed_range_lies_within_the_tolerance_or_overlaps_it(answer: str, contained: str, overlapping: str) -> None:
    assert judged(answer, "35 GB", atol="1 GB").grade.status == contained
    assert judged(answer, "35 GB", atol="1 GB", range="contained").grade.status == contained
    assert judged(answer, "35 GB", atol="1 GB", range="overlapping").grade.status == overlapping


@pytest.mark.parametrize(("answer", "reference", "status"), [
    ("62.5 %", "62.5", "correct"), ("62.5", "62.5", "correct"), ("5/8", "62.5", "correct"),
    ("62.5 %", "5/8", "correct"),
    ("62.5 %", "62.5 %", "correct"), ("62.5 %", "0.625", "incorrect"), ("0.5 %", "0.5", "correct"),
    ("62 %", "62–63", "correct"),
])  # fmt: skip
def test_a_bare_reference_is_in_percent_where_percent_are_asked_for(answer: str, reference: str, status: str) -> None:
    assert judged(answer, reference, unit="%").grade.status == status


def test_half_a_unit_of_the_last_digit_is_in_the_unit_asked_for() -> None:
    assert judged("35.4 GB", "35", unit="GB", half_unit=True).grade.status == "correct"
    assert judged("35.6 GB", "35", unit="GB", half_unit=True).grade.status == "close"


@pytest.mark.parametrize("answer", ["50%", "50 %", "50\N{FULLWIDTH PERCENT SIGN}", "50 percent", "50 pct"])
def test_a_percentage_is_refused_however_it_is_spelled(answer: str) -> None:
    assert judged(answer, "0.5").grade.status == "correct"
    found = judged(answer, "0.5", percent=False).grade
    assert (found.status, found.message) == ("invalid", "Percentages are not read here.")
    assert found.span is not None
    assert answer[slice(*found.span)].strip()


def test_one_sign_is_not_both_the_decimal_and_the_thousands() -> None:
    for sign in ".,":
        with pytest.raises(TaskError, match="cannot both"):
            task_of({"answer": "1", "reference": "1", "decimal": sign, "thousands": sign})


@pytest.mark.parametrize(("keys", "words"), [
    ({"variables": ["é"]}, "Latin or Greek"), ({"variables": [f"v{n}" for n in range(101)]}, "at most 100"),
    ({"given": {f"v{n}": n for n in range(101)}}, "at most 100"), ({"atol": "-1"}, "zero or a positive amount"),
    ({"sigfigs": 0}, "from 1 to 60"), ({"given": {"x": "1/0"}}, "given.x has no value: division by zero"),
    ({"range": "inside"}, "range is one of"), ({"reference": "x ± 1", "variables": ["x"]}, "not a range"),
    ({"reference": "1-2 GB", "relation": "<"}, "not a range"),
])  # fmt: skip
def test_a_rule_that_is_none_is_refused_by_name(keys: dict[str, object], words: str) -> None:
    with pytest.raises(TaskError, match=words):
        check(task_of({"answer": "1", "reference": "1", **keys}))


@pytest.mark.parametrize(("answer", "words"), [
    ("2P", "without “minus 1” in N − 1"), ("2P(N-1)", "without “divided by N”"),
    ("2P(N+1)/N", "with “plus” in place of “minus” in N − 1"),
    ("2P*N*(N-1)", "with “times” in place of “divided by”"), ("4P(N-1)/N", "the reference times 2"),
])  # fmt: skip
def test_a_formula_that_is_one_edit_away_is_told_as_that_edit(answer: str, words: str) -> None:
    found = judged(answer, "2*P*(N-1)/N", variables=["P", "N"]).grade
    assert (found.status, bool(found.slip)) == ("incorrect", True)
    assert words in found.message


def test_a_formula_that_is_far_off_is_told_without_a_guess() -> None:
    found = judged("P+N^2", "2*P*(N-1)/N", variables=["P", "N"]).grade
    assert (found.status, found.slip) == ("incorrect", "")
    assert found.message == "This is another expression: with P = 2 and N = 3 it is 11, and 2.667 is right."


@pytest.mark.parametrize(("line", "status"), [
    ({"learner_answer": "14", "reference": "a+b*c", "values": {"a": 2, "b": 3, "c": 4}}, "correct"),
    ({"answer": "3 m", "reference": "3", "units": "required_convertible", "units_domain": "si", "unit": "m"},
     "correct"),
    ({"answer": "3", "reference": "3 m", "units": "required_convertible", "units_domain": "si"}, "wrong-unit"),
    ({"answer": "300 cm", "reference": "3 m", "units": "required_exact", "units_domain": "si"}, "wrong-unit"),
    ({"answer": "3.1415888", "reference": "pi", "tolerance": "digits", "digits": 3, "extra_digits_must_match": 2},
     "correct"),
    ({"answer": "0.1056", "reference": "0.105", "tolerance": "half_unit_in_last_digit_of_reference"}, "close"),
    ({"answer": "1230", "reference": "1239", "check": "equal_up_to_power_of_ten", "digits": 3}, "correct"),
    ({"answer": "3,5", "reference": "3.5", "decimal_comma": True}, "correct"),
    ({"answer": "3,5", "reference": "3.5", "decimal_comma": False}, "invalid"),
])  # fmt: skip
def test_requests_in_the_words_of_other_checkers_are_understood(line: dict[str, object], status: str) -> None:
    assert check(task_of(line)).grade.status == status


@pytest.mark.parametrize(("answer", "reference", "words"), [
    ("450 Gb/s", "450 GB/s", "right in GB/s, not in Gbit/s: a byte has 8 bits"),
    ("35e9 bits", "35 GB", "right in B, not in bit"),
    ("3600 GB/s", "3600 Gbit/s", "right in Gbit/s, not in GB/s"), ("1.12 TiB", "1120 GB", "right in TB, not in TiB"),
    ("1120 GiB", "1.12 TB", "right in GB, not in GiB"), ("1536 GB", "1.5 TiB", "right in GiB, not in GB"),
    ("50 GiB/s", "50 GB/s", "right in GB, not in GiB"), ("32.6 GB", "35 GB", "right in GiB, not in GB"),
    ("37.58 GB", "35 GB", "right with GB in place of GiB"), ("7.03 MB", "7.37 MB", "right in MiB, not in MB"),
])  # fmt: skip
def test_a_right_number_behind_the_wrong_unit_is_told_as_that(answer: str, reference: str, words: str) -> None:
    found = judged(answer, reference, rtol="0.001").grade
    assert (found.status, words in found.message) == ("incorrect", True), found


@pytest.mark.parametrize(("answer", "reference", "words"), [
    ("a+b-c", "a*b/c", ": with a = 2, b = 3 and c = 5 it is 0, and 1.2 is right."),
    ("a GB + 1 GB", "a*b*s", ": it is a size in bytes, and a plain number is asked for."),
    ("a GB + 7 GB", "a*b GB", ": with a = 2 and b = 3 it is 9e9 B, and 6e9 B is right."),
])  # fmt: skip
def test_two_formulas_are_told_apart_by_numbers(answer: str, reference: str, words: str) -> None:
    found = judged(answer, reference, variables=["a", "b", "c", "s"]).grade
    assert (found.status, found.slip, words in found.message) == ("incorrect", "", True), found
