"""A derivation can be said aloud: branches taken, defaults left out, numbers put in, origins and sources kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from solvers import Derivation, Solver, derive, scenario_of
from solvers.derive_text import number_of
from solvers.expr.units import parse_unit

if TYPE_CHECKING:
    from solvers.inputs import Raw

CARD: dict[str, Raw] = {"model.parameters": "70e9", "recipe": "zero-paper", "layout.zero": 3, "layout.dp": 8}


def lines(derivation: Derivation) -> list[str]:
    return [step.line for step in derivation.steps]


def test_a_step_has_letters_then_numbers_then_its_value() -> None:
    assert lines(derive(scenario_of(CARD), "memory.weights_per_gpu")) == [
        "weights = b_w × P / N = 2 B/param × 70B / 8 = 17.5 GB",
    ]


def test_the_state_keeps_its_terms_apart() -> None:
    assert lines(derive(scenario_of(CARD), "memory.state_per_gpu"))[-1] == (
        "state = weights + gradients + optimizer = 17.5 GB + 17.5 GB + 105 GB = 140 GB")


def test_the_conventions_split_the_bytes_per_parameter() -> None:
    box = derive(scenario_of(CARD), "memory.state_per_gpu").conventions
    assert ("Bytes per parameter (zero-paper): 2 weights + 2 gradients + 4 master copy + 4 first moment + "
            "4 second moment = 16 B/param.") in box
    assert "1 GB = 1e9 B." in box
    assert any(line.startswith("Not counted: activations") for line in box)


def test_a_default_that_decided_is_said_and_what_was_stated_is_not() -> None:
    box = derive(scenario_of(CARD), "memory.weights_per_gpu").conventions
    defaults = next(line for line in box if line.startswith("Defaults: "))
    assert "layout.tp = 1" in defaults
    assert "layout.offload = none" in defaults
    assert "layout.zero" not in defaults


def test_the_branch_taken_has_its_reason() -> None:
    sharded = derive(scenario_of(CARD), "memory.weights_per_gpu").steps[-1]
    assert sharded.reasons == ("stage 3 divides the weights among the shard group",)
    whole = derive(scenario_of(CARD | {"layout.zero": 2}), "memory.weights_per_gpu").steps[-1]
    assert whole.reasons == ("below stage 3 every rank holds the weights whole",)
    assert whole.line == "weights = b_w × P = 2 B/param × 70B = 140 GB"


def test_every_input_has_its_origin_and_a_preset_its_source() -> None:
    derivation = derive(scenario_of(CARD), "memory.weights_per_gpu")
    origins = {step.name: step.origin for step in derivation.inputs}
    assert origins == {"recipe.weights": "preset", "model.parameters": "stated", "layout.dp": "stated"}
    preset = next(step for step in derivation.inputs if step.name == "recipe.weights")
    assert preset.because == "zero-paper"
    assert preset.source is not None
    assert preset.source.key == "zero-2019"


def test_a_hardware_fact_has_a_date() -> None:
    derivation = derive(scenario_of({"cluster.gpu": "h100-80gb", "cluster.capacity": "reported"}),
                        "cluster.capacity_per_gpu")
    assert any("reported" in line and "as of 20" in line for line in derivation.conventions)
    assert all(source.as_of for source in derivation.sources)


def test_an_expression_that_was_stated_is_shown_with_its_numbers() -> None:
    plan = scenario_of({"cluster.gpus": 32, "layout.pp": 8, "layout.dp": "cluster.gpus / 8"})
    stated = derive(plan, "layout.world").inputs
    assert "N = GPUs / 8 = 32 / 8 = 4" in [step.line for step in stated]


def test_a_pinned_quantity_is_an_input() -> None:
    plan = scenario_of({"cluster.gpu": "h100-80gb"},
                       {"memory.state_per_gpu": "35 GB", "memory.activations_per_gpu": "15 GB"})
    derivation = derive(plan, "memory.total_per_gpu")
    assert lines(derivation) == ["total = state + activations = 35 GB + 15 GB = 50 GB"]
    assert {step.origin for step in derivation.inputs} == {"pinned"}


def test_what_a_choice_made_nothing_is_told() -> None:
    plan = scenario_of(CARD | {"layout.offload": "optimizer"})
    derivation = derive(plan, "memory.state_per_gpu")
    assert derivation.text == "35 GB"
    assert any("the optimizer state lives on the host" in step.reasons for step in derivation.steps)


def test_another_unit_is_printed_and_its_meaning_said() -> None:
    derivation = Solver(scenario_of(CARD)).derive("memory.state_per_gpu", parse_unit("GiB"))
    assert derivation.text == "130.4 GiB"
    assert "1 GiB = 2^30 B." in derivation.conventions
    assert float(derivation.in_unit) == pytest.approx(130.3852)


def test_the_data_has_a_number_in_the_printed_unit() -> None:
    data = derive(scenario_of(CARD), "memory.state_per_gpu").to_json()
    assert (data["quantity"], data["value"], data["unit"]) == ("memory.state_per_gpu", 140, "GB")
    assert json.loads(json.dumps(data)) == data
    assert {"conventions", "steps", "inputs", "sources"} <= set(data)


def test_a_json_number_is_whole_where_it_is_whole() -> None:
    exact = Solver(scenario_of(CARD)).quantity("memory.state_per_gpu").value
    assert number_of(exact) == 140_000_000_000
    assert isinstance(number_of(exact), int)
    assert number_of(exact / 3 / 10**9) == pytest.approx(46.6666667)
    assert isinstance(number_of(exact * 10**12), float)


def test_markdown_keeps_inputs_steps_conventions_and_sources() -> None:
    text = derive(scenario_of(CARD), "memory.state_per_gpu").to_markdown()
    assert text.startswith("## memory.state_per_gpu = 140 GB\n")
    assert "| P | model.parameters: parameters of the model | 70B | stated |" in text
    assert "`weights = b_w × P / N = 2 B/param × 70B / 8 = 17.5 GB`" in text
    assert "**Conventions**" in text
    assert "arXiv:1910.02054" in text


def test_the_parts_of_a_recipe_take_one_line() -> None:
    text = derive(scenario_of(CARD), "memory.state_per_gpu").to_text()
    assert ("  b_w + b_g + b_master + b_m1 + b_m2 = 2 + 2 + 4 + 4 + 4 = 16 B/param  bytes per parameter "
            "(from zero-paper [1])") in text
    one = derive(scenario_of(CARD), "memory.weights_per_gpu").to_text()
    assert "  b_w = 2 B/param  bytes per parameter: weights (from zero-paper [1])" in one


def test_the_sum_of_a_recipe_is_that_of_its_exact_parts() -> None:
    text = derive(scenario_of(CARD | {"recipe": "adam-8bit"}), "memory.state_per_gpu").to_text()
    assert "= 2 + 2 + 4 + 1.016 + 1.016 = 10.03 B/param" in text


def test_a_source_is_named_once_and_marked() -> None:
    text = derive(scenario_of(CARD), "memory.state_per_gpu").to_text()
    assert text.count("arXiv:1910.02054") == 1
    assert text.count("[1]") > 3
    assert "  [1] ZeRO: Memory Optimizations" in text


def test_text_in_brief_has_no_inputs() -> None:
    full = derive(scenario_of(CARD), "memory.state_per_gpu").to_text()
    brief = derive(scenario_of(CARD), "memory.state_per_gpu").to_text(full=False)
    assert "Inputs" in full
    assert "Inputs" not in brief
    assert brief.splitlines()[0] == "memory.state_per_gpu = 140 GB"


def test_a_derivation_of_an_input_is_its_value() -> None:
    derivation = derive(scenario_of(CARD), "model.parameters")
    assert (derivation.text, derivation.steps) == ("70B", ())


def test_a_choice_has_no_derivation() -> None:
    with pytest.raises(ValueError, match="not a number"):
        derive(scenario_of(CARD), "layout.offload")
