"""Activations of a GPU: its layers, the micro-batches in flight, recomputation, and the loss."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Compare, Text, call, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.relations.activations import COPIES, GPT, MODULES, NORM_BYTES, SPLIT, SPLIT_INPUTS, SPLIT_SEQUENCE
from solvers.sources import COUNTING
from solvers.sources_memory import CROSS_ENTROPY, PAPER, PAPER_PIPELINE

_declare = CATALOGUE.declare

_declare(
    "compute.recompute_layers",
    "layers that are recomputed at a time, from one checkpoint (with compute.recompute = full)",
    letter="k",
    domain="positive integer",
    default=number(1),
    example="2",
)
_declare(
    "activation.kept_per_micro_batch",
    "activations that a stage keeps of one micro-batch, on one GPU",
    "GB",
    letter="kept_micro",
    domain="non-negative",
)
_declare(
    "activation.layers_per_gpu",
    "activations of its layers that a GPU keeps, over all micro-batches in flight",
    "GB",
    letter="layers_kept",
    domain="non-negative",
)
_declare(
    "activation.ends_per_gpu",
    "activations outside the layers: embedding, last norm, input of the head",
    "GB",
    letter="ends",
    domain="non-negative",
)
_declare(
    "activation.kept_per_gpu",
    "activations that a GPU keeps from the forward to the backward pass",
    "GB",
    letter="kept",
    domain="non-negative",
)
_declare(
    "activation.recomputed_per_gpu",
    "activations that recomputation brings back at a time",
    "GB",
    letter="recomputed",
    domain="non-negative",
)
_declare(
    "activation.logit_bytes",
    "bytes of one logit in the loss",
    "B",
    letter="b_logit",
    default=number(4, "B"),
    example="4 B",
)
_declare(
    "activation.loss_copies",
    "copies of the logits that live at once in the loss: logits, log-probabilities, gradient",
    letter="copies",
    domain="non-negative integer",
    default=number(3),
    example="3",
)
_declare(
    "activation.loss_chunk",
    "tokens whose loss is computed at a time",
    letter="chunk",
    domain="positive integer",
    default=symbol("activation.tokens"),
    example="1024",
)
_declare(
    "activation.vocabulary_parallel",
    "whether tensor ranks divide the vocabulary in the loss",
    letter="vocabulary_parallel",
    choices=("true", "false"),
    default=Text("true"),
    example="true",
)
_declare(
    "memory.logits_per_gpu",
    "one copy of the logits of a micro-batch, or of a chunk of it",
    "GB",
    letter="logits",
    domain="non-negative",
)
_declare(
    "memory.loss_per_gpu", "copies of the logits that live at once on a GPU", "GB", letter="loss", domain="non-negative"
)

_h, _T, _t = symbol("model.hidden"), symbol("activation.tokens"), symbol("layout.tp")
_b, _L = symbol("batch.activation_bytes"), symbol("model.layers")
_p, _v, _k = symbol("layout.pp"), symbol("layout.interleave"), symbol("compute.recompute_layers")
_stage: Final = symbol("pipeline.stage")
_NOTHING: Final = number(0, "B")
NONE: Final = equal("compute.recompute", Text("none"))
FULL: Final = equal("compute.recompute", Text("full"))
LAST: Final = equal(_stage, _p)
_FIRST: Final = equal(_stage, 1)
NO_LOSS: Final = equal("activation.loss_copies", 0)
_BY_VOCABULARY: Final = equal("activation.vocabulary_parallel", Text("true"))
_SELECTIVE_SAYS: Final = ("nothing is recomputed", "the attention scores are recomputed, not kept")
_FULL_SAYS: Final = ("only the input of each recomputed block of layers is kept", "")
_WHOLE: Final = {SPLIT_SEQUENCE: ("sequence parallelism divides it among the tensor ranks", "")}
_AT_LAST: Final = {LAST: ("", "only the last stage has the head and the loss")}

OWN_STAGES: Final = ("model.experts", "pipeline.first_layers", "pipeline.last_layers")
"""Then stages and layers are not all alike (`activations_stages`)."""
_LAYER: Final = symbol("activation.layer")
_CHUNK_LAYERS: Final = _L / (_p * _v)
RELATIONS.add(
    Relation(
        "activation.kept_per_micro_batch",
        when(
            FULL,
            _v * call("ceil", _CHUNK_LAYERS / _k) * symbol("activation.layer_input"),
            _L / _p * (_LAYER - when(NONE, _NOTHING, symbol("activation.scores"))),
        ),
        "Of each layer of the stage, what is kept and not recomputed.",
        PAPER,
        reasons={FULL: _FULL_SAYS, NONE: _SELECTIVE_SAYS},
        slips=(
            Slip(
                "input-only-everywhere",
                "That is full recomputation; nothing else recomputes whole layers.",
                set={"compute.recompute": Text("full")},
            ),
            Slip("nothing-recomputed", "What is recomputed is not kept.", set={"compute.recompute": Text("none")}),
        ),
        unless=OWN_STAGES,
    )
)
RELATIONS.add(
    Relation(
        "activation.layers_per_gpu",
        symbol("pipeline.in_flight") * symbol("activation.kept_per_micro_batch"),
        "So much for each micro-batch in flight.",
        PAPER_PIPELINE,
        slips=(
            Slip(
                "one-micro-batch",
                "A pipeline stage holds several micro-batches at once.",
                expr=symbol("activation.kept_per_micro_batch"),
            ),
        ),
    )
)
_ENDS_IN_FLIGHT: Final = symbol("pipeline.head_in_flight")
RELATIONS.add(
    Relation(
        "activation.ends_per_gpu",
        when(
            GPT,
            when(_FIRST, symbol("pipeline.in_flight") * _T * _h * symbol("activation.mask_bytes") / SPLIT, _NOTHING),
            _NOTHING,
        )
        + when(LAST, _ENDS_IN_FLIGHT * _T * _h * (NORM_BYTES / SPLIT + _b / SPLIT_INPUTS), _NOTHING)
        + symbol("activation.rotary"),
        "The embedding's dropout mask on the first stage; the inputs of the last norm and of the head on the last.",
        PAPER_PIPELINE,
        ("Token numbers (8 B each) are left out.",),
        reasons={
            _FIRST: ("", ""),
            GPT: ("", ""),
            **_AT_LAST,
            **_WHOLE,
            COPIES: ("", ""),
            MODULES: ("", ""),
        },
    )
)
RELATIONS.add(
    Relation(
        "activation.kept_per_gpu",
        symbol("activation.layers_per_gpu") + symbol("activation.ends_per_gpu"),
        "The layers, and what lies before and behind them.",
        COUNTING,
    )
)
RELATIONS.add(
    Relation(
        "activation.recomputed_per_gpu",
        when(NONE, _NOTHING, when(FULL, call("min", _k, _CHUNK_LAYERS) * _LAYER, symbol("activation.scores"))),
        "What is recomputed lives for one block and one micro-batch at a time.",
        PAPER,
        ("A recomputed block counts all its tensors, its first input too, which is also among the checkpoints.",),
        reasons={NONE: ("nothing is recomputed", ""), FULL: ("a block of layers at a time", "the scores of one layer")},
        unless=OWN_STAGES,
    )
)
_VOCABULARY_SPLIT: Final = when(_BY_VOCABULARY, _t, 1)
RELATIONS.add(
    Relation(
        "memory.logits_per_gpu",
        call("min", symbol("activation.loss_chunk"), _T)
        * symbol("model.vocabulary")
        * symbol("activation.logit_bytes")
        / _VOCABULARY_SPLIT,
        "A logit for each token and each entry of the vocabulary.",
        COUNTING,
        reasons={_BY_VOCABULARY: ("tensor ranks divide the vocabulary", "every tensor rank holds all logits")},
        slips=(
            Slip(
                "bf16-logits",
                "The loss takes its logits in fp32.",
                set={"activation.logit_bytes": number(2, "B")},
                kind="convention",
            ),
        ),
    )
)
RELATIONS.add(
    Relation(
        "memory.loss_per_gpu",
        when(
            NO_LOSS,
            _NOTHING,
            when(
                LAST,
                (symbol("activation.loss_copies") + _ENDS_IN_FLIGHT - 1) * symbol("memory.logits_per_gpu"),
                _NOTHING,
            ),
        ),
        "Logits, log-probabilities and the gradient live at once.",
        CROSS_ENTROPY,
        (
            "Copies of the logits in the loss: where none are stated, logits, log-probabilities and their gradient.",
            "Under GPipe the loss holds one copy of the logits more for each other micro-batch.",
        ),
        (Slip("one-copy", "The loss holds more than one copy of the logits.", expr=symbol("memory.logits_per_gpu")),),
        {NO_LOSS: ("the loss is left out", ""), **_AT_LAST},
    )
)
_ON_TOP: Final = call("max", symbol("activation.recomputed_per_gpu"), symbol("memory.loss_per_gpu"))
RELATIONS.add(
    Relation(
        "memory.activations_per_gpu",
        symbol("activation.kept_per_gpu") + _ON_TOP,
        "What is kept, and on top of it the larger of what is recomputed and of the loss, which do not live at once.",
        PAPER,
        slips=(
            Slip(
                "kept-only",
                "That is what is kept between the passes; the block that is recomputed, or the loss, comes on top.",
                expr=symbol("activation.kept_per_gpu"),
                kind="convention",
            ),
            Slip(
                "layers-only",
                "That is the layers; the loss and the recomputed block come on top.",
                expr=symbol("activation.layers_per_gpu"),
                kind="convention",
            ),
            Slip(
                "one-micro-batch",
                "A pipeline stage holds several micro-batches at once.",
                expr=symbol("activation.kept_per_micro_batch") + _ON_TOP,
            ),
            Slip("nothing-recomputed", "What is recomputed is not kept.", set={"compute.recompute": Text("none")}),
        ),
        stated=("activation.block", "compute.recompute"),
    )
)
LAWS.add(
    Law(
        "compute.recompute_layers",
        equal("compute.recompute", Text("full")),
        "compute.recompute_layers says how many layers are recomputed at a time, which needs compute.recompute = full",
        knows=("compute.recompute_layers",),
    )
)
LAWS.add(
    Law(
        "memory.activations_per_gpu",
        Compare(">", number(0), number(0)),
        "memory.activations_per_gpu is stated, and would follow from activation.block and compute.recompute: leave out "
        "the one or the others",
        knows=("memory.activations_per_gpu", "activation.block"),
    )
)
