"""Bytes that a rank sends in one optimizer step, by kind of parallelism.

Ring collectives: an all-gather or a reduce-scatter of S bytes over n ranks sends S (n-1)/n per rank, an
all-reduce twice that. Latency, the topology and the links are not here: these are bytes.
"""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Text, call, equal, number, symbol, when
from solvers.relation import RELATIONS, Relation, Slip
from solvers.sources import (
    COUNTING,
    DEEPSEEK_V2,
    FSDP,
    MEGATRON,
    MEGATRON_PIPELINE,
    RING_ATTENTION,
    ZERO_TRAFFIC,
)
from solvers.sources_speed import NCCL_TESTS

_declare = CATALOGUE.declare

_declare("traffic.gather", "bytes that a rank sends in one ring all-gather of the weights", "GB", letter="all_gather",
         domain="non-negative")
_declare("traffic.scatter", "bytes that a rank sends in one ring reduce-scatter of the gradients", "GB",
         letter="reduce_scatter", domain="non-negative")
_declare("traffic.replica_sent", "bytes that a rank sends per step to keep HSDP's replicas equal", "GB",
         letter="replica_all_reduce", domain="non-negative")
_declare("traffic.data_parallel_sent", "bytes that a rank sends per step for data parallelism", "GB",
         letter="data_parallel", domain="non-negative")
_declare("traffic.activation_message", "activations of one micro-batch between two layers, on one context rank", "MB",
         letter="message", domain="non-negative")
_declare("traffic.tensor_parallel_sent", "bytes that a rank sends per step for tensor parallelism", "GB",
         letter="tensor_parallel", domain="non-negative")
_declare("traffic.pipeline_sent", "bytes that a rank of an interior pipeline stage sends per step", "GB",
         letter="pipeline", domain="non-negative")
_declare("traffic.kv_block", "keys and values of one micro-batch and layer that a context rank holds", "MB",
         letter="kv_block", domain="non-negative")
_declare("traffic.context_parallel_sent", "bytes that a rank sends per step for context parallelism (ring)", "GB",
         letter="context_parallel", domain="non-negative")
_declare("traffic.sent_per_step", "bytes that a rank sends per step in all", "GB", letter="sent",
         domain="non-negative")

_P: Final = symbol("model.parameters")
_TP, _PP, _CP = symbol("layout.tp"), symbol("layout.pp"), symbol("layout.cp")
_M: Final = symbol("batch.accumulation")
_ZERO: Final = symbol("layout.zero")
_RESHARD: Final = equal(symbol("layout.reshard"), Text("true"))
_EACH: Final = equal(symbol("layout.sync"), Text("each-micro-batch"))
_REPLICA_EACH: Final = equal(symbol("layout.replica_sync"), Text("each-micro-batch"))
_FULL: Final = equal(symbol("compute.recompute"), Text("full"))
_NONE: Final = equal(symbol("compute.recompute"), Text("none"))
_NOTHING: Final = number(0, "B")

_RING: Final = "Ring collectives: bytes sent per rank, with the factor (n-1)/n."
_ONE_SIZE: Final = "Parameters are divided evenly over tensor and pipeline ranks."
_ELSEWHERE: Final = ("layout.ep",)  # then experts and the rest go round different ranks (`traffic_experts`)


def around(ranks: Expr) -> Expr:
    """The ring factor (n-1)/n."""
    return (ranks - 1) / ranks


RELATIONS.add(Relation(
    "traffic.gather",
    around(symbol("layout.shard")) * symbol("recipe.gather") * _P / (_TP * _PP),
    "Each rank passes on every shard but one.", NCCL_TESTS, (_RING, _ONE_SIZE), unless=_ELSEWHERE,
))
RELATIONS.add(Relation(
    "traffic.scatter",
    around(symbol("layout.shard")) * symbol("recipe.reduce") * _P / (_TP * _PP),
    "Each rank passes on a partial sum of every shard but one.", NCCL_TESTS, (_RING, _ONE_SIZE), unless=_ELSEWHERE,
))

_TIMES_REDUCED: Final = when(_EACH, _M, 1)
_REPLICA_TIMES: Final = when(_ZERO > 1, when(_REPLICA_EACH, _M, 1), 1)
_R: Final = symbol("layout.replicas")
RELATIONS.add(Relation(
    "traffic.replica_sent",
    when(equal(_ZERO, 0), _NOTHING,
         when(equal(_R, 1), _NOTHING,
              2 * around(_R) * symbol("recipe.reduce") * _P / (_TP * _PP) / symbol("layout.shard")
              * _REPLICA_TIMES)),
    "Replicas all-reduce the gradient shard that they hold in common.", FSDP,
    reasons={
        equal(_ZERO, 0): ("stage 0 has no shard groups", ""),
        equal(_R, 1): ("", "several groups hold the same shards"),
        _REPLICA_EACH: ("replicas all-reduce after each micro-batch, as FSDP2 does unless told otherwise",
                        "replicas all-reduce once per step"),
        _ZERO > 1: ("from stage 2 the policy of layout.replica_sync holds",
                     "stage 1 reduces once per step"),
    },
    unless=_ELSEWHERE,
))

_D: Final = symbol("layout.data_ranks")
_DDP: Final = 2 * around(_D) * symbol("recipe.reduce") * _P / (_TP * _PP)
_GATHER, _SCATTER = symbol("traffic.gather"), symbol("traffic.scatter")
_GATHERS: Final = when(_RESHARD, 2, 1)


def data_parallel_sent(all_reduced: Expr) -> Expr:
    """The traffic by stage, where stage 0 sends `all_reduced`."""
    return when(equal(_ZERO, 0), all_reduced,
                when(equal(_ZERO, 1), _SCATTER + _GATHER,
                     when(equal(_ZERO, 2), _TIMES_REDUCED * _SCATTER + _GATHER,
                          _GATHERS * _M * _GATHER + _TIMES_REDUCED * _SCATTER))
                + symbol("traffic.replica_sent"))


RELATIONS.add(Relation(
    "traffic.data_parallel_sent",
    data_parallel_sent(_DDP),
    "DDP all-reduces the gradients; ZeRO-1 and 2 reduce-scatter them and gather the updated weights; ZeRO-3 gathers "
    "the weights for each pass and reduce-scatters the gradients.",
    ZERO_TRAFFIC,
    (_RING, _ONE_SIZE,
     ("DDP and ZeRO-1 reduce once per step, whatever the accumulation; ZeRO-2 and ZeRO-3 reduce after each "
      "micro-batch unless layout.sync says otherwise; ZeRO-3 gathers for each micro-batch."),
     "Activation checkpointing adds no gather: a unit that is recomputed is gathered for its backward anyway."),
    (
        Slip("no-ring-factor", "You left out the factor (N-1)/N: a rank sends every shard but one.",
             expr=when(equal(_ZERO, 0), 2 * symbol("recipe.reduce"),
                       when(equal(_ZERO, 3), 2 * symbol("recipe.gather") + symbol("recipe.reduce"),
                            symbol("recipe.gather") + symbol("recipe.reduce"))) * _P / (_TP * _PP)),
        Slip("once-round", "An all-reduce goes twice round the ring.", expr=_SCATTER),
        Slip("ddp-for-zero3", "That is DDP: ZeRO-3 gathers the weights once more.", set={"layout.zero": number(0)}),
        Slip("zero3-for-less", "That is ZeRO-3, which gathers twice.", set={"layout.zero": number(3)}),
        Slip("no-accumulation", "You counted one micro-batch; ZeRO-3 gathers for each.",
             set={"batch.accumulation": number(1)}),
        Slip("fp32-reduce", "That reduces gradients in fp32.", set={"recipe.reduce": number(4, "B/param")},
             kind="convention"),
    ),
    reasons={
        equal(_ZERO, 0): ("stage 0 is DDP: one all-reduce of the gradients, once per step",
                          ""),
        equal(_ZERO, 1): ("stage 1 reduce-scatters once per step and gathers the updated weights",
                          ""),
        equal(_ZERO, 2): ("stage 2 reduce-scatters as layout.sync says and gathers the updated weights once",
                          "stage 3 gathers the weights for each micro-batch"),
        _RESHARD: ("weights are freed after the forward pass, so they are gathered twice",
                   "weights stay gathered until the backward pass, so they are gathered once"),
        _EACH: ("gradients are reduced after each micro-batch", "gradients are reduced once per step"),
    },
    unless=_ELSEWHERE,
))

RELATIONS.add(Relation(
    "traffic.activation_message",
    symbol("batch.sequence") * symbol("batch.micro") * symbol("model.hidden") * symbol("batch.activation_bytes")
    / _CP,
    "Tokens times width times bytes of an element.", COUNTING, drops=("token",),
))
_MESSAGE: Final = symbol("traffic.activation_message")
RELATIONS.add(Relation(
    "traffic.tensor_parallel_sent",
    when(equal(_TP, 1), _NOTHING,
         when(_FULL, 6, 4) * symbol("model.layers") / _PP * _M * 2 * around(_TP) * _MESSAGE),
    "Twice in the forward pass and twice in the backward pass every layer all-reduces its activations, or gathers and "
    "reduce-scatters them.",
    MEGATRON,
    (_RING, ("With sequence parallelism each all-reduce is an all-gather and a reduce-scatter of the same bytes; the "
             "all-gather that it repeats in the backward pass is left out, and so are embedding and loss.")),
    (
        Slip("two-all-reduces", "There are four all-reduces in a layer: two forward, two backward.",
             expr=2 * symbol("model.layers") / _PP * _M * 2 * around(_TP) * _MESSAGE),
        Slip("once-round", "An all-reduce goes twice round the ring.",
             expr=4 * symbol("model.layers") / _PP * _M * around(_TP) * _MESSAGE),
        Slip("no-accumulation", "You counted one micro-batch.", set={"batch.accumulation": number(1)}),
    ),
    reasons={
        equal(_TP, 1): ("one rank has nobody to send to", "the layers are divided among several ranks"),
        _FULL: ("full recomputation repeats the forward pass with its two all-reduces, so six a layer",
                "two all-reduces forward and two backward, so four a layer"),
    },
    unless=("layout.ep",),
))

_SPLIT: Final = when(equal(symbol("layout.sequence_parallel"), Text("true")), _TP, 1)
_V: Final = symbol("layout.interleave")
_CROSSINGS: Final = when(equal(_PP, 2), 2 * _V - 1, 2 * _V)
RELATIONS.add(Relation(
    "traffic.pipeline_sent",
    when(equal(_PP, 1), _NOTHING, _CROSSINGS * _M * _MESSAGE / _SPLIT),
    "For each micro-batch a stage sends its activations forward and its gradients backward.",
    MEGATRON_PIPELINE,
    ("An interior stage is counted; the first sends no gradient and the last no activation.",),
    (Slip("forward-only", "The gradients travel back as well.", expr=_V * _M * _MESSAGE / _SPLIT),),
    reasons={
        equal(_PP, 1): ("one stage has no neighbour", "stages pass activations on"),
        equal(_PP, 2): ("of two stages each is first or last, so one crossing falls away",
                        "an interior stage sends both ways, once for each chunk"),
        equal(symbol("layout.sequence_parallel"), Text("true")): (
            "sequence parallelism leaves each tensor rank a share of the message",
            "without sequence parallelism each tensor rank sends the whole message"),
    },
))

RELATIONS.add(Relation(
    "traffic.kv_block",
    symbol("batch.sequence") * symbol("batch.micro") * symbol("model.query_heads") / _TP
    * (symbol("model.nope_head_dim") + symbol("model.rope_head_dim") + symbol("model.value_head_dim"))
    * symbol("batch.activation_bytes") / _CP,
    "Keys and values of the tokens that a rank holds, for each of its heads.", DEEPSEEK_V2,
    ("MLA: keys and values are written out for every head before they are sent.",),
    drops=("token",), stated=("model.kv_rank",),
))
RELATIONS.add(Relation(
    "traffic.kv_block",
    2 * symbol("batch.sequence") * symbol("batch.micro") * call("ceil", symbol("model.kv_heads") / _TP)
    * symbol("model.head_dim") * symbol("batch.activation_bytes") / _CP,
    "Keys and values of the tokens that a rank holds.", COUNTING, drops=("token",), unless=("model.kv_rank",),
))
RELATIONS.add(Relation(
    "traffic.context_parallel_sent",
    when(equal(_CP, 1), _NOTHING,
         when(_NONE, 3, 4) * (_CP - 1) * symbol("model.layers") / _PP * _M * symbol("traffic.kv_block")),
    "Keys and values go round the ring in the forward pass, and again with their gradients in the backward pass.",
    RING_ATTENTION,
    (("Ring attention: keys and values pass c-1 ranks forward; backward they pass again, and so do their gradients, "
      "in the same precision; a rank adds its own contribution at home."),
     "The masked half of causal attention is not skipped."),
    (Slip("forward-only", "The backward pass sends keys, values and their gradients as well.",
          expr=(_CP - 1) * symbol("model.layers") / _PP * _M * symbol("traffic.kv_block")),),
    reasons={
        equal(_CP, 1): ("one rank holds the whole sequence", "the sequence is divided among several ranks"),
        _NONE: ("once round forward, twice round backward (keys and values, and their gradients)",
                "recomputation, of the core of attention too, sends keys and values round once more"),
    },
))

RELATIONS.add(Relation(
    "traffic.sent_per_step",
    symbol("traffic.data_parallel_sent") + symbol("traffic.tensor_parallel_sent") + symbol("traffic.pipeline_sent")
    + symbol("traffic.context_parallel_sent"),
    "The kinds add up as bytes; they travel over different links.", COUNTING, unless=_ELSEWHERE,
))
