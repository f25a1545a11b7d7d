"""Memory that lives for a moment: gathered units, gradients before they are reduced, buckets, optimizer temporaries."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Compare, Expr, Logic, Text, call, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Reasons, Relation, Slip, Source
from solvers.relations.activations_model import LAST
from solvers.relations.in_flight import ALONE
from solvers.relations.state import KEPT_WHOLE
from solvers.sources import COUNTING
from solvers.sources_memory import ADAM_STEP, DDP_BUCKETS, FSDP2_MEMORY

_declare = CATALOGUE.declare

_declare(
    "transient.unit_parameters",
    "parameters of the largest unit that is gathered as a whole: one block as a rule",
    "param",
    letter="P_unit",
    domain="positive integer",
    bare=True,
    statable=True,
    example="855654400",
)
_declare(
    "transient.root_parameters",
    "parameters outside the units, which the root gathers: embedding, head, last norm",
    "param",
    letter="P_root",
    domain="non-negative",
    bare=True,
    statable=True,
    example="2101354496",
)
_declare(
    "transient.head_parameters",
    "parameters of the head, whose gradient is the first to be made",
    "param",
    letter="P_head",
    domain="non-negative",
    bare=True,
    statable=True,
    example="1050673152",
)
_declare(
    "transient.units",
    "units whose weights are gathered at once: the one at work and the prefetched one",
    letter="units",
    domain="positive integer",
    default=number(2),
    example="2",
)
_declare(
    "transient.bucket_view",
    "whether gradients are views of DDP's buckets (gradient_as_bucket_view), so that none is copied",
    letter="bucket_view",
    choices=("true", "false"),
    default=Text("false"),
    example="true",
)
_declare(
    "transient.bucket_parameters",
    "parameters in one bucket of gradients under ZeRO-1 and 2",
    "param",
    letter="P_bucket",
    domain="non-negative",
    default=number(0, "param"),
    bare=True,
    example="5e8",
)
_declare(
    "transient.step",
    "how the optimizer steps: foreach (all tensors at once), single (one after another) or fused",
    letter="step_kernel",
    choices=("foreach", "single", "fused"),
    default=Text("foreach"),
    example="fused",
)
_declare(
    "transient.step_bytes",
    "bytes per parameter of the list of temporaries that a foreach step makes",
    "B/param",
    letter="b_step",
    domain="non-negative",
    default=symbol("recipe.moment2"),
    example="4 B/param",
)
_declare(
    "transient.step_copies",
    "temporaries of one tensor that live at once in a step of one tensor after another",
    letter="copies_step",
    domain="non-negative integer",
    default=number(2),
    example="2",
)
_declare(
    "transient.largest_tensor",
    "parameters of the largest tensor that a rank updates",
    "param",
    letter="P_tensor",
    domain="positive",
    bare=True,
    example="4194304",
)
for _name, _letter, _meaning in (
    ("unit_weights", "unit", "gathered weights of one unit"),
    ("root_weights", "root", "gathered weights outside the units"),
    ("gathered", "gathered", "weights that are gathered at once"),
    ("unit_gradients", "unit_gradients", "gradients of the unit at work, not yet reduced"),
    ("head_gradients", "head_gradients", "gradient of the head, which waits for the root's turn"),
    ("reduce_buffer", "reduce_buffer", "input of the reduce-scatter that is under way"),
    ("buckets", "buckets", "buckets beside the gradients"),
    ("step", "step", "temporaries of the optimizer's step"),
):
    _declare(f"transient.{_name}_per_gpu", f"{_meaning}, on one GPU", "GB", letter=_letter, domain="non-negative")

_P, _t, _p = symbol("model.parameters"), symbol("layout.tp"), symbol("layout.pp")
_g, _r = symbol("recipe.gather"), symbol("recipe.reduce")
_UNIT, _ROOT, _HEAD = (symbol(f"transient.{name}_parameters") for name in ("unit", "root", "head"))
_zero, _shard = symbol("layout.zero"), symbol("layout.shard")
_NOTHING: Final = number(0, "B")
_FIRST: Final = equal("pipeline.stage", 1)
SHARDED_WEIGHTS: Final = equal(_zero, 3)
RESHARD: Final = equal("layout.reshard", Text("true"))
_TWO: Final = equal(_zero, 2)
_MOE: Final = symbol("model.experts") > 0
_ONE_RANK: Final = equal("layout.data_ranks", 1)
COPIED: Final = Logic(
    "and", (equal(_zero, 0), equal("transient.bucket_view", Text("false")), Logic("not", (_ONE_RANK,)))
)
BUCKETED: Final = Logic("or", (equal(_zero, 1), _TWO))
ADDED_AT_ONCE: Final = Logic(
    "and", (KEPT_WHOLE, Logic("not", (Logic("and", (SHARDED_WEIGHTS, Compare("!=", _g, _r))),)))
)
"""A gradient of another precision than that of the reduction waits for the end of its unit, and is added then."""
_FOREACH: Final = equal("transient.step", Text("foreach"))
_FUSED: Final = equal("transient.step", Text("fused"))
_OFFLOADED: Final = Logic("not", (equal("layout.offload", Text("none")),))
_BLOCK: Final = "A unit is one block, as fully_shard is applied to each of them; the root gathers what is left."

_SHARDS: Final[Reasons] = {SHARDED_WEIGHTS: ("", "weights are whole: nothing is gathered for a pass")}


def _add(  # noqa: PLR0913, PLR0917 - the columns of a relation
    name: str,
    expr: Expr,
    because: str,
    source: Source = FSDP2_MEMORY,
    assumptions: tuple[str, ...] = (),
    reasons: Reasons | None = None,
    slips: tuple[Slip, ...] = (),
    unless: tuple[str, ...] = (),
) -> None:
    RELATIONS.add(
        Relation(f"transient.{name}", expr, because, source, assumptions, slips, reasons or {}, unless=unless)
    )


WITH_EXPERTS: Final = ("layout.ep",)
"""Then experts and the rest are held by different ranks (`transient_experts`)."""
_add(
    "unit_parameters",
    when(_MOE, symbol("model.moe_layer_parameters"), symbol("model.layer_parameters")),
    "A block is gathered as a whole.",
    FSDP2_MEMORY,
    (_BLOCK,),
    {_MOE: ("a block with experts is the larger one", "")},
    (Slip("root-only", "If only the root is wrapped, the whole model is one unit.", expr=_P),),
    WITH_EXPERTS,
)
_add(
    "root_parameters",
    call("max", number(0, "param"), _P - symbol("model.layers") * _UNIT),
    "What is no block belongs to the root.",
    unless=("model.experts",),
)
_add(
    "head_parameters",
    symbol("model.vocabulary") * symbol("model.hidden") * number(1, "param"),
    "A row for each entry of the vocabulary.",
    COUNTING,
)
_add("unit_weights_per_gpu", _UNIT * _g / _t, "A unit is gathered whole, but for what tensor ranks divide.")
_add(
    "root_weights_per_gpu",
    when(ALONE, _ROOT, when(Logic("or", (_FIRST, LAST)), _HEAD, number(0, "param"))) * _g / _t,
    "The root's own weights stay gathered while its blocks run.",
    reasons={
        ALONE: ("", "the first stage has the embedding, the last one the head"),
        Logic("or", (_FIRST, LAST)): ("", "an interior stage has neither"),
    },
)
_add(
    "gathered_per_gpu",
    when(
        SHARDED_WEIGHTS,
        when(
            RESHARD,
            symbol("transient.root_weights_per_gpu")
            + symbol("transient.units") * symbol("transient.unit_weights_per_gpu"),
            _g * _P / (_t * _p),
        ),
        _NOTHING,
    ),
    "One unit computes while the next is gathered, beside the root's own weights.",
    FSDP2_MEMORY,
    reasons={**_SHARDS, RESHARD: ("", "without resharding every gathered unit stays until the backward pass")},
    slips=(
        Slip("one-unit", "The next unit is gathered while this one computes.", set={"transient.units": number(1)}),
        Slip(
            "whole-model",
            "Units are freed again after their pass; the whole model is never gathered at once.",
            set={"layout.reshard": Text("false")},
        ),
    ),
    unless=WITH_EXPERTS,
)
_add(
    "unit_gradients_per_gpu",
    when(
        ADDED_AT_ONCE,
        _NOTHING,
        when(SHARDED_WEIGHTS, _UNIT * _g / _t, when(_TWO, _UNIT * symbol("recipe.gradients") / _t, _NOTHING)),
    ),
    "A unit's gradients are whole until they are reduced.",
    FSDP2_MEMORY,
    reasons={
        ADDED_AT_ONCE: ("they are added to those that are kept whole", ""),
        SHARDED_WEIGHTS: ("in the precision that the unit computes in", ""),
        _TWO: ("", "gradients stay whole anyway"),
    },
)
_add(
    "head_gradients_per_gpu",
    when(
        ADDED_AT_ONCE,
        _NOTHING,
        when(SHARDED_WEIGHTS, when(LAST, call("min", _HEAD, _ROOT) * _g / _t, _NOTHING), _NOTHING),
    ),
    "The root reduces its gradients after all blocks, so that the head's waits whole.",
    FSDP2_MEMORY,
    reasons={
        ADDED_AT_ONCE: ("it is added to the one that is kept whole", ""),
        SHARDED_WEIGHTS: ("", ""),
        LAST: ("", "only the last stage has the head"),
    },
)
_add(
    "reduce_buffer_per_gpu",
    when(SHARDED_WEIGHTS, _UNIT * _r / _t, _NOTHING),
    "Gradients are copied into one buffer, in the precision in which they are reduced.",
    FSDP2_MEMORY,
    reasons={SHARDED_WEIGHTS: ("", "")},
)
_add(
    "buckets_per_gpu",
    when(
        COPIED,
        _P * symbol("recipe.gradients") / (_t * _p),
        when(BUCKETED, symbol("transient.bucket_parameters") * _r / _t, _NOTHING),
    ),
    "DDP copies every gradient into a bucket, unless the gradients are views of the buckets.",
    DDP_BUCKETS,
    ("ZeRO-1 and 2 reduce through buckets of a stated size (transient.bucket_parameters), 0 unless stated.",),
    {COPIED: ("the buckets are a second copy of all gradients", ""), BUCKETED: ("", "")},
    (
        Slip(
            "no-copy",
            "Unless gradient_as_bucket_view is set, the buckets are a second copy of the gradients.",
            set={"transient.bucket_view": Text("true")},
            kind="convention",
        ),
    ),
    WITH_EXPERTS,
)
_UPDATED: Final = _P / (_t * _p) / when(_zero > 0, _shard, 1)


def step_temporaries(updated: Expr) -> Expr:
    """What the step takes on a rank that updates `updated` parameters."""
    single = symbol("transient.step_copies") * number(4, "B/param") * symbol("transient.largest_tensor")
    foreach = when(_FOREACH, symbol("transient.step_bytes") * updated, single)
    return when(_OFFLOADED, _NOTHING, when(_FUSED, _NOTHING, foreach))


_add(
    "step_per_gpu",
    step_temporaries(_UPDATED),
    "A foreach step makes its temporaries for all tensors at once, the root of Adam's second moment.",
    ADAM_STEP,
    (
        "PyTorch's AdamW: foreach is the default on GPUs.",
        "One tensor after another takes two fp32 temporaries of the largest; fused takes none.",
    ),
    {
        _OFFLOADED: ("the step is made on the host", ""),
        _FUSED: ("one kernel, no temporaries", ""),
        _FOREACH: ("", "one tensor at a time"),
        _zero > 0: ("a rank steps its own shard only", ""),
    },
    (Slip("not-sharded", "A rank updates its own shard only.", expr=symbol("transient.step_bytes") * _P / (_t * _p)),),
    WITH_EXPERTS,
)
for _name in ("unit_parameters", "largest_tensor"):
    LAWS.add(
        Law(
            f"transient.{_name}",
            symbol(f"transient.{_name}") <= _P,
            f"a part of the model has no more parameters than the whole: {{transient.{_name}}} of {{model.parameters}}",
            knows=(f"transient.{_name}", "model.parameters"),
        )
    )
