"""What an optimizer keeps of one matrix: full states, factored ones, blocks with their scales."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Logic, call, number, symbol, when
from solvers.relation import RELATIONS, Relation, Slip
from solvers.sources import OPTIMIZERS
from solvers.tables.optimizers import OPTIMIZER_TABLE

_declare = CATALOGUE.declare

_declare("matrix.optimizer", "an optimizer, which states what it keeps of a matrix", choices=tuple(OPTIMIZER_TABLE),
         example="adamw")  # fmt: skip
_declare("matrix.rows", "rows of the matrix", letter="r", domain="positive integer", example="1024")
_declare("matrix.columns", "columns of the matrix", letter="c", domain="positive integer", example="4096")
_declare("matrix.full_states", "states with an element for each of the matrix", letter="n_full",
         domain="non-negative integer", example="2")  # fmt: skip
_declare("matrix.factored_states", "states with an element for each row and each column", letter="n_fac",
         domain="non-negative integer", default=number(0), example="1")  # fmt: skip
_declare("matrix.element", "size of an element of a full state", "B", letter="b_el", domain="positive",
         example="4 B")  # fmt: skip
_declare("matrix.block", "elements that share a scale", letter="block", domain="positive integer",
         default=number(1), example="256")  # fmt: skip
_declare("matrix.scale", "size of the scale of a block; 0 for states that are not quantised", "B", letter="b_scale",
         domain="non-negative", default=number(0, "B"), example="4 B")  # fmt: skip
_declare("matrix.table", "size of the table of levels of a quantised state", "B", letter="b_table",
         domain="non-negative", default=number(0, "B"), example="1024 B")  # fmt: skip
_declare("matrix.least", "matrices with fewer elements keep fp32 states", letter="least",
         domain="non-negative integer", default=number(0), example="4096")  # fmt: skip
_declare("matrix.state", "optimizer state of the matrix", "B", letter="state", domain="non-negative")
_declare("matrix.bytes_per_parameter", "optimizer state per element of the matrix", "B/param", letter="b_state",
         domain="non-negative", decimals=6)  # fmt: skip

_R, _C = symbol("matrix.rows"), symbol("matrix.columns")
_FULL, _FACTORED = symbol("matrix.full_states"), symbol("matrix.factored_states")
_QUANTISED: Final = Logic("and", (symbol("matrix.scale") > number(0, "B"), symbol("matrix.least") <= _R * _C))
_SMALL: Final = Logic("and", (symbol("matrix.scale") > number(0, "B"), symbol("matrix.least") > _R * _C))
_IS_FACTORED: Final = _FACTORED > 0
_PER_STATE: Final = when(
    _QUANTISED,
    _R * _C * symbol("matrix.element")
    + call("ceil", _R * _C / symbol("matrix.block")) * symbol("matrix.scale")
    + symbol("matrix.table"),
    _R * _C * when(_SMALL, number(4, "B"), symbol("matrix.element")),
)  # fmt: skip

RELATIONS.add(Relation(
    "matrix.state",
    _FULL * _PER_STATE + when(_IS_FACTORED, _FACTORED * (_R + _C) * number(4, "B"), number(0, "B")),
    "Full states have an element for each of the matrix, factored ones a value for each row and column.", OPTIMIZERS,
    (("The master copy is no part of it; counters of a few bytes are left out; factored statistics are in fp32."),),
    reasons={
        _QUANTISED: ("each block has a scale, and each state a table of levels", ""),
        _SMALL: ("so small a matrix is not quantised", ""),
        _IS_FACTORED: ("the second moment is kept as sums over rows and over columns", ""),
    },
    slips=(
        Slip("no-scales", "Each block has a scale too, and each state a table.",
             expr=_FULL * _R * _C * symbol("matrix.element")),
        Slip("one-state", "Adam keeps two moments; you counted one.", set={"matrix.full_states": number(1)}),
    ),
))  # fmt: skip
RELATIONS.add(Relation(
    "matrix.bytes_per_parameter", symbol("matrix.state") / (_R * _C),
    "Divided by the elements of the matrix.", OPTIMIZERS, drops=("parameter",),
))  # fmt: skip
