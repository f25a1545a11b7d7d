"""The moments of a step that may be its peak: at the head, in the loss, in a block, at the end."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Compare, Expr, Logic, Text, call, equal, number, symbol, when
from solvers.relation import RELATIONS, Reasons, Relation
from solvers.relations.activations import SPLIT_SEQUENCE
from solvers.relations.activations_model import LAST
from solvers.relations.activations_model import NO_LOSS as _NO_LOSS
from solvers.relations.state import KEPT_WHOLE
from solvers.relations.transient import ADDED_AT_ONCE, RESHARD, SHARDED_WEIGHTS
from solvers.sources_memory import FSDP2_MEMORY

_declare = CATALOGUE.declare

_declare(
    "transient.gradients_freed",
    "whether gradients are freed after the step (zero_grad with set_to_none) and so "
    "are absent in the next forward pass",
    letter="gradients_freed",
    choices=("true", "false"),
    default=Text("true"),
    example="false",
)
for _name, _letter, _meaning in (
    ("gradients_before", "G_before", "gradients that are there before the last backward pass"),
    ("resident", "resident", "weights, optimizer state and buckets, which stay through the step"),
    ("layers_kept", "kept_layers", "activations of the layers, which a backward pass begins with"),
    ("block_kept", "kept_block", "what one block keeps of that"),
    ("block", "block", "activations that are left when the last but one block goes back"),
    ("staying", "staying", "gathered weights that stay from the forward to the backward pass"),
    ("loss_forward", "loss_forward", "copies of the logits at the end of the forward pass"),
    ("unit_at_work", "at_work", "what the backward pass of one unit needs beside activations and its own gradients"),
    ("logits", "narrow_logits", "logits in the precision of the head, before the loss makes them fp32"),
    ("head", "head", "what the head makes of its input: logits, and what gathers them"),
    ("head_weights", "head_weights", "gathered weights while the head is at work"),
    ("gathered_again", "again", "what the backward pass begins with where the root's weights were freed"),
    ("reductions", "reductions", "gradients that wait for their reduction, and the one that is under way"),
):
    _declare(f"transient.{_name}_per_gpu", f"{_meaning}, on one GPU", "GB", letter=_letter, domain="non-negative")
_declare(
    "transient.embedding_gradient",
    "how tensor ranks make the embedding's gradient: each its own rows (rows, as Megatron does), or the whole matrix, "
    "which is shared out afterwards (whole, as PyTorch's row-wise embedding does)",
    letter="embedding_gradient",
    choices=("rows", "whole"),
    default=Text("rows"),
    example="whole",
)
_declare(
    "transient.root",
    "whether the root's gathered weights stay from the forward to the backward pass (stays, as fully_shard leaves the "
    "root unless told otherwise) or are freed and gathered again (freed)",
    letter="root_kept",
    choices=("stays", "freed"),
    default=Text("stays"),
    example="freed",
)
_declare(
    "transient.embedding_end_per_gpu",
    "what the end of the backward pass, the embedding's gradient, needs beside the reduced gradients, on one GPU",
    "GB",
    letter="embedding_end",
    domain="any",
)
_declare(
    "transient.root_end_per_gpu",
    "what the reduction of the root's gradients needs beside the reduced ones, on one GPU",
    "GB",
    letter="root_end",
    domain="any",
)


def _q(name: str) -> Expr:
    return symbol(f"memory.{name}_per_gpu")


def _x(name: str) -> Expr:
    return symbol(f"transient.{name}_per_gpu")


_NOTHING: Final = number(0, "B")
_LOSS: Final = _q("loss")
_INPUT: Final = symbol("activation.layer_input")
_AGAIN: Final = symbol("activation.recomputed_per_gpu")
EARLIER: Final = Logic(
    "or",
    (
        symbol("batch.accumulation") > 1,
        equal("transient.gradients_freed", Text("false")),
        Logic("and", (equal("layout.zero", 0), equal("transient.bucket_view", Text("true")))),
    ),
)
_FREED: Final = equal("transient.root", Text("freed"))
_IS_KEPT: Final = (
    SHARDED_WEIGHTS,
    EARLIER,
    Logic("not", (KEPT_WHOLE,)),
    Compare(">", symbol("layout.data_ranks"), symbol("layout.shard")),
    equal("layout.replica_sync", Text("each-micro-batch")),
)
OUTPUTS_STAY: Final = Logic("and", _IS_KEPT)
"""What HSDP all-reduces stays until the pass is over; it is a gradient's share unless it was added to one."""
CAST: Final = Logic(
    "and",
    (
        SHARDED_WEIGHTS,
        Logic("or", (Logic("not", (EARLIER,)), KEPT_WHOLE)),
        Compare(">", symbol("layout.data_ranks"), symbol("layout.shard")),
        Compare("!=", symbol("recipe.reduce"), symbol("recipe.gradients")),
    ),
)
"""HSDP makes a gradient's share out of what it all-reduced in another precision, and both stay."""
ADDED: Final = Logic("and", (EARLIER, Logic("not", (OUTPUTS_STAY,))))
"""What is reduced is added to the share that earlier micro-batches left, and gone."""
_WRAPPED: Final[Reasons] = {
    SHARDED_WEIGHTS: ("", ""),
    RESHARD: ("", "every unit stays gathered"),
    _FREED: ("the root's weights are freed too", ""),
}


def _add(name: str, expr: Expr, because: str, reasons: Reasons | None = None) -> None:
    RELATIONS.add(Relation(f"transient.{name}_per_gpu", expr, because, FSDP2_MEMORY, reasons=reasons or {}))


_add(
    "gradients_before",
    when(EARLIER, _q("gradients"), _NOTHING),
    "Gradients of earlier micro-batches are kept; those of the step before are freed.",
    {EARLIER: ("earlier micro-batches, or buckets that stay, have left gradients", "")},
)
_add(
    "resident",
    _q("weights") + _q("optimizer") + _x("buckets"),
    "Weights, optimizer state and buckets stay from step to step.",
)
_add(
    "layers_kept",
    symbol("activation.layers_per_gpu") + symbol("activation.rotary"),
    "What lies outside the layers is gone when the blocks go back.",
)
_UNEVEN: Final = ("pipeline.first_layers", "pipeline.last_layers")
for _stated, _unless, _layers in (
    ((), _UNEVEN, symbol("model.layers") / symbol("layout.pp")),
    *(((name,), (), symbol("pipeline.stage_layers")) for name in _UNEVEN),
):
    _one = symbol("activation.kept_per_micro_batch") / _layers
    for _name, _expr, _because in (
        ("block_kept", _one, "A block's share of the stage."),
        ("block", _AGAIN + call("min", 2, _layers) * _one,
         "What comes back for the last but one block, and what is kept of the last two."),
    ):
        RELATIONS.add(
            Relation(f"transient.{_name}_per_gpu", _expr, _because, FSDP2_MEMORY, stated=_stated, unless=_unless)
        )  # fmt: skip
_add(
    "unit_at_work",
    when(SHARDED_WEIGHTS, _x("root_weights") + symbol("transient.units") * _x("unit_weights"), _NOTHING)
    + _x("reductions"),
    "The unit's weights, the next one's and the root's; what waits for its reduction.",
    {SHARDED_WEIGHTS: ("", "")},
)
_add(
    "reductions",
    _x("reduce_buffer") + _x("head_gradients"),
    "The reduce-scatter of the block before; the head's gradient, which waits for the root's turn.",
)
_add(
    "staying",
    when(SHARDED_WEIGHTS, when(RESHARD, when(_FREED, _NOTHING, _x("root_weights")), _x("gathered")), _NOTHING),
    "The root's own weights stay gathered from its forward to its backward pass, unless they are freed too.",
    _WRAPPED,
)
_ANOTHER: Final = Logic(
    "and",
    (
        Logic("not", (equal("activation.loss_copies", 0),)),
        LAST,
        Compare("!=", symbol("batch.activation_bytes"), symbol("activation.logit_bytes")),
    ),
)
_add(
    "loss_forward",
    call("max", _NOTHING, _LOSS - when(_NO_LOSS, _NOTHING, when(LAST, _q("logits"), _NOTHING)))
    + when(_ANOTHER, _q("logits") * symbol("batch.activation_bytes") / symbol("activation.logit_bytes"), _NOTHING),
    "In the forward pass there is no gradient of the logits yet, but what the head gave before it was made fp32.",
    {_NO_LOSS: ("", ""), LAST: ("", ""), _ANOTHER: ("", "")},
)
_g, _r, _t = symbol("recipe.gather"), symbol("recipe.reduce"), symbol("layout.tp")
_LAST: Final[Reasons] = {_NO_LOSS: ("", ""), LAST: ("", "")}
_add(
    "logits",
    when(
        _NO_LOSS,
        _NOTHING,
        when(LAST, _q("logits") * symbol("batch.activation_bytes") / symbol("activation.logit_bytes"), _NOTHING),
    ),
    "The head computes as the blocks do.",
    _LAST,
)
_PUT_TOGETHER: Final = Logic("and", (equal("activation.vocabulary_parallel", Text("false")), _t > 1))
_SHARE: Final = Logic("and", (_PUT_TOGETHER, SPLIT_SEQUENCE))
_add(
    "head",
    _x("logits") * when(_PUT_TOGETHER, 2 + 1 / _t, 1) + when(_SHARE, _INPUT, _NOTHING),
    "Where tensor ranks gather the logits: a rank's own part, what is gathered, what is put together of it, and its "
    "share of what the head was given.",
    {_PUT_TOGETHER: ("", ""), _SHARE: ("", "")},
)
_add(
    "head_weights",
    when(RESHARD, when(SHARDED_WEIGHTS, _x("root_weights"), _NOTHING), _x("gathered")),
    "The root's weights, or all where they stay.",
    {SHARDED_WEIGHTS: ("", ""), RESHARD: ("", "every unit stays gathered")},
)
_GATHERS_AGAIN: Final = Logic("and", (SHARDED_WEIGHTS, RESHARD, _FREED))
_add(
    "gathered_again",
    when(_GATHERS_AGAIN, 2 * _x("root_weights") + _x("logits"), _NOTHING),
    "The root's weights are copied out of their buffer, beside the gradient of the logits.",
    {_GATHERS_AGAIN: ("", "the root's weights are still there")},
)
_ROOT: Final = symbol("transient.root_parameters")
# The root is reduced last: its share is new, unless earlier micro-batches have left one, to which it is added.
_NOT_YET: Final = when(ADDED, _NOTHING, _ROOT * symbol("recipe.gradients") / (_t * symbol("layout.shard")))
_MADE_WHOLE: Final = Logic(
    "and", (equal("transient.embedding_gradient", Text("whole")), SHARDED_WEIGHTS, _t > 1, equal("pipeline.stage", 1))
)
_EMBEDDING: Final = symbol("model.vocabulary") * symbol("model.hidden") * number(1, "param") * _g
_ADDED: Final = ("its share is there, and what is reduced is added to it", "")
_KEPT_SAYS: Final = ("the root's gradients were kept whole, and are counted as such", "")
_add(
    "embedding_end",
    when(
        _MADE_WHOLE,
        _x("root_weights") + _x("reductions") + _EMBEDDING * (1 + number(1) / _t) - _NOT_YET,
        when(
            SHARDED_WEIGHTS,
            _x("root_weights")
            + when(ADDED_AT_ONCE, call("min", _EMBEDDING / _t, _x("root_weights")), _x("root_weights") - _NOT_YET)
            + _x("reduce_buffer")
            + _INPUT,
            _NOTHING,
        ),
    ),
    "The root's weights and its gradients, and the last block's reduction; the root is not reduced yet.",
    {
        _MADE_WHOLE: ("each tensor rank makes the gradient of every row, and then takes its own", ""),
        SHARDED_WEIGHTS: ("", ""),
        ADDED_AT_ONCE: _KEPT_SAYS,
        ADDED: _ADDED,
    },
)
_add(
    "root_end",
    when(
        SHARDED_WEIGHTS,
        _x("root_weights") * _r / _g + when(KEPT_WHOLE, _NOTHING, _x("root_weights") - _NOT_YET),
        _NOTHING,
    ),
    "The root's gradients are copied into the buffer of their reduction.",
    {SHARDED_WEIGHTS: ("", ""), KEPT_WHOLE: _KEPT_SAYS, ADDED: _ADDED},
)
