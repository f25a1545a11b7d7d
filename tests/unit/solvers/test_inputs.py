"""What a person or a bank writes becomes a scenario, or every complaint at once."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from solvers import DomainError, InputError, MissingError, ScenarioError, Solver, UnknownNameError, expr_of, scenario_of
from solvers.expr.show import show_expr
from solvers.expr.tree import Number, Text, number, symbol
from solvers.inputs import faults_of

if TYPE_CHECKING:
    from solvers.inputs import Raw


@pytest.mark.parametrize("raw", ["70e9", 70_000_000_000, Fraction(70 * 10**9), Decimal("70e9"), 70e9, "70 * 1e9"])
def test_a_number_is_exact_however_it_is_written(raw: Any) -> None:
    assert Solver(scenario_of({"model.parameters": raw})).quantity("model.parameters").value == 70 * 10**9


def test_a_float_stands_for_the_decimal_that_was_typed() -> None:
    assert expr_of("serving.memory_share", 0.1) == Number(Fraction(1, 10))


@pytest.mark.parametrize("raw", [True, "true"])
def test_a_switch_is_a_name(raw: Any) -> None:
    assert expr_of("layout.sequence_parallel", raw) == Text("true")


def test_an_expression_may_name_other_quantities() -> None:
    plan = scenario_of(
        {"cluster.nodes": 4, "cluster.gpus_per_node": 8, "layout.dp": "cluster.gpus / 8", "layout.pp": 8}
    )
    assert Solver(plan).quantity("layout.dp").value == 4
    assert show_expr(plan["layout.dp"].expr) == "cluster.gpus / 8"


def test_a_tree_is_taken_as_it_is() -> None:
    assert expr_of("layout.dp", symbol("cluster.gpus") / 8) == symbol("cluster.gpus") / 8


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("model.parameters", -1, "above zero"),
        ("model.layers", 0, "above zero"),
        ("model.layers", "2.5", "whole number"),
        ("layout.zero", 4, "at most 3"),
        ("layout.zero", -1, "negative"),
        ("serving.memory_share", "120 %", "between 0 and 1"),
        ("model.parameters", "1e400", ""),
        ("model.parameters", Decimal("1e999999"), "too large"),
        ("model.parameters", 10**40, "larger than anything"),
        ("model.parameters", float("nan"), "not a number"),
        ("model.parameters", Decimal("Infinity"), "not a number"),
        ("model.parameters", "70 GB", "param"),
        ("model.parameters", "8 GPU", "param"),
        ("layout.dp", "8 GB", "plain number"),
        ("checkpoint.stall", "60", "unit"),
        ("checkpoint.stall", "60 GB", "measured in s"),
        ("recipe.weights", "2", "unit"),
        ("model.layers", True, "a number is expected"),
        ("model.layers", "eighty eight", "read"),
        ("model.layers", "1 / 0", "zero"),
        ("layout.dp", "layout.dp + 1", "depends on itself"),
        ("cluster.gpu", "h100", "h100-80gb"),
        ("recipe", "zero", "zero-paper"),
        ("layout.offload", "optimiser", "optimizer"),
        ("layout.reshard", 1, "true, false"),
        ("layot.dp", 8, "layout.dp"),
        ("layout.dpp", 8, "layout.dp"),
        ("memory.state_per_gpu", "3 GB", "derived"),
    ],
)
def test_a_value_that_cannot_be_meant_gets_a_sentence_that_names_it(name: str, raw: Any, said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario_of({name: raw})
    message = str(caught.value)
    assert message.startswith(name)
    assert said in message


@pytest.mark.parametrize("name", ["cluster.nodes", "batch.sequence", "run.observed"])
def test_a_date_is_no_subtraction(name: str) -> None:
    with pytest.raises(InputError, match="is a quantity, and 2024-01-02 is a date") as caught:
        expr_of(name, "2024-01-02")
    assert "a subtraction has spaces around its minus sign" in caught.value.hint
    assert Solver(scenario_of({"batch.sequence": "2024 - 01 - 02"})).quantity("batch.sequence").value == 2021


@pytest.mark.parametrize("name", ["layout.tp", "layout.zero", "cluster.gpu", "serving.memory_share"])
def test_a_value_is_judged_alone_as_a_scenario_with_it_alone_is(name: str) -> None:
    for raw in (3, "1", "0.5", -1, "h100-80gb", "hello", "2 GB", "2 * cluster.nodes", True, "1:30"):
        try:
            scenario_of({name: raw})
        except ScenarioError:
            assert faults_of(name, raw), raw
        else:
            assert not faults_of(name, raw) or "cluster.nodes" in str(raw), raw


def test_all_complaints_come_at_once() -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario_of({"model.layers": 0, "layout.zero": 4, "nonsense": 1, "checkpoint.stall": 60, "cluster.gpu": "x"})
    assert {complaint.symbol for complaint in caught.value.complaints} >= {
        "nonsense",
        "checkpoint.stall",
        "cluster.gpu",
    }


def test_domains_are_told_all_at_once_too() -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario_of({"model.layers": 0, "layout.zero": 4})
    assert len(caught.value.complaints) == 2


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"layout.dp": 64, "cluster.nodes": 4, "cluster.gpus_per_node": 8}, "needs 64 GPUs"),
        ({"layout.dp": 8, "layout.tp": 8, "cluster.gpus": 32}, "needs 64 GPUs"),
        ({"layout.dp": 8, "cluster.gpus": 20}, r"layout of 8 GPUs .* does not divide the 20"),
        ({"layout.dp": 2, "layout.tp": 3, "cluster.nodes": 2, "cluster.gpus_per_node": 8}, "does not divide the 16"),
        ({"model.hidden": 5000, "model.query_heads": 48}, "48 heads do not divide a width of 5,000"),
        ({"model": "llama-3-8b", "model.kv_heads": 5}, "5 do not divide the 32 query heads"),
        ({"cluster.gpus": 30, "cluster.nodes": 4, "cluster.gpus_per_node": 8}, "another number"),
        ({"layout.dp": 8, "layout.shard": 3, "layout.zero": 3}, "does not divide"),
        ({"layout.dp": 8, "layout.shard": 4, "layout.replicas": 4, "layout.zero": 3}, "are not the 8 ranks"),
        ({"layout.pp": 7, "model.layers": 80}, "do not divide into 7"),
        ({"layout.pp": 7, "model": "llama-3-70b"}, "do not divide into 7"),
        ({"layout.tp": 7, "model.query_heads": 64}, "does not divide the 64 query heads"),
        ({"layout.interleave": 2}, "at least 2 pipeline stages"),
        ({"model.kv_heads": 64, "model.query_heads": 8}, "at most as many"),
        ({"layout.offload": "optimizer"}, "goes with ZeRO"),
        ({"layout.offload": "all", "layout.zero": 2}, "needs layout.zero = 3"),
        ({"layout.offload": "optimizer-and-gradients", "layout.zero": 1}, "layout.zero = 2 or 3"),
        ({"layout.shard": 4, "layout.dp": 8}, "shards nothing"),
        ({"layout.replicas": 4, "layout.dp": 8}, "shards nothing"),
        ({"layout.reshard": "false", "layout.zero": 2}, "only layout.zero = 3"),
    ],
)
def test_a_layout_that_cannot_be_is_a_sentence(inputs: dict[str, Raw], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        scenario_of(inputs)


def test_the_data_parallel_degree_follows_from_the_cluster() -> None:
    plan: dict[str, Raw] = {"cluster.nodes": 4, "cluster.gpus_per_node": 8, "layout.tp": 4, "layout.pp": 2}
    assert Solver(scenario_of(plan)).quantity("layout.dp").value == 4


def test_degrees_that_do_not_divide_the_cluster_leave_no_data_parallel_degree() -> None:
    plan = scenario_of({"cluster.gpus": 32, "layout.tp": 3})
    with pytest.raises(ValueError, match=r"layout\.dp must be a whole number"):
        Solver(plan).value("layout.dp")


def test_a_pinned_quantity_stands_for_its_derivation() -> None:
    plan = scenario_of(
        {"cluster.gpu": "h100-80gb"}, {"memory.state_per_gpu": "35 GB", "memory.activations_per_gpu": "15 GB"}
    )
    assert Solver(plan).resolve("memory.margin_per_gpu").text == "30 GB"


def test_a_pinned_quantity_whose_inputs_are_stated_too_is_refused() -> None:
    inputs: dict[str, Raw] = {"model.parameters": "70e9", "recipe": "zero-paper", "layout.dp": 8}
    with pytest.raises(ScenarioError, match=r"follows already from.*model\.parameters"):
        scenario_of(inputs, {"memory.state_per_gpu": "35 GB"})
    scenario_of(inputs, {"memory.activations_per_gpu": "15 GB"})
    scenario_of(inputs, {"memory.buffers_per_gpu": "5 GB"})


def test_a_quantity_is_set_or_given_and_not_both() -> None:
    with pytest.raises(ScenarioError, match="both set and given"):
        scenario_of({"memory.activations_per_gpu": "1 GB"}, {"memory.activations_per_gpu": "2 GB"})
    with pytest.raises(ScenarioError, match="a choice"):
        scenario_of({}, {"layout.offload": "none"})


def test_what_is_missing_is_named_to_the_last_leaf() -> None:
    with pytest.raises(MissingError) as caught:
        Solver(scenario_of({"layout.zero": 3})).value("memory.total_per_gpu")
    assert caught.value.needs == ("recipe", "model.parameters", "layout.dp", "memory.activations_per_gpu")


def test_a_branch_that_is_not_taken_needs_nothing() -> None:
    plan: dict[str, Raw] = {"model.parameters": "7e9", "recipe": "zero-paper"}
    assert Solver(scenario_of(plan)).resolve("memory.weights_per_gpu").text == "14 GB"


def test_an_unknown_quantity_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"memory\.state_per_gpu"):
        Solver(scenario_of({})).value("memory.stat_per_gpu")
    with pytest.raises(UnknownNameError, match=r"memory\.state_per_gpu"):
        Solver(scenario_of({})).value("state_per_gpu")


def test_an_input_error_carries_symbol_reason_and_hint() -> None:
    with pytest.raises(InputError) as caught:
        expr_of("checkpoint.stall", "60")
    assert (caught.value.symbol, caught.value.reason) == ("checkpoint.stall", "needs a unit")
    assert "60 s" in caught.value.hint


def test_a_patch_restates_and_a_preset_yields_to_what_is_stated() -> None:
    plan = scenario_of({"model": "llama-3-70b", "model.parameters": "70e9", "recipe": "zero-paper"})
    assert Solver(plan).quantity("model.parameters").value == 70 * 10**9
    assert Solver(plan.patched({"recipe.master": number(0, "B/param")})).resolve("memory.state_total").text == "840 GB"
    assert Solver(plan).quantity("model.layers").value == 80


@pytest.mark.parametrize(
    ("said", "parameters"),
    [("70B", 70 * 10**9), ("1.3 B", 1_300_000_000), ("350M", 350 * 10**6), ("1T", 10**12), ("7bn", 7 * 10**9)],
)
def test_a_count_may_be_said_as_a_derivation_spells_it(said: str, parameters: int) -> None:
    """Where a count is expected, B is a billion; where bytes are, it stays a byte."""
    assert Solver(scenario_of({"model.parameters": said})).quantity("model.parameters").value == parameters
    with pytest.raises(ScenarioError):
        scenario_of({"memory.reserve_per_gpu": "5bn"})


@pytest.mark.parametrize("written", ["70B", "70b", "70 B", "70bn", "70 billion", "70000M", "0.07T", "70e9"])
def test_a_count_is_read_as_people_say_it(written: str) -> None:
    assert Solver(scenario_of({"model.parameters": written})).quantity("model.parameters").value == 70 * 10**9


@pytest.mark.parametrize(
    ("written", "dollars"), [("$2/GPU-hour", "2"), ("2 $/GPU-hour", "2"), ("$1.5/GPU-hour", "1.5")]
)
def test_dollars_may_stand_in_front(written: str, dollars: str) -> None:
    price = Solver(scenario_of({"cost.price_per_gpu_hour": written})).quantity("cost.price_per_gpu_hour")
    assert price.value * 3600 == Fraction(dollars)


@pytest.mark.parametrize(
    ("name", "written", "said"),
    [
        ("layout.dp", "eight", "for example 8"),
        ("layout.dp", "NaN", "is not a number"),
        ("layout.dp", "-inf", "is not a number"),
        ("model.parameters", "70,000", "without commas"),
        ("cluster.gpu", "H100", "h100-80gb or h100-80gb-pcie"),
        ("LAYOUT.DP", "8", "did you mean layout.dp"),
        ("layout.dp", "8 $", "not in dollar"),
    ],
)
def test_a_slip_of_the_hand_is_answered_with_what_to_write(name: str, written: str, said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario_of({name: written})
    assert said in str(caught.value)


def test_a_derived_value_that_cannot_be_is_told_with_its_way() -> None:
    with pytest.raises(DomainError, match=r"not 12.8: it follows from cluster.gpus / .* = 64 / \(5 × 1 × 1\)"):
        Solver(scenario_of({"layout.tp": 5, "cluster.gpus": 64})).quantity("layout.dp")


def test_what_several_inputs_bring_up_is_told_once() -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario_of({"layout.replicas": 3, "layout.dp": 64, "layout.zero": 3})
    assert len(caught.value.complaints) == 1
