"""Activations of latent attention (MLA), and of norms beyond the two of a plain layer."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Text, call, equal, number, symbol, when
from solvers.relation import RELATIONS, Reasons, Relation, Slip
from solvers.relations.activations import (
    COPIES,
    GPT,
    LATENT_STATED,
    MODULES,
    NORM_BYTES,
    PARTS,
    SCORES,
    SMALL,
    SPLIT,
    SPLIT_INPUTS,
    SPLIT_SEQUENCE,
    total,
)
from solvers.relations.modules import COMPRESSED
from solvers.sources import DEEPSEEK_V2
from solvers.sources_memory import PAPER, SAVED_TENSORS

_declare = CATALOGUE.declare
_declare("activation.latents", "compressed queries, keys and values of MLA, before and behind their norms, of one "
         "layer and micro-batch on one GPU", "MB", letter="latents", domain="non-negative")  # fmt: skip

_T, _h, _t = symbol("activation.tokens"), symbol("model.hidden"), symbol("layout.tp")
_b: Final = symbol("batch.activation_bytes")
_HEADS, _GROUPS, _D = symbol("model.query_heads"), symbol("model.kv_heads"), symbol("model.head_dim")
_WHOLE_HEAD: Final = symbol("model.nope_head_dim") + symbol("model.rope_head_dim")
_VALUES: Final = symbol("model.value_head_dim")
_NOTHING: Final = number(0, "B")
_SHARED: Final[Reasons] = {
    SPLIT_SEQUENCE: ("sequence parallelism divides it among the tensor ranks",
                     "without sequence parallelism every tensor rank holds it whole"),
}  # fmt: skip
_WRITTEN_OUT: Final = "Keys and values are written out for every head in training, and kept so for the backward pass."


def _latent(name: str, expr: Expr, because: str, assumptions: tuple[str, ...] = (), reasons: Reasons | None = None,
            slips: tuple[Slip, ...] = ()) -> None:  # fmt: skip
    RELATIONS.add(Relation(f"activation.{name}", expr, because, DEEPSEEK_V2, assumptions, slips, reasons or {},
                           stated=LATENT_STATED))  # fmt: skip


_latent(
    "latents",
    2 * _T * (symbol("model.kv_rank") + when(COMPRESSED, symbol("model.q_rank"), 0)) * _b / SPLIT,
    "The norm of a compressed vector keeps what goes in, and the projection behind it what comes out.",
    reasons={COMPRESSED: ("queries are compressed too", "queries are not compressed"), **_SHARED},
)
_latent(
    "queries",
    _T * _HEADS * (2 * _WHOLE_HEAD + _VALUES) * _b / _t,
    "Attention needs queries, keys and values of every head again.",
    (_WRITTEN_OUT,),
    slips=(Slip("compressed-only", "Attention works on keys and values of every head, not on the compressed vector.",
                expr=_T * (_HEADS * _WHOLE_HEAD / _t + symbol("model.kv_rank") + symbol("model.rope_head_dim"))
                * _b),),
)  # fmt: skip
_latent("context", _T * _HEADS * _VALUES * _b / _t, "The projection behind attention needs its input again.")
_latent(
    "rotary",
    2 * symbol("activation.keys") * symbol("model.rope_head_dim") * _b / symbol("layout.cp"),
    "A cosine and a sine for each position and channel of the rotary part.",
)
_latent("layer", total((*PARTS, "latents")), "What is kept is added up, tensor by tensor.",
        (("A layer's activations are counted for one micro-batch; weights, buffers that are freed at once and the "
         "input of the loss are no part of them."),))  # fmt: skip

# Norms on queries and keys, and a number of norms of its own.
_PER_HEAD: Final = equal("model.qk_norm", Text("per-head"))
_NO_NORM: Final = equal("model.qk_norm", Text("none"))
_ON_HEADS: Final = _T * (_HEADS + _GROUPS) * _D * NORM_BYTES / _t
_SCALES: Final = when(
    SMALL, _T * when(_PER_HEAD, (_HEADS + _GROUPS) / _t, 2) * symbol("activation.statistic_bytes"), _NOTHING
)
_QK: Final = when(_NO_NORM, _NOTHING, _ON_HEADS + _SCALES)
_QK_REASONS: Final[Reasons] = {
    _NO_NORM: ("", "the norms of queries and keys need what goes in, and a scale each"),
    _PER_HEAD: ("", ""),
    SMALL: ("", ""),
}
_FP32: Final[Reasons] = {
    MODULES: ("without a fused kernel a norm keeps its input and the normalised values, both in fp32", ""),
    COPIES: ("a norm written in modules keeps an fp32 copy of its input and the normalised values", "")
}
for _stated, _norms, _more in (
    (("model.qk_norm", "model.norms_per_layer"), symbol("model.norms_per_layer"), _QK),
    (("model.qk_norm",), number(2), _QK),
    (("model.norms_per_layer",), symbol("model.norms_per_layer"), None),
):
    _each = _norms * _T * _h * NORM_BYTES / SPLIT
    RELATIONS.add(
        Relation(
            "activation.norms",
            _each if _more is None else _each + _more,
            "A norm needs its input again.",
            PAPER if _more is None else SAVED_TENSORS,
            reasons={**_SHARED, **_FP32, **({} if _more is None else _QK_REASONS)},
            stated=_stated,
        )
    )
RELATIONS.add(
    Relation(
        "activation.inputs",
        call("min", 2, symbol("model.norms_per_layer")) * _T * _h * _b / SPLIT_INPUTS,
        "Queries, keys and values share one input, gate and up projection another; side by side all share one.",
        PAPER,
        reasons={**_SHARED, MODULES: ("each tensor rank keeps the gathered input", "")},
        stated=("model.norms_per_layer",),
    )
)
RELATIONS.add(
    Relation(
        "activation.statistics",
        when(
            SMALL,
            symbol("model.norms_per_layer") * _T * when(GPT, 2, 1) * symbol("activation.statistic_bytes") / SPLIT
            + when(SCORES, _NOTHING, _T * _HEADS * number(4, "B") / _t),
            _NOTHING,
        ),
        "A norm keeps a scale (LayerNorm a mean too) for each token, flash attention a sum for each head and token.",
        SAVED_TENSORS,
        reasons={
            SMALL: ("", "the paper leaves the small tensors out"),
            GPT: ("LayerNorm keeps mean and deviation", ""),
            SCORES: ("", ""),
            **_SHARED,
        },
        stated=("model.norms_per_layer",),
    )
)
