"""Parameters from an architecture: what a layer, the embedding and the head hold, and the whole of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.expr.tree import Expr, Text, call, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip, Source
from solvers.relations.modules import (
    ATTENTION_REASONS,
    HEAD_BIAS,
    HEAD_REASONS,
    MLP_REASONS,
    MOE_MODEL,
    NORM_REASONS,
    ROUTER_BIAS,
    SHARED_REASONS,
    attention,
    head,
    mlp,
    norm,
    own_head,
    shared,
)
from solvers.sources import COUNTING, DEEPSEEK_V2, DEFINITION, GQA, MEGATRON, MEGATRON_PIPELINE, MOE

if TYPE_CHECKING:
    from solvers.relation import Reasons

_h, _L, _V = symbol("model.hidden"), symbol("model.layers"), symbol("model.padded_vocabulary")
_E: Final = symbol("model.experts")
_COUNT: Final = ("parameter",)


def _count(  # noqa: PLR0913 - the columns of a relation
    target: str,
    expr: Expr,
    because: str,
    source: Source = COUNTING,
    assumptions: tuple[str, ...] = (),
    reasons: Reasons | None = None,
    slips: tuple[Slip, ...] = (),
    *,
    unless: tuple[str, ...] = (),
) -> None:
    RELATIONS.add(
        Relation(
            f"model.{target}",
            expr,
            because,
            source,
            assumptions,
            slips,
            reasons or {},
            drops=_COUNT if target.endswith("parameters") else (),
            unless=unless,
        )
    )


_count("query_width", symbol("model.query_heads") * symbol("model.head_dim"), "So many heads of that size.", DEFINITION)
_count(
    "query_width",
    _h,
    "Heads that together are as wide as the residual stream.",
    MEGATRON,
    ("The query heads together are as wide as the residual stream, since no size of a head is stated.",),
    unless=("model.head_dim",),
)
_count(
    "kv_width", symbol("model.kv_heads") * symbol("model.head_dim"), "Under GQA fewer heads carry keys and values.", GQA
)
_count(
    "kv_width",
    symbol("model.kv_heads") * (symbol("model.query_width") / symbol("model.query_heads")),
    "Under GQA fewer heads carry keys and values, each as wide as a query head.",
    GQA,
)
_count(
    "kv_width",
    symbol("model.query_width"),
    "Every query head has its own keys and values.",
    MEGATRON,
    ("Multi-head attention: as many key-value heads as query heads, since none are stated.",),
    unless=("model.kv_heads",),
)
RELATIONS.add(
    Relation(
        "model.padded_vocabulary",
        call("ceil", symbol("model.vocabulary") / (symbol("model.vocabulary_multiple") * symbol("layout.tp")))
        * (symbol("model.vocabulary_multiple") * symbol("layout.tp")),
        "The vocabulary is rounded up, so that every tensor-parallel rank has the same aligned number of rows.",
        MEGATRON,
        stated=("model.vocabulary_multiple",),
    )
)
_count("padded_vocabulary", symbol("model.vocabulary"), "One row for each entry.", DEFINITION)
_count(
    "shared_ffn",
    symbol("model.shared_experts") * when(symbol("model.shared_experts") > 0, symbol("model.expert_ffn"), 0),
    "Shared experts are as wide as routed ones, and work as one block.",
    MOE,
    reasons={symbol("model.shared_experts") > 0: ("", "")},
)
_count(
    "moe_layers",
    when(MOE_MODEL, _L - symbol("model.dense_layers"), 0),
    "Every layer that is not dense has experts.",
    MOE,
    reasons={MOE_MODEL: ("", "")},
)

_count(
    "norm_parameters",
    norm(),
    "A norm holds a scale for each channel, and LayerNorm a bias too.",
    reasons=NORM_REASONS,
)
_count(
    "attention_parameters",
    attention(symbol("model.query_width"), symbol("model.kv_width"), symbol("model.query_heads")),
    "Queries, keys and values are projected in, the heads' output is projected back.",
    DEEPSEEK_V2,
    reasons=ATTENTION_REASONS,
    slips=(
        Slip(
            "mha-for-gqa",
            "Under GQA keys and values are narrower than the queries.",
            expr=4 * _h * symbol("model.query_width"),
        ),
    ),
)
_count(
    "mlp_parameters",
    mlp(symbol("model.ffn")),
    "A feed-forward block is matrices of hidden times its width.",
    reasons=MLP_REASONS,
    slips=(Slip("two-matrices", "A gated block has three matrices.", set={"model.mlp": Text("plain")}),),
)
_count(
    "expert_parameters",
    mlp(symbol("model.expert_ffn")),
    "An expert is a feed-forward block of its own.",
    MOE,
    reasons=MLP_REASONS,
)
_count(
    "shared_parameters",
    shared(symbol("model.shared_ffn")),
    "Shared experts are one feed-forward block through which every token goes.",
    MOE,
    reasons=SHARED_REASONS,
)
_count(
    "router_parameters",
    _h * _E + when(ROUTER_BIAS, _E, 0),
    "The router scores each expert with one row.",
    MOE,
    reasons={ROUTER_BIAS: ("each expert has a bias that balances the load", "")},
)
_NORMS: Final = symbol("model.norms_per_layer") * symbol("model.norm_parameters")
_count(
    "layer_parameters",
    symbol("model.attention_parameters") + symbol("model.mlp_parameters") + _NORMS,
    "Attention, the feed-forward block and the norms add up.",
)
_count(
    "moe_layer_parameters",
    symbol("model.attention_parameters")
    + _E * symbol("model.expert_parameters")
    + symbol("model.shared_parameters")
    + symbol("model.router_parameters")
    + _NORMS,
    "Attention, all routed experts, the shared ones, the router and the norms add up.",
    MOE,
    slips=(
        Slip(
            "active-experts-only",
            "All experts are parameters, not only those that a token is sent to.",
            set={"model.experts": symbol("model.experts_per_token")},
        ),
    ),
)
_count(
    "embedding_parameters",
    _V * _h + symbol("model.positions") * _h,
    "A row for each entry of the vocabulary, and for each learned position.",
    slips=(Slip("no-positions", "Learned positions are parameters too.", expr=_V * _h * number(1, "param")),),
)
_count(
    "head_parameters",
    own_head(_V),
    "The head has a row for each entry, unless it shares those of the embedding.",
    reasons=HEAD_REASONS,
)
_count(
    "output_parameters",
    head(_V),
    "The head has a row for each entry.",
    reasons={HEAD_BIAS: ("", "")},
)

_HAS_MOE_LAYERS: Final = symbol("model.moe_layers") > 0
_HAS_DENSE_LAYERS: Final = _L - symbol("model.moe_layers") > 0
_OUTER: Final = symbol("model.outer_norms") * symbol("model.norm_parameters")
_count(
    "parameters",
    when(_HAS_DENSE_LAYERS, (_L - symbol("model.moe_layers")) * symbol("model.layer_parameters"), number(0, "param"))
    + when(_HAS_MOE_LAYERS, symbol("model.moe_layers") * symbol("model.moe_layer_parameters"), number(0, "param"))
    + symbol("model.embedding_parameters")
    + symbol("model.head_parameters")
    + _OUTER
    + symbol("model.other_parameters"),
    "The layers, the embedding, the head and the norms outside the layers add up.",
    MEGATRON_PIPELINE,
    ("Counted from the architecture; a tied head is counted once; buffers (rotary tables, masks) are none.",),
    {_HAS_MOE_LAYERS: ("", ""), _HAS_DENSE_LAYERS: ("", "")},
    (
        Slip("body-only", "Embedding and head are parameters too.", expr=symbol("model.non_embedding_parameters")),
        Slip(
            "12-l-h-squared",
            "12 L h² leaves out embedding, norms and biases, and holds for a plain block of 4 h.",
            expr=12 * _L * _h**2 * number(1, "param"),
            kind="convention",
        ),
    ),
)
_count(
    "active_parameters",
    when(
        MOE_MODEL,
        symbol("model.parameters")
        - symbol("model.moe_layers") * (_E - symbol("model.experts_per_token")) * symbol("model.expert_parameters"),
        symbol("model.parameters"),
    ),
    "A token meets everything but the routed experts that it is not sent to.",
    MOE,
    ("The count of parameters includes the embedding and the head; some reports leave them out.",),
    {MOE_MODEL: ("only the chosen experts work on a token", "")},
    (
        Slip(
            "total-for-active",
            "That is all parameters; a token meets only some of the experts.",
            expr=symbol("model.parameters"),
        ),
    ),
)
_count(
    "non_embedding_parameters",
    symbol("model.parameters") - symbol("model.embedding_parameters") - symbol("model.head_parameters"),
    "What is left without the embedding (and its positions) and the head.",
)

LAWS.add(
    Law(
        "model.experts",
        symbol("model.experts_per_token") <= _E,
        "a token is sent to {model.experts_per_token} experts, but a layer has only {model.experts}",
        knows=("model.experts", "model.experts_per_token"),
    )
)
LAWS.add(
    Law(
        "model.dense_layers",
        symbol("model.dense_layers") <= _L,
        "the model has {model.layers} layers, of which {model.dense_layers} cannot be dense",
        knows=("model.dense_layers", "model.layers"),
    )
)
