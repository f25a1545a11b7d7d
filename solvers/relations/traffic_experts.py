"""Data-parallel traffic under expert parallelism: experts and the rest go round different ranks.

An expert lives on fewer data-parallel ranks than the dense part: what is gathered, scattered or reduced of it goes
round those alone, and dispatch and combine come on top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Logic, Text, When, equal, number, symbol, walk, when
from solvers.relation import RELATIONS, Relation, Slip
from solvers.relations.traffic import around, data_parallel_sent
from solvers.sources import COUNTING, EXPERT_PARALLEL

if TYPE_CHECKING:
    from solvers.relation import Reasons

CATALOGUE.declare("layout.expert_replicas", "data-parallel ranks that hold the same expert", letter="D_e",
                  domain="positive integer")  # fmt: skip

_DENSE, _EXPERTS = symbol("rank.dense_average"), symbol("rank.experts_average")
_SHARD, _EXPERT_SHARD = symbol("layout.shard"), symbol("layout.expert_shard")
_D, _D_E, _R = symbol("layout.data_ranks"), symbol("layout.expert_replicas"), symbol("layout.replicas")
_GATHERED, _REDUCED = symbol("recipe.gather"), symbol("recipe.reduce")
_ZERO: Final = symbol("layout.zero")
_NOTHING: Final = number(0, "B")
_TWO_KINDS: Final = (
    "Ring collectives: bytes sent per rank, with the factor (n-1)/n of each group of ranks.",
    "Parameters are divided evenly over tensor, expert and pipeline ranks.",
)


def _with_experts(target: str, expr: Expr, because: str, assumptions: tuple[str, ...] = (),
                  slips: tuple[Slip, ...] = ()) -> None:  # fmt: skip
    """The relation for a stated degree of expert parallelism, with the reasons of the one without."""
    known: Reasons = RELATIONS.of(target)[0].reasons
    asked = {node.condition for node in walk(expr) if isinstance(node, When)}
    RELATIONS.add(Relation(
        target, expr, because, EXPERT_PARALLEL, assumptions, slips,
        {condition: said for condition, said in known.items() if condition in asked}, stated=("layout.ep",),
    ))  # fmt: skip


RELATIONS.add(Relation(
    "layout.expert_replicas", _D * symbol("layout.tp") / (symbol("layout.ep") * symbol("layout.expert_tp")),
    "The ranks of a stage divide into groups that hold one set of experts.", EXPERT_PARALLEL,
    (("Expert-parallel ranks are taken from the data-parallel ranks of one shard group, tensor-parallel ones "
      "included."),),
    slips=(Slip("all-ranks", "The ranks of one expert-parallel group hold different experts.", expr=_D),),
))  # fmt: skip
for _name, _bytes, _because in (
    ("gather", _GATHERED, "The dense part is gathered from all shards, an expert from the ranks that share it."),
    ("scatter", _REDUCED, "The dense part is summed over all ranks, an expert over those that hold it."),
):
    _with_experts(
        f"traffic.{_name}",
        around(_SHARD) * _bytes * _DENSE + around(_EXPERT_SHARD) * _bytes * _EXPERTS,
        _because,
        _TWO_KINDS,
        (Slip("one-group", "An expert is held by fewer ranks than the dense part.",
              expr=around(_SHARD) * _bytes * (_DENSE + _EXPERTS)),),
    )  # fmt: skip

_TIMES: Final = when(
    _ZERO > 1,
    when(equal("layout.replica_sync", Text("each-micro-batch")), symbol("batch.accumulation"), 1),
    1,
)
_with_experts(
    "traffic.replica_sent",
    when(equal(_ZERO, 0), _NOTHING,
         when(equal(_R, 1), _NOTHING,
              2 * around(_R) * _REDUCED * (_DENSE / _SHARD + _EXPERTS / _EXPERT_SHARD) * _TIMES)),
    "Replicas all-reduce the gradient shards that they hold in common.",
)  # fmt: skip
_with_experts(
    "traffic.data_parallel_sent",
    data_parallel_sent(2 * around(_D) * _REDUCED * _DENSE + 2 * around(_D_E) * _REDUCED * _EXPERTS),
    "As without experts, each kind of parameters over the ranks that hold it.",
    (*_TWO_KINDS, "Dispatch and combine are not data parallelism: traffic.expert_parallel_sent."),
    (Slip("dense-only", "The experts' gradients are reduced too.",
          expr=data_parallel_sent(2 * around(_D) * _REDUCED * _DENSE)),
     Slip("one-group", "An expert is held by fewer ranks than the dense part.",
          expr=data_parallel_sent(2 * around(_D) * _REDUCED * (_DENSE + _EXPERTS)))),
)  # fmt: skip
_PP, _TP, _ETP = symbol("layout.pp"), symbol("layout.tp"), symbol("layout.expert_tp")
_FULL: Final = equal("compute.recompute", Text("full"))
_REPEATED: Final = equal("traffic.repeated_gather", Text("true"))
_SHARED: Final = symbol("model.shared_ffn") > 0
_MOE: Final = symbol("model.moe_layers")
_EXPERT_BLOCKS: Final = when(_MOE > 0, _MOE * when(_SHARED, 1, 0), 0)
_BLOCKS: Final = 2 * symbol("model.layers") - _MOE + _EXPERT_BLOCKS
_LOCAL: Final = equal("layout.ep", 1)
_NO_TENSOR: Final = Logic("or", (equal(_MOE, 0), equal(_ETP, 1)))
_MESSAGE: Final = symbol("traffic.activation_message")
_COPIES: Final = _ETP * symbol("traffic.expert_slots") * symbol("model.hidden") * symbol("batch.activation_bytes")
_ROUTED: Final = when(_NO_TENSOR, _NOTHING, _MOE * around(_ETP) * when(_LOCAL, _MESSAGE, _COPIES))
_BLOCK_MESSAGES: Final = _BLOCKS * around(_TP) * _MESSAGE
_PASSES: Final = when(_FULL, 3, 2)
_BLOCKWISE: Final = (
    (
        "Attention, dense blocks and shared experts are divided among the tensor ranks; routed experts among as many "
        "as layout.expert_tp says, which gather the copies of tokens that were routed to them."
    ),
    "Embedding and loss are left out.",
)
_BLOCK_REASONS: Final[Reasons] = {
    equal(_TP, 1): ("one rank has nobody to send to", ""),
    _FULL: ("forward, recomputed and backward", "forward and backward"),
    _MOE > 0: ("", "no layer has experts"),
    _SHARED: ("shared experts are a block of their own", "no shared experts"),
    _NO_TENSOR: ("each routed expert is whole on its rank", ""),
    _LOCAL: ("every rank has all experts, so that tokens and not their copies are gathered", ""),
}
RELATIONS.add(Relation(
    "traffic.tensor_parallel_sent",
    when(equal(_TP, 1), _NOTHING,
         2 * _PASSES * symbol("batch.accumulation") / _PP * (_BLOCK_MESSAGES + _ROUTED)),
    "Each block that is divided among tensor ranks all-reduces its output, which is a gather and a scatter.",
    EXPERT_PARALLEL, _BLOCKWISE, reasons=_BLOCK_REASONS, stated=("layout.ep",),
))  # fmt: skip
RELATIONS.add(Relation(
    "traffic.sequence_parallel_sent",
    when(equal(_TP, 1), _NOTHING,
         (2 * _PASSES + when(_REPEATED, 1, 0)) * symbol("batch.accumulation") / _PP * (_BLOCK_MESSAGES + _ROUTED)),
    "Each block gathers its input and scatters its output, forward and backward; an input that was kept as a share is "
    "gathered once more for the weights' gradient.",
    EXPERT_PARALLEL, _BLOCKWISE,
    reasons={**_BLOCK_REASONS, _REPEATED: ("the input of each block is gathered once more", "")},
    stated=("layout.ep",),
))  # fmt: skip
RELATIONS.add(Relation(
    "traffic.sent_per_step",
    symbol("traffic.data_parallel_sent") + symbol("traffic.tensor_parallel_sent") + symbol("traffic.pipeline_sent")
    + symbol("traffic.context_parallel_sent") + symbol("traffic.expert_parallel_sent"),
    "The kinds add up as bytes; they travel over different links.", COUNTING, stated=("layout.ep",),
))  # fmt: skip
