"""A second path for activations: every tensor that a rank saves is written down with its shape, and bytes are counted.

The ledger walks through the block in the order in which it computes, on one tensor rank, and knows no closed form.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Any

import pytest

from solvers import ScenarioError, Solver, scenario_of

Shape = tuple[tuple[int, ...], int]
"""Sizes, and bytes of an element."""


def gpt_block(  # noqa: PLR0913 - an architecture
    b: int, s: int, h: int, a: int, t: int, *, sp: bool, scores: bool, mask: int
) -> list[Shape]:
    """LayerNorm, attention with dropout, LayerNorm, GELU of 4 h, dropout; 16-bit."""
    share = s // t if sp else s
    saved: list[Shape] = [((b, share, h), 2)]  # input of the first norm
    saved += [((b, share, h), 2)]  # its output, input of the projection
    saved += [((b, s, h // t), 2)] * 3  # queries, keys, values
    if scores:
        saved += [((b, a // t, s, s), 2)]  # softmax
        if mask:
            saved += [((b, a // t, s, s), mask), ((b, a // t, s, s), 2)]  # dropout's mask and output
    saved += [((b, s, h // t), 2)]  # what the output projection multiplies
    saved += [((b, share, h), mask)] * bool(mask)
    saved += [((b, share, h), 2)] * 2  # second norm, first matrix of the MLP
    saved += [((b, s, 4 * h // t), 2)] * 2  # GELU, second matrix
    saved += [((b, share, h), mask)] * bool(mask)
    return saved


def llama_block(  # noqa: PLR0913, PLR0917 - an architecture
    kind: str,
    b: int,
    s: int,
    h: int,
    a: int,
    kv: int,
    d: int,
    f: int,
    t: int,
    *,
    sp: bool,
    scores: bool,
) -> list[Shape]:
    """RMSNorm, grouped attention, RMSNorm, gated MLP; no dropout, bf16."""
    share, heads, kv_heads = (s // t if sp else s), a // t, -(-kv // t)
    copies, modules = kind == "llama-transformers", kind == "llama-modules"
    norm: list[Shape] = [((b, share, h), 4), ((b, share, h), 2)] if copies else [((b, share, h), 2)]
    if modules:
        norm = [((b, share, h), 4), ((b, share, h), 4)]
    # Deviation, and the output that is projected.
    norm = [*norm, ((b, share, 1), 4), ((b, s if modules else share, h), 2)]
    saved = list(norm)
    expanded = heads if modules or (copies and scores) else kv_heads
    saved += [((b, heads, s, d), 2), ((b, expanded, s, d), 2), ((b, expanded, s, d), 2), ((b, s, heads * d), 2)]
    if scores:
        saved += [((b, heads, s, s), 2)] + [((b, heads, s, s), 4)] * copies
    else:
        saved += [((b, heads, s), 4)]  # log of the softmax's sum
    saved += norm
    saved += [((b, s, f // t), 2)] * (3 if kind == "llama-fused" else 4)
    return saved


def counted(saved: list[Shape]) -> int:
    return sum(prod(sizes) * size for sizes, size in saved)


def found(plan: dict[str, Any], name: str = "activation.layer") -> Fraction:
    return Solver(scenario_of(plan)).quantity(name).value


@pytest.mark.parametrize("scores", [True, False])
@pytest.mark.parametrize("mask", [0, 1, 2])
@pytest.mark.parametrize(("t", "sp"), [(1, False), (4, False), (4, True), (8, True)])
def test_a_gpt_block_keeps_what_its_ledger_lists(*, t: int, sp: bool, mask: int, scores: bool) -> None:
    b, s, h, a = 2, 64, 96, 8
    plan = {
        "activation.block": "gpt",
        "activation.attention": "scores" if scores else "flash",
        "batch.micro": b,
        "batch.sequence": s,
        "model.hidden": h,
        "model.query_heads": a,
        "layout.tp": t,
        "layout.sequence_parallel": sp,
        "activation.mask_bytes": f"{mask} B",
    }
    assert found(plan) == counted(gpt_block(b, s, h, a, t, sp=sp, scores=scores, mask=mask))


@pytest.mark.parametrize("kind", ["llama", "llama-fused", "llama-transformers", "llama-modules"])
@pytest.mark.parametrize("scores", [True, False])
@pytest.mark.parametrize(("kv", "t", "sp"), [(8, 1, False), (2, 1, False), (2, 4, False), (2, 4, True), (4, 4, True)])
def test_a_llama_block_keeps_what_its_ledger_lists(kind: str, kv: int, t: int, *, sp: bool, scores: bool) -> None:
    b, s, h, a, d, f = 2, 64, 96, 8, 16, 240
    plan = {
        "activation.block": kind,
        "activation.attention": "scores" if scores else "flash",
        "batch.micro": b,
        "batch.sequence": s,
        "model.hidden": h,
        "model.query_heads": a,
        "model.kv_heads": kv,
        "model.head_dim": d,
        "model.ffn": f,
        "layout.tp": t,
        "layout.sequence_parallel": sp,
    }
    assert found(plan) == counted(llama_block(kind, b, s, h, a, kv, d, f, t, sp=sp, scores=scores))


S, B, H, A, LAYERS = 2048, 4, 6144, 64, 48
TABLE_2 = {  # arXiv:2205.05198, table 2: (tensor rank, sequence parallel, recomputation) -> bytes over s b h
    (1, False, "none"): 34 + Fraction(5 * A * S, H),
    (8, False, "none"): 10 + Fraction(24, 8) + Fraction(5 * A * S, H * 8),
    (8, True, "none"): Fraction(34, 8) + Fraction(5 * A * S, H * 8),
    (8, False, "selective"): 10 + Fraction(24, 8),
    (8, True, "selective"): Fraction(34, 8),
    (1, False, "full"): Fraction(2),
    (8, False, "full"): Fraction(2),
}


@pytest.mark.parametrize(("case", "per_layer"), TABLE_2.items(), ids=str)
def test_the_table_of_the_selective_paper_is_reproduced(case: tuple[int, bool, str], per_layer: Fraction) -> None:
    t, sp, recompute = case
    plan = {
        "activation.block": "gpt",
        "compute.recompute": recompute,
        "batch.micro": B,
        "batch.sequence": S,
        "model.hidden": H,
        "model.query_heads": A,
        "model.layers": LAYERS,
        "layout.tp": t,
        "layout.sequence_parallel": sp,
    }
    assert found(plan, "activation.layers_per_gpu") == per_layer * S * B * H * LAYERS


@pytest.mark.parametrize("block", [1, 2, 3, 4, 5, 10, 80])
def test_checkpoints_of_every_k_layers_are_counted_one_by_one(block: int) -> None:
    """Kept: one input for each block of k layers. Brought back: one block. A loop over the layers counts both."""
    layers, s, h = 80, 8192, 8192
    plan = {
        "activation.block": "gpt",
        "activation.attention": "flash",
        "compute.recompute": "full",
        "compute.recompute_layers": block,
        "batch.sequence": s,
        "model.hidden": h,
        "model.layers": layers,
        "activation.loss_copies": 0,
    }
    starts = [layer for layer in range(layers) if layer % block == 0]
    longest = max(min(start + block, layers) - start for start in starts)
    assert found(plan, "activation.layers_per_gpu") == len(starts) * 2 * s * h
    assert found(plan, "activation.recomputed_per_gpu") == longest * 34 * s * h


def test_context_parallelism_divides_what_a_rank_keeps_but_not_what_a_token_meets() -> None:
    plan = {"activation.block": "gpt", "batch.sequence": 4096, "model.hidden": 512, "model.query_heads": 8}
    assert found({**plan, "layout.cp": 4}) == found(plan) / 4
    assert found({**plan, "layout.cp": 4}, "activation.scores") == 8 * 4096 * 1024 * 5


def test_a_sequence_that_context_ranks_cannot_share_is_refused() -> None:
    plan = {"activation.block": "gpt", "batch.sequence": 4097, "model.hidden": 512, "model.query_heads": 8}
    with pytest.raises(Exception, match="does not divide the sequence"):
        found({**plan, "layout.cp": 2})


def test_activations_are_pinned_or_derived_but_not_both() -> None:
    shape: dict[str, Any] = {
        "model.hidden": 512,
        "model.layers": 4,
        "model.query_heads": 8,
        "batch.sequence": 64,
        "model.vocabulary": 1000,
    }
    derived: dict[str, Any] = {**shape, "activation.block": "gpt", "compute.recompute": "none"}
    assert found(derived, "memory.activations_per_gpu") > 0
    pinned = Solver(scenario_of(shape, {"memory.activations_per_gpu": "15 GB"}))
    assert pinned.quantity("memory.activations_per_gpu").value == 15 * 10**9
    with pytest.raises(ScenarioError):
        scenario_of(derived, {"memory.activations_per_gpu": "15 GB"})
    with pytest.raises(ScenarioError, match="leave out"):
        scenario_of({**derived, "memory.activations_per_gpu": "15 GB"})


def test_without_a_block_the_activations_are_asked_for() -> None:
    with pytest.raises(Exception, match=r"memory\.activations_per_gpu"):
        found(
            {"model": "llama-3-8b", "recipe": "zero-paper", "layout.dp": 8, "batch.sequence": 8192},
            "memory.total_per_gpu",
        )


def test_the_loss_holds_its_copies_only_on_the_last_stage_and_only_for_a_chunk() -> None:
    plan: dict[str, Any] = {"model.vocabulary": 128_256, "batch.sequence": 8192, "batch.micro": 4}
    assert found(plan, "memory.logits_per_gpu") == 4 * 32_768 * 128_256
    assert found(plan, "memory.loss_per_gpu") == 3 * 4 * 32_768 * 128_256
    assert found({**plan, "activation.loss_chunk": 4096}, "memory.loss_per_gpu") == 3 * 4 * 4096 * 128_256
    assert found({**plan, "layout.pp": 2}, "memory.loss_per_gpu") == 0
    assert (
        found({**plan, "layout.pp": 2, "pipeline.stage": 2, "layout.tp": 8}, "memory.loss_per_gpu")
        == 3 * 4 * 32_768 * 128_256 // 8
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model.experts": 8, "model.experts_per_token": 2}, "dense block"),
        ({"model.attention": "latent"}, "dense block"),
        ({"model.mlp": "plain", "activation.block": "llama"}, "gated MLP"),
        ({"layout.pp": 2, "pipeline.first_layers": 1, "pipeline.last_layers": 1}, "are not the 4"),
        ({"layout.pp": 2, "pipeline.schedule": "dualpipe"}, "both ends"),
        ({"layout.pp": 2, "layout.interleave": 2, "pipeline.schedule": "1f1b"}, "interleaved-1f1b"),
        ({"compute.recompute_layers": 2}, "compute.recompute = full"),
    ],
)
def test_what_is_not_counted_is_refused_and_not_guessed(change: dict[str, Any], said: str) -> None:
    plan: dict[str, Any] = {
        "activation.block": "gpt",
        "compute.recompute": "none",
        "model.hidden": 512,
        "model.layers": 4,
        "model.query_heads": 8,
        "batch.sequence": 64,
        "batch.accumulation": 4,
        "model.vocabulary": 1000,
    }
    with pytest.raises(Exception, match=said):
        found({**plan, **change}, "memory.activations_per_gpu")
