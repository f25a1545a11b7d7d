"""The training state: bytes per parameter by recipe, and what of it each GPU and the host hold under a layout."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Compare, Expr, Logic, Text, equal, leaf, number, symbol, when
from solvers.relation import RELATIONS, Relation, Slip
from solvers.sources import COUNTING, OFFLOAD, ZERO

_declare = CATALOGUE.declare

for _name, _letter, _meaning in (
    ("weights", "weights", "weights that a GPU holds"),
    ("gradients", "gradients", "gradients that a GPU holds"),
    ("master", "master", "fp32 master copy that a GPU holds"),
    ("moments", "moments", "optimizer moments that a GPU holds"),
    ("optimizer", "optimizer", "optimizer state that a GPU holds: master copy and moments"),
    ("state", "state", "training state that a GPU holds: weights, gradients and optimizer state"),
):
    _declare(f"memory.{_name}_per_gpu", _meaning, "GB", letter=_letter, domain="non-negative")
_declare("memory.state_total", "training state of one whole replica, before any sharding", "GB", letter="state_total",
         domain="non-negative")
_declare("memory.host_per_gpu", "training state in host memory for one GPU", "GB", letter="host_per_GPU",
         domain="non-negative")
_declare("memory.host_per_node", "training state in the host memory of one node", "GB", letter="host_per_node",
         domain="non-negative")
_declare("memory.host_total", "training state in host memory, over all GPUs of the layout", "GB", letter="host",
         domain="non-negative")

_P: Final = symbol("model.parameters")
_PER_RANK: Final = symbol("layout.tp") * symbol("layout.pp")
_SHARD: Final = symbol("layout.shard")
_ZERO: Final = symbol("layout.zero")
_OFFLOAD: Final = symbol("layout.offload")
def _stage(least: int) -> Expr:
    return Compare(">=", _ZERO, leaf(least))


_ALL: Final = equal(_OFFLOAD, Text("all"))
_NONE: Final = equal(_OFFLOAD, Text("none"))
_GRADIENTS_OFF: Final = Logic("or", (_ALL, equal(_OFFLOAD, Text("optimizer-and-gradients"))))
_NOTHING: Final = number(0, "B")
_SEVERAL: Final = symbol("batch.accumulation") > 1
# Unsharded until the step: only where gradients would be sharded, and only when there is more than one micro-batch.
KEPT_WHOLE: Final = Logic("and", (_stage(2), equal(symbol("layout.sync"), Text("each-step")),
                                   _SEVERAL))

_declare(
    "layout.kept_gradients",
    "in which precision gradients are kept whole over micro-batches: their own (own), or that of their reduction "
    "(reduction, as fully_shard without gradient sync keeps them)",
    letter="kept_gradients", choices=("own", "reduction"), default=Text("own"), example="reduction",
)
# At stage 3 alone: what is kept whole below it has a buffer of its own.
IN_REDUCTION: Final = Logic("and", (KEPT_WHOLE, _stage(3), equal("layout.kept_gradients", Text("reduction"))))
KEPT_SAYS: Final = ("in the precision in which they will be reduced", "")

_UNIFORM: Final = ("Tensor and pipeline parallelism divide the parameters evenly: embedding, head and norms are not "
                   "treated apart.")
_LEFT_OUT: Final = "Not counted: activations, gathered units, communication buffers, fragmentation, context."


def _share(size: Expr) -> Expr:
    """Bytes of a part on one rank of its tensor and pipeline group: `size × P / (t × p)`."""
    return size * _P / _PER_RANK


_WHERE: Final = {
    _ALL: ("all of the sharded state lives on the host", "the weights live on the GPU"),
    _GRADIENTS_OFF: ("the gradients move to the host as they are reduced", "the gradients stay on the GPU"),
    _NONE: ("the optimizer state lives on the GPU", "the optimizer state lives on the host"),
    KEPT_WHOLE: ("gradients are reduced once per step, so each rank keeps them whole over its micro-batches",
                  ""),
}
_STAGE: Final = {
    "weights": {_stage(3): ("stage 3 divides the weights among the shard group",
                             "below stage 3 every rank holds the weights whole")},
    "gradients": {_stage(2): ("from stage 2 the gradients are divided among the shard group",
                               "below stage 2 every rank holds the gradients whole")},
    "optimizer": {_stage(1): ("from stage 1 the optimizer state is divided among the shard group",
                               "stage 0 replicates the optimizer state on every rank")},
}

_GRADIENT_BYTES: Final = symbol("recipe.gradients") + symbol("recipe.accumulation")
_GRADIENT_SHARDS: Final = when(_stage(2), _SHARD, 1)
_WEIGHT_SHARDS: Final = when(_stage(3), _SHARD, 1)
# Experts and the rest are divided among different ranks (`on_gpu`); some schedules hold stages twice (`two_ways`).
_ELSEWHERE: Final = ("layout.ep", "pipeline.schedule")
_OPTIMIZER_SHARDS: Final = when(_stage(1), _SHARD, 1)

_STATE_SLIPS: Final = (
    Slip("weights-only", "You counted the weights only; gradients and optimizer state are part of what is trained.",
         expr=symbol("memory.weights_per_gpu")),
    Slip("no-master", "You left out the fp32 master copy.", set={"recipe.master": number(0, "B/param")}),
    Slip("no-moments", "You left out the optimizer's moments.",
         set={"recipe.moment1": number(0, "B/param"), "recipe.moment2": number(0, "B/param")}),
    Slip("one-moment", "Adam keeps two moments; you counted one.", set={"recipe.moment2": number(0, "B/param")}),
    Slip("not-sharded", "That is the whole state, before sharding.", expr=symbol("memory.state_total")),
    Slip("zero1-for-zero3", "That is ZeRO-1: only the optimizer state is divided.", set={"layout.zero": number(1)}),
    Slip("zero2-for-zero3", "That is ZeRO-2: the weights stay whole.", set={"layout.zero": number(2)}),
    Slip("zero3-for-less", "That divides everything, which is ZeRO-3.", set={"layout.zero": number(3)}),
    Slip("per-node", "You divided by the nodes, not by the GPUs.",
         expr=symbol("memory.state_total") / (symbol("cluster.nodes") / number(1, "node"))),
    Slip("megatron", "That is Megatron's recipe with fp32 main gradients, 18 bytes per parameter.",
         set={"recipe": Text("megatron-bf16")}, kind="convention"),
    Slip("no-master-recipe", "That is the recipe without a master copy, 12 bytes per parameter.",
         set={"recipe": Text("no-master")}, kind="convention"),
)

RELATIONS.add(Relation(
    "memory.weights_per_gpu",
    when(_ALL, _NOTHING, _share(symbol("recipe.weights")) / _WEIGHT_SHARDS),
    "ZeRO-3 divides the weights among the ranks of a shard group; below stage 3 every rank holds them whole.",
    ZERO, (_UNIFORM, _LEFT_OUT), reasons={_ALL: _WHERE[_ALL], **_STAGE["weights"]}, unless=_ELSEWHERE,
))
RELATIONS.add(Relation(
    "memory.gradients_per_gpu",
    when(KEPT_WHOLE, _share(when(IN_REDUCTION, symbol("recipe.reduce"), _GRADIENT_BYTES)),
         when(_GRADIENTS_OFF, _NOTHING, _share(_GRADIENT_BYTES) / _GRADIENT_SHARDS)),
    "ZeRO-2 and ZeRO-3 keep only the shard of the gradients whose parameters a rank updates.",
    ZERO, (_UNIFORM,), reasons={KEPT_WHOLE: _WHERE[KEPT_WHOLE], IN_REDUCTION: KEPT_SAYS,
                          _GRADIENTS_OFF: _WHERE[_GRADIENTS_OFF], **_STAGE["gradients"]}, unless=_ELSEWHERE,
))
RELATIONS.add(Relation(
    "memory.master_per_gpu",
    when(_NONE, _share(symbol("recipe.master")) / _OPTIMIZER_SHARDS, _NOTHING),
    "The master copy belongs to the optimizer: every ZeRO stage divides it.",
    ZERO, (_UNIFORM,), reasons={_NONE: _WHERE[_NONE], **_STAGE["optimizer"]},
    unless=_ELSEWHERE,
))
RELATIONS.add(Relation(
    "memory.moments_per_gpu",
    when(_NONE, _share(symbol("recipe.moment1") + symbol("recipe.moment2")) / _OPTIMIZER_SHARDS, _NOTHING),
    "Both moments belong to the optimizer: every ZeRO stage divides them.",
    ZERO, (_UNIFORM,), reasons={_NONE: _WHERE[_NONE], **_STAGE["optimizer"]},
    unless=_ELSEWHERE,
))
RELATIONS.add(Relation(
    "memory.optimizer_per_gpu", symbol("memory.master_per_gpu") + symbol("memory.moments_per_gpu"),
    "Master copy and moments together are the optimizer state.", ZERO,
    slips=(
        Slip("no-master", "You left out the fp32 master copy.", expr=symbol("memory.moments_per_gpu")),
        Slip("not-sharded", "Every ZeRO stage divides the optimizer state.", set={"layout.zero": number(0)}),
    ),
))
RELATIONS.add(Relation(
    "memory.state_per_gpu",
    symbol("memory.weights_per_gpu") + symbol("memory.gradients_per_gpu") + symbol("memory.optimizer_per_gpu"),
    "Weights, gradients and optimizer state add up.", ZERO, slips=_STATE_SLIPS,
))
RELATIONS.add(Relation(
    "memory.state_total", symbol("recipe.bytes_per_parameter") * _P,
    "Bytes per parameter times parameters.", COUNTING,
    (_LEFT_OUT,),
    slips=(
        Slip("weights-only", "You counted the weights only.", expr=symbol("recipe.weights") * _P),
        Slip("no-master", "You left out the fp32 master copy.", set={"recipe.master": number(0, "B/param")}),
        Slip("optimizer-only", "That is the optimizer state alone; weights and gradients come on top.",
             expr=(symbol("recipe.master") + symbol("recipe.moment1") + symbol("recipe.moment2")) * _P),
    ),
))

_HOST_OPTIMIZER: Final = symbol("recipe.master") + symbol("recipe.moment1") + symbol("recipe.moment2")
_FP32: Final = number(4, "B/param")
RELATIONS.add(Relation(
    "memory.host_per_gpu",
    when(_NONE, _NOTHING, when(
        _ALL, _share(symbol("recipe.weights") + _GRADIENT_BYTES + _HOST_OPTIMIZER) / _SHARD,
        when(_GRADIENTS_OFF, _share(_FP32 + _HOST_OPTIMIZER) / _SHARD, _share(_HOST_OPTIMIZER) / _SHARD))),
    "What is offloaded is sharded first: each rank keeps its own share in host memory.",
    OFFLOAD,
    ("Host memory counts the state alone; DeepSpeed's own estimate multiplies by 1.5 for buffers.",
     ("Under offload = optimizer the reduced gradient shard is counted on the GPU; DeepSpeed can move it to the host "
      "as it is reduced (offload = optimizer-and-gradients, where the host keeps it in fp32).")),
    reasons={
        _NONE: ("nothing is offloaded", "the sharded optimizer state lives on the host"),
        _ALL: ("weights and gradients live there too", "the weights stay on the GPU"),
        _GRADIENTS_OFF: ("the gradients live there too, in fp32 for the optimizer on the CPU",
                         "the gradients stay on the GPU"),
    },
))
RELATIONS.add(Relation(
    "memory.host_total", symbol("memory.host_per_gpu") * symbol("layout.world"),
    "Every GPU of the layout has its share in some host's memory; HSDP's replicas keep a copy each.",
    OFFLOAD,
))
RELATIONS.add(Relation(
    "memory.host_per_node", symbol("memory.host_per_gpu") * symbol("cluster.gpus_per_node"),
    "A node's host memory serves the GPUs of the node.", OFFLOAD, drops=("gpu", "node"),
))
