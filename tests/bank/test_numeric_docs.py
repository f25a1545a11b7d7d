"""The page on numeric answers tells the truth: its questions load, its units are units."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quiz.grading import Typed, grade
from tests.trial_bank import MANIFEST

if TYPE_CHECKING:
    from tests.trial_bank import Trial

PAGE = Path(__file__).resolve().parents[2] / "docs" / "instructors" / "numeric-answers.md"


def blocks() -> list[str]:
    inside = PAGE.read_text(encoding="utf-8").split("\n```")[1::2]
    return [block.partition("\n")[2] + "\n" for block in inside if block.partition("\n")[0] == "yaml"]


def test_the_question_in_parts_carries_the_error_that_the_page_tells_of(trial: Trial) -> None:
    found = grade(trial.only(blocks()[0]), Typed("840 GB", parts=("26.25 GB",)))
    assert [part.status for part in found.parts] == ["incorrect", "correct"]


def test_the_list_the_estimate_and_the_range_on_the_page_load(trial: Trial) -> None:
    whole = blocks()[0]
    head = whole[: whole.index("answer:")]
    listed = grade(trial.only(head + blocks()[1]), Typed("140, 140, 840 GB"))
    assert listed.status == "correct"
    assert grade(trial.only(head + blocks()[2]), Typed("250 GB")).status == "correct"
    assert grade(trial.only(head + blocks()[3]), Typed("100-200 GB")).status == "correct"


def test_the_units_on_the_page_are_units(trial: Trial) -> None:
    whole = blocks()[0]
    head = whole[: whole.index("scenario:")] + "stem: How fast?\n"
    cases = ((blocks()[4], "2 furlong", "402.336 m"), (blocks()[5], "2 knot * 1 s", "1.028888 metres"))
    for units, asked, typed in cases:
        trial.write(MANIFEST + units, "bank.yaml")
        question = trial.only(f"{head}answer: {{is: {asked}, unit: m, within: 1 %}}\n")
        assert grade(question, Typed(typed)).status == "correct"
