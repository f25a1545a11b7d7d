"""A second path for expert parallelism: tokens that are routed one by one, and buffers that are counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from solvers import LawError, ScenarioError, Solver, scenario_of

if TYPE_CHECKING:
    from fractions import Fraction

    from solvers.inputs import Raw

HIDDEN, LAYERS, TOKENS = 64, 4, 48


def quantity(name: str, inputs: dict[str, Raw]) -> Fraction:
    return Solver(scenario_of(inputs)).quantity(f"traffic.{name}").value


def plan(experts: int, chosen: int, ranks: int, **more: Raw) -> dict[str, Raw]:
    return {"model.experts": experts, "model.experts_per_token": chosen, "model.hidden": HIDDEN,
            "model.layers": LAYERS, "layout.ep": ranks, "batch.sequence": TOKENS,
            **{key.replace("__", "."): value for key, value in more.items()}}


@pytest.mark.parametrize(("experts", "chosen", "ranks"), [(8, 2, 4), (8, 1, 8), (16, 4, 2), (16, 8, 16), (8, 2, 1)])
def test_dispatch_sends_the_copies_whose_experts_live_elsewhere(experts: int, chosen: int, ranks: int) -> None:
    """Even routing: the tokens of rank 0 take the experts in turn."""
    copies = 0
    for token in range(TOKENS):
        for choice in range(chosen):
            expert = (token * chosen + choice) % experts
            copies += expert * ranks // experts != 0
    inputs = plan(experts, chosen, ranks, traffic__dispatch_bytes="1 B")
    assert quantity("dispatch", inputs) == copies * HIDDEN
    assert quantity("combine", inputs) == copies * HIDDEN * 2


@pytest.mark.parametrize(("factor", "slots"), [("1", 12), ("1.25", 15), ("1.3", 16), ("2", 24)])
def test_a_fixed_capacity_is_sent_whole(factor: str, slots: int) -> None:
    """48 tokens to 2 of 8 experts: 12 each, with room to spare and rounded up."""
    inputs = plan(8, 2, 4, traffic__routing="capacity", traffic__capacity_factor=factor)
    assert quantity("expert_capacity", inputs) == slots
    assert quantity("dispatch", inputs) == 6 * slots * HIDDEN * 2  # six of the eight experts live elsewhere


def test_a_step_dispatches_and_combines_forward_and_backward_in_each_layer_with_experts() -> None:
    inputs = plan(8, 2, 4, model__dense_layers=1, batch__accumulation=5)
    once = quantity("dispatch", inputs) + quantity("combine", inputs)
    assert quantity("expert_parallel_sent", inputs) == 2 * 3 * 5 * once
    assert quantity("expert_parallel_sent", inputs | {"compute.recompute": "full"}) == 3 * 3 * 5 * once


def test_sequence_parallel_ranks_send_their_share_of_the_tokens() -> None:
    inputs = plan(8, 2, 4, layout__tp=4)
    shared = inputs | {"layout.sequence_parallel": "true"}
    assert quantity("dispatch", inputs) == 4 * quantity("dispatch", shared)


def test_deepseek_v3_sends_five_megabytes_a_token_between_nodes() -> None:
    """Four nodes, fp8 out and bf16 back, 58 layers of width 7168."""
    inputs: dict[str, Raw] = {"model": "deepseek-v3", "traffic.nodes_per_token": 4, "traffic.dispatch_bytes": "1 B"}
    assert quantity("node_bytes_per_token", inputs) == 4 * 7168 * 3 * 58


def test_what_expert_parallelism_does_not_fit_is_refused() -> None:
    with pytest.raises((LawError, ScenarioError), match="do not divide among 60"):
        quantity("dispatch", {"model": "deepseek-v3", "layout.ep": 60, "batch.sequence": 64})
    with pytest.raises((LawError, ScenarioError), match="the model has none"):
        quantity("dispatch", {"model": "llama-3-8b", "layout.ep": 8, "batch.sequence": 64})
    with pytest.raises((LawError, ScenarioError), match="go round fewer ranks"):
        quantity("data_parallel_sent", {"model": "deepseek-v3", "layout.ep": 8, "layout.dp": 8, "recipe": "fp32"})
