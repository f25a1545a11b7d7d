"""Recipes: what is kept per parameter, in how many bytes, and what goes over the wire.

A recipe says nothing of sharding: Megatron's `6 + 12/d` is ZeRO-1 on `megatron-bf16`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.expr.tree import Expr, number, symbol
from solvers.sources import (
    ADAFACTOR,
    ADAM4,
    ADAM8,
    APEX,
    DEEPSEEK_V3,
    FSDP2,
    LION,
    MEGATRON_OPTIMIZER,
    MIXED,
    MUON,
    OPTIMIZERS,
    PLAYBOOK,
    TRANSFORMER_ENGINE,
    ZERO,
)
from solvers.tables.preset import Preset

if TYPE_CHECKING:
    from solvers.relation import Source

PARTS: Final = ("recipe.weights", "recipe.gradients", "recipe.accumulation", "recipe.master",
                "recipe.moment1", "recipe.moment2", "recipe.gather", "recipe.reduce")
"""The bytes per parameter that every recipe states, kept ones first, then the two on the wire."""

# One byte, and one fp32 scale for each block of 256 values. The table of 256 levels, 1 KiB per tensor, is left out.
_BLOCKWISE: Final = number(1, "B/param") + number(4, "B/param") / 256
# Half a byte, and one fp32 scale for each block of 128 values. The table of 16 levels is left out.
_BLOCKWISE4: Final = number(1, "B/param") / 2 + number(4, "B/param") / 128
# FP8, and one fp32 scale for each tile of 128 by 128 weights.
_TILED: Final = number(1, "B/param") + number(4, "B/param") / (128 * 128)
_FP32: Final = number(4, "B/param")
_BYTE: Final = number(1, "B/param")
_P: Final = symbol("model.parameters")
_FACTORED: Final = number(4, "B") * symbol("model.factored_elements") / _P
_NOT_MUON: Final = _FP32 * ((_P - symbol("model.layer_matrices")) / _P)


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
    _recipe("sgd", "bf16 weights and gradients, fp32 master copy, no moments (plain SGD)",
            (2, 2, 0, 4, 0, 0), (2, 2), MIXED),
    _recipe("adagrad", "bf16 weights and gradients, fp32 master copy and one fp32 sum of squares",
            (2, 2, 0, 4, 0, 4), (2, 2), OPTIMIZERS),
    _recipe("amsgrad", "bf16 weights and gradients, fp32 master copy, Adam moments and the largest second moment",
            (2, 2, 0, 4, 4, _FP32 + _FP32), (2, 2), OPTIMIZERS,
            "the second moment is kept twice: now, and its maximum"),
    _recipe("adam-4bit", "bf16 weights and gradients, fp32 master copy, block-wise 4-bit Adam moments",
            (2, 2, 0, 4, _BLOCKWISE4, _BLOCKWISE4), (2, 2), ADAM4,
            "a moment is 1/2 B plus an fp32 scale per block of 128; tensors too small to quantise are left out"),
    _recipe("adam-4bit-no-master", "bf16 weights and gradients, block-wise 4-bit Adam moments, no master copy",
            (2, 2, 0, 0, _BLOCKWISE4, _BLOCKWISE4), (2, 2), ADAM4,
            "a moment is 1/2 B plus an fp32 scale per block of 128; tensors too small to quantise are left out"),
    _recipe("adafactor", "bf16 weights and gradients, fp32 master copy, second moment as rows and columns (Adafactor)",
            (2, 2, 0, 4, 0, _FACTORED), (2, 2), ADAFACTOR,
            "no first moment; fp32 statistics for each row and column of a matrix, so the shape must be known"),
    _recipe("adafactor-momentum", "as adafactor, with an fp32 first moment",
            (2, 2, 0, 4, 4, _FACTORED), (2, 2), ADAFACTOR,
            "fp32 statistics for each row and column of a matrix, so the shape must be known"),
    _recipe("muon-adamw", "bf16 weights and gradients, fp32 master copy; Muon on the layers' matrices, AdamW elsewhere",
            (2, 2, 0, 4, 4, _NOT_MUON), (2, 2), MUON,
            "Muon keeps one momentum; embedding, head, norms and biases have AdamW's second moment too"),
    _recipe("megatron-fp16", "fp16 weights and gradients, fp32 master copy, its fp32 gradients and Adam moments",
            (2, 2, 0, _FP32 + _FP32, 4, 4), (2, 2), MEGATRON_OPTIMIZER,
            "the fp32 copy of the gradients belongs to the optimizer, and is sharded with the master copy"),
    _recipe("apex-o2", "fp16 weights and gradients, fp32 master copy, its fp32 gradients and Adam moments",
            (2, 2, 0, _FP32 + _FP32, 4, 4), (2, 2), APEX,
            "the master copy has gradients of its own in fp32, which belong to the optimizer"),
    _recipe("deepseek-v3-fp8", "FP8 weights, fp32 gradients and master copy, bf16 Adam moments",
            (_TILED, 4, 0, 4, 2, 2), (2, 4), DEEPSEEK_V3,
            "one FP8 copy of the weights with a scale per 128 x 128 tile; embedding, head, router and norms, which "
            "stay in higher precision, are counted alike"),
    _recipe("te-fp8", "bf16 weights with a cached FP8 copy and its transpose, fp32 gradients, master copy and moments",
            (number(2, "B/param") + _BYTE + _BYTE, 4, 0, 4, 4, 4), (2, 4), TRANSFORMER_ENGINE,
            "the FP8 copies are kept over the micro-batches of a step; scales per tensor are left out"),
    _recipe("te-fp8-primary", "FP8 weights and their transpose, fp32 gradients, master copy and moments",
            (_BYTE + _BYTE, 4, 0, 4, 4, 4), (1, 4), TRANSFORMER_ENGINE,
            "weights live in FP8 only; scales per tensor are left out"),
)
RECIPES: Final = {row.name: row for row in _ROWS}
