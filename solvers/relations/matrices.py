"""What an optimizer or a quantiser needs to know of a model's shape: its matrices, their sides, their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, When, number, symbol, walk, when
from solvers.relation import RELATIONS, Relation
from solvers.relations.modules import (
    ATTENTION_REASONS,
    HEAD_BIAS,
    HEAD_REASONS,
    NORM_REASONS,
    ROUTER_BIAS,
    SHARED,
    SHARED_GATE,
    SHARED_REASONS,
    TIED,
    attention_matrices,
    attention_vectors,
    entries,
    mlp_matrices,
    mlp_vectors,
    norm,
    rows,
    sides,
)
from solvers.sources import ADAFACTOR, INT8, MUON

if TYPE_CHECKING:
    from solvers.relation import Reasons, Source
    from solvers.relations.modules import Join

_declare = CATALOGUE.declare
_h, _L, _V, _E = (symbol(f"model.{name}") for name in ("hidden", "layers", "padded_vocabulary", "experts"))
_MOE_LAYERS: Final = symbol("model.moe_layers")
_DENSE_LAYERS: Final = _L - _MOE_LAYERS
_HAS_DENSE, _HAS_MOE = _DENSE_LAYERS > 0, _MOE_LAYERS > 0
_WIDTHS: Final = (symbol("model.query_width"), symbol("model.kv_width"))
_POSITIONS: Final = symbol("model.positions")

for _name, _letter, _meaning in (
    ("layer_matrices", "P_mat", "weights in the matrices of all layers: no embedding, head, norm or bias"),
    ("layer_rows", "rows", "rows of the matrices of all layers together"),
    ("factored_elements", "n_fac", "rows and columns of every matrix, and every element of the vectors"),
):
    _declare(f"model.{_name}", _meaning, "param" if _name == "layer_matrices" else "", letter=_letter,
             domain="non-negative integer", statable=True, bare=True, example="5120")  # fmt: skip

_REASONS: Final[Reasons] = {
    **ATTENTION_REASONS, **SHARED_REASONS, **HEAD_REASONS, **NORM_REASONS, _HAS_DENSE: ("", ""), _HAS_MOE: ("", ""),
    _POSITIONS > 0: ("", ""), ROUTER_BIAS: ("", ""),
}  # fmt: skip


def _why(expr: Expr) -> Reasons:
    asked = {node.condition for node in walk(expr) if isinstance(node, When)}
    return {condition: said for condition, said in _REASONS.items() if condition in asked}


def _shared(join: Join) -> Expr:
    gate = when(SHARED_GATE, join(_h, number(1)), 0)
    return when(SHARED, mlp_matrices(symbol("model.shared_ffn"), join) + gate, 0)


def _matrices(join: Join) -> Expr:
    """What `join` takes of all matrices of the layers."""
    attention = attention_matrices(*_WIDTHS, symbol("model.query_heads"), join)
    experts = _E * mlp_matrices(symbol("model.expert_ffn"), join) + _shared(join) + join(_h, _E)
    return (_L * attention + when(_HAS_DENSE, _DENSE_LAYERS * mlp_matrices(symbol("model.ffn"), join), 0)
            + when(_HAS_MOE, _MOE_LAYERS * experts, 0))  # fmt: skip


def _add(target: str, expr: Expr, because: str, source: Source, assumptions: tuple[str, ...] = ()) -> None:
    RELATIONS.add(Relation(f"model.{target}", expr, because, source, assumptions, reasons=_why(expr),
                           drops=("parameter",) if target == "layer_matrices" else ()))  # fmt: skip


_ROUTER_TOO: Final = "The router of an MoE layer is one of its matrices."
_add("layer_matrices", _matrices(entries), "Every matrix of attention and of the feed-forward blocks.", MUON,
     (_ROUTER_TOO,))  # fmt: skip
_add("layer_rows", _matrices(rows), "Every matrix of the layers has a row for each output.", INT8, (_ROUTER_TOO,))

_EXPERT_VECTORS: Final = (
    _E * mlp_vectors(symbol("model.expert_ffn"))
    + when(SHARED, mlp_vectors(symbol("model.shared_ffn")), 0)
    + when(ROUTER_BIAS, _E, 0)
)
_VECTORS: Final = (
    _L * attention_vectors(*_WIDTHS)
    + when(_HAS_DENSE, _DENSE_LAYERS * mlp_vectors(symbol("model.ffn")), 0)
    + when(_HAS_MOE, _MOE_LAYERS * _EXPERT_VECTORS, 0)
    + when(HEAD_BIAS, _V, 0)
)
_NORMS: Final = (symbol("model.norms_per_layer") * _L + symbol("model.outer_norms")) * norm()
_add(
    "factored_elements",
    _matrices(sides) + _VECTORS + _NORMS + sides(_h, _V)
    + when(_POSITIONS > 0, sides(_h, _POSITIONS), 0) + when(TIED, 0, sides(_h, _V))
    + symbol("model.other_parameters") / number(1, "param"),
    "A matrix is described by a value for each row and each column; a vector by all of its own.", ADAFACTOR,
    ("Matrices are taken one by one: queries, keys and values apart, each expert apart, shared ones as one block.",
     "Parameters outside the pattern of the layers are vectors."),
)  # fmt: skip
