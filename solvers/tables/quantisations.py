"""How frozen weights are stored: bits of a weight, and the constants of its block."""

from __future__ import annotations

from typing import Final, NamedTuple

from solvers.expr.tree import number
from solvers.relation import Source
from solvers.sources import INT8, MIXED, MX, NVFP4, QLORA
from solvers.tables.preset import Preset, Table

_GPTQ: Final = Source("gptq-2022", "GPTQ: Accurate Post-Training Quantization for Generative Pre-trained Transformers",
                      "grouping, section 4", "arXiv:2210.17323")  # fmt: skip


class _Row(NamedTuple):
    meaning: str
    bits: int
    source: Source
    block: int = 64
    constant: int = 0
    second: int = 0
    row: int = 0


_ROWS: Final = {
    "fp32": _Row("fp32 weights", 32, MIXED),
    "bf16": _Row("bf16 or fp16 weights", 16, MIXED),
    "int8": _Row("8-bit weights, an fp32 scale for each row", 8, INT8, row=32),
    "nf4": _Row("4-bit NormalFloat, an fp32 constant per block of 64", 4, QLORA, 64, 32),
    "nf4-double": _Row("4-bit NormalFloat, 8-bit constants per block of 64, an fp32 constant for 256 of those", 4,
                       QLORA, 64, 8, 32),
    "fp4": _Row("4-bit float, an fp32 constant per block of 64", 4, QLORA, 64, 32),
    "gptq-4bit": _Row("4-bit integers, an fp16 scale and a 4-bit zero point per group of 128", 4, _GPTQ, 128, 20),
    "mxfp8": _Row("8-bit float, an 8-bit scale per block of 32", 8, MX, 32, 8),
    "mxfp4": _Row("4-bit float, an 8-bit scale per block of 32", 4, MX, 32, 8),
    "nvfp4": _Row("4-bit float, an FP8 scale per block of 16; the fp32 scale of a tensor is left out", 4, NVFP4, 16, 8),
}  # fmt: skip


def _quantisation(name: str) -> Preset:
    row = _ROWS[name]
    return Preset(name, row.meaning, {
        "quant.weight": number(row.bits, "bit/param"), "quant.block": number(row.block, "param"),
        "quant.constant": number(row.constant, "bit"), "quant.second_constant": number(row.second, "bit"),
        "quant.second_block": number(256), "quant.row_constant": number(row.row, "bit"),
    }, row.source)  # fmt: skip


QUANTISATIONS: Final = Table(_ROWS, _quantisation)
