"""Megatron's own estimate of activation memory on the first pipeline stage, under its own conventions."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Text, call, equal, number, symbol, when
from solvers.relation import RELATIONS, Relation, Slip
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
