"""Activations of one layer: what one micro-batch leaves for the backward pass, tensor by tensor, on one GPU.

Four blocks are counted, each by its own list of saved tensors. `gpt` is the block of the selective-recompute
paper, whose sum is s·b·h·34 + 5·a·s²·b; the three `llama` blocks differ in what their kernels keep.
"""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Compare, Expr, Logic, Text, call, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Reasons, Relation, Slip, Source
from solvers.sources import DEFINITION, RING_ATTENTION
from solvers.sources_memory import PAPER, SAVED_TENSORS

_declare = CATALOGUE.declare

_declare(
    "activation.block",
    "whose tensors are counted: gpt (LayerNorm, GELU of 4 h, dropout; the paper's 34 s b h), "
    "llama (fused RMSNorm, gated MLP, no dropout), llama-fused (its SwiGLU recomputed in one kernel), "
    "llama-transformers (RMSNorm through fp32 copies) or llama-modules (PyTorch's own RMSNorm and tensor-parallel "
    "modules without fused kernels, keys and values copied out to every query head)",
    letter="block",
    choices=("gpt", "llama", "llama-fused", "llama-transformers", "llama-modules"),
    example="llama",
)
GPT: Final = equal("activation.block", Text("gpt"))
FUSED: Final = equal("activation.block", Text("llama-fused"))
COPIES: Final = equal("activation.block", Text("llama-transformers"))
MODULES: Final = equal("activation.block", Text("llama-modules"))
_declare(
    "activation.attention",
    "whether the attention scores are kept (scores) or never written (flash)",
    letter="attention_kernel",
    choices=("flash", "scores"),
    default=when(GPT, Text("scores"), Text("flash")),
    example="flash",
)
SCORES: Final = equal("activation.attention", Text("scores"))
_declare(
    "activation.mask_bytes",
    "bytes of one element of a dropout mask; 0 without dropout",
    "B",
    letter="b_mask",
    domain="non-negative",
    default=number(1, "B"),
    example="1 B",
)
_declare(
    "activation.small",
    "whether the statistics of norms and of flash attention are counted too",
    letter="small_tensors",
    choices=("counted", "left-out"),
    default=when(GPT, Text("left-out"), Text("counted")),
    example="counted",
)
SMALL: Final = equal("activation.small", Text("counted"))
_declare(
    "activation.statistic_bytes",
    "bytes of one statistic of a norm",
    "B",
    letter="b_stat",
    default=number(4, "B"),
    example="4 B",
)
_declare("activation.tokens", "tokens of one micro-batch on one context rank", letter="T")
_declare("activation.keys", "tokens of one sequence, each of which meets every other in attention", letter="s")
for _name, _letter, _meaning in (
    ("norms", "norms", "inputs of the two norms"),
    ("inputs", "inputs", "inputs of the first projections of attention and of the MLP"),
    ("queries", "queries", "queries, keys and values"),
    ("context", "context", "output of attention"),
    ("scores", "scores", "attention scores: softmax, its dropout mask, what is multiplied with the values"),
    ("mlp", "MLP", "what the MLP keeps inside"),
    ("masks", "masks", "dropout masks behind attention and MLP"),
    ("statistics", "statistics", "statistics of norms and of flash attention"),
):
    _declare(
        f"activation.{_name}",
        f"{_meaning}, of one layer and micro-batch on one GPU",
        "MB",
        letter=_letter,
        domain="non-negative",
    )
_declare(
    "activation.layer", "activations of one layer and micro-batch on one GPU, nothing recomputed", "MB", letter="layer"
)
_declare("activation.layer_input", "input of one layer, of one micro-batch on one GPU", "MB", letter="input")
_declare(
    "activation.rotary",
    "cosines and sines of the positions, shared by all layers",
    "MB",
    letter="rotary",
    domain="non-negative",
)
_declare(
    "activation.per_width",
    "what one layer keeps, with the rotary tables, over tokens times width",
    "B",
    letter="per_sbh",
)

_h, _T = symbol("model.hidden"), symbol("activation.tokens")
_t, _c = symbol("layout.tp"), symbol("layout.cp")
_b: Final = symbol("batch.activation_bytes")
_MASK: Final = symbol("activation.mask_bytes")
_STAT: Final = symbol("activation.statistic_bytes")
_NOTHING: Final = number(0, "B")
_FP32: Final = number(4, "B")
SPLIT_SEQUENCE: Final = equal("layout.sequence_parallel", Text("true"))
SPLIT: Final = when(SPLIT_SEQUENCE, _t, 1)
_DROPOUT: Final = Compare(">", _MASK, _NOTHING)
NORM_BYTES: Final = when(MODULES, 2 * _FP32, when(COPIES, _FP32 + _b, _b))
SPLIT_INPUTS: Final = when(MODULES, 1, SPLIT)

LATENT_STATED: Final = ("model.kv_rank",)
"""Then attention is latent, and keeps other tensors (`activations_latent`)."""
_WHOLE: Final[Reasons] = {
    SPLIT_SEQUENCE: (
        "sequence parallelism divides it among the tensor ranks",
        "without sequence parallelism every tensor rank holds it whole",
    )
}
_COPIES: Final[Reasons] = {
    MODULES: ("without a fused kernel a norm keeps its input and the normalised values, both in fp32", ""),
    COPIES: ("a norm written in modules keeps an fp32 copy of its input and the normalised values", ""),
}
_PAPER_BLOCK: Final[Reasons] = {GPT: ("as the paper counts its block", "by the list of the block's own tensors")}
_ONE: Final = (
    "A layer's activations are counted for one micro-batch; weights, buffers that are freed at once and the input of "
    "the loss are no part of them."
)

RELATIONS.add(
    Relation(
        "activation.tokens",
        symbol("batch.sequence") * symbol("batch.micro") / _c,
        "Context parallelism divides the sequence.",
        RING_ATTENTION,
        drops=("token",),
    )
)
RELATIONS.add(
    Relation("activation.keys", symbol("batch.sequence"), "A sequence attends to itself.", DEFINITION, drops=("token",))
)
LAWS.add(
    Law(
        "activation.tokens",
        equal(call("floor", symbol("batch.sequence") / _c) * _c, symbol("batch.sequence")),
        "a context-parallel degree of {layout.cp} does not divide the sequence of {batch.sequence} tokens",
        knows=("batch.sequence", "layout.cp"),
    )
)
_share = _c * symbol("layout.tp")
LAWS.add(
    Law(
        "activation.tokens",
        Logic("or", (equal(symbol("layout.sequence_parallel"), Text("false")),
                     equal(call("floor", symbol("batch.sequence") / _share) * _share, symbol("batch.sequence")))),
        "sequence parallelism divides {batch.sequence} tokens among cp {layout.cp} × tp {layout.tp} ranks, which does "
        "not come out even",
        knows=("batch.sequence", "layout.tp", "layout.sequence_parallel"),
    )
)  # fmt: skip


def _add(  # noqa: PLR0913, PLR0917 - the columns of a relation
    name: str,
    expr: Expr,
    because: str,
    source: Source = SAVED_TENSORS,
    assumptions: tuple[str, ...] = (),
    reasons: Reasons | None = None,
    slips: tuple[Slip, ...] = (),
    unless: tuple[str, ...] = (),
) -> None:
    RELATIONS.add(
        Relation(f"activation.{name}", expr, because, source, assumptions, slips, reasons or {}, unless=unless)
    )


_add(
    "norms",
    2 * _T * _h * NORM_BYTES / SPLIT,
    "A norm needs its input again.",
    reasons={**_WHOLE, **_COPIES},
    unless=("model.qk_norm", "model.norms_per_layer"),
)
_add(
    "inputs",
    2 * _T * _h * _b / SPLIT_INPUTS,
    "Queries, keys and values share one input, gate and up projection another.",
    PAPER,
    (
        (
            "With sequence parallelism each rank keeps its share of a projection's input and gathers it again in the "
            "backward pass, as Megatron does; code that keeps the gathered input needs t times as much for it, as "
            "PyTorch's tensor-parallel modules do (llama-modules)."
        ),
    ),
    {**_WHOLE, MODULES: ("each tensor rank keeps the gathered input", "")},
    unless=("model.norms_per_layer",),
)
_KEYS: Final = symbol("model.kv_width") * call("ceil", symbol("model.kv_heads") / _t) / symbol("model.kv_heads")
_QUERIES: Final = symbol("model.query_width")
_EXPANDED: Final = Logic("or", (MODULES, Logic("and", (COPIES, SCORES))))
_add(
    "queries",
    when(GPT, 3 * _T * _h * _b / _t, _T * _b * (_QUERIES / _t + 2 * when(_EXPANDED, _QUERIES / _t, _KEYS))),
    "Attention needs queries, keys and values again; under GQA keys and values are narrower.",
    PAPER,
    reasons={**_PAPER_BLOCK, _EXPANDED: ("keys and values are copied out to every query head", "")},
    slips=(
        Slip("mha-for-gqa", "Under GQA keys and values are narrower than the queries.", expr=3 * _T * _h * _b / _t),
    ),
    unless=LATENT_STATED,
)
_add(
    "context",
    when(GPT, _T * _h * _b / _t, _T * _QUERIES * _b / _t),
    "The projection behind attention needs its input again, which is what flash attention keeps too.",
    PAPER,
    reasons=_PAPER_BLOCK,
    unless=LATENT_STATED,
)
_add(
    "scores",
    when(
        SCORES,
        symbol("model.query_heads")
        * symbol("activation.keys")
        * _T
        * when(GPT, when(_DROPOUT, 2 * _b + _MASK, _b), when(COPIES, _FP32 + _b, _b))
        / _t,
        _NOTHING,
    ),
    "Every head keeps a score for every pair of tokens.",
    PAPER,
    reasons={
        SCORES: ("the scores are written and kept", "flash attention never writes the scores"),
        GPT: ("softmax, its dropped-out copy and the mask are kept", "there is no dropout"),
        _DROPOUT: ("", "without dropout the softmax alone is kept"),
        COPIES: ("the softmax is kept in fp32 and in the dtype of the model", "the softmax alone is kept"),
    },
    slips=(
        Slip("no-heads", "Every head has its own scores.", expr=symbol("activation.keys") * _T * (2 * _b + _MASK) / _t),
    ),
)
_FFN: Final = symbol("model.ffn")
_add(
    "mlp",
    when(GPT, 2 * _T * (4 * _h) * _b / _t, when(FUSED, 3, 4) * _T * _FFN * _b / _t),
    "The inputs of the activation function and of the last projection are needed again.",
    PAPER,
    (),
    {
        GPT: ("the input of GELU and its output, each 4 h wide", ""),
        FUSED: (
            "gate, up and their product; the kernel computes SiLU again in the backward pass",
            "gate, up, SiLU of the gate, and the product",
        ),
    },
    (
        Slip(
            "two-matrices",
            "A gated MLP keeps gate, up, SiLU of the gate and the product.",
            expr=2 * _T * _FFN * _b / _t,
        ),
    ),
)
_add(
    "masks",
    when(GPT, 2 * _T * _h * _MASK / SPLIT, _NOTHING),
    "Dropout behind attention and behind the MLP keeps a mask.",
    PAPER,
    reasons={GPT: ("", "there is no dropout"), **_WHOLE},
)
_add(
    "statistics",
    when(
        SMALL,
        _T * when(GPT, 4, 2) * _STAT / SPLIT + when(SCORES, _NOTHING, _T * symbol("model.query_heads") * _FP32 / _t),
        _NOTHING,
    ),
    "A norm keeps a scale (LayerNorm a mean too) for each token, flash attention a sum for each head and token.",
    reasons={
        SMALL: ("", "the paper leaves the small tensors out"),
        GPT: ("LayerNorm keeps mean and deviation", ""),
        SCORES: ("", ""),
        **_WHOLE,
    },
    unless=("model.norms_per_layer",),
)

PARTS: Final = ("norms", "inputs", "queries", "context", "scores", "mlp", "masks", "statistics")


def total(names: tuple[str, ...]) -> Expr:
    """The sum of parts of a layer."""
    whole: Expr = symbol(f"activation.{names[0]}")
    for name in names[1:]:
        whole = whole + symbol(f"activation.{name}")
    return whole


_SBH: Final = _T * _h * number(1, "B")
_add(
    "layer",
    total(PARTS),
    "What is kept is added up, tensor by tensor.",
    PAPER,
    (_ONE,),
    slips=(
        Slip(
            "34-sbh",
            "That is the paper's GPT block without its scores, 34 s b h: this block keeps other tensors.",
            expr=34 * _SBH,
            kind="convention",
        ),
        Slip(
            "no-scores",
            "You left out the attention scores, 5 a s² b in the paper's block.",
            set={"activation.attention": Text("flash")},
        ),
        Slip(
            "scores-for-flash", "Flash attention never writes the scores.", set={"activation.attention": Text("scores")}
        ),
        Slip(
            "all-divided",
            "Without sequence parallelism the norms' and projections' inputs and the dropout masks stay "
            "whole: 10 + 24/t, not 34/t.",
            set={"layout.sequence_parallel": Text("true")},
        ),
        Slip(
            "not-divided",
            "Tensor parallelism divides what lies inside attention and MLP.",
            set={"layout.tp": number(1)},
        ),
        Slip("one-byte", "Two bytes an element.", set={"batch.activation_bytes": number(1, "B")}),
    ),
    unless=LATENT_STATED,
)
_add(
    "layer_input",
    _T * _h * _b / SPLIT,
    "A checkpoint keeps the input of what is computed again.",
    PAPER,
    reasons=_WHOLE,
)
_add(
    "rotary",
    when(GPT, _NOTHING, 2 * symbol("activation.keys") * (_QUERIES / symbol("model.query_heads")) * _b / _c),
    "A cosine and a sine for each position and channel of a head.",
    reasons={GPT: ("learned positions need no tables", "")},
    unless=LATENT_STATED,
)
_add(
    "per_width",
    (symbol("activation.layer") + symbol("activation.rotary")) / (_T * _h),
    "Bytes for each token and channel: the number that is compared with 34.",
    DEFINITION,
    ("The rotary tables are counted with the layer here, as hooks on one layer find them.",),
)

LAWS.add(
    Law(
        "activation.block",
        Logic(
            "or",
            (
                equal("activation.block", Text("llama")),
                FUSED,
                Logic("and", (equal("model.experts", 0), equal("model.attention", Text("grouped")))),
            ),
        ),
        "activation.block {activation.block} counts a dense block with grouped attention: experts and latent attention "
        "are counted in llama and llama-fused",
    )
)
LAWS.add(
    Law(
        "activation.block",
        Logic("or", (GPT, equal("model.mlp", Text("gated")))),
        "activation.block {activation.block} has a gated MLP, but model.mlp is {model.mlp}",
        knows=("model.mlp",),
    )
)
