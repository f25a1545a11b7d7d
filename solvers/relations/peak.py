"""The peak of a step by phase: forward, backward, optimizer step; and which of them binds."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Compare, Expr, Logic, Text, call, equal, number, symbol, when
from solvers.relation import RELATIONS, Reasons, Relation, Slip
from solvers.relations.activations_model import LAST
from solvers.relations.activations_model import NO_LOSS as _NO_LOSS
from solvers.relations.transient import RESHARD, SHARDED_WEIGHTS
from solvers.sources import COUNTING
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
_declare(
    "transient.context",
    "memory of the device context and of communication libraries",
    "GB",
    letter="context",
    domain="non-negative",
    default=number(0, "B"),
    example="1.5 GB",
)
_declare(
    "transient.fragmentation",
    "what the allocator holds beyond what is used, as a share of it",
    "%",
    letter="fragmentation",
    domain="non-negative",
    default=number(0),
    example="5 %",
)
for _name, _letter, _meaning in (
    ("gradients_before", "G_before", "gradients that are there before the last backward pass"),
    ("resident", "resident", "weights, optimizer state and buckets, which stay through the step"),
    ("block", "block", "activations that are left when the last but one block goes back"),
    ("staying", "staying", "gathered weights that stay from the forward to the backward pass"),
    ("loss_forward", "loss_forward", "copies of the logits at the end of the forward pass"),
    ("unit_at_work", "at_work", "what the backward pass of one unit needs beside activations and reduced gradients"),
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
    "transient.embedding_end_per_gpu",
    "what the end of the backward pass needs beside the gradients where the embedding's is made whole, on one GPU",
    "GB",
    letter="embedding_end",
    domain="non-negative",
)
for _name, _meaning in (
    ("forward", "peak of the forward pass, the loss included"),
    ("backward", "peak of the backward pass"),
    ("step", "peak of the optimizer's step"),
):
    _declare(f"memory.{_name}_peak_per_gpu", f"{_meaning}, on one GPU", "GB", letter=_name, domain="non-negative")
_declare(
    "memory.peak_per_gpu",
    "peak memory of a step on one GPU, over its phases, allowances included",
    "GB",
    letter="peak",
    domain="non-negative",
)
_declare(
    "memory.peak_margin_per_gpu",
    "capacity left over at the peak; below zero it does not fit",
    "GB",
    letter="peak_margin",
    domain="any",
)


def _q(name: str) -> Expr:
    return symbol(f"memory.{name}_per_gpu")


def _x(name: str) -> Expr:
    return symbol(f"transient.{name}_per_gpu")


_FORWARD, _BACKWARD, _STEP = (symbol(f"memory.{name}_peak_per_gpu") for name in ("forward", "backward", "step"))
_declare(
    "memory.binding_phase",
    "the phase that needs most memory: forward, backward or step",
    letter="phase",
    choices=("forward", "backward", "step"),
    default=when(
        Logic("and", (Compare(">=", _BACKWARD, _FORWARD), Compare(">=", _BACKWARD, _STEP))),
        Text("backward"),
        when(_FORWARD >= _STEP, Text("forward"), Text("step")),
    ),
)

_NOTHING: Final = number(0, "B")
_KEPT: Final = symbol("activation.kept_per_gpu")
_LOSS: Final = _q("loss")
_STAGE_LAYERS: Final = symbol("model.layers") / symbol("layout.pp")
_AGAIN: Final = symbol("activation.recomputed_per_gpu")
_EARLIER: Final = Logic(
    "or",
    (
        symbol("batch.accumulation") > 1,
        equal("transient.gradients_freed", Text("false")),
        Logic("and", (equal("layout.zero", 0), equal("transient.bucket_view", Text("true")))),
    ),
)
_UPPER: Final = (
    "An upper bound by a few per cent: the gradients of a block are counted whole beside all its activations, "
    "though the ones grow as the others go."
)
_WRAPPED: Final[Reasons] = {SHARDED_WEIGHTS: ("", ""), RESHARD: ("", "every unit stays gathered")}


def _add(
    name: str,
    expr: Expr,
    because: str,
    assumptions: tuple[str, ...] = (),
    reasons: Reasons | None = None,
    slips: tuple[Slip, ...] = (),
) -> None:
    RELATIONS.add(Relation(name, expr, because, FSDP2_MEMORY, assumptions, slips, reasons or {}))


_add(
    "transient.gradients_before_per_gpu",
    when(_EARLIER, _q("gradients"), _NOTHING),
    "Gradients of earlier micro-batches are kept; those of the step before are freed.",
    reasons={_EARLIER: ("earlier micro-batches, or buckets that stay, have left gradients", "")},
)
_add(
    "transient.resident_per_gpu",
    _q("weights") + _q("optimizer") + _x("buckets"),
    "Weights, optimizer state and buckets stay from step to step.",
)
_UNEVEN: Final = ("pipeline.first_layers", "pipeline.last_layers")
for _stated, _unless, _layers in (
    ((), _UNEVEN, _STAGE_LAYERS),
    *(((name,), (), symbol("pipeline.stage_layers")) for name in _UNEVEN),
):
    RELATIONS.add(
        Relation(
            "transient.block_per_gpu",
            _AGAIN + call("min", 2, _layers) * (symbol("activation.kept_per_micro_batch") / _layers),
            "What comes back for the last but one block, and what is kept of the last two.",
            FSDP2_MEMORY,
            stated=_stated,
            unless=_unless,
        )
    )
_add(
    "transient.unit_at_work_per_gpu",
    _x("gathered") + _x("unit_gradients") + _x("reduce_buffer") + _x("head_gradients"),
    "The unit's weights and the next one's, its gradients, the reduce-scatter of the one before, the head's gradient.",
)
# A unit is copied out of the buffer that it was gathered into: for a moment it is there twice.
_COPY_OUT: Final = when(SHARDED_WEIGHTS, _x("unit_weights"), _NOTHING)
_ROOT_COPY: Final = when(SHARDED_WEIGHTS, 2 * (_x("root_weights") + _x("unit_weights")), _NOTHING)
_g, _r, _t = symbol("recipe.gather"), symbol("recipe.reduce"), symbol("layout.tp")
_add(
    "transient.staying_per_gpu",
    when(SHARDED_WEIGHTS, when(RESHARD, _x("root_weights"), _x("gathered")), _NOTHING),
    "The root's own weights stay gathered from its forward to its backward pass.",
    reasons=_WRAPPED,
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
    "transient.loss_forward_per_gpu",
    call("max", _NOTHING, _LOSS - when(_NO_LOSS, _NOTHING, when(LAST, _q("logits"), _NOTHING)))
    + when(_ANOTHER, _q("logits") * symbol("batch.activation_bytes") / symbol("activation.logit_bytes"), _NOTHING),
    "In the forward pass there is no gradient of the logits yet, but what the head gave before it was made fp32.",
    reasons={_NO_LOSS: ("", ""), LAST: ("", ""), _ANOTHER: ("", "")},
)
_add(
    "memory.forward_peak_per_gpu",
    _x("resident")
    + _x("gradients_before")
    + call("max", _KEPT + _x("gathered") + _COPY_OUT, _ROOT_COPY, _KEPT + _x("staying") + _x("loss_forward")),
    "At its end the forward pass holds all that the backward pass needs, beside the gathered units or the loss.",
    ("A gathered unit is copied out of its buffer and is there twice for a moment; so is the root at the start.",),
    {SHARDED_WEIGHTS: ("", "")},
)
_SHARDS: Final = symbol("recipe.gradients") / (_t * symbol("layout.shard"))
_LATE: Final = when(
    SHARDED_WEIGHTS, (symbol("transient.root_parameters") + 2 * symbol("transient.unit_parameters")) * _SHARDS, _NOTHING
)
_ROOT_REDUCE: Final = when(
    SHARDED_WEIGHTS, _x("root_weights") * (1 + _r / _g) - symbol("transient.root_parameters") * _SHARDS, _NOTHING
)
_MADE_WHOLE: Final = Logic(
    "and", (equal("transient.embedding_gradient", Text("whole")), SHARDED_WEIGHTS, _t > 1, equal("pipeline.stage", 1))
)
_EMBEDDING: Final = symbol("model.vocabulary") * symbol("model.hidden") * number(1, "param") * _g
_add(
    "transient.embedding_end_per_gpu",
    when(
        _MADE_WHOLE,
        _x("root_weights")
        + _x("head_gradients")
        + _x("reduce_buffer")
        + _EMBEDDING * (1 + number(1) / _t)
        - symbol("transient.root_parameters") * _SHARDS,
        _NOTHING,
    ),
    "The whole gradient, its own rows of it, the head's, and the last block's reduction; the root is not reduced yet.",
    reasons={_MADE_WHOLE: ("each tensor rank makes the gradient of every row", "each tensor rank makes its own rows")},
)
_add(
    "memory.backward_peak_per_gpu",
    _x("resident")
    + call(
        "max",
        _x("gradients_before") + _KEPT + _x("staying") + _LOSS,
        _x("gradients_before") + _KEPT + _AGAIN + _x("unit_at_work"),
        call("max", _x("gradients_before"), _q("gradients") - _LATE) + _x("block") + _x("unit_at_work"),
        _q("gradients") + _ROOT_REDUCE,
        _q("gradients") + symbol("transient.embedding_end_per_gpu"),
    ),
    "The largest of its moments: the loss, the first block (all activations), the last block (nearly all gradients), "
    "the embedding's gradient, the root's reduction.",
    (_UPPER, "Activations shrink and gradients grow evenly, so that the middle of the pass is never the peak."),
    {SHARDED_WEIGHTS: ("", "")},
)
_add(
    "memory.step_peak_per_gpu",
    _x("resident") + _q("gradients") + _x("step"),
    "The step holds the whole state and its temporaries; activations and gathered units are gone.",
    slips=(
        Slip(
            "no-temporaries",
            "A foreach step makes temporaries for all parameters that it updates.",
            expr=_x("resident") + _q("gradients"),
        ),
    ),
)
RELATIONS.add(
    Relation(
        "memory.peak_per_gpu",
        call("max", _FORWARD, _BACKWARD, _STEP) * (1 + symbol("transient.fragmentation")) + symbol("transient.context"),
        "The largest phase, what the allocator holds beyond it, and the context.",
        COUNTING,
        ("Allowances for the allocator and the context are 0 unless stated.",),
        (
            Slip("state-only", "That is the state at rest; a step needs more at its peak.", expr=_q("state")),
            Slip(
                "sum-of-all",
                "Not everything is there at once: gradients come as activations go.",
                expr=_q("state") + _q("activations") + _x("gathered") + _x("step"),
            ),
        ),
    )
)
RELATIONS.add(
    Relation(
        "memory.peak_margin_per_gpu",
        symbol("cluster.capacity_per_gpu") - symbol("memory.peak_per_gpu"),
        "The capacity less the peak.",
        COUNTING,
    )
)
