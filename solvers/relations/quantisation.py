"""Frozen weights in few bits: what a weight and the constants of its block take."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import number, symbol, when
from solvers.relation import RELATIONS, Relation, Slip
from solvers.sources import QLORA
from solvers.tables.quantisations import QUANTISATIONS

_declare = CATALOGUE.declare

_declare("quant.scheme", "how frozen weights are stored", choices=tuple(QUANTISATIONS), example="nf4-double")
_declare("quant.weight", "bits of a weight", "bit/param", letter="q", domain="positive", example="4 bit/param")
_declare("quant.block", "weights that share a constant", "param", letter="block", domain="positive integer",
         bare=True, example="64")  # fmt: skip
_declare("quant.constant", "bits of the constant of a block", "bit", letter="c", domain="non-negative",
         example="32 bit")  # fmt: skip
_declare("quant.second_block", "constants that share a constant of their own under double quantisation",
         letter="block2", domain="positive integer", default=number(256), example="256")  # fmt: skip
_declare("quant.second_constant", "bits of the constant of a block of constants; 0 without double quantisation", "bit",
         letter="c2", domain="non-negative", default=number(0, "bit"), example="32 bit")  # fmt: skip
_declare("quant.row_constant", "bits of a constant for each row, where rows are scaled", "bit", letter="c_row",
         domain="non-negative", default=number(0, "bit"), example="32 bit")  # fmt: skip
_declare("quant.rest", "bytes of a parameter that is not quantised: embedding, head, norms", "B/param", letter="b_rest",
         domain="positive", default=number(2, "B/param"), example="2 B/param")  # fmt: skip
_declare("quant.overhead", "what the constants of the blocks add to a weight", "bit/param", letter="overhead",
         domain="non-negative", decimals=4)  # fmt: skip
_declare("quant.double_saving", "what double quantisation saves over fp32 constants, for all parameters", "GB",
         letter="saved", domain="non-negative")  # fmt: skip
_declare("quant.size", "frozen model with its matrices quantised", "GB", letter="base", domain="non-negative")

_BLOCK: Final = symbol("quant.block")
_OVERHEAD: Final = symbol("quant.overhead")
_FP32: Final = number(32, "bit")

RELATIONS.add(Relation(
    "quant.overhead",
    symbol("quant.constant") / _BLOCK + symbol("quant.second_constant") / (_BLOCK * symbol("quant.second_block")),
    "A constant is shared by its block; a constant of constants by so many blocks.", QLORA,
    ("Every block is full.",),
    slips=(
        Slip("single", "Double quantisation makes the constants 8 bits wide.", expr=_FP32 / _BLOCK),
        Slip("no-second", "The constants have constants of their own.", expr=symbol("quant.constant") / _BLOCK),
    ),
))  # fmt: skip
RELATIONS.add(Relation(
    "quant.double_saving", (_FP32 / _BLOCK - _OVERHEAD) * symbol("model.parameters"),
    "fp32 constants less what double quantisation leaves of them, for each parameter.", QLORA,
    ("Counted over all parameters, as the paper does; only the matrices of the layers are quantised.",),
    slips=(Slip("bits-for-bytes", "Those are bits: a byte has eight.",
                expr=8 * (_FP32 / _BLOCK - _OVERHEAD) * symbol("model.parameters")),),
))  # fmt: skip
_ROWS_SCALED: Final = symbol("quant.row_constant") > number(0, "bit")
RELATIONS.add(Relation(
    "quant.size",
    symbol("model.layer_matrices") * (symbol("quant.weight") + _OVERHEAD)
    + when(_ROWS_SCALED, symbol("model.layer_rows") * symbol("quant.row_constant"), number(0, "B"))
    + (symbol("model.parameters") - symbol("model.layer_matrices")) * symbol("quant.rest"),
    "The matrices of the layers in few bits with their constants, the rest as it was.", QLORA,
    ("Embedding, head, norms and biases are not quantised; outliers of int8 are no part of the stored weights.",),
    reasons={_ROWS_SCALED: ("each row of a matrix has a scale", "")},
    slips=(
        Slip("all-quantised", "Embedding and head stay in their precision.",
             expr=symbol("model.parameters") * (symbol("quant.weight") + _OVERHEAD)),
        Slip("no-constants", "Each block has a constant too.",
             expr=symbol("model.parameters") * symbol("quant.weight")),
    ),
))  # fmt: skip
