"""What a numeric question may ask for beyond one value: parts that rest on one another, lists, estimates, own units."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from quiz.grading import Grade, Typed, grade, read_back
from tests.trial_bank import MANIFEST

if TYPE_CHECKING:
    from quiz.bank.rendered import Rendered
    from tests.trial_bank import Trial

HEAD = """\
id: asked
kind: numeric
topic: memory-budget
difficulty: 2
"""
PARTS = f"""\
{HEAD}scenario: {{model.parameters: 70e9, recipe: zero-paper, layout.zero: 3, layout.dp: 32}}
stem: |
  Training state of {{{{ model.parameters }}}} parameters on {{{{ layout.dp }}}} GPUs.
answer: {{is: total, unit: GB, within: 1 %}}
slips:
  - {{id: no-master, set: {{recipe: no-master}}, says: "The master copy is missing."}}
figures:
  total: memory.state_total
  share: total / layout.dp
parts:
  - ask: |
      And on each GPU?
    answer: {{is: share, unit: GB, within: 1 %}}
  - ask: |
      And what is left of {{{{ room }}}}?
    answer: {{is: room - share, unit: GB, within: 1 %}}
""".replace("figures:\n", "figures:\n  room: {input: 80 GB}\n")
MECHANICS = f"""\
{HEAD}stem: |
  {{{{ mass }}}} fall for {{{{ time }}}} at {{{{ gravity | m/s^2 1 }}}}. How fast, and with what force?
answer: {{is: gravity * time, unit: km/h, within: 1 %}}
figures:
  mass: {{input: 2 kg}}
  time: {{input: 3 s}}
  gravity: {{input: 10 m/s^2}}
parts:
  - ask: |
      The force?
    answer: {{is: mass * gravity, unit: N, within: 1 %}}
"""
LIST = f"""\
{HEAD}scenario: {{model.parameters: 70e9, recipe: zero-paper}}
stem: |
  Weights, gradients and optimizer state of {{{{ model.parameters }}}} parameters?
answer:
  is: recipe.weights * model.parameters
  followed_by: [recipe.gradients * model.parameters, 12 B/param * model.parameters]
  unit: GB
  within: 1 %
"""
ESTIMATE = f"""\
{HEAD}scenario: {{model.parameters: 70e9}}
stem: |
  About how many bytes are {{{{ model.parameters }}}} parameters in half precision?
answer: {{is: 2 B/param * model.parameters, unit: GB, estimate: {{full: 2, none: 20}}}}
"""


def asked(trial: Trial, text: str, units: str) -> Rendered:
    trial.write(f"{MANIFEST}units: {units}\n", "bank.yaml")
    return trial.only(text)


def answered(question: Rendered, *texts: str | None, strict: bool = True) -> Grade:
    return grade(question, Typed(texts[0] or "", parts=texts[1:]), strict=strict)


def statuses(found: Grade) -> list[str]:
    return [part.status for part in found.parts]


def test_each_part_has_its_reference_and_says_what_it_rests_on(trial: Trial) -> None:
    question = trial.only(PARTS)
    assert [part.text for part in question.parts] == ["35 GB", "45 GB"]
    assert "part_1" in question.parts[0].follow
    assert "part_2" in question.parts[1].follow
    assert question.answer_line == "1,120 GB; 35 GB; 45 GB"


def test_all_parts_right_is_right(trial: Trial) -> None:
    found = answered(trial.only(PARTS), "1.12 TB", "35 GB", "45 GB")
    assert found.status == "correct"
    assert found.credit == 1


def test_a_wrong_first_part_does_not_cost_the_second_and_is_told(trial: Trial) -> None:
    """840 GB leaves out the master copy; 26.25 GB is 840 GB over 32, and 53.75 GB is what that leaves of 80 GB."""
    found = answered(trial.only(PARTS), "840 GB", "26.25 GB", "53.75 GB")
    assert statuses(found) == ["incorrect", "correct", "correct"]
    assert found.status == "incorrect"
    assert found.slip == "no-master"
    assert found.parts[1].carried == "part_1"
    assert "Right with your value of part 1 (840 GB)" in found.message


def test_an_error_is_carried_from_the_part_where_it_was_made(trial: Trial) -> None:
    found = answered(trial.only(PARTS), "1120 GB", "140 GB", "-60 GB")
    assert statuses(found) == ["correct", "incorrect", "correct"]
    assert found.parts[2].carried == "part_2"


def test_a_wrong_method_is_wrong_whatever_came_before(trial: Trial) -> None:
    assert statuses(answered(trial.only(PARTS), "840 GB", "105 GB", "45 GB")) == ["incorrect", "incorrect", "correct"]


def test_a_missing_unit_in_one_part_does_not_stop_the_others(trial: Trial) -> None:
    question = trial.only(PARTS)
    found = answered(question, "1120", "35 GB", "45 GB")
    assert statuses(found) == ["wrong-unit", "correct", "correct"]
    assert found.status == "wrong-unit"
    handed_back = answered(question, "1120", "35 GB", "45 GB", strict=False)
    assert statuses(handed_back) == ["invalid", "correct", "correct"]


def test_a_part_left_out_is_wrong_and_a_broken_one_costs_nothing(trial: Trial) -> None:
    question = trial.only(PARTS)
    assert answered(question, "1120 GB", None, "45 GB").status == "incorrect"
    assert answered(question, "1120 GB").status == "incorrect"
    assert answered(question, "1120 GB", "35 GB +", "45 GB").status == "invalid"


def test_units_of_a_bank_are_read_in_questions_and_in_answers(trial: Trial) -> None:
    question = asked(trial, MECHANICS, "{include: si}")
    assert question.numeric is not None
    assert question.numeric.text == "108 km/h"
    assert "2 kg fall for 3 s at 10.0 m/s^2" in question.stem
    found = answered(question, "30 m/s", "0.02 kN")
    assert statuses(found) == ["correct", "correct"]
    assert statuses(answered(question, "30 m", "20 kg m/s²")) == ["wrong-unit", "correct"]
    assert read_back(question.numeric, "30 m/s").text == "30 m/s = 108 km/h"


def test_a_bank_may_declare_units_one_by_one(trial: Trial) -> None:
    units = "{m: {is: base, prefixes: true, also: [metre, metres]}, kg: base, N: kg*m/s^2}"
    assert answered(asked(trial, MECHANICS, units), "30 metres/s", "20 N").status == "correct"


@pytest.mark.parametrize(("units", "words"), [
    ("{m: 3 parsec}", "unit m cannot be read"), ("{GB: base}", "no new base"), ("{include: cgs}", "no set of units"),
    ("{m: {is: base, prefix: true}}", "prefix"), ("{9m: base}", "no name of a unit"), ("{m: 0 s}", "is nothing"),
])  # fmt: skip
def test_a_unit_that_is_none_is_told_in_the_manifest(trial: Trial, units: str, words: str) -> None:
    trial.write(f"{MANIFEST}units: {units}\n", "bank.yaml")
    assert any(words in one.what for one in trial.problems(LIST))


def test_other_banks_do_not_know_them(trial: Trial) -> None:
    assert any("kg" in one.what or "sign" in one.what for one in trial.problems(MECHANICS))


def test_a_list_is_judged_value_by_value_in_order(trial: Trial) -> None:
    question = trial.only(LIST)
    assert question.numeric is not None
    assert question.numeric.text == "140 GB; 140 GB; 840 GB"
    assert answered(question, "140, 140, 840 GB").status == "correct"
    found = answered(question, "140 GB; 150 GB; 840 GB")
    assert found.status == "incorrect"
    assert found.credit == Fraction(2, 3)
    assert "Value 2" in found.message
    assert "order" in answered(question, "840 GB; 140 GB; 140 GB").message
    assert answered(question, "140 GB").status == "invalid"
    assert read_back(question.numeric, "140 GB; 1 TB").text.endswith("1 TB = 1,000 GB (1e12 B) (1 more asked for)")
    assert read_back(question.numeric, "140 GB; 1").span == (7, 9)


def test_an_estimate_is_judged_by_its_factor_with_partial_credit(trial: Trial) -> None:
    question = trial.only(ESTIMATE)
    assert answered(question, "200 GB").status == "correct"
    near, far = answered(question, "700 GB"), answered(question, "3 TB")
    assert (near.status, far.status) == ("close", "incorrect")
    assert near.credit is not None
    assert 0 < near.credit < 1
    assert "% of the points" in near.message
    assert far.credit == 0


def test_forms_that_say_nothing_sound_are_refused(trial: Trial) -> None:
    assert trial.problem(ESTIMATE.replace("full: 2", "full: 30")).what.startswith("the factors of an estimate")
    assert "this value is an amount in s" in trial.problem(LIST.replace("12 B/param * model.parameters", "3 s")).what
