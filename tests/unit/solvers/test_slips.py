"""A slip gives the value that the mistake gives, with the same numbers, or the reason why it cannot be made."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from solvers import RELATIONS, Slip, evaluate_slip, scenario_of, slips_of
from solvers.expr.tree import number, symbol

if TYPE_CHECKING:
    from solvers.inputs import Raw

CARD: dict[str, Raw] = {
    "model.parameters": "70e9", "recipe": "zero-paper", "layout.zero": 3, "layout.dp": 32, "cluster.nodes": 4,
    "cluster.gpus_per_node": 8}


def value(quantity: str, slip: str, **changes: Raw) -> Fraction:
    named = {item.id: item for item in slips_of(quantity)}
    inputs = CARD | {key.replace("__", "."): changed for key, changed in changes.items()}
    found = evaluate_slip(named[slip], scenario_of(inputs), quantity)
    assert found.value is not None, found.reason
    return found.value.value / 10**9


@pytest.mark.parametrize(
    ("slip", "gigabytes"),
    [
        ("weights-only", "4.375"), ("no-master", "26.25"), ("no-moments", "17.5"), ("one-moment", "26.25"),
        ("not-sharded", "1120"), ("zero1-for-zero3", "306.25"), ("zero2-for-zero3", "170.625"),
        ("zero3-for-less", "35"), ("per-node", "280"), ("megatron", "39.375"), ("no-master-recipe", "26.25"),
    ],
)
def test_the_slips_of_the_state_are_the_wrong_answers_that_people_give(slip: str, gigabytes: str) -> None:
    assert value("memory.state_per_gpu", slip) == Fraction(gigabytes)


@pytest.mark.parametrize(
    ("slip", "gigabytes"),
    [("no-ring-factor", "42"), ("once-round", "12.25"), ("ddp-for-zero3", "24.5"), ("fp32-reduce", "49")],
)
def test_the_slips_of_traffic_are_the_wrong_answers_that_people_give(slip: str, gigabytes: str) -> None:
    plan: dict[str, Raw] = {"model__parameters": "7e9", "layout__dp": 8}
    assert value("traffic.data_parallel_sent", slip, **plan) == Fraction(gigabytes)


def test_youngs_slips_are_those_of_the_example() -> None:
    plan = scenario_of({"run.interruptions": 419, "run.observed": "54 day", "checkpoint.stall": "60 s",
                        "cluster.gpus": 16384})
    made = {slip.id: evaluate_slip(slip, plan, "checkpoint.interval_young") for slip in
            slips_of("checkpoint.interval_young")}
    minutes = {key: round(float(found.value.value) / 60, 2) for key, found in made.items() if found.value}
    assert minutes == {"forgot-the-2": 13.62, "per-gpu": 2466.02, "observed-not-divided": 394.36, "daly": 18.27}


def test_a_slip_that_needs_what_is_not_there_says_so() -> None:
    per_node = next(slip for slip in slips_of("memory.state_per_gpu") if slip.id == "per-node")
    plan = scenario_of({"model.parameters": "70e9", "recipe": "zero-paper", "layout.dp": 8})
    found = evaluate_slip(per_node, plan, "memory.state_per_gpu")
    assert found.value is None
    assert "cluster.nodes" in found.reason


def test_a_slip_of_an_expression_patches_and_keeps_the_expression() -> None:
    slip = Slip("one-node", "You divided by one node's GPUs.", set={"layout.dp": number(8)})
    found = evaluate_slip(slip, scenario_of(CARD), symbol("memory.state_per_gpu") * 2)
    assert found.value is not None
    assert found.value.value == 280 * 10**9


def test_a_slip_that_gives_no_number_says_so() -> None:
    slip = Slip("condition", "A condition.", expr=symbol("layout.dp") <= 8)
    assert evaluate_slip(slip, scenario_of(CARD), "layout.dp").reason == "the slip gives no number"


def test_the_headline_relations_have_slips_with_ids_of_their_own() -> None:
    headlines = ("memory.state_per_gpu", "memory.state_total", "memory.total_per_gpu", "traffic.data_parallel_sent",
                 "traffic.tensor_parallel_sent", "pipeline.bubble_over_ideal", "pipeline.bubble_of_total",
                 "checkpoint.interval_young", "serving.kv_per_token_per_gpu", "compute.mfu")
    for name in headlines:
        slips = [slip.id for relation in RELATIONS.of(name) for slip in relation.slips]
        assert slips
        assert len(slips) == len(set(slips))
