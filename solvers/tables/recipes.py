"""Recipes: what is kept per parameter, in how many bytes, and what goes over the wire.

A recipe says nothing of sharding: Megatron's `6 + 12/d` is ZeRO-1 on `megatron-bf16`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.expr.tree import Expr, number
from solvers.sources import ADAM8, FSDP2, LION, MEGATRON_OPTIMIZER, MIXED, PLAYBOOK, ZERO
from solvers.tables.preset import Preset

if TYPE_CHECKING:
    from solvers.relation import Source

PARTS: Final = ("recipe.weights", "recipe.gradients", "recipe.accumulation", "recipe.master",
                "recipe.moment1", "recipe.moment2", "recipe.gather", "recipe.reduce")
"""The bytes per parameter that every recipe states, kept ones first, then the two on the wire."""

# One byte, and one fp32 scale for each block of 256 values. The table of 256 levels, 1 KiB per tensor, is left out.
_BLOCKWISE: Final = number(1, "B/param") + number(4, "B/param") / 256


def _recipe(name: str, meaning: str, kept: tuple[int | Expr, ...], wire: tuple[int, int], source: Source,
            note: str = "") -> Preset:
    """Weights, gradients, fp32 accumulation, master and two moments; a gathered weight, a reduced gradient."""
    sizes = [size if isinstance(size, Expr) else number(size, "B/param") for size in (*kept, *wire)]
    return Preset(name, meaning, dict(zip(PARTS, sizes, strict=True)), source, note)


_ROWS: Final = (
    _recipe("zero-paper", "bf16 or fp16 weights and gradients, fp32 master copy and Adam moments",
            (2, 2, 0, 4, 4, 4), (2, 2), ZERO),
    _recipe("fsdp2-fp32-shard", "fp32 weights, gradients and Adam moments; bf16 only while a unit is gathered",
            (4, 4, 0, 0, 4, 4), (2, 4), FSDP2,
            "no separate master copy: the fp32 shard is the weight itself; the bf16 copy lives only while gathered"),
    _recipe("megatron-bf16", "bf16 weights, fp32 main gradients, fp32 master copy and Adam moments",
            (2, 4, 0, 4, 4, 4), (2, 4), MEGATRON_OPTIMIZER),
    _recipe("fp32-grad-accumulation", "bf16 weights and gradients, fp32 accumulation of gradients, master and moments",
            (2, 2, 4, 4, 4, 4), (2, 4), PLAYBOOK,
            "the fp32 accumulation is held beside the bf16 gradient and sharded with it"),
    _recipe("fp32", "everything in fp32, Adam", (4, 4, 0, 0, 4, 4), (4, 4), ZERO,
            "no separate master copy: the weights are fp32 themselves"),
    _recipe("no-master", "bf16 weights and gradients, fp32 Adam moments, no master copy",
            (2, 2, 0, 0, 4, 4), (2, 2), MIXED, "updates are rounded to bf16 weights"),
    _recipe("pure-bf16", "weights, gradients and Adam moments in bf16", (2, 2, 0, 0, 2, 2), (2, 2), MIXED,
            "updates are rounded to bf16 weights"),
    _recipe("adam-8bit", "bf16 weights and gradients, fp32 master copy, block-wise 8-bit Adam moments",
            (2, 2, 0, 4, _BLOCKWISE, _BLOCKWISE), (2, 2), ADAM8,
            "a moment is 1 B plus an fp32 scale per block of 256; tensors too small to quantise are left out"),
    _recipe("adam-8bit-no-master", "bf16 weights and gradients, block-wise 8-bit Adam moments, no master copy",
            (2, 2, 0, 0, _BLOCKWISE, _BLOCKWISE), (2, 2), ADAM8,
            "a moment is 1 B plus an fp32 scale per block of 256; tensors too small to quantise are left out"),
    _recipe("lion", "bf16 weights and gradients, fp32 master copy and one fp32 moment (Lion)",
            (2, 2, 0, 4, 4, 0), (2, 2), LION),
    _recipe("sgd-momentum", "bf16 weights and gradients, fp32 master copy and momentum",
            (2, 2, 0, 4, 4, 0), (2, 2), MIXED),
)
RECIPES: Final = {row.name: row for row in _ROWS}
