"""The inverse question: the smallest or the largest value, exact on both sides, or a sentence why there is none."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from solvers import InverseError, MissingError, expr_of, fewest, largest, scenario_of
from solvers.expr.evaluate import Quantity
from solvers.expr.reader import read_strict
from solvers.expr.units import parse_unit
from solvers.inverse import Inverse, solve_for

if TYPE_CHECKING:
    from solvers.inputs import Raw

ZERO3: dict[str, Raw] = {
    "model.parameters": "70e9", "recipe": "zero-paper", "layout.zero": 3, "cluster.gpu": "h100-80gb"}
FITS = "memory.total_per_gpu <= cluster.capacity_per_gpu"
ACTIVATIONS: dict[str, Raw] = {"memory.activations_per_gpu": "15 GB"}


def tried(found: Inverse) -> list[tuple[int, bool]]:
    return [(int(item.value.value), item.holds) for item in found.checked]


def test_the_fewest_gpus_is_searched_and_its_neighbour_checked() -> None:
    found = fewest(scenario_of(ZERO3, ACTIVATIONS), "layout.dp", read_strict(FITS))
    assert found.method == "integer search"
    assert (int(found.value.value), tried(found)) == (18, [(17, False), (18, True)])
    assert found.explanation == "integer search; checked by evaluation: 17 does not, 18 holds"


def test_whole_nodes_are_a_step() -> None:
    found = fewest(scenario_of(ZERO3, ACTIVATIONS), "layout.dp", read_strict(FITS), step=8)
    assert (int(found.value.value), tried(found)) == (24, [(16, False), (24, True)])


def test_a_figure_of_the_bank_may_stand_in_the_condition() -> None:
    reserve = Quantity(5 * parse_unit("GB").factor, parse_unit("GB").dimension)
    found = fewest(scenario_of(ZERO3, ACTIVATIONS), "layout.dp",
                   read_strict("memory.total_per_gpu + reserve <= cluster.capacity_per_gpu"), {"reserve": reserve})
    assert found.value.value == 19


def test_the_smallest_admissible_value_may_be_the_first() -> None:
    found = fewest(scenario_of(ZERO3 | {"model.parameters": "1e9"}, ACTIVATIONS), "layout.dp", read_strict(FITS))
    assert (int(found.value.value), tried(found)) == (1, [(1, True)])


def test_degrees_that_do_not_divide_are_stepped_over() -> None:
    plan = scenario_of({"model": "llama-3-70b", "recipe": "zero-paper", "layout.dp": 1})
    found = fewest(plan, "layout.tp", read_strict("memory.state_per_gpu <= 40 GB"))
    assert (int(found.value.value), tried(found)) == (32, [(16, False), (32, True)])
    cache = scenario_of({"model": "llama-3-70b"})
    kept = largest(cache, "layout.tp", read_strict("serving.kv_per_token_per_gpu >= 50000 B/token"))
    assert (int(kept.value.value), tried(kept)) == (4, [(4, True), (8, False)])


def test_an_inadmissible_value_hides_no_larger_answer() -> None:
    """Of the divisors of 48 the halving meets 24 and then only values that divide nothing; 48 is still the answer."""
    plan = scenario_of({"model.layers": 48, "model.kv_heads": 48, "model.query_heads": 48, "model.head_dim": 128})
    found = largest(plan, "layout.tp", read_strict("serving.kv_per_token_per_gpu >= 24576 B/token"))
    assert found.value.value == 48


def test_an_answer_far_off_is_found_among_the_multiples_that_are_admissible() -> None:
    plan = scenario_of({"layout.pp": 8, "layout.interleave": 2})
    found = fewest(plan, "batch.accumulation", read_strict("pipeline.bubble_of_total <= 0.01 %"))
    assert tried(found) == [(34992, False), (35000, True)]
    found = fewest(plan, "batch.accumulation", read_strict("pipeline.bubble_of_total <= 0.01 %"), step=8)
    assert tried(found) == [(34992, False), (35000, True)]


def test_what_the_cluster_cannot_hold_is_said() -> None:
    plan = scenario_of(ZERO3 | {"cluster.nodes": 1, "cluster.gpus_per_node": 8}, ACTIVATIONS)
    with pytest.raises(InverseError, match=r"up to 8; beyond, the layout needs 9 GPUs .* the cluster has 8"):
        fewest(plan, "layout.dp", read_strict(FITS))


def test_what_no_number_of_gpus_can_do_is_said() -> None:
    plan = scenario_of(ZERO3, {"memory.activations_per_gpu": "90 GB"})
    with pytest.raises(InverseError, match="holds for no"):
        fewest(plan, "layout.dp", read_strict(FITS))


def test_the_largest_model_is_solved_for_and_both_sides_checked() -> None:
    plan = scenario_of({"recipe": "zero-paper", "layout.zero": 3, "layout.dp": 8, "cluster.gpu": "h100-80gb"},
                       ACTIVATIONS)
    found = largest(plan, "model.parameters", read_strict(FITS))
    assert found.method == "algebra"
    assert found.value.value == 32_500_000_000
    assert tried(found) == [(32_500_000_000, True), (32_500_000_001, False)]


def test_a_strict_comparison_stops_one_short() -> None:
    plan = scenario_of({"recipe": "zero-paper", "layout.zero": 3, "layout.dp": 8})
    found = largest(plan, "model.parameters", read_strict("memory.state_per_gpu < 80 GB"))
    assert found.value.value == 39_999_999_999


def test_a_boundary_between_whole_numbers_is_rounded_to_the_admissible_side() -> None:
    plan = scenario_of({"recipe": "adam-8bit", "layout.zero": 1, "layout.dp": 7, "layout.tp": 1})
    found = largest(plan, "model.parameters", read_strict("memory.state_per_gpu <= 79.9 GB"))
    assert [holds for _, holds in tried(found)] == [True, False]
    assert found.checked[1].value.value - found.checked[0].value.value == 1


def test_a_time_is_solved_for_through_a_root() -> None:
    plan = scenario_of({"run.mtbf": "3 h"})
    found = largest(plan, "checkpoint.stall", read_strict("checkpoint.interval_young <= 20 min"))
    assert found.value.value == Fraction(1200) ** 2 / (2 * 3 * 3600)
    assert [item.holds for item in found.checked] == [True, False]
    least = fewest(plan, "checkpoint.stall", read_strict("checkpoint.interval_young >= 20 min"))
    assert least.value.value == found.value.value
    assert "just below" in least.explanation


def test_a_rule_is_not_carried_beyond_where_it_holds() -> None:
    """Daly's first order falls again for absurd stalls; a law keeps the inverse on the side where it is meant."""
    plan = scenario_of({"run.mtbf": "3 h"})
    found = largest(plan, "checkpoint.stall", read_strict("checkpoint.interval_daly <= 10 min"))
    assert round(float(found.value.value), 2) == 17.66


def test_what_holds_on_and_on_has_no_largest() -> None:
    plan = scenario_of({"run.mtbf": "3 h"})
    with pytest.raises(InverseError, match="however large"):
        largest(plan, "checkpoint.stall", read_strict("checkpoint.interval_young >= 20 min"))
    with pytest.raises(InverseError, match="however small"):
        fewest(plan, "checkpoint.stall", read_strict("checkpoint.interval_young <= 20 min"))


def test_a_condition_with_steps_is_searched() -> None:
    plan = scenario_of({"model": "llama-3-70b", "cluster.gpu": "h100-80gb", "layout.tp": 8,
                        "serving.memory_share": "90 %"})
    found = largest(plan, "serving.context", read_strict("serving.sequences >= 162"))
    assert found.method == "integer search"
    assert [holds for _, holds in tried(found)] == [True, False]


def test_the_boundary_may_be_the_last_admissible_value() -> None:
    plan = scenario_of({"model.parameters": "7e9", "recipe": "zero-paper", "layout.zero": 3, "cluster.gpus": 8})
    found = largest(plan, "layout.dp", read_strict("memory.state_per_gpu >= 1 GB"))
    assert found.value.value == 8
    assert "not admissible" in found.explanation


@pytest.mark.parametrize(
    ("symbol", "condition", "said"),
    [
        ("batch.accumulation", "pipeline.bubble_of_total <= 50 %", "no largest"),
        ("model.parameters", "pipeline.bubble_of_total <= 50 %", "does not depend"),
        ("batch.accumulation", "pipeline.bubble_of_total <= 0 %", "holds for no"),
        ("layout.offload", "pipeline.bubble_of_total <= 50 %", "a choice"),
    ],
)
def test_what_has_no_answer_gets_a_sentence(symbol: str, condition: str, said: str) -> None:
    plan = scenario_of({"layout.pp": 8} | ({"batch.accumulation": 8} if symbol == "model.parameters" else {}))
    with pytest.raises(InverseError, match=said):
        largest(plan, symbol, read_strict(condition))


def test_a_time_in_a_condition_with_steps_is_bracketed() -> None:
    plan = scenario_of({"run.mtbf": "3 h"})
    found = largest(plan, "checkpoint.stall", read_strict("max(checkpoint.stall, 1 s) <= 20.5 s"))
    assert (found.method, found.value.value) == ("bracketing", Fraction(41, 2))
    assert [(item.text, item.holds) for item in found.checked] == [("20.5 s", True), ("just above 20.5 s", False)]
    assert found.explanation.startswith("bracketing (the condition has steps, corners or cases here")
    least = fewest(plan, "checkpoint.stall", read_strict("max(checkpoint.stall, 1 s) >= 20.5 s"))
    assert least.value.value == Fraction(41, 2)
    stepped = largest(plan, "checkpoint.stall", read_strict("floor(checkpoint.stall / (1 s)) <= 20"))
    assert 20.99 < stepped.value.value < 21


def test_what_is_bracketed_may_hold_nowhere_or_everywhere() -> None:
    plan = scenario_of({"run.mtbf": "3 h"})
    with pytest.raises(InverseError, match="holds for no"):
        largest(plan, "checkpoint.stall", read_strict("max(checkpoint.stall, 1 s) <= 0.5 s"))
    with pytest.raises(InverseError, match="however large"):
        largest(plan, "checkpoint.stall", read_strict("max(checkpoint.stall, 1 s) >= 0.5 s"))


def test_a_root_is_solved_for_without_sympy() -> None:
    plan = scenario_of({"run.mtbf": "3 h"})
    found = largest(plan, "checkpoint.stall", read_strict("checkpoint.interval_daly <= 10 min"))
    assert found.way == "a quadratic equation"


def test_a_number_is_no_condition() -> None:
    with pytest.raises(InverseError, match="condition"):
        fewest(scenario_of({"layout.pp": 8}), "batch.accumulation", read_strict("pipeline.bubble_of_total"))


def test_what_is_missing_is_still_missing() -> None:
    with pytest.raises(MissingError):
        fewest(scenario_of({}), "layout.dp", read_strict("memory.state_per_gpu <= 80 GB"))


@pytest.mark.parametrize(
    ("symbol", "bound", "at_most", "kind", "value"),
    [
        ("layout.dp", "80 GB", True, "fewest", 14),
        ("layout.dp", "80 GB", False, "largest", 14),
    ],
)
def test_fewest_or_largest_follows_from_which_way_the_quantity_goes(
    symbol: str, bound: str, at_most: bool, kind: str, value: int  # noqa: FBT001 - a table of cases
) -> None:
    plan = scenario_of({"model.parameters": "70e9", "recipe": "zero-paper", "layout.zero": 3})
    found = solve_for(plan, symbol, "memory.state_per_gpu", read_strict(bound), at_most=at_most)
    assert found.kind == kind
    assert found.value.value == value


def test_a_quantity_that_rises_has_a_largest_for_an_upper_bound() -> None:
    plan = scenario_of({"recipe": "zero-paper", "layout.zero": 3, "layout.dp": 8})
    up = solve_for(plan, "model.parameters", "memory.state_per_gpu", read_strict("80 GB"), at_most=True)
    down = solve_for(plan, "model.parameters", "memory.state_per_gpu", read_strict("80 GB"), at_most=False)
    assert (up.kind, up.text, down.kind, down.text) == ("largest", "40B", "fewest", "40B")


def test_a_quantity_that_does_not_move_is_said() -> None:
    plan = scenario_of({"model.parameters": "70e9", "recipe": "zero-paper"})
    with pytest.raises(InverseError, match="does not depend"):
        solve_for(plan, "layout.dp", "memory.state_per_gpu", read_strict("80 GB"), at_most=True)


def test_a_part_of_a_whole_is_sought_between_nothing_and_all() -> None:
    """No utilisation above 1 can be tried, so the search must learn from parts."""
    plan = scenario_of({"model.parameters": "8e9", "compute.training_tokens": "15e12", "cluster.gpus": 1024,
                        "compute.peak": "989 TFLOP/s"})
    found = solve_for(plan, "compute.mfu", "compute.training_time", expr_of("compute.training_time", "20 day"),
                      at_most=True)
    assert (found.kind, found.text) == ("fewest", "41.14 %")


def test_a_plain_number_bounds_a_count() -> None:
    found = solve_for(scenario_of({}), "scaling.flops", "scaling.parameters", expr_of("scaling.parameters", "70e9"),
                      at_most=False)
    assert found.value.value == 120 * (70 * 10**9) ** 2


@pytest.mark.parametrize(
    ("bound", "at_most", "kind", "stage"),
    [("2000 GB", True, "fewest", "0"), ("300 GB", True, "fewest", "1"), ("18 GB", True, "fewest", "3"),
     ("1000 GB", False, "largest", "0"), ("1 GB", False, "largest", "3")],
)  # fmt: skip
def test_a_count_that_may_be_nothing_is_tried_from_nothing_to_the_most_that_it_can_be(
    bound: str,
    at_most: bool,  # noqa: FBT001 - two cases
    kind: str,
    stage: str,
) -> None:
    """DDP is stage 0, and there is no stage 4."""
    plan = scenario_of({"model.parameters": "70e9", "recipe": "zero-paper", "layout.dp": 64})
    found = solve_for(plan, "layout.zero", "memory.state_per_gpu", expr_of("memory.state_per_gpu", bound),
                      at_most=at_most)  # fmt: skip
    assert (found.kind, found.text) == (kind, stage)


def test_a_stage_that_does_not_exist_is_not_searched_for() -> None:
    plan = scenario_of({"model.parameters": "70e9", "recipe": "zero-paper", "layout.dp": 64})
    with pytest.raises(InverseError, match=r"1,120 GB at layout.zero = 0 and 17.5 GB at 3"):
        solve_for(plan, "layout.zero", "memory.state_per_gpu", expr_of("memory.state_per_gpu", "1 GB"), at_most=True)
