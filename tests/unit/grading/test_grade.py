"""Grading whole responses: choices, orders, rubrics, and a number that follows from a choice."""

from __future__ import annotations

import pytest

from quiz.bank.rendered import Carried, Item, NumericPart, Option, Rendered
from quiz.grading import Chosen, Ordered, SelfGraded, Typed, Unknown, grade

PART = NumericPart(
    ask="How many GB does each GPU hold under the plan that fits?", exact="35000000000", text="35 GB", unit="GB",
    need_unit=False, relative="3/100", carried=(Carried("zero1", "306250000000", "306.3 GB"),),
)  # fmt: skip


def question(**fields: object) -> Rendered:
    base: dict[str, object] = {
        "bank": "b", "id": "q", "kind": "strategy", "topic": "t", "difficulty": 1, "revision": "r", "stem": "",
        "conventions": (), "answer_line": "",
    }  # fmt: skip
    return Rendered(**(base | fields))  # type: ignore[arg-type]


PLAN = question(
    options=(
        Option("fsdp", "FSDP", correct=True, verdict="fits", reasoning=""),
        Option("zero1", "ZeRO-1", correct=False, verdict="does not fit", reasoning="", slip="zero1-shards-everything"),
        Option("ddp", "DDP", correct=False, verdict="does not fit", reasoning=""),
    ),
    numeric=PART,
)


def test_a_choice_is_right_or_names_the_belief_behind_it() -> None:
    assert grade(PLAN, Chosen("fsdp")).status == "correct"
    wrong = grade(PLAN, Chosen("zero1"))
    assert (wrong.status, wrong.slip, wrong.message) == ("incorrect", "zero1-shards-everything", "does not fit")


def test_not_knowing_is_an_answer() -> None:
    assert grade(PLAN, Unknown()).status == "unknown"


def test_both_parts_right_is_right() -> None:
    whole = grade(PLAN, Chosen("fsdp", then="35 GB"))
    assert whole.status == "correct"
    assert whole.part is not None
    assert whole.part.status == "correct"


def test_a_wrong_number_lowers_a_right_choice() -> None:
    assert grade(PLAN, Chosen("fsdp", then="36.5 GB")).status == "close"
    assert grade(PLAN, Chosen("fsdp", then="99 GB")).status == "incorrect"


def test_a_right_number_does_not_raise_a_wrong_choice_and_is_still_right() -> None:
    whole = grade(PLAN, Chosen("ddp", then="35 GB"))
    assert whole.status == "incorrect"
    assert whole.part is not None
    assert whole.part.status == "correct"


def test_an_error_is_carried_forward() -> None:
    """With ZeRO-1 chosen, ZeRO-1's figure is right: the choice was the error, and it is counted once."""
    whole = grade(PLAN, Chosen("zero1", then="306 GB"))
    assert whole.status == "incorrect"
    assert whole.part is not None
    assert (whole.part.status, whole.part.carried) == ("correct", "zero1")
    assert "Right for the plan that you chose" in whole.part.message


def test_an_error_is_carried_only_for_the_plan_that_was_chosen() -> None:
    for option in ("fsdp", "ddp"):
        part = grade(PLAN, Chosen(option, then="306 GB")).part
        assert part is not None
        assert part.status == "incorrect"


def test_an_unreadable_number_costs_nothing_whatever_was_chosen() -> None:
    whole = grade(PLAN, Chosen("ddp", then="35 GBB"))
    assert whole.status == "invalid"
    assert whole.span == (3, 6)


def test_an_order_is_right_or_names_the_first_pair_that_is_not() -> None:
    items = tuple(Item(name, name.upper(), f"{size} GB", place) for place, (name, size) in enumerate(
        (("a", 30), ("b", 20), ("c", 10))))  # fmt: skip
    ordering = question(kind="ordering", items=items)
    assert grade(ordering, Ordered(("a", "b", "c"))).status == "correct"
    wrong = grade(ordering, Ordered(("a", "c", "b")))
    assert wrong.status == "incorrect"
    assert wrong.message == "B (20 GB) comes before C (10 GB)."


@pytest.mark.parametrize(
    ("points", "status"), [(5, "correct"), (4, "correct"), (3, "close"), (2, "incorrect"), (0, "incorrect")]
)
def test_a_rubric_is_right_from_four_fifths_and_close_from_half(points: int, status: str) -> None:
    assert grade(question(kind="open", rubric=("x",) * 5), SelfGraded(points, 5)).status == status


@pytest.mark.parametrize("response", [Chosen("none"), Ordered(("fsdp",)), SelfGraded(1, 2)])
def test_a_response_to_another_question_is_a_fault_of_the_caller(response: Chosen | Ordered | SelfGraded) -> None:
    with pytest.raises(ValueError, match="q"):
        grade(PLAN, response)


def test_a_typed_answer_needs_a_numeric_part() -> None:
    with pytest.raises(ValueError, match="does not answer"):
        grade(question(options=PLAN.options), Typed("35"))
