"""Free-standing checks: known judgements, hostile text, and a task that cannot be read."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from quiz.grading.check import check
from quiz.grading.task import TaskError, exact_number, task_of
from tests.bounds import is_in_time

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, Any]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line, parse_float=exact_number) for line in lines]


def verdict(**keys: object) -> str:
    return check(task_of(keys)).grade.status


@pytest.mark.parametrize("row", rows("answers.jsonl"), ids=lambda row: f"{row['id']}")
def test_a_known_answer_gets_the_verdict_that_is_known_for_it(row: dict[str, Any]) -> None:
    """Close and wrong-unit count as incorrect."""
    found = check(task_of(row)).grade.status
    assert {"close": "incorrect", "wrong-unit": "incorrect"}.get(found, found) in row["verdict"]


@pytest.mark.parametrize("row", rows("neighbours.jsonl"), ids=lambda row: f"{row['id']}")
def test_answers_beside_the_known_ones_are_judged_alike(row: dict[str, Any]) -> None:
    assert check(task_of(row)).grade.status in row["verdict"]


@pytest.mark.parametrize("row", rows("variants.jsonl"), ids=lambda row: f"{row['id']}")
def test_variants_of_the_known_answers_are_judged_as_their_rules_say(row: dict[str, Any]) -> None:
    """Edges of tolerances, digits, bounds, signs of numbers, names, functions, units: each rule from both sides."""
    assert check(task_of(row)).grade.status in row["verdict"]


@pytest.mark.parametrize("row", rows("spoken.jsonl"), ids=lambda row: f"{row['id']}")
def test_what_people_say_around_a_number_is_read_or_handed_back_and_never_misread(row: dict[str, Any]) -> None:
    """Words, LaTeX, mixed times, names of GPUs, remarks; and what only looks like them."""
    assert check(task_of(row)).grade.status in row["verdict"]


@pytest.mark.parametrize(
    ("answer", "unit", "read_as"),
    [
        ("21 days", "week", "21 days = 3 weeks (1,814,400 s)"),
        ("1 day", "day", "1 day (86,400 s)"),
        ("1h30m", "h", "1 h + 30 min = 1.5 h (5,400 s)"),
        ("10 PF-days", "PFLOP/s-day", "10 PFLOP/s-days (864e18 FLOP)"),
        ("1500 H100-hours", "GPU-hour", "1,500 GPU-hours (5.4e6 s)"),
        ("one thousand H100s", "GPU", "1,000 GPUs"),
        ("450 GB/s per direction", "GB/s", "450 GB/s (450e9 B/s)"),
        ("ten B", "GB", ""),
    ],
)
def test_what_was_typed_is_told_back_as_one_would_say_it(answer: str, unit: str, read_as: str) -> None:
    grade = check(task_of({"answer": answer, "reference": "1", "unit": unit})).grade
    assert grade.read_as == read_as
    if not read_as:
        assert grade.message == "This can be read as 10e9 or as 10 bytes. Write the one that you mean."


@pytest.mark.parametrize("row", rows("physics.jsonl"), ids=lambda row: f"{row['id']}")
def test_declared_units_of_physics_are_judged(row: dict[str, Any]) -> None:
    found = check(task_of(row)).grade.status
    counted = {"close": "incorrect", "wrong-unit": "incorrect"} if row["id"].startswith("c") else {}
    assert counted.get(found, found) in row["verdict"]


@pytest.mark.parametrize("row", rows("hostile.jsonl"), ids=lambda row: f"{row['id']}")
def test_a_hostile_text_is_refused_at_once_with_visible_words(row: dict[str, Any]) -> None:
    text = row["answer"] if "answer" in row else "".join(part * times for part, times in row["repeat"])
    checked = check(task_of({"answer": text, "reference": "1"}))
    assert is_in_time(lambda: check(task_of({"answer": text, "reference": "1"})))
    readable = {"num_underscore": 1000, "uni_minus": -5, "txt_pct": Decimal("0.5")}
    if row["id"] in readable:
        assert checked.value == readable[row["id"]]
    else:
        assert checked.grade.status == "invalid"
    assert checked.grade.message.isprintable()


@pytest.mark.parametrize("name", ["N", "gamma", "lambda", "C", "S", "Q", "O", "E", "I", "beta", "zeta"])
def test_a_declared_name_is_a_plain_name_whatever_it_is_elsewhere(name: str) -> None:
    assert verdict(answer=f"{name}+{name}", reference=f"2*{name}", variables=[name]) == "correct"
    assert verdict(answer=f"2{name}", reference=f"2*{name}", variables=[name]) == "correct"


@pytest.mark.parametrize(("keys", "expected"), [
    # Misjudgements that other systems are known for.
    ({"answer": "1.38*10^-1", "reference": "0.138"}, "correct"),
    ({"answer": "36 GB", "reference": "35 GB", "atol": "1 GB"}, "correct"),
    ({"answer": "0.036 TB", "reference": "35 GB", "atol": "1000 MB"}, "correct"),
    ({"answer": "36.1 GB", "reference": "35 GB", "atol": "1 GB"}, "close"),
    ({"answer": "36", "reference": "35", "unit": "GB", "atol": 1, "need_unit": False}, "correct"),
    ({"answer": "sqrt(2Vm/(qB²))", "reference": "sqrt(2*V*m)/(B*sqrt(q))", "variables": ["V", "m", "q",
    "B"]}, "correct"),
    ({"answer": "1.0000", "reference": "1", "digits_written": 5}, "correct"),
    ({"answer": "1/2^99", "reference": "1/2^98"}, "incorrect"),
    ({"answer": "1%", "reference": "0.01"}, "correct"),
    ({"answer": "46.0", "reference": "45.8", "atol": Decimal("0.2")}, "correct"),
    ({"answer": "-35 GB", "reference": "35 GB", "rtol": Decimal("0.03")}, "incorrect"),
    ({"answer": "0 GB*s/s^2", "reference": "0 GB"}, "wrong-unit"),
    ({"answer": "35", "reference": "35 GB"}, "wrong-unit"),
    # Our own field.
    ({"answer": "1.12 TB", "reference": "16*P", "given": {"P": "70e9"}, "unit": "GB", "rtol": "2 %"}, "correct"),
    ({"answer": "16P", "reference": "1120 GB", "given": {"P": "70B"}}, "correct"),
    ({"answer": "70B", "reference": "70 GB"}, "invalid"),
    ({"answer": "70B", "reference": "70e9"}, "correct"),
    ({"answer": "35 GiB", "reference": "35 GB", "rtol": Decimal("0.01")}, "incorrect"),
    ({"answer": "60-70 GB", "reference": "65 GB", "rtol": Decimal("0.1")}, "correct"),
    ({"answer": "ceil(n/8)*8", "reference": "8*ceil(n/8)", "variables": ["n"]}, "correct"),
    ({"answer": "n", "reference": "8*ceil(n/8)", "variables": ["n"]}, "incorrect"),
    ({"answer": "ceil(n)", "reference": "n", "variables": ["n"], "assume": "integers"}, "correct"),
    ({"answer": "5", "reference": "5", "relation": "<="}, "correct"),
    ({"answer": "5", "reference": "5", "relation": "<"}, "incorrect"),
    ({"answer": "5", "reference": "5", "relation": "<", "inclusive": True}, "correct"),
    ({"answer": "10.1", "reference": "10", "atol": Decimal("0.1"), "inclusive": False}, "incorrect"),
    ({"answer": "50%", "reference": "0.5", "percent": False}, "invalid"),
    ({"answer": "1.120,5", "reference": "1120.5", "decimal": ","}, "correct"),
    ({"answer": "1 120,5", "reference": "1120.5", "decimal": ",", "thousands": " "}, "correct"),
    ({"answer": "1.120,5", "reference": "1120.5", "decimal": ",", "thousands": " "}, "invalid"),
    ({"answer": "61300", "reference": None, "digits_written": 3, "trailing_zeros_ambiguous": False}, "correct"),
    ({"answer": "60-61", "reference": "x", "variables": ["x"]}, "incorrect"),
    ({"answer": "1/(x-x)", "reference": "x", "variables": ["x"]}, "incorrect"),
    ({"answer": "log(0*x)", "reference": "log(-x)", "variables": ["x"]}, "invalid"),
])  # fmt: skip
def test_a_check_judges_as_a_person_would(keys: dict[str, object], expected: str) -> None:
    assert verdict(**keys) == expected


def test_algebra_that_is_off_by_a_constant_says_by_which() -> None:
    grade = check(task_of({"answer": "P(N-1)/N", "reference": "2*P*(N-1)/N", "variables": ["P", "N"]})).grade
    assert grade.slip_kind == "factor"
    assert "reference times 0.5" in grade.message


def test_a_mistake_in_the_reference_formula_is_named() -> None:
    """With x=2 and y=3 the answer -1/3 is x/y - 1."""
    grade = check(task_of({"answer": "-1/3", "reference": "x/y+1", "given": {"x": 2, "y": 3}})).grade
    assert grade.slip_kind == "edit"
    assert "“minus” in place of “plus”" in grade.message


def test_the_value_comes_in_the_unit_asked_for() -> None:
    checked = check(task_of({"answer": "1.5 TB", "reference": "1 GB"}))
    assert checked.value == 1500
    assert checked.unit == "GB"


@pytest.mark.parametrize(("keys", "words"), [
    ({"reference": "1"}, "answer is missing"),
    ({"answer": "1"}, "reference is missing"), ({"answer": None, "reference": "1"}, "answer is missing"),
    ({"answer": 1, "reference": "frog"}, "reference cannot be read"),
    ({"answer": "1", "reference": "1/0"}, "reference has no value"),
    ({"answer": "1", "reference": "1-2 GB", "sigfigs": 2}, "not a range"),
    ({"answer": "1", "reference": "1 GB", "unit": "s"}, "reference is a size in bytes, and unit asks for a time"),
    ({"answer": "1", "reference": "1", "unit": "parsec"}, "unit cannot be read"),
    ({"answer": "1", "reference": "1 GB", "atol": "1 s"}, "atol is a time"),
    ({"answer": "1", "reference": "1", "atol": "x"}, "atol cannot be read"),
    ({"answer": "1", "reference": "1", "rtol": -1}, "rtol is zero or a positive number"),
    ({"answer": "1", "reference": "1", "rtol": "much"}, "rtol is a number"),
    ({"answer": "1", "reference": "1", "rtol": Decimal("1e999999")}, "rtol is zero or a positive"),
    ({"answer": "1", "reference": "1", "sigfigs": 1.5}, "sigfigs is a text or a number, not an object"),
    ({"answer": "1", "reference": "1", "sigfigs": 999}, "whole number from 1 to 60"),
    ({"answer": "1", "reference": "1", "given": {"P": "x"}}, "given.P cannot be read"),
    ({"answer": "1", "reference": "1", "given": {"1P": "1"}}, "name that is none"),
    ({"answer": "1", "reference": "1", "given": ["P"]}, "given is an object"),
    ({"answer": "1", "reference": "1", "variables": "P"}, "list of names"),
    ({"answer": "1", "reference": "1", "relation": "~"}, "relation is one of"),
    ({"answer": "1", "reference": "1", "percent": "yes"}, "true or false"),
    ({"answer": ["1"], "reference": "1"}, "answer is a text or a number, not a list"),
    ({"answer": True, "reference": "1"}, "answer is a text or a number, not true or false"),
])  # fmt: skip
def test_a_check_that_is_set_up_wrongly_says_which_key(keys: dict[str, object], words: str) -> None:
    with pytest.raises(TaskError, match=words):
        check(task_of(keys))
