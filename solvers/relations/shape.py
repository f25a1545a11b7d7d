"""What an architecture is named by: widths, heads, experts, and what each module's count is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Text, number
from solvers.tables.families import FAMILIES

if TYPE_CHECKING:
    from solvers.catalogue import Domain

_declare = CATALOGUE.declare
_POSITIVE: Final[Domain] = "positive integer"
_COUNT: Final[Domain] = "non-negative integer"

_declare(
    "model.family", "the kind of layer, which states everything but the sizes", choices=tuple(FAMILIES), example="llama"
)
for _name, _letter, _meaning, _choices, _default in (
    ("mlp", "mlp", "gated (three matrices, SwiGLU or GeGLU) or plain (two matrices)", ("gated", "plain"), ""),
    ("attention", "attention", "grouped (MHA, GQA and MQA) or latent (MLA)", ("grouped", "latent"), "grouped"),
    (
        "attention_bias",
        "attention_bias",
        "linear biases of attention: none, qkv (projections in) or all",
        ("none", "qkv", "all"),
        "",
    ),
    ("mlp_bias", "mlp_bias", "whether the feed-forward matrices have biases", ("true", "false"), ""),
    (
        "norm",
        "norm",
        "what a norm holds: a scale (rmsnorm, layernorm-no-bias), scale and bias (layernorm) or nothing",
        ("rmsnorm", "layernorm", "layernorm-no-bias", "none"),
        "",
    ),
    (
        "qk_norm",
        "qk_norm",
        "scales on queries and keys: none, per-head (one head's size, shared) or full width",
        ("none", "per-head", "full"),
        "none",
    ),
    ("tied", "tied", "whether the head is the embedding", ("true", "false"), ""),
    ("head_bias", "head_bias", "whether the head has a bias", ("true", "false"), "false"),
    ("shared_gate", "shared_gate", "whether the shared experts have a gate of their own", ("true", "false"), "false"),
    ("router_bias", "router_bias", "whether the router holds a bias for each expert", ("true", "false"), "false"),
):
    _declare(
        f"model.{_name}",
        _meaning,
        letter=_letter,
        choices=_choices,
        example=_choices[0],
        default=Text(_default) if _default else None,
    )
for _name, _letter, _meaning, _domain, _least, _example in (
    ("ffn", "f", "width of the feed-forward block of a dense layer", _POSITIVE, None, "28672"),
    (
        "positions",
        "n_pos",
        "learned positions; 0 for rotary, ALiBi or sinusoidal ones",
        _COUNT,
        None,
        "2048",
    ),
    ("norms_per_layer", "n_norm", "norms in a layer", _COUNT, 2, "2"),
    (
        "outer_norms",
        "n_outer",
        "norms outside the layers: the final one, one behind the embedding",
        _COUNT,
        1,
        "1",
    ),
    (
        "vocabulary_multiple",
        "V_mult",
        "the vocabulary is padded to a multiple of this times the tensor-parallel degree",
        _POSITIVE,
        None,
        "128",
    ),
    (
        "q_rank",
        "r_q",
        "rank of the compressed queries of MLA; 0 if they are not compressed",
        _COUNT,
        0,
        "1536",
    ),
    ("kv_rank", "r_kv", "rank of the compressed keys and values of MLA", _POSITIVE, None, "512"),
    (
        "nope_head_dim",
        "d_nope",
        "size of a query or key head of MLA without its rotary part",
        _POSITIVE,
        None,
        "128",
    ),
    (
        "rope_head_dim",
        "d_rope",
        "size of the rotary part of a query or key head of MLA",
        _POSITIVE,
        None,
        "64",
    ),
    ("value_head_dim", "d_v", "size of a value head of MLA", _POSITIVE, None, "128"),
    ("experts", "E", "routed experts of an MoE layer; 0 for a dense model", _COUNT, 0, "256"),
    ("experts_per_token", "k", "routed experts that work on a token", _POSITIVE, None, "8"),
    ("expert_ffn", "f_e", "width of one routed expert", _POSITIVE, None, "2048"),
    (
        "shared_experts",
        "E_s",
        "shared experts of an MoE layer, which work on every token",
        _COUNT,
        0,
        "1",
    ),
    ("dense_layers", "L_dense", "layers of an MoE model that have no experts", _COUNT, 0, "3"),
):
    _declare(
        f"model.{_name}",
        _meaning,
        letter=_letter,
        domain=_domain,
        example=_example,
        default=None if _least is None else number(_least),
    )
_declare(
    "model.other_parameters",
    "parameters outside the pattern of the layers",
    "param",
    letter="P_other",
    domain=_COUNT,
    default=number(0, "param"),
    bare=True,
    example="0",
)

for _name, _letter, _meaning in (
    ("query_width", "w_q", "width of all queries"),
    ("kv_width", "w_kv", "width of all keys, and of all values"),
    ("padded_vocabulary", "V_pad", "rows of the embedding, padding included"),
):
    _declare(f"model.{_name}", _meaning, letter=_letter, domain=_POSITIVE)
_declare(
    "model.shared_ffn",
    "width of the shared experts of a layer together",
    letter="f_s",
    domain=_COUNT,
    statable=True,
    example="2048",
)
_declare("model.moe_layers", "layers with experts", letter="L_moe", domain=_COUNT)
for _name, _letter, _meaning in (
    ("norm_parameters", "P_norm", "one norm"),
    ("attention_parameters", "P_attn", "attention of one layer"),
    ("mlp_parameters", "P_mlp", "the feed-forward block of a dense layer"),
    ("expert_parameters", "P_expert", "one routed expert"),
    ("shared_parameters", "P_shared", "the shared experts of a layer"),
    ("router_parameters", "P_router", "the router of a layer"),
    ("layer_parameters", "P_layer", "one dense layer"),
    ("moe_layer_parameters", "P_moe", "one layer with experts"),
    ("embedding_parameters", "P_emb", "the embedding, learned positions included"),
    ("head_parameters", "P_head", "the head, beyond what it shares with the embedding"),
    ("output_parameters", "P_out", "the head, a copy of the embedding where the two are tied"),
):
    _declare(f"model.{_name}", f"parameters of {_meaning}", "param", letter=_letter, domain=_COUNT, bare=True)
_declare(
    "model.active_parameters",
    "parameters that work on a token: all but the experts that are not chosen",
    "param",
    letter="P_active",
    domain=_POSITIVE,
    bare=True,
    statable=True,
    example="37e9",
)
_declare(
    "model.non_embedding_parameters",
    "parameters without the embedding and the head",
    "param",
    letter="P_body",
    domain=_COUNT,
    bare=True,
)
