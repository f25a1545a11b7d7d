"""What a parameter of a GPU's own share costs there: the recipe's bytes, each part divided as the layout says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Compare, Expr, Logic, Text, When, equal, leaf, number, symbol, walk, when
from solvers.relation import RELATIONS, Relation, Slip
from solvers.relations.state import IN_REDUCTION, KEPT_SAYS
from solvers.sources import EXPERT_PARALLEL, MOE, ZERO

if TYPE_CHECKING:
    from solvers.relation import Reasons

_declare = CATALOGUE.declare

_declare("memory.bytes_per_parameter_per_gpu", "bytes that a GPU holds for each parameter of its tensor and pipeline "
         "share", "B/param", letter="b_GPU", domain="non-negative")  # fmt: skip
_declare("memory.expert_bytes_per_parameter_per_gpu", "bytes that a GPU holds for each parameter of its experts",
         "B/param", letter="b_expert", domain="non-negative")  # fmt: skip
_declare("model.routed_parameters", "parameters of all routed experts", "param", letter="P_routed",
         domain="non-negative integer", bare=True)  # fmt: skip
_declare("rank.dense_average", "parameters on one GPU without the routed experts, on average over the stages", "param",
         letter="R_dense", domain="non-negative", bare=True)  # fmt: skip
_declare("rank.experts_average", "parameters of routed experts on one GPU, on average over the stages", "param",
         letter="R_routed", domain="non-negative", bare=True)  # fmt: skip


def _stage(least: int) -> Expr:
    return Compare(">=", symbol("layout.zero"), leaf(least))


_SHARD, _EXPERT_SHARD = symbol("layout.shard"), symbol("layout.expert_shard")
_NOTHING: Final = number(0, "B/param")
_ALL: Final = equal("layout.offload", Text("all"))
_NONE: Final = equal("layout.offload", Text("none"))
_GRADIENTS_OFF: Final = Logic("or", (_ALL, equal("layout.offload", Text("optimizer-and-gradients"))))
_KEPT_WHOLE: Final = Logic(
    "and", (_stage(2), equal("layout.sync", Text("each-step")), symbol("batch.accumulation") > 1)
)
_REASONS: Final[Reasons] = {
    _stage(3): ("stage 3 divides the weights", "below stage 3 the weights stay whole"),
    _stage(2): ("stage 2 divides the gradients", "below stage 2 the gradients stay whole"),
    _stage(1): ("stage 1 divides the optimizer state", "stage 0 divides nothing"),
    _ALL: ("all of the state lives on the host", ""),
    _GRADIENTS_OFF: ("the gradients live on the host", ""),
    _NONE: ("", "the optimizer state lives on the host"),
    _KEPT_WHOLE: ("gradients stay whole until they are reduced, once per step", ""),
    IN_REDUCTION: KEPT_SAYS,
}
_OPTIMIZER: Final = symbol("recipe.master") + symbol("recipe.moment1") + symbol("recipe.moment2")
_GRADIENTS: Final = symbol("recipe.gradients") + symbol("recipe.accumulation")


def _why(expr: Expr) -> Reasons:
    """The reasons of the conditions that `expr` has."""
    asked = {node.condition for node in walk(expr) if isinstance(node, When)}
    return {condition: said for condition, said in _REASONS.items() if condition in asked}


def _weights(shard: Expr) -> Expr:
    return when(_ALL, _NOTHING, symbol("recipe.weights") / when(_stage(3), shard, 1))


def _gradients(shard: Expr) -> Expr:
    kept = when(IN_REDUCTION, symbol("recipe.reduce"), _GRADIENTS)
    return when(_KEPT_WHOLE, kept, when(_GRADIENTS_OFF, _NOTHING, _GRADIENTS / when(_stage(2), shard, 1)))


def _optimizer(shard: Expr, size: Expr) -> Expr:
    return when(_NONE, size / when(_stage(1), shard, 1), _NOTHING)


for _name, _shard, _because, _source, _slips in (
    ("bytes_per_parameter_per_gpu", _SHARD,
     "What a ZeRO stage divides counts a part for each parameter, the rest counts whole.", ZERO,
     (Slip("not-sharded", "That is the whole recipe, before sharding.", expr=symbol("recipe.bytes_per_parameter")),
      Slip("all-sharded", "That divides everything, which is ZeRO-3.", set={"layout.zero": number(3)}))),
    ("expert_bytes_per_parameter_per_gpu", _EXPERT_SHARD,
     "The state of an expert is divided among the ranks that hold it, which expert parallelism makes fewer.",
     EXPERT_PARALLEL,
     (Slip("shard-as-dense", "Fewer ranks hold the same expert than hold the same dense layer.",
           expr=symbol("memory.bytes_per_parameter_per_gpu")),)),
):  # fmt: skip
    _expr = _weights(_shard) + _gradients(_shard) + _optimizer(_shard, _OPTIMIZER)
    RELATIONS.add(Relation(f"memory.{_name}", _expr, _because, _source, slips=_slips, reasons=_why(_expr)))

_ROUTED: Final = symbol("model.experts") > 0
RELATIONS.add(Relation(
    "model.routed_parameters",
    when(_ROUTED, symbol("model.moe_layers") * symbol("model.experts") * symbol("model.expert_parameters"),
         number(0, "param")),
    "So many experts in each layer that has them.", MOE, reasons={_ROUTED: ("", "")},
))  # fmt: skip
RELATIONS.add(Relation(
    "rank.dense_average",
    (symbol("model.parameters") - symbol("model.routed_parameters")) / (symbol("layout.tp") * symbol("layout.pp")),
    "Tensor and pipeline parallelism divide what is not a routed expert.", EXPERT_PARALLEL,
))  # fmt: skip
RELATIONS.add(Relation(
    "rank.experts_average",
    symbol("model.routed_parameters")
    / (symbol("layout.expert_tp") * symbol("layout.ep") * symbol("layout.pp")),
    "Expert and pipeline parallelism divide the routed experts.", EXPERT_PARALLEL,
))  # fmt: skip

# With expert parallelism stated, the parts of the state come from two kinds of parameters.
_UNIFORM: Final = ("Tensor, expert and pipeline parallelism divide the parameters evenly: embedding, head and norms "
                   "are not treated apart.")  # fmt: skip
for _part, _dense, _expert, _because in (
    ("weights", _weights(_SHARD), _weights(_EXPERT_SHARD), "Weights of the dense part and of a GPU's experts."),
    ("gradients", _gradients(_SHARD), _gradients(_EXPERT_SHARD), "Gradients of the dense part and of a GPU's experts."),
    ("master", _optimizer(_SHARD, symbol("recipe.master")), _optimizer(_EXPERT_SHARD, symbol("recipe.master")),
     "Each part's master copy is divided among the ranks that hold the part."),
    ("moments", _optimizer(_SHARD, symbol("recipe.moment1") + symbol("recipe.moment2")),
     _optimizer(_EXPERT_SHARD, symbol("recipe.moment1") + symbol("recipe.moment2")),
     "Each part's moments are divided among the ranks that hold the part."),
):  # fmt: skip
    _expr = _dense * symbol("rank.dense_average") + _expert * symbol("rank.experts_average")
    RELATIONS.add(Relation(f"memory.{_part}_per_gpu", _expr, _because, EXPERT_PARALLEL, (_UNIFORM,),
                           reasons=_why(_expr), stated=("layout.ep",), unless=("pipeline.schedule",)))  # fmt: skip
