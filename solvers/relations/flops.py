"""FLOPs: per token, per step and of a whole training, with the conventions that make published figures differ."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Logic, Text, call, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.sources import DEEPSEEK_V2, DEFINITION, PALM
from solvers.sources_speed import KAPLAN, MEGATRON_FLOPS

_declare = CATALOGUE.declare

_declare("batch.sequences_per_step", "sequences of one optimizer step, over all data-parallel ranks (global batch)",
         letter="B", domain="positive integer", statable=True, example="2048")
_declare("compute.counted", "which parameters are counted: all, or those without the input embedding",
         letter="counted", choices=("all", "without-embedding"), default=Text("all"), example="without-embedding")
_declare("compute.attention", "the products of attention itself: left-out, full (s × s) or causal (half of it)",
         letter="attention", choices=("left-out", "full", "causal"), default=Text("left-out"), example="full")
_declare("compute.embedding_parameters", "parameters of the input embedding, which is looked up and not multiplied",
         "param", letter="P_emb", domain="non-negative integer", bare=True, statable=True, example="525336576")
_declare("compute.parameters", "parameters that each token is multiplied with, as compute.counted says", "param",
         letter="N", domain="positive integer", short=True, bare=True, statable=True, example="37e9")
_declare("compute.attention_width", "width of all query heads together", letter="w", domain="positive integer",
         statable=True, example="8192")
_declare("compute.attention_flops_per_token", "FLOPs of attention itself per token, forward and backward", "FLOP/token",
         letter="F_attention", domain="non-negative")
_declare("compute.attention_share", "FLOPs of attention itself, over those of the parameters", "%",
         letter="attention_share", domain="non-negative")
_declare("compute.flops_per_token", "FLOPs per token that the model needs, forward and backward", "FLOP/token",
         letter="F", statable=True, example="48e9 FLOP/token")
_declare("compute.forward_flops_per_token", "FLOPs per token of the forward pass", "FLOP/token", letter="F_forward")
_declare("compute.hardware_flops_per_token", "FLOPs per token that are computed, recomputation included",
         "FLOP/token", letter="F_hardware")
_declare("compute.step_flops", "FLOPs of one optimizer step that the model needs, over all GPUs", "PFLOP",
         letter="F_step")
_declare("compute.hardware_step_flops", "FLOPs of one optimizer step that are computed, over all GPUs", "PFLOP",
         letter="F_step_hardware")
_declare("compute.gpt_step_flops", "FLOPs of one optimizer step of a GPT with an MLP of 4 h, over all GPUs, computed",
         "PFLOP", letter="F_step")
_declare("compute.training_tokens", "tokens of the whole training", "token", letter="D", domain="positive integer",
         short=True, bare=True, example="15e12")
_declare("compute.training_flops", "FLOPs of the whole training that the model needs", "FLOP", letter="C",
         statable=True, example="3.8e25 FLOP")
_declare("compute.hardware_training_flops", "FLOPs of the whole training that are computed", "FLOP",
         letter="C_hardware")
_declare("compute.steps", "optimizer steps of the whole training", letter="steps", domain="positive integer")

_N, _D = symbol("compute.parameters"), symbol("compute.training_tokens")
_L, _h, _V = symbol("model.layers"), symbol("model.hidden"), symbol("model.vocabulary")
_S: Final = symbol("batch.sequence")
_BODY: Final = equal(symbol("compute.counted"), Text("without-embedding"))
_LEFT_OUT: Final = equal(symbol("compute.attention"), Text("left-out"))
_CAUSAL: Final = equal(symbol("compute.attention"), Text("causal"))
_FULL: Final = equal(symbol("compute.recompute"), Text("full"))
_SELECTIVE: Final = equal(symbol("compute.recompute"), Text("selective"))
_PER_TOKEN: Final = symbol("compute.flops_per_token")

# The global batch: stated as tokens or sequences, it decides the accumulation; else it follows from the parts.
_PARTS: Final = symbol("batch.micro") * symbol("batch.accumulation") * symbol("layout.dp")
RELATIONS.add(Relation(
    "batch.sequences_per_step", symbol("batch.tokens_per_step") / _S,
    "The tokens of a step are so many sequences.", DEFINITION, stated=("batch.tokens_per_step",), drops=("token",),
))
RELATIONS.add(Relation(
    "batch.sequences_per_step", _PARTS,
    "Every data-parallel rank works through its micro-batches.", DEFINITION,
))
RELATIONS.add(Relation(
    "batch.tokens_per_step", symbol("batch.sequences_per_step") * _S,
    "So many sequences of so many tokens.", DEFINITION, stated=("batch.sequences_per_step",),
))
for _stated in ("batch.sequences_per_step", "batch.tokens_per_step"):
    RELATIONS.add(Relation(
        "batch.accumulation", symbol("batch.sequences_per_step") / (symbol("batch.micro") * symbol("layout.dp")),
        "The global batch is divided among the ranks, and on a rank into micro-batches.", DEFINITION,
        stated=(_stated,),
    ))
    LAWS.add(Law(
        _stated, equal(symbol("batch.sequences_per_step"), _PARTS),
        "a global batch of {batch.sequences_per_step} sequences is not micro {batch.micro} × accumulation "
        "{batch.accumulation} × dp {layout.dp}", knows=(_stated,),
    ))

RELATIONS.add(Relation(
    "compute.embedding_parameters", symbol("model.embedding_parameters"),
    "The embedding, with learned positions where the model has them.", DEFINITION,
))
RELATIONS.add(Relation(
    "compute.embedding_parameters", _V * _h * number(1, "param"),
    "A row of the embedding for each entry of the vocabulary.", DEFINITION,
))
RELATIONS.add(Relation(
    "compute.parameters",
    when(_BODY, symbol("model.active_parameters") - symbol("compute.embedding_parameters"),
         symbol("model.active_parameters")),
    "Each parameter is multiplied with each token once; of a mixture of experts only the active ones are.", KAPLAN,
    reasons={_BODY: ("the input embedding is looked up, not multiplied", "")},
    slips=(Slip("total-for-active", "A token meets only the experts that it is sent to, not all parameters.",
                expr=symbol("model.parameters")),),
))
_MLA: Final = ("model.kv_rank",)
RELATIONS.add(Relation(
    "compute.attention_width",
    symbol("model.query_heads")
    * (symbol("model.nope_head_dim") + symbol("model.rope_head_dim") + symbol("model.value_head_dim")) / 2,
    "Scores are products of whole query heads, weighted values of value heads: the mean of the two widths.",
    DEEPSEEK_V2, stated=_MLA,
))
RELATIONS.add(Relation(
    "compute.attention_width", symbol("model.query_heads") * symbol("model.head_dim"),
    "So many heads of that size.", DEFINITION, unless=_MLA,
))
RELATIONS.add(Relation(
    "compute.attention_width", _h, "The heads together are as wide as the residual stream.", DEFINITION,
    ("Query heads together as wide as the residual stream.",), unless=_MLA,
))
RELATIONS.add(Relation(
    "compute.attention_flops_per_token",
    when(_LEFT_OUT, number(0, "FLOP/token"),
         when(_CAUSAL, number(6, "FLOP/token^2"), number(12, "FLOP/token^2")) * _L * symbol("compute.attention_width")
         * _S),
    "Scores and weighted values are two products of width times context, 4 FLOPs forward and 8 backward.", PALM,
    reasons={
        _LEFT_OUT: ("attention itself is left out, as in 6 N D", ""),
        _CAUSAL: ("a token attends to half of the sequence on average", "the whole square of scores is counted"),
    },
    slips=(Slip("causal", "That counts the causal half only.", set={"compute.attention": Text("causal")},
                kind="convention"),
           Slip("full", "That counts the whole square of scores.", set={"compute.attention": Text("full")},
                kind="convention")),
))
RELATIONS.add(Relation(
    "compute.attention_share",
    symbol("compute.attention_flops_per_token") / (number(6, "FLOP/param/token") * _N),
    "Attention grows with the context, the parameters' part does not.", PALM, stated=("compute.attention",),
))
RELATIONS.add(Relation(
    "compute.flops_per_token",
    number(6, "FLOP/param/token") * _N + symbol("compute.attention_flops_per_token"),
    "A parameter costs a multiplication and an addition forward, and twice that backward.", KAPLAN,
    ("Matrix products only; norms, activations and the optimizer are left out.",),
    (
        Slip("forward-only", "That is the forward pass; the backward pass costs twice as much.",
             expr=number(2, "FLOP/param/token") * _N),
        Slip("recomputed", "That counts the recomputed forward pass; the model does not need it.",
             expr=number(8, "FLOP/param/token") * _N, kind="convention"),
        Slip("all-parameters", "That counts the input embedding, which is not multiplied.",
             set={"compute.counted": Text("all")}, kind="convention"),
    ),
))
RELATIONS.add(Relation(
    "compute.forward_flops_per_token", _PER_TOKEN / 3, "Forward is one part of three.", KAPLAN,
    ("Backward costs twice the forward pass.",),
))
RELATIONS.add(Relation(
    "compute.hardware_flops_per_token",
    when(_FULL, number(8) / 6 * _PER_TOKEN,
         when(_SELECTIVE, _PER_TOKEN + symbol("compute.attention_flops_per_token") / 3, _PER_TOKEN)),
    "Full recomputation does the forward pass twice, selective that of attention itself.", MEGATRON_FLOPS,
    ("Under full recomputation the head counts as recomputed with the rest.",),
    reasons={_FULL: ("full recomputation does 8 parts of work for the 6 that the model needs", ""),
             _SELECTIVE: ("the forward part of attention itself, a third of it, is computed again", "")},
))

_TOKENS: Final = symbol("batch.tokens_per_step")
RELATIONS.add(Relation(
    "compute.step_flops", _PER_TOKEN * _TOKENS, "FLOPs per token times the tokens of a step.", DEFINITION,
))
RELATIONS.add(Relation(
    "compute.hardware_step_flops", symbol("compute.hardware_flops_per_token") * _TOKENS,
    "Computed FLOPs per token times the tokens of a step.", DEFINITION,
))
RELATIONS.add(Relation(
    "compute.gpt_step_flops",
    symbol("batch.sequences_per_step") * _S
    * (when(_FULL, number(96, "FLOP/token"), number(72, "FLOP/token")) * _L * _h ** 2
       + when(Logic("or", (_FULL, _SELECTIVE)), number(16, "FLOP/token^2"), number(12, "FLOP/token^2")) * _L * _h * _S
       + number(6, "FLOP/token") * _V * _h),
    "Per token a layer of 12 h² parameters, the scores of attention over s tokens, and once the head.",
    MEGATRON_FLOPS,
    ("GPT block: MLP of 4 h, as many key-value heads as query heads; the square of scores in full.",
     "With recomputation 96 B s l h² (1 + s/(6 h) + V/(16 l h)), without it 72 B s l h² (1 + s/(6 h) + V/(12 l h)).",
     "The head is not recomputed."),
    (
        Slip("no-recompute", "That leaves out the recomputed forward pass.",
             set={"compute.recompute": Text("none")}, kind="convention"),
        Slip("no-attention", "The scores of attention are missing.",
             expr=symbol("batch.sequences_per_step") * _S
             * (when(_FULL, number(96, "FLOP/token"), number(72, "FLOP/token")) * _L * _h ** 2
                + number(6, "FLOP/token") * _V * _h)),
    ),
    reasons={_FULL: ("full recomputation repeats the forward pass of the layers", ""),
             Logic("or", (_FULL, _SELECTIVE)): ("4 more for the scores that are computed again",
                                                "nothing is computed twice")},
    stated=("compute.recompute",),
))
RELATIONS.add(Relation(
    "compute.training_flops", _PER_TOKEN * _D, "FLOPs per token times all tokens.", KAPLAN,
    slips=(Slip("forward-only", "That is the forward pass only.",
                expr=number(2, "FLOP/param/token") * _N * _D),
           Slip("recomputed", "That counts the recomputed forward pass; the model does not need it.",
                expr=number(8, "FLOP/param/token") * _N * _D, kind="convention")),
))
RELATIONS.add(Relation(
    "compute.hardware_training_flops", symbol("compute.hardware_flops_per_token") * _D,
    "Computed FLOPs per token times all tokens.", KAPLAN,
))
RELATIONS.add(Relation(
    "compute.steps", call("ceil", _D / _TOKENS), "All tokens, a step's tokens at a time.", DEFINITION,
))
