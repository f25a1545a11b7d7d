"""Optimizers: what they keep of one matrix. How many states with its own shape, of how many bytes an element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from solvers.expr.tree import number
from solvers.sources import ADAFACTOR, ADAM4, ADAM8, LION, MUON, OPTIMIZERS
from solvers.tables.preset import Preset, Table

if TYPE_CHECKING:
    from solvers.relation import Source


class _Row(NamedTuple):
    meaning: str
    full: int
    source: Source
    factored: int = 0
    bits: int = 32
    block: int = 1
    scale: int = 0
    table: int = 0
    least: int = 0


_ROWS: Final = {
    "sgd": _Row("SGD without momentum", 0, OPTIMIZERS),
    "sgd-momentum": _Row("SGD with momentum", 1, OPTIMIZERS),
    "adam": _Row("Adam: two moments", 2, OPTIMIZERS),
    "adamw": _Row("AdamW: two moments", 2, OPTIMIZERS),
    "adamw-bf16": _Row("AdamW on bf16 parameters, whose moments have their precision", 2, OPTIMIZERS, bits=16),
    "amsgrad": _Row("AdamW with AMSGrad: two moments and the largest second moment", 3, OPTIMIZERS),
    "nadam": _Row("NAdam: two moments", 2, OPTIMIZERS),
    "radam": _Row("RAdam: two moments", 2, OPTIMIZERS),
    "adamax": _Row("Adamax: a moment and an infinity norm", 2, OPTIMIZERS),
    "adadelta": _Row("Adadelta: two running averages", 2, OPTIMIZERS),
    "adagrad": _Row("Adagrad: a sum of squares", 1, OPTIMIZERS),
    "rmsprop": _Row("RMSprop: an average of squares", 1, OPTIMIZERS),
    "rprop": _Row("Rprop: the last gradient and a step size for each element", 2, OPTIMIZERS),
    "asgd": _Row("Averaged SGD: a running mean of the parameter", 1, OPTIMIZERS),
    "lion": _Row("Lion: one moment", 1, LION),
    "muon": _Row("Muon: one momentum", 1, MUON),
    "adafactor": _Row("Adafactor without first moment: rows and columns", 0, ADAFACTOR, factored=1),
    "adafactor-momentum": _Row("Adafactor with first moment", 1, ADAFACTOR, factored=1),
    "adamw-8bit": _Row("AdamW with block-wise 8-bit moments", 2, ADAM8, 0, 8, 256, 4, 1024, 4096),
    "adamw-4bit": _Row("AdamW with block-wise 4-bit moments", 2, ADAM4, 0, 4, 128, 4, 64, 4096),
    "adamw-fp8": _Row("AdamW with FP8 moments, a scale per block", 2, OPTIMIZERS, 0, 8, 256, 4, 0, 4096),
    "lion-8bit": _Row("Lion with a block-wise 8-bit moment", 1, ADAM8, 0, 8, 256, 4, 1024, 4096),
}


def _optimizer(name: str) -> Preset:
    row = _ROWS[name]
    return Preset(name, row.meaning, {
        "matrix.full_states": number(row.full), "matrix.factored_states": number(row.factored),
        "matrix.element": number(row.bits, "bit"), "matrix.block": number(row.block),
        "matrix.scale": number(row.scale, "B"), "matrix.table": number(row.table, "B"),
        "matrix.least": number(row.least),
    }, row.source)  # fmt: skip


OPTIMIZER_TABLE: Final = Table(_ROWS, _optimizer)
