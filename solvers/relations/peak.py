"""The peak of a step by phase: forward, backward, optimizer step; and which of them binds."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Compare, Expr, Logic, Text, When, call, number, symbol, walk, when
from solvers.relation import RELATIONS, Reasons, Relation, Slip
from solvers.relations.activations_model import LAST
from solvers.relations.in_flight import ALONE
from solvers.relations.moments import ADDED, CAST, OUTPUTS_STAY
from solvers.relations.state import IN_REDUCTION, KEPT_SAYS, KEPT_WHOLE
from solvers.relations.transient import RESHARD, SHARDED_WEIGHTS
from solvers.sources import COUNTING
from solvers.sources_memory import FSDP2_MEMORY

_declare = CATALOGUE.declare

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
_NO_BYTES: Final = number(0, "B/param")
_REDUCED: Final = (
    _q("gradients")
    * when(IN_REDUCTION, symbol("recipe.gradients") / symbol("recipe.reduce"), 1)
    / when(KEPT_WHOLE, symbol("layout.shard"), 1)
)
_KEPT: Final = symbol("activation.kept_per_gpu")
_LAYERS: Final = _x("layers_kept")
_ONE: Final = _x("block_kept")
_AGAIN: Final = symbol("activation.recomputed_per_gpu")
_INPUT: Final = symbol("activation.layer_input")
_UNIT: Final = when(SHARDED_WEIGHTS, _x("unit_weights"), _NOTHING)
# What HSDP all-reduces of a gradient, in the precision of the reduction.
_OUTPUT: Final = symbol("recipe.reduce") / symbol("recipe.gradients")
_STAYS: Final = when(RESHARD, _NOTHING, _UNIT)
_ROOT_COPY: Final = when(SHARDED_WEIGHTS, 2 * (_x("root_weights") + _x("unit_weights")) + _INPUT, _NOTHING)
_SAYS: Final[Reasons] = {
    SHARDED_WEIGHTS: ("", ""),
    RESHARD: ("", "every unit stays gathered"),
    ALONE: ("", "stages have their own ends"),
    LAST: ("", "only the last stage has the head"),
    OUTPUTS_STAY: ("what replicas have all-reduced stays beside the gradients until the pass is over", ""),
    CAST: ("what replicas have all-reduced stays beside the gradients that are made of it", ""),
    ADDED: ("what is reduced is added to what earlier micro-batches left", ""),
    KEPT_WHOLE: ("gradients that were kept whole over the micro-batches are reduced by now", ""),
    IN_REDUCTION: KEPT_SAYS,
    Logic("and", (KEPT_WHOLE, SHARDED_WEIGHTS)): ("those of the blocks that are through are reduced", ""),
}


def _add(
    name: str, expr: Expr, because: str, assumptions: tuple[str, ...] = (), slips: tuple[Slip, ...] = ()
) -> None:
    asked = {node.condition for node in walk(expr) if isinstance(node, When)}
    reasons = {condition: said for condition, said in _SAYS.items() if condition in asked}
    RELATIONS.add(Relation(name, expr, because, FSDP2_MEMORY, assumptions, slips, reasons))


_add(
    "memory.forward_peak_per_gpu",
    _x("resident")
    + _x("gradients_before")
    + call(
        "max",
        _ROOT_COPY,
        _LAYERS - _ONE + _INPUT + _x("gathered") + _UNIT + _STAYS,
        _LAYERS + _x("gathered") + _STAYS + _x("forward_work"),
        _KEPT + _x("head_weights") + _UNIT + _x("head"),
        _KEPT + _x("staying") + _x("loss_forward"),
    ),
    "The largest of its moments: the root gathered, the last block gathered, then at work, the head, the loss.",
    ("A gathered unit is copied out of its buffer, which stays until the next one is copied out of its own.",),
)
_SHARDS: Final = symbol("recipe.gradients") / (symbol("layout.tp") * symbol("layout.shard"))
_WHOLE: Final = when(IN_REDUCTION, symbol("recipe.reduce"), symbol("recipe.gradients")) / symbol("layout.tp")
_ROOT_PARAMETERS, _UNITS = symbol("transient.root_parameters"), 2 * symbol("transient.unit_parameters")
# Of whole gradients the head's is there by then: the embedding's is not, unless the two are one.
_EMBEDDING: Final = _ROOT_PARAMETERS - call("min", symbol("transient.head_parameters"), _ROOT_PARAMETERS)
_KEPT_OVER: Final = Logic("and", (KEPT_WHOLE, SHARDED_WEIGHTS))
_LATE: Final = when(
    SHARDED_WEIGHTS,
    (_ROOT_PARAMETERS + _UNITS) * _SHARDS,
    when(ALONE, (_EMBEDDING + _UNITS) * symbol("recipe.gradients") / symbol("layout.tp"), _NOTHING),
)
_FIRST_SHARD: Final = when(
    SHARDED_WEIGHTS,
    # Gradients that were kept whole are freed as they are reduced; a share that is there takes in what is reduced.
    symbol("transient.unit_parameters")
    * when(
        KEPT_WHOLE,
        _SHARDS * when(CAST, 1 + _OUTPUT, 1) - _WHOLE,
        when(ADDED, _NO_BYTES, _SHARDS * when(CAST, 1 + _OUTPUT, 1)),
    ),
    _NOTHING,
)
# The head makes its gradient whole, also where it is then added to one that is there.
_HEAD: Final = when(
    LAST,
    call("min", symbol("transient.head_parameters"), _ROOT_PARAMETERS) * symbol("recipe.gather") / symbol("layout.tp"),
    _NOTHING,
)
_BLOCK: Final = _x("gathered") + _x("block_work")
# A unit's gradients and the buffer into which they are copied; those that are kept take the unit's in before.
_REDUCTION: Final = when(
    KEPT_WHOLE,
    call("max", _x("unit_gradients"), _x("reduce_buffer")),
    _x("unit_gradients") + _x("reduce_buffer"),
)
_ROOT_SHARE: Final = _ROOT_PARAMETERS * _SHARDS
# By the end of the pass all blocks are reduced, and of gradients that were kept whole the root's are whole still.
_AT_END: Final = _REDUCED + when(
    KEPT_WHOLE,
    _ROOT_PARAMETERS * (_WHOLE - _SHARDS) + when(CAST, (_REDUCED - _ROOT_SHARE) * _OUTPUT, _NOTHING),
    when(OUTPUTS_STAY, _q("gradients") * _OUTPUT, when(CAST, (_q("gradients") - _ROOT_SHARE) * _OUTPUT, _NOTHING)),
)
_add(
    "memory.backward_peak_per_gpu",
    _x("resident")
    + call(
        "max",
        _x("gradients_before")
        + call(
            "max",
            _KEPT + _x("staying") + _q("loss"),
            _KEPT + _x("gathered_again"),
            _KEPT + _x("head_weights") + _x("logits") + _HEAD + _INPUT,
            _LAYERS + _AGAIN + _BLOCK + _x("head_gradients"),
            _LAYERS - _ONE + _INPUT + _x("gathered") - _UNIT + _REDUCTION + _x("head_gradients"),
            _LAYERS - _ONE + _AGAIN + _BLOCK - _STAYS + _x("reductions") + _FIRST_SHARD,
        ),
        when(
            OUTPUTS_STAY,
            _q("gradients") + (_q("gradients") - _LATE) * _OUTPUT,
            when(
                _KEPT_OVER,
                (_REDUCED - _LATE) * when(CAST, 1 + _OUTPUT, 1) + (_ROOT_PARAMETERS + _UNITS) * _WHOLE,
                call("max", _x("gradients_before"), (_q("gradients") - _LATE) * when(CAST, 1 + _OUTPUT, 1)),
            ),
        )
        + _x("block")
        + _x("block_work")
        + _x("unit_at_work"),
        _AT_END + _x("embedding_end"),
        _AT_END + _x("root_end"),
    ),
    "The largest of its moments: the loss, the root gathered again, the head, the first block, its reduction, the "
    "second block beside that, the last but one, the embedding's gradient, the root's reduction.",
    ("Activations shrink and gradients grow evenly, so that the middle of the pass is never the peak.",),
)
_add(
    "memory.step_peak_per_gpu",
    _x("resident") + _REDUCED + _x("step"),
    "The step holds the whole state and its temporaries; activations and gathered units are gone.",
    slips=(
        Slip(
            "no-temporaries",
            "A foreach step makes temporaries for all parameters that it updates.",
            expr=_x("resident") + _REDUCED,
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
