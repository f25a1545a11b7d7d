"""Megatron's own estimates for the first pipeline stage, under its own conventions: activations, and experts' state."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Text, When, call, equal, number, symbol, walk, when
from solvers.relation import RELATIONS, Reasons, Relation, Slip
from solvers.relations.modules import COMPRESSED, GATED, LATENT, MOE_MODEL, SHARED, SHARED_GATE
from solvers.relations.stages import HEAD_TOO
from solvers.sources import MEGATRON_ESTIMATE
from solvers.sources_memory import MEGATRON_THEORY

_declare = CATALOGUE.declare

_declare(
    "memory.megatron_activations_per_gpu",
    "activations of the first pipeline stage on one GPU, as Megatron's report of theoretical memory gives it",
    "GB",
    letter="Megatron_activations",
    domain="non-negative",
)

_T, _h, _L = symbol("activation.tokens"), symbol("model.hidden"), symbol("model.layers")
_t, _p, _v = symbol("layout.tp"), symbol("layout.pp"), symbol("layout.interleave")
_BYTE: Final = number(1, "B")
_SP: Final = equal("layout.sequence_parallel", Text("true"))
_ALONE: Final = equal(_p, 1)
_CHUNKED: Final = _v > 1
_PER_LAYER: Final = when(_SP, 18 + 4 * (symbol("model.ffn") / _h), 10 + number(24) / _t)
_LAYERS: Final = _T * _h * _BYTE * _PER_LAYER * _L
_EMBEDDING: Final = (8 * _T * _p + _T * _h * _p) * _BYTE
_PENALTY: Final = 1 + (_p - 1) / (_p * _v)
_HEAD: Final = _T * _h * 4 * (1 + symbol("model.vocabulary") / _h) * _BYTE
_HEAD_BF16: Final = (_T * symbol("model.vocabulary") / _t + _T * _h) * 2 * _BYTE
_REASONS: Final = {
    _SP: (
        "sequence parallelism divides everything among the tensor ranks",
        "without sequence parallelism the paper's 10 + 24/t holds for a layer, and 5 % is added for buffers",
    ),
    _ALONE: ("the only stage has the head and the loss", "the first stage has no head"),
    _CHUNKED: ("interleaved chunks hold more at once", ""),
}
_CONVENTION: Final = (
    "Megatron's estimate: 18 + 4 f/h bytes a token and channel for a layer (34 for a plain MLP of 4 h), "
    "selective recomputation or flash attention; gating and GQA are not counted apart. All layers are "
    "counted once, as p micro-batches in flight on L/p layers."
)


def _estimate(in_flight: Expr) -> Expr:
    body = (_LAYERS + _EMBEDDING) * when(_CHUNKED, _PENALTY, when(_ALONE, 1, in_flight))
    head = when(_ALONE, when(_SP, _HEAD, _HEAD_BF16), number(0, "B"))
    return (body + head) * when(_SP, 1 / _t, number("1.05"))


_SLIPS: Final = (
    Slip("not-divided", "Tensor ranks divide the activations.", set={"layout.tp": number(1)}),
    Slip("no-interleaving", "Interleaved chunks hold 1 + (p-1)/(p v) times as much.", expr=(_LAYERS + _EMBEDDING) / _t),
    Slip(
        "a-stage-of-layers",
        "A stage has L/p layers, but p micro-batches of them are in flight.",
        expr=(_LAYERS / _p + _EMBEDDING) / _t,
    ),
)
for _factor, _stated, _assumption in (
    (call("min", 1, symbol("batch.accumulation") / _p), ("batch.accumulation",), ()),
    (number(1), (), ("A step has enough micro-batches to fill the pipeline, since none are stated.",)),
):
    RELATIONS.add(
        Relation(
            "memory.megatron_activations_per_gpu",
            _estimate(_factor),
            "What table 2 of the selective-recompute paper gives a layer, for all layers, and for embedding and head.",
            MEGATRON_THEORY,
            (_CONVENTION, *_assumption),
            _SLIPS,
            _REASONS,
            stated=_stated,
        )
    )

# Weights and optimizer of models with experts or latent attention; the plain ones are in `stages`.
_PP, _TP = symbol("layout.pp"), symbol("layout.tp")
_HIDDEN, _NORM = symbol("model.hidden"), symbol("model.norm_parameters")
_E, _MOE_LAYERS = symbol("model.experts"), symbol("model.moe_layers")
_PER_CHANNEL: Final = when(equal("model.norm", Text("layernorm")), 2, 1)
_PARAM: Final = number(1, "param")
_heads, _rope = symbol("model.query_heads"), symbol("model.rope_head_dim")
_LATENT_MATRICES: Final = (
    when(
        COMPRESSED,
        symbol("model.q_rank") * (_HIDDEN + _heads * (symbol("model.nope_head_dim") + _rope) + _PER_CHANNEL),
        _HIDDEN * _heads * (symbol("model.nope_head_dim") + _rope),
    )
    + symbol("model.kv_rank")
    * (_HIDDEN + _heads * (symbol("model.nope_head_dim") + symbol("model.value_head_dim")) + _PER_CHANNEL)
    + _HIDDEN * _rope
    + _heads * symbol("model.value_head_dim") * _HIDDEN
)
_ATTENTION: Final = when(
    LATENT, _LATENT_MATRICES, 2 * _HIDDEN * symbol("model.query_width") + 2 * _HIDDEN * symbol("model.kv_width")
)


def _block(width: Expr) -> Expr:
    return when(GATED, 3, 2) * _HIDDEN * width


_DENSE_LAYERS: Final = _L - _MOE_LAYERS
_HAS_DENSE: Final = _DENSE_LAYERS > 0
_DIVIDED: Final = (
    _L * _ATTENTION
    + when(_HAS_DENSE, _DENSE_LAYERS * _block(symbol("model.ffn")), 0)
    + when(SHARED, _MOE_LAYERS * _block(symbol("model.shared_ffn")), 0)
)
_GATES: Final = _MOE_LAYERS * (_HIDDEN * _E + when(SHARED_GATE, _HIDDEN, 0))
_EMBEDDINGS: Final = when(HEAD_TOO, 2, 1) * symbol("model.padded_vocabulary") * _HIDDEN / _TP * _PARAM
_PLAIN_PART: Final = (_DIVIDED / _TP * _PARAM + _GATES * _PARAM + (2 * _L + 1) * _NORM) / _PP + _EMBEDDINGS
_EXPERT_PART: Final = (
    when(MOE_MODEL, _MOE_LAYERS * _E * _block(symbol("model.expert_ffn")), 0)
    / (_PP * symbol("layout.expert_tp") * symbol("layout.ep"))
    * _PARAM
)
_EXPERT_CONVENTION: Final = (
    "As the estimate does: no linear biases, no learned positions, no bias of the router; norms, router and gate whole "
    "on every rank, the final norm divided over the stages, layers with experts spread evenly over them."
)
_CASES: Final[Reasons] = {
    LATENT: ("MLA, with its norms divided too", ""),
    COMPRESSED: ("", ""),
    GATED: ("gate, up and down: three matrices", "up and down: two matrices"),
    _HAS_DENSE: ("", ""),
    SHARED: ("", ""),
    SHARED_GATE: ("", ""),
    HEAD_TOO: ("the only stage has a head of its own too", ""),
    MOE_MODEL: ("", ""),
    equal("model.norm", Text("layernorm")): ("", ""),
}


def _why(expr: Expr) -> Reasons:
    asked = {node.condition for node in walk(expr) if isinstance(node, When)}
    return {condition: said for condition, said in _CASES.items() if condition in asked}


_STATE: Final = _PLAIN_PART * symbol("memory.bytes_per_parameter_per_gpu") + when(
    MOE_MODEL, _EXPERT_PART * symbol("memory.expert_bytes_per_parameter_per_gpu"), number(0, "B")
)
for _name in ("model.experts", "model.kv_rank"):
    for _target, _expr, _because in (
        ("stage.megatron_per_gpu", _PLAIN_PART + _EXPERT_PART, ("The first stage: its part of the layers, of the "
         "experts and norms, and the embedding.")),
        ("stage.megatron_state_per_gpu", _STATE, ("6 + 12/d bytes a parameter with the distributed optimizer, 18 "
         "without; an expert's is divided among the ranks that hold it.")),
    ):  # fmt: skip
        RELATIONS.add(
            Relation(
                _target,
                _expr,
                _because,
                MEGATRON_ESTIMATE,
                (_EXPERT_CONVENTION,),
                reasons=_why(_expr),
                stated=(_name,),
            )
        )
