"""The modules of a layer, each a function of its widths.

With the model's widths it counts the module; with one rank's share of the widths it counts what tensor parallelism
leaves on a GPU, since norms, routers and the biases of row-parallel matrices are not divided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.expr.tree import Compare, Text, equal, symbol, when

if TYPE_CHECKING:
    from solvers.expr.tree import Expr
    from solvers.relation import Reasons

_h: Final = symbol("model.hidden")
_GATED: Final = equal("model.mlp", Text("gated"))
_LATENT: Final = equal("model.attention", Text("latent"))
_QKV_BIAS: Final = Compare("!=", symbol("model.attention_bias"), Text("none"))
_OUT_BIAS: Final = equal("model.attention_bias", Text("all"))
_MLP_BIAS: Final = equal("model.mlp_bias", Text("true"))
_PER_HEAD: Final = equal("model.qk_norm", Text("per-head"))
_FULL_NORM: Final = equal("model.qk_norm", Text("full"))
_COMPRESSED: Final = symbol("model.q_rank") > 0
TIED: Final = equal("model.tied", Text("true"))
HEAD_BIAS: Final = equal("model.head_bias", Text("true"))
MOE_MODEL: Final = symbol("model.experts") > 0
_SHARED: Final = symbol("model.shared_ffn") > 0
_SHARED_GATE: Final = equal("model.shared_gate", Text("true"))
ROUTER_BIAS: Final = equal("model.router_bias", Text("true"))


def attention(queries: Expr, keys: Expr, heads: Expr) -> Expr:
    """Parameters of attention with query width `queries`, key width `keys`; MLA has `heads` heads."""
    head = symbol("model.head_dim")
    projections = (
        _h * queries
        + 2 * _h * keys
        + queries * _h
        + when(_QKV_BIAS, queries + 2 * keys, 0)
        + when(_OUT_BIAS, _h, 0)
        + when(_PER_HEAD, 2 * head, when(_FULL_NORM, queries + keys, 0))
    )
    rope, nope, values = (symbol(f"model.{name}_head_dim") for name in ("rope", "nope", "value"))
    q_rank, kv_rank = symbol("model.q_rank"), symbol("model.kv_rank")
    latent = (
        when(_COMPRESSED, _h * q_rank + q_rank + q_rank * heads * (nope + rope), _h * heads * (nope + rope))
        + _h * (kv_rank + rope)
        + kv_rank
        + kv_rank * heads * (nope + values)
        + heads * values * _h
    )
    return when(_LATENT, latent, projections)


ATTENTION_REASONS: Final[Reasons] = {
    _LATENT: ("MLA compresses keys and values to a small rank, and the queries where they are compressed too", ""),
    _COMPRESSED: ("queries go through a rank of their own, with a norm", "queries are projected at once"),
    _QKV_BIAS: ("the projections in have biases", ""),
    _OUT_BIAS: ("the projection out has a bias", ""),
    _PER_HEAD: ("queries and keys are each scaled over one head", ""),
    _FULL_NORM: ("queries and keys are each scaled over their whole width", ""),
}


def mlp(width: Expr) -> Expr:
    """Parameters of a feed-forward block of `width`."""
    return when(_GATED, 3 * _h * width, 2 * _h * width) + when(_MLP_BIAS, when(_GATED, 2 * width, width) + _h, 0)


MLP_REASONS: Final[Reasons] = {
    _GATED: ("gate, up and down: three matrices", "up and down: two matrices"),
    _MLP_BIAS: ("each matrix has a bias", ""),
}


def shared(width: Expr) -> Expr:
    """Parameters of the shared experts, `width` wide together."""
    return when(_SHARED, mlp(width) + when(_SHARED_GATE, _h, 0), 0)


SHARED_REASONS: Final[Reasons] = {
    **MLP_REASONS,
    _SHARED: ("", ""),
    _SHARED_GATE: ("a gate weighs the shared experts", ""),
}


def head(rows: Expr) -> Expr:
    """Parameters of a head of its own with `rows` rows."""
    return rows * _h + when(HEAD_BIAS, rows, 0)
