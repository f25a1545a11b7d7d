"""The modules of a layer, each a function of its widths.

With the model's widths it counts the module; with one rank's share of the widths it counts what tensor parallelism
leaves on a GPU, since norms, routers and the biases of row-parallel matrices are not divided.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from solvers.expr.tree import Compare, Expr, Text, equal, symbol, when

if TYPE_CHECKING:
    from solvers.relation import Reasons

_h: Final = symbol("model.hidden")
GATED: Final = equal("model.mlp", Text("gated"))
LATENT: Final = equal("model.attention", Text("latent"))
_QKV_BIAS: Final = Compare("!=", symbol("model.attention_bias"), Text("none"))
_OUT_BIAS: Final = equal("model.attention_bias", Text("all"))
_MLP_BIAS: Final = equal("model.mlp_bias", Text("true"))
_PER_HEAD: Final = equal("model.qk_norm", Text("per-head"))
_FULL_NORM: Final = equal("model.qk_norm", Text("full"))
COMPRESSED: Final = symbol("model.q_rank") > 0
TIED: Final = equal("model.tied", Text("true"))
HEAD_BIAS: Final = equal("model.head_bias", Text("true"))
_SCALE: Final = equal("model.norm", Text("layernorm"))
_NO_SCALE: Final = equal("model.norm", Text("none"))
MOE_MODEL: Final = symbol("model.experts") > 0
SHARED: Final = symbol("model.shared_ffn") > 0
SHARED_GATE: Final = equal("model.shared_gate", Text("true"))
ROUTER_BIAS: Final = equal("model.router_bias", Text("true"))


Join: TypeAlias = Callable[[Expr, Expr], Expr]
"""What is taken of a matrix, from its columns (what goes in) and its rows (what comes out)."""


def entries(into: Expr, out: Expr) -> Expr:
    """Every entry of a matrix: what it holds."""
    return into * out


def sides(into: Expr, out: Expr) -> Expr:
    """Columns and rows of a matrix: what factored statistics, and adapters of rank 1, hold of it."""
    return into + out


def rows(_: Expr, out: Expr) -> Expr:
    """Rows of a matrix: one constant each, where every row has its scale."""
    return out


def attention_matrices(queries: Expr, keys: Expr, heads: Expr, join: Join = entries) -> Expr:
    """The matrices of attention with query width `queries`, key width `keys`; MLA has `heads` heads."""
    rope, nope, values = (symbol(f"model.{name}_head_dim") for name in ("rope", "nope", "value"))
    q_rank, kv_rank = symbol("model.q_rank"), symbol("model.kv_rank")
    latent = (
        when(COMPRESSED, join(_h, q_rank) + join(q_rank, heads * (nope + rope)), join(_h, heads * (nope + rope)))
        + join(_h, kv_rank + rope)
        + join(kv_rank, heads * (nope + values))
        + join(heads * values, _h)
    )
    return when(LATENT, latent, join(_h, queries) + 2 * join(_h, keys) + join(queries, _h))


def attention_vectors(queries: Expr, keys: Expr) -> Expr:
    """The biases and norms of attention."""
    latent = when(COMPRESSED, symbol("model.q_rank"), 0) + symbol("model.kv_rank")
    grouped = (
        when(_QKV_BIAS, queries + 2 * keys, 0)
        + when(_OUT_BIAS, _h, 0)
        + when(_PER_HEAD, 2 * symbol("model.head_dim"), when(_FULL_NORM, queries + keys, 0))
    )
    return when(LATENT, latent, grouped)


def attention(queries: Expr, keys: Expr, heads: Expr) -> Expr:
    """Parameters of attention."""
    return attention_matrices(queries, keys, heads) + attention_vectors(queries, keys)


ATTENTION_REASONS: Final[Reasons] = {
    LATENT: ("MLA compresses keys and values to a small rank, and the queries where they are compressed too", ""),
    COMPRESSED: ("queries go through a rank of their own, with a norm", "queries are projected at once"),
    _QKV_BIAS: ("the projections in have biases", ""),
    _OUT_BIAS: ("the projection out has a bias", ""),
    _PER_HEAD: ("queries and keys are each scaled over one head", ""),
    _FULL_NORM: ("queries and keys are each scaled over their whole width", ""),
}


def mlp_matrices(width: Expr, join: Join = entries) -> Expr:
    """The matrices of a feed-forward block of `width`; the two or three have the same sides."""
    if join is rows:
        return when(GATED, 2 * width, width) + _h
    return when(GATED, 3 * join(_h, width), 2 * join(_h, width))


def mlp_vectors(width: Expr) -> Expr:
    """The biases of a feed-forward block of `width`."""
    return when(_MLP_BIAS, when(GATED, 2 * width, width) + _h, 0)


def mlp(width: Expr) -> Expr:
    """Parameters of a feed-forward block of `width`."""
    return mlp_matrices(width) + mlp_vectors(width)


MLP_REASONS: Final[Reasons] = {
    GATED: ("gate, up and down: three matrices", "up and down: two matrices"),
    _MLP_BIAS: ("each matrix has a bias", ""),
}


def shared(width: Expr) -> Expr:
    """Parameters of the shared experts, `width` wide together."""
    return when(SHARED, mlp(width) + when(SHARED_GATE, _h, 0), 0)


SHARED_REASONS: Final[Reasons] = {
    **MLP_REASONS,
    SHARED: ("", ""),
    SHARED_GATE: ("a gate weighs the shared experts", ""),
}


def norm() -> Expr:
    """Parameters of one norm over the width of the residual stream."""
    return when(_SCALE, 2 * _h, when(_NO_SCALE, 0, _h))


NORM_REASONS: Final[Reasons] = {
    _SCALE: ("LayerNorm holds a scale and a bias", ""),
    _NO_SCALE: ("the norm holds nothing", ""),
}


def own_head(rows: Expr) -> Expr:
    """Parameters of a head with `rows` rows beyond those that it shares with the embedding."""
    return when(TIED, when(HEAD_BIAS, rows, 0), head(rows))


def head(rows: Expr) -> Expr:
    """Parameters of a head with `rows` rows, all of them its own or copied."""
    return rows * _h + when(HEAD_BIAS, rows, 0)


HEAD_REASONS: Final[Reasons] = {
    TIED: ("the head is the embedding", "the head is a matrix of its own"),
    HEAD_BIAS: ("", ""),
}
