"""A second path for layers with experts and latent attention: every tensor that a rank saves is written down."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import pytest

from solvers import Solver, scenario_of

if TYPE_CHECKING:
    from fractions import Fraction

Shape = tuple[tuple[int, ...], int]
"""Sizes, and bytes of an element."""
B, S, H, HEADS = 2, 64, 96, 8
EXPERTS, CHOSEN, EXPERT_WIDTH, SHARED_WIDTH, WIDTH = 16, 4, 40, 80, 240
NOPE, ROPE, VALUES, Q_RANK, KV_RANK = 12, 4, 10, 24, 16
PLAN: dict[str, Any] = {
    "batch.micro": B,
    "batch.sequence": S,
    "model.hidden": H,
    "model.query_heads": HEADS,
    "model.layers": 6,
    "model.ffn": WIDTH,
    "model.mlp": "gated",
    "layout.dp": 16,
    "compute.recompute": "none",
    "activation.loss_copies": 0,
}
GROUPED: dict[str, Any] = {"model.kv_heads": 2, "model.head_dim": 16}
LATENT: dict[str, Any] = {
    "model.attention": "latent",
    "model.kv_rank": KV_RANK,
    "model.nope_head_dim": NOPE,
    "model.rope_head_dim": ROPE,
    "model.value_head_dim": VALUES,
}
MOE: dict[str, Any] = {
    "model.experts": EXPERTS,
    "model.experts_per_token": CHOSEN,
    "model.expert_ffn": EXPERT_WIDTH,
    "model.shared_ffn": SHARED_WIDTH,
}


def found(plan: dict[str, Any], name: str) -> Fraction:
    return Solver(scenario_of(plan)).quantity(f"activation.{name}").value


def counted(saved: list[Shape]) -> int:
    return sum(prod(sizes) * size for sizes, size in saved)


def norm(tokens: int, width: int, *, scale: bool = True) -> list[Shape]:
    """What goes in, what comes out for the projection, and a scale for each token."""
    return [((tokens, width), 2), ((tokens, width), 2), *([((tokens, 1), 4)] if scale else [])]


def attention(t: int, *, sp: bool, latent: bool, compressed: bool = True) -> list[Shape]:
    tokens = B * S
    share, heads = (tokens // t if sp else tokens), HEADS // t
    saved = norm(share, H)
    if latent:
        if compressed:
            saved += norm(share, Q_RANK, scale=False)
        saved += norm(share, KV_RANK, scale=False)
        saved += [((tokens, heads, NOPE + ROPE), 2)] * 2 + [((tokens, heads, VALUES), 2)] * 2
    else:
        groups = -(-2 // t)
        saved += [((tokens, heads, 16), 2), ((tokens, groups, 16), 2), ((tokens, groups, 16), 2)]
        saved += [((tokens, heads, 16), 2)]
    return [*saved, ((tokens, heads), 4)]  # log of the softmax's sum


def experts(t: int, etp: int, *, sp: bool, fused: bool, inside: bool) -> list[Shape]:
    """What the rank's experts are sent by even routing: as many copies as its tokens make."""
    tokens = B * S
    share = tokens // t if sp else tokens
    saved = [*norm(share, H), ((share, EXPERTS), 4)]
    copies = share * CHOSEN * (etp if sp else 1)
    for _ in range(copies):  # one by one: input, what the block keeps, output
        saved += [((H,), 2)] + [((EXPERT_WIDTH // etp,), 2)] * (3 if fused else 4) + [((H,), 2)] * (not inside)
    return saved + [((tokens, SHARED_WIDTH // t), 2)] * (3 if fused else 4)


@pytest.mark.parametrize(("t", "etp", "sp"), [(1, 1, False), (4, 4, False), (2, 2, True), (2, 1, True), (4, 4, True)])
@pytest.mark.parametrize("latent", [True, False])
@pytest.mark.parametrize(("fused", "inside"), [(False, False), (True, False), (False, True)])
def test_a_layer_with_experts_keeps_what_its_ledger_lists(
    *, t: int, etp: int, sp: bool, latent: bool, fused: bool, inside: bool
) -> None:
    plan = {
        **PLAN,
        **MOE,
        **({**LATENT, "model.q_rank": Q_RANK} if latent else GROUPED),
        "activation.block": "llama-fused" if fused else "llama",
        "activation.routing_weight": "inside" if inside else "after",
        "layout.tp": t,
        "layout.expert_tp": etp,
        "layout.ep": 8,
        "layout.sequence_parallel": str(sp).lower(),
    }
    ledger = attention(t, sp=sp, latent=latent) + experts(t, etp, sp=sp, fused=fused, inside=inside)
    assert found(plan, "moe_layer") == counted(ledger)


@pytest.mark.parametrize(("t", "sp"), [(1, False), (4, False), (4, True)])
@pytest.mark.parametrize("compressed", [True, False])
def test_a_dense_layer_with_latent_attention_keeps_what_its_ledger_lists(t: int, *, sp: bool, compressed: bool) -> None:
    plan = {
        **PLAN,
        **LATENT,
        "model.q_rank": Q_RANK if compressed else 0,
        "activation.block": "llama",
        "layout.tp": t,
        "layout.sequence_parallel": str(sp).lower(),
    }
    share = B * S // t if sp else B * S
    ledger = attention(t, sp=sp, latent=True, compressed=compressed) + norm(share, H)
    ledger += [((B * S, WIDTH // t), 2)] * 4
    assert found(plan, "layer") == counted(ledger)


def test_a_fixed_capacity_keeps_its_padding() -> None:
    """128 tokens to 4 of 16 experts are 32 each; with a factor of 1.3 each expert takes 42."""
    even = {**PLAN, **MOE, **GROUPED, "activation.block": "llama", "layout.ep": 8}
    padded = {**even, "traffic.routing": "capacity", "traffic.capacity_factor": "1.3"}
    assert found(even, "expert_slots") == 128 * 4
    assert found(padded, "expert_slots") == 16 * 42
    assert found(padded, "experts") == 16 * 42 * EXPERT_WIDTH * 4 * 2


def test_a_model_keeps_its_dense_layers_and_its_layers_with_experts() -> None:
    plan = {**PLAN, **MOE, **GROUPED, "activation.block": "llama", "model.dense_layers": 2}
    layer, moe = found(plan, "layer"), found(plan, "moe_layer")
    assert found(plan, "layers_per_gpu") == 2 * layer + 4 * moe
    full = {**plan, "compute.recompute": "full"}
    assert found(full, "layers_per_gpu") == 6 * B * S * H * 2
    assert found(full, "recomputed_per_gpu") == max(layer, moe)


@pytest.mark.parametrize(("stage", "layers", "in_flight"), [(1, 1, 4), (2, 2, 3), (4, 1, 1)])
def test_uneven_stages_keep_their_own_layers(stage: int, layers: int, in_flight: int) -> None:
    plan = {
        **PLAN,
        **GROUPED,
        "activation.block": "llama",
        "layout.pp": 4,
        "layout.dp": 4,
        "pipeline.first_layers": 1,
        "pipeline.last_layers": 1,
        "pipeline.stage": stage,
    }
    assert found(plan, "layers_per_gpu") == in_flight * layers * found(plan, "layer")
    assert found({**plan, "compute.recompute": "full"}, "layers_per_gpu") == in_flight * layers * B * S * H * 2


def test_stages_of_a_model_with_experts_keep_what_lies_on_them() -> None:
    """DeepSeek-V3 on 16 stages: three dense layers and one with experts, four with experts, one at the end."""
    plan: dict[str, Any] = {
        "model": "deepseek-v3",
        "batch.sequence": 4096,
        "activation.block": "llama",
        "compute.recompute": "none",
        "layout.pp": 16,
        "layout.dp": 128,
        "layout.ep": 64,
        "pipeline.first_layers": 4,
        "pipeline.last_layers": 1,
    }
    layer, moe = found(plan, "layer"), found(plan, "moe_layer")
    kept = [found({**plan, "pipeline.stage": stage}, "kept_per_micro_batch") for stage in (1, 2, 16)]
    assert kept == [3 * layer + moe, 4 * moe, moe]


@pytest.mark.parametrize(("stage", "at"), [(1, "first"), (3, "middle"), (4, "last")])
def test_a_stage_needs_its_own_state_and_its_own_activations(stage: int, at: str) -> None:
    plan: dict[str, Any] = {
        "model": "llama-3-8b",
        "recipe": "megatron-bf16",
        "batch.sequence": 4096,
        "activation.block": "llama",
        "compute.recompute": "full",
        "layout.pp": 4,
        "layout.dp": 8,
        "layout.zero": 1,
        "pipeline.first_layers": 7,
        "pipeline.last_layers": 7,
        "pipeline.stage": stage,
        "memory.reserve_per_gpu": "2 GB",
    }
    solver = Solver(scenario_of(plan))
    parts = (f"stage.{at}_state_per_gpu", "memory.activations_per_gpu")
    total = sum(solver.quantity(part).value for part in parts) + 2 * 10**9
    assert solver.quantity("stage.total_per_gpu").value == total


def test_norms_on_queries_and_keys_keep_what_goes_in() -> None:
    plain = {**PLAN, **GROUPED, "activation.block": "llama"}
    per_head = {**plain, "model.qk_norm": "per-head"}
    assert found(per_head, "layer") - found(plain, "layer") == B * S * (HEADS + 2) * (16 * 2 + 4)
    full = {**plain, "model.qk_norm": "full"}
    assert found(full, "layer") - found(plain, "layer") == B * S * ((HEADS + 2) * 16 * 2 + 2 * 4)


@pytest.mark.parametrize(("norms", "widths"), [(1, 2), (2, 4), (4, 6)])
def test_norms_and_the_inputs_that_they_give_are_counted_by_their_number(norms: int, widths: int) -> None:
    """One norm serves attention and block side by side; two more stand behind attention and block."""
    plan = {**PLAN, **GROUPED, "activation.block": "llama", "model.norms_per_layer": norms}
    assert found(plan, "norms") + found(plan, "inputs") == widths * B * S * H * 2
    assert found(plan, "statistics") == B * S * (norms * 4 + HEADS * 4)
