"""Several parts: each is judged by itself, and a wrong one does not cost the next when its method is right."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from quiz.bank.rendered import NumericPart, SlipFigure, Variable
from quiz.grading.typed import judge_parts

if TYPE_CHECKING:
    from quiz.grading import Grade

HALF = Fraction(1, 2)
TOTAL = NumericPart(
    ask="In all?", exact="1120000000000", text="1,120 GB", unit="GB", need_unit=True, relative="1/100",
    slips=(SlipFigure("no-master", "840000000000", "840 GB", "The fp32 master copy is missing."),),
)  # fmt: skip
EACH = NumericPart(
    ask="On each?", exact="35000000000", text="35 GB", unit="GB", need_unit=True, relative="1/100",
    variables=(Variable("N", "ranks", "32", "", "32"),), follow="part_1 / N",
)  # fmt: skip


def judged(*texts: str | None, strict: bool = True) -> Grade:
    return judge_parts((TOTAL, EACH), texts, strict=strict)


@pytest.mark.parametrize(("first", "second", "statuses", "credit"), [
    ("1120 GB", "35 GB", ["correct", "correct"], 1),
    ("840 GB", "26.25 GB", ["incorrect", "correct"], HALF),
    ("840 GB", "35 GB", ["incorrect", "correct"], HALF),
    ("999 GB", "40 GB", ["incorrect", "incorrect"], 0),
    ("1120", "35 GB", ["wrong-unit", "correct"], HALF),
    ("60 s", "35 GB", ["wrong-unit", "correct"], HALF),
    ("1120 parsec", "35 GB", ["invalid", "correct"], HALF),
    ("1120 GB", None, ["correct", "unknown"], HALF),
    ("1120 GB", "35", ["correct", "wrong-unit"], HALF),
    ("1000-1300 GB", "31.25 GB", ["incorrect", "incorrect"], 0),
])  # fmt: skip
def test_each_part_is_judged_by_itself_or_with_the_wrong_value_before_it(
    first: str, second: str | None, statuses: list[str], credit: Fraction
) -> None:
    found = judged(first, second)
    assert [part.status for part in found.parts] == statuses
    assert found.credit == credit


def test_an_error_that_is_carried_forward_is_told_with_its_place() -> None:
    found = judged("840 GB", "26.25 GB")
    assert found.status == "incorrect"
    assert found.message == (
        "Part 1: The fp32 master copy is missing. "
        "Part 2: Right with your value of part 1 (840 GB): the error lies there, not in this number."
    )
    assert found.parts[1].carried == "part_1"


def test_a_part_that_cannot_be_read_makes_the_whole_cost_nothing() -> None:
    assert judged("1120 parsec", "35 GB").status == "invalid"
    assert judged(None, None).status == "unknown"
