"""A derivation has a short line that can be said aloud: numbers put in, the recipe's bytes drawn together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from solvers import Solver, derive, scenario_of
from solvers.expr.evaluate import Quantity, evaluate
from solvers.expr.reader import read_strict

if TYPE_CHECKING:
    from solvers.inputs import Raw

CARD: dict[str, Raw] = {"model.parameters": "70e9", "recipe": "zero-paper", "layout.dp": 8}


@pytest.mark.parametrize(
    ("stage", "line"),
    [
        (0, "state = (2 + 2 + 4 + 4 + 4) B/param × 70B = 16 B/param × 70B = 1,120 GB"),
        (
            1,
            (
                "state = (2 + 2) B/param × 70B + (4 + 4 + 4) B/param × 70B / 8 "
                "= 4 B/param × 70B + 12 B/param × 70B / 8 = 385 GB"
            ),
        ),
        (
            2,
            (
                "state = 2 B/param × 70B + (2 + 4 + 4 + 4) B/param × 70B / 8 "
                "= 2 B/param × 70B + 14 B/param × 70B / 8 = 262.5 GB"
            ),
        ),
        (3, "state = (2 + 2 + 4 + 4 + 4) B/param × 70B / 8 = 16 B/param × 70B / 8 = 140 GB"),
    ],
)
def test_the_state_is_said_by_its_recipe(stage: int, line: str) -> None:
    assert derive(scenario_of(CARD | {"layout.zero": stage}), "memory.state_per_gpu").short == line


def test_a_factor_of_a_term_stays_with_it() -> None:
    short = derive(scenario_of(CARD | {"layout.zero": 3}), "traffic.data_parallel_sent").short
    assert short == (
        "data_parallel = (2 × 2 + 2) B/param × (8 − 1) × 70B / 8 = 6 B/param × (8 − 1) × 70B / 8 = 367.5 GB"
    )


def test_what_is_nothing_is_not_said() -> None:
    short = derive(scenario_of(CARD | {"layout.zero": 3, "layout.offload": "optimizer"}), "memory.state_per_gpu").short
    assert short == "state = (2 + 2) B/param × 70B / 8 = 4 B/param × 70B / 8 = 35 GB"


def test_a_product_without_a_recipe_is_said_down_to_its_inputs() -> None:
    short = derive(scenario_of({"model": "llama-3-70b"}), "serving.kv_per_token").short
    assert short == "kv_token = 2 × 80 × 8 × 128 × 2 B = 327,680 B/token"


def test_where_there_is_no_short_line_the_last_step_is_said() -> None:
    derivation = derive(scenario_of({"run.mtbf": "3 h", "checkpoint.stall": "60 s"}), "checkpoint.interval_daly")
    assert derivation.spoken == ()
    assert derivation.short == derivation.steps[-1].line


def test_an_input_is_said_as_its_value() -> None:
    assert derive(scenario_of(CARD), "model.parameters").short == "P = 70B"


@pytest.mark.parametrize("recipe", ["zero-paper", "megatron-bf16", "adam-8bit", "fp32-grad-accumulation", "lion"])
@pytest.mark.parametrize("stage", [0, 1, 2, 3])
@pytest.mark.parametrize("quantity", ["memory.state_per_gpu", "memory.optimizer_per_gpu", "traffic.data_parallel_sent"])
def test_what_is_said_is_the_value(recipe: str, stage: int, quantity: str) -> None:
    """Each member of the line, read again and computed, gives the figure up to the rounding of what is spelled."""
    plan = scenario_of({"model.parameters": 7_000_000_000, "layout.dp": 8, "recipe": recipe, "layout.zero": stage})
    derivation = Solver(plan).derive(quantity)
    for member in derivation.spoken:
        text = member.replace("×", "*").replace("−", "-").replace("7B", "7e9 param")
        for size in ("(", ")"):
            text = text.replace(size, f" {size} ")
        # `(2 + 4) B/param` is `(2 + 4) * 1 B/param` for the strict reader.
        text = text.replace(") B/param", ") * 1 B/param").replace(")  B/param", ") * 1 B/param")
        value = evaluate(read_strict(text), {})
        assert isinstance(value, Quantity)
        assert float(value.value) == pytest.approx(float(derivation.value.value), rel=1e-3)


def test_a_large_count_is_said_to_four_digits() -> None:
    plan = scenario_of({"model": "llama-3-70b", "recipe": "zero-paper", "layout.zero": 3, "layout.dp": 64})
    derivation = derive(plan, "memory.state_per_gpu")
    assert derivation.short.endswith("16 B/param × 70.55B / 64 = 17.64 GB")
    assert "70,553,706,496" in derivation.steps[0].line


def test_a_count_that_only_carries_a_unit_is_not_said() -> None:
    plan = scenario_of({"model.parameters": "70e9", "compute.training_tokens": "1.4e12"})
    assert derive(plan, "scaling.loss").short == (
        "loss = E + A / P^α + B / D^β = 1.69 + 406.4 / 70B^0.34 + 410.7 / 1.4T^0.28 = 1.937"
    )


def test_a_constant_is_said_as_a_number_and_nothing_in_its_own_unit() -> None:
    plan = scenario_of({"model.parameters": "70e9", "compute.training_tokens": "1.4e12", "layout.dp": 8,
                        "recipe": "zero-paper"})  # fmt: skip
    assert derive(plan, "scaling.parameter_term").short == "A = 406.4"
    assert derive(plan, "memory.host_per_gpu").short == "host_per_GPU = 0 GB"


def test_what_is_too_long_for_a_breath_is_said_in_letters() -> None:
    derivation = derive(scenario_of({"model": "llama-3-70b"}), "model.factored_elements")
    assert len(derivation.steps[-1].line) > 200
    assert derivation.short.startswith("n_fac = L × ")
    assert len(derivation.short) <= 200


def test_a_term_that_is_nothing_is_not_said() -> None:
    plan = scenario_of({"model.parameters": "8e9", "compute.training_tokens": "15e12", "cluster.gpus": 1024,
                        "cluster.gpu": "h100-80gb", "compute.mfu": "40 %",
                        "compute.attention": "left-out"})  # fmt: skip
    assert derive(plan, "compute.training_time").short == (
        "time = 6 FLOP/param/token × 8B × 15T / 40 % / 989 TFLOP/s / 1,024 = 20.57 days"
    )
