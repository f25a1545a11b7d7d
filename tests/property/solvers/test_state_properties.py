"""What must hold of the state and the traffic for any model, recipe and layout."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import Scenario, Solver, fewest, fit, largest, scenario_of
from solvers.expr.compiled import compiled
from solvers.expr.evaluate import EvaluationError, Quantity, evaluate
from solvers.expr.reader import read_strict
from solvers.expr.tree import Binary, Call, Expr, Negative, Number, Symbol
from solvers.presets import RECIPES

PARAMETERS = st.integers(1, 10**13)
SHAPED = {"adafactor", "adafactor-momentum", "muon-adamw"}  # what these keep follows from matrices, not from P alone
RECIPE = st.sampled_from(sorted(set(RECIPES) - SHAPED))
DEGREE = st.sampled_from([1, 2, 4, 8, 16, 64])
STAGE = st.integers(0, 3)
PARTS = ("weights", "gradients", "master", "moments")


@st.composite
def plans(draw: st.DrawFn) -> dict[str, Any]:
    dp = draw(DEGREE)
    plan: dict[str, Any] = {
        "model.parameters": draw(PARAMETERS), "recipe": draw(RECIPE), "layout.zero": draw(STAGE),
        "layout.dp": dp, "layout.tp": draw(DEGREE), "layout.pp": draw(DEGREE),
        "layout.cp": draw(st.sampled_from([1, 2])),
        "batch.accumulation": draw(st.integers(1, 64)),
    }
    if plan["layout.zero"] and draw(st.booleans()):
        plan["layout.shard"] = draw(st.sampled_from([size for size in (1, 2, 4, 8) if dp % size == 0]))
    return plan


def solver(plan: dict[str, Any], given: dict[str, Any] | None = None) -> Solver:
    return Solver(scenario_of(plan, given))


def per_gpu(plan: dict[str, Any], name: str = "memory.state_per_gpu") -> Fraction:
    return solver(plan).quantity(name).value


@given(plans())
def test_the_shards_of_all_ranks_are_the_whole_and_its_copies(plan: dict[str, Any]) -> None:
    """Times the ranks that divide it, each part is the whole part: nothing is lost, nothing counted twice."""
    found = solver(plan)
    parameters = Fraction(plan["model.parameters"])
    shard = found.quantity("layout.shard").value
    sizes = {"weights": ("weights", 3), "gradients": ("gradients", 2), "master": ("master", 1)}
    for part, (name, stage) in sizes.items():
        divided = plan["layout.tp"] * plan["layout.pp"] * (shard if plan["layout.zero"] >= stage else 1)
        whole = found.quantity(f"recipe.{name}").value
        if name == "gradients":
            whole += found.quantity("recipe.accumulation").value
        assert found.quantity(f"memory.{part}_per_gpu").value * divided == whole * parameters


@given(plans())
def test_the_parts_add_up(plan: dict[str, Any]) -> None:
    found = solver(plan)
    assert sum(found.quantity(f"memory.{part}_per_gpu").value for part in PARTS) == per_gpu(plan)


@given(plans())
def test_on_one_rank_every_stage_is_ddp(plan: dict[str, Any]) -> None:
    alone = {key: value for key, value in plan.items() if key != "layout.shard"} | {"layout.dp": 1, "layout.cp": 1}
    assert {per_gpu(alone | {"layout.zero": stage}) for stage in range(4)} == {per_gpu(alone | {"layout.zero": 0})}
    assert {per_gpu(alone | {"layout.zero": stage}, "traffic.data_parallel_sent") for stage in range(4)} == {0}


@given(plans())
def test_a_higher_stage_never_holds_more(plan: dict[str, Any]) -> None:
    least = 1 if "layout.shard" in plan else 0
    held = [per_gpu(plan | {"layout.zero": stage}) for stage in range(least, 4)]
    assert held == sorted(held, reverse=True)


@given(plans(), st.sampled_from(["layout.dp", "layout.tp", "layout.pp"]))
def test_more_ranks_never_hold_more(plan: dict[str, Any], degree: str) -> None:
    plan = {key: value for key, value in plan.items() if key != "layout.shard"}
    assert per_gpu(plan | {degree: plan[degree] * 2}) <= per_gpu(plan)


@given(plans())
def test_what_is_offloaded_is_on_the_host_and_nowhere_else(plan: dict[str, Any]) -> None:
    """Over all ranks of one replica, GPU and host together hold the whole state, wherever it lives."""
    plan |= {"layout.zero": 3, "layout.pp": 1, "layout.tp": 1, "layout.cp": 1}
    plan.pop("layout.shard", None)
    whole = per_gpu(plan, "memory.state_total")
    for offload in ("none", "optimizer", "all"):
        found = solver(plan | {"layout.offload": offload})
        gpus = found.quantity("memory.state_per_gpu").value * plan["layout.dp"]
        assert gpus + found.quantity("memory.host_total").value == whole


@given(plans())
def test_zero_1_and_2_send_what_ddp_sends_and_zero_3_half_as_much_again(plan: dict[str, Any]) -> None:
    """At equal precision and without accumulation."""
    plan = {key: value for key, value in plan.items() if key != "layout.shard"}
    plan |= {"recipe": "zero-paper", "batch.accumulation": 1}
    ddp = per_gpu(plan | {"layout.zero": 0}, "traffic.data_parallel_sent")
    assert [per_gpu(plan | {"layout.zero": stage}, "traffic.data_parallel_sent") for stage in (1, 2, 3)] == [
        ddp, ddp, ddp * Fraction(3, 2)]
    kept = per_gpu(plan | {"layout.zero": 3, "layout.reshard": "false"}, "traffic.data_parallel_sent")
    assert kept == ddp


@given(plans())
def test_the_verdict_and_the_quantities_agree(plan: dict[str, Any]) -> None:
    found = solver(plan | {"cluster.gpu": "h100-80gb"}, {"memory.activations_per_gpu": "15 GB"})
    verdict = fit(found)
    assert sum(part.value.value for part in verdict.parts) == found.quantity("memory.total_per_gpu").value
    assert verdict.fits is (found.quantity("memory.margin_per_gpu").value >= 0)


@settings(max_examples=40)
@given(st.integers(10**8, 10**12), RECIPE, st.integers(1, 200))
def test_the_fewest_gpus_is_the_inverse_of_the_state(parameters: int, recipe: str, gigabytes: int) -> None:
    plan: dict[str, Any] = {"model.parameters": parameters, "recipe": recipe, "layout.zero": 3}
    found = fewest(scenario_of(plan), "layout.dp", read_strict(f"memory.state_per_gpu <= {gigabytes} GB"))
    ranks = int(found.value.value)
    limit = gigabytes * 10**9
    assert per_gpu(plan | {"layout.dp": ranks}) <= limit
    assert ranks == 1 or per_gpu(plan | {"layout.dp": ranks - 1}) > limit


@settings(max_examples=25, deadline=None)
@given(RECIPE, DEGREE, STAGE, st.integers(1, 200))
def test_the_largest_model_is_the_inverse_of_the_state(recipe: str, dp: int, zero: int, gigabytes: int) -> None:
    plan: dict[str, Any] = {"recipe": recipe, "layout.zero": zero, "layout.dp": dp}
    found = largest(scenario_of(plan), "model.parameters", read_strict(f"memory.state_per_gpu <= {gigabytes} GB"))
    parameters = int(found.value.value)
    limit = gigabytes * 10**9
    assert found.method == "algebra"
    assert per_gpu(plan | {"model.parameters": parameters}) <= limit < per_gpu(
        plan | {"model.parameters": parameters + 1})


@given(st.integers(1, 64), st.integers(1, 512))
def test_the_two_bubbles_are_one_another(stages: int, micro_batches: int) -> None:
    """Of total = over ideal / (1 + over ideal)."""
    found = solver({"layout.pp": stages, "batch.accumulation": micro_batches})
    ideal = found.quantity("pipeline.bubble_over_ideal").value
    assert found.quantity("pipeline.bubble_of_total").value == ideal / (1 + ideal)


@given(st.integers(1, 10**6), st.integers(1, 10**4))
def test_youngs_interval_balances_writing_and_lost_work(mtbf: int, stall: int) -> None:
    found = solver({"run.mtbf": f"{mtbf} s", "checkpoint.stall": f"{stall} s"})
    interval = found.quantity("checkpoint.interval_young").value
    writing, lost = stall / interval, interval / (2 * mtbf)
    assert abs(writing - lost) <= Fraction(1, 10**30) * writing


NUMBERS = st.fractions(min_value=-50, max_value=50, max_denominator=12)
NAMES = ("x", "y")


def _trees() -> st.SearchStrategy[Expr]:
    leaves: st.SearchStrategy[Expr] = st.one_of(NUMBERS.map(Number), st.sampled_from(NAMES).map(Symbol))
    return st.recursive(leaves, lambda inner: st.one_of(
        st.builds(Binary, st.sampled_from(["+", "-", "*", "/"]), inner, inner),
        st.builds(Negative, inner),
        st.builds(lambda name, argument: Call(name, (argument,)), st.sampled_from(["floor", "ceil", "abs"]), inner),
        st.builds(lambda name, one, two: Call(name, (one, two)), st.sampled_from(["min", "max"]), inner, inner),
    ), max_leaves=12)


@given(_trees(), NUMBERS, NUMBERS)
def test_the_quick_way_and_the_careful_way_give_the_same_number(tree: Expr, first: Fraction, second: Fraction) -> None:
    """The functions that relations become agree with the evaluator that carries units."""
    values = {"x": first, "y": second}
    try:
        careful = evaluate(tree, {name: Quantity(value) for name, value in values.items()})
    except EvaluationError:
        return
    assert isinstance(careful, Quantity)
    assert compiled(tree)(values) == careful.value


@given(plans())
def test_a_scenario_is_never_changed_by_solving_it(plan: dict[str, Any]) -> None:
    scenario = scenario_of(plan)
    before = dict(scenario.entries)
    Solver(scenario).derive("memory.state_per_gpu")
    assert scenario == Scenario(before)
