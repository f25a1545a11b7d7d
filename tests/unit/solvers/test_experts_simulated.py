"""A second path for expert parallelism: tokens that are routed one by one, and buffers that are counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from solvers import LawError, ScenarioError, Solver, scenario_of
from tests.unit.solvers.test_traffic_simulated import Ring

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


SMALL: dict[str, Raw] = {
    "model.family": "llama", "model.layers": 2, "model.hidden": 32, "model.query_heads": 4, "model.head_dim": 8,
    "model.kv_heads": 4, "model.ffn": 64, "model.vocabulary": 64, "model.experts": 8, "model.experts_per_token": 2,
    "model.expert_ffn": 16, "recipe": "megatron-bf16", "batch.sequence": 32,
}  # fmt: skip


def sent_round(ranks: int, elements: int, zero: int, micro_batches: int) -> int:
    """What one rank sends of `elements` parameters that `ranks` hold, with real chunks passed round."""
    ring = Ring(ranks)
    whole = [[1] * elements for _ in range(ranks)]
    shards = [[1] * (elements // ranks) for _ in range(ranks)]
    for _ in range(micro_batches if zero == 3 else int(zero > 0)):
        for _ in range(2 if zero == 3 else 1):
            ring.all_gather(shards, 2)
    for _ in range(micro_batches if zero > 1 else int(zero == 1)):
        ring.reduce_scatter(whole, 4)
    if zero == 0:
        ring.all_reduce(whole, 4)
    return ring.sent[0]


@pytest.mark.parametrize("zero", range(4))
@pytest.mark.parametrize(
    ("dp", "tp", "ep", "etp"), [(8, 1, 1, 1), (8, 1, 4, 1), (8, 1, 8, 1), (8, 2, 4, 1), (8, 2, 4, 2)]
)
def test_experts_go_round_the_ranks_that_hold_them_and_the_rest_round_all(
    zero: int, dp: int, tp: int, ep: int, etp: int
) -> None:
    inputs: dict[str, Raw] = {**SMALL, "layout.dp": dp, "layout.tp": tp, "layout.ep": ep, "layout.expert_tp": etp,
                              "layout.zero": zero, "batch.accumulation": 3}  # fmt: skip
    solver = Solver(scenario_of(inputs))
    routed = solver.quantity("model.routed_parameters").value
    rest = solver.quantity("model.parameters").value - routed
    # In parts of so many that every ring divides them, so that the sum is exact.
    dense = sent_round(dp, dp * 8, zero, 3) * rest / tp / (dp * 8)
    holders = dp * tp // (ep * etp)
    experts = sent_round(holders, holders * 8, zero, 3) * routed / (ep * etp) / (holders * 8)
    assert solver.quantity("traffic.data_parallel_sent").value == dense + experts


def test_expert_parallelism_comes_on_top_of_the_other_kinds() -> None:
    inputs: dict[str, Raw] = {**SMALL, "layout.dp": 8, "layout.tp": 2, "layout.ep": 4, "layout.zero": 1}
    kinds = ("data_parallel", "tensor_parallel", "pipeline", "context_parallel", "expert_parallel")
    parts = [quantity(f"{kind}_sent", inputs) for kind in kinds]
    assert parts[1] > 0
    assert parts[4] > 0
    assert quantity("sent_per_step", inputs) == sum(parts)


@pytest.mark.parametrize("zero", range(4))
def test_one_expert_rank_sends_what_no_expert_parallelism_does(zero: int) -> None:
    inputs: dict[str, Raw] = {**SMALL, "layout.dp": 8, "layout.tp": 2, "layout.zero": zero, "batch.accumulation": 2,
                              "layout.sequence_parallel": "true"}  # fmt: skip
    for kind in ("data_parallel_sent", "tensor_parallel_sent", "sequence_parallel_sent", "sent_per_step"):
        assert quantity(kind, {**inputs, "layout.ep": 1}) == quantity(kind, inputs)


def test_tensor_ranks_gather_copies_of_experts_that_they_divide_and_none_of_whole_ones() -> None:
    """Two layers, both with experts: two attention blocks, and per layer the copies of 32 tokens for 2 experts."""
    inputs: dict[str, Raw] = {**SMALL, "layout.dp": 8, "layout.tp": 2, "layout.ep": 4,
                              "layout.sequence_parallel": "true"}  # fmt: skip
    message, copies = 32 * 32 * 2, 32 * 2 * 32 * 2
    whole = quantity("tensor_parallel_sent", {**inputs, "layout.expert_tp": 1})
    assert whole == 2 * 2 * 2 * message // 2  # blocks, passes, gather and scatter, half of it to the other rank
    divided = quantity("tensor_parallel_sent", {**inputs, "layout.expert_tp": 2})
    assert divided - whole == 2 * 2 * 2 * copies // 2
    shared = {**inputs, "layout.expert_tp": 1, "model.shared_ffn": 16}
    assert quantity("tensor_parallel_sent", shared) == 2 * whole
