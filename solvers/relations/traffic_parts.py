"""Traffic in closer view: buffers per parameter, sequence parallelism, Ulysses, dispatch and combine of experts."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Logic, Text, call, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.sources import COUNTING, DEEPSEEK_V2, FSDP, FSDP2
from solvers.sources_speed import SEQUENCE, ULYSSES

_declare = CATALOGUE.declare

_declare("traffic.gathered_per_parameter", "all-gathered per parameter and step, whole buffers", "B/param",
         letter="gathered", domain="non-negative")
_declare("traffic.scattered_per_parameter", "reduce-scattered per parameter and step, whole buffers", "B/param",
         letter="scattered", domain="non-negative")
_declare("traffic.all_reduced_per_parameter", "all-reduced per parameter and step, whole buffers", "B/param",
         letter="all_reduced", domain="non-negative")
_declare("traffic.repeated_gather", "whether sequence parallelism gathers the input of a block again in the backward "
         "pass, as it does when only a rank's share was kept", letter="repeated_gather", choices=("true", "false"),
         default=Text("true"), example="false")
_declare("traffic.sequence_parallel_sent", "bytes that a rank sends per step for tensor with sequence parallelism",
         "GB", letter="sequence_parallel", domain="non-negative")
_declare("traffic.query_block", "queries of one micro-batch and layer that a context rank holds", "MB",
         letter="q_block", domain="non-negative")
_declare("traffic.ulysses_sent", "bytes that a rank sends per step for context parallelism (Ulysses)", "GB",
         letter="ulysses", domain="non-negative")

_M: Final = symbol("batch.accumulation")
_L: Final = symbol("model.layers")
_TP, _PP, _CP = symbol("layout.tp"), symbol("layout.pp"), symbol("layout.cp")
_ZERO: Final = symbol("layout.zero")
_RESHARD: Final = equal(symbol("layout.reshard"), Text("true"))
_EACH: Final = equal(symbol("layout.sync"), Text("each-micro-batch"))
_REPLICA_EACH: Final = equal(symbol("layout.replica_sync"), Text("each-micro-batch"))
_FULL: Final = equal(symbol("compute.recompute"), Text("full"))
_REPEATED: Final = equal(symbol("traffic.repeated_gather"), Text("true"))
_R: Final = symbol("layout.replicas")
_NONE: Final = number(0, "B/param")
_WHOLE: Final = ("Whole buffers, as a profiler of collectives counts them; a rank sends (n-1)/n of a gathered or "
                 "scattered one, twice that of an all-reduced one.")


def _around(ranks: Expr) -> Expr:
    return (ranks - 1) / ranks


RELATIONS.add(Relation(
    "traffic.gathered_per_parameter",
    when(equal(_ZERO, 0), _NONE,
         when(_ZERO < 3, symbol("recipe.gather"), when(_RESHARD, 2, 1) * _M * symbol("recipe.gather"))),  # noqa: PLR2004 - a stage
    "Sharded weights are gathered for each pass of each micro-batch; replicated ones once, after the step.", FSDP2,
    (_WHOLE,),
    (
        Slip("no-accumulation", "You counted one micro-batch; the weights are gathered for each.",
             set={"batch.accumulation": number(1)}),
        Slip("forward-only", "The backward pass gathers the weights again.",
             expr=_M * symbol("recipe.gather")),
    ),
    reasons={
        equal(_ZERO, 0): ("stage 0 gathers nothing", ""),
        _ZERO < 3: ("stages 1 and 2 gather the updated weights once",  # noqa: PLR2004 - a stage
                    "stage 3 gathers the weights for each micro-batch"),
        _RESHARD: ("weights are freed after the forward pass, so they are gathered twice",
                   "weights stay gathered until the backward pass, so they are gathered once"),
    },
))
RELATIONS.add(Relation(
    "traffic.scattered_per_parameter",
    when(equal(_ZERO, 0), _NONE, when(_ZERO > 1, when(_EACH, _M, 1), 1) * symbol("recipe.reduce")),
    "Gradients are reduce-scattered in the precision of the reduction.", FSDP2, (_WHOLE,),
    (Slip("no-accumulation", "You counted one micro-batch; unless told otherwise gradients are reduced after each.",
          set={"batch.accumulation": number(1)}),),
    reasons={
        equal(_ZERO, 0): ("stage 0 reduce-scatters nothing", ""),
        _ZERO > 1: ("from stage 2 the policy of layout.sync holds", "stage 1 reduces once per step"),
        _EACH: ("gradients are reduced after each micro-batch", "gradients are reduced once per step"),
    },
))
RELATIONS.add(Relation(
    "traffic.all_reduced_per_parameter",
    when(equal(_ZERO, 0), symbol("recipe.reduce"),
         when(equal(_R, 1), _NONE,
              when(_ZERO > 1, when(_REPLICA_EACH, _M, 1), 1) * symbol("recipe.reduce") / symbol("layout.shard"))),
    "DDP all-reduces the whole gradient; replicas of HSDP the shard that they hold in common.", FSDP, (_WHOLE,),
    reasons={
        equal(_ZERO, 0): ("stage 0 is DDP", ""),
        equal(_R, 1): ("one group holds all ranks, so nobody else has its shards",
                       "several groups hold the same shards"),
        _ZERO > 1: ("from stage 2 the policy of layout.replica_sync holds", "stage 1 reduces once per step"),
        _REPLICA_EACH: ("replicas all-reduce after each micro-batch", "replicas all-reduce once per step"),
    },
))

_MESSAGE: Final = symbol("traffic.activation_message")
for _name, _kind, _times, _because in (
    ("tensor", "tensor parallelism", 2 * when(_FULL, 6, 4), "Two all-reduces forward and two backward."),
    ("sequence", "tensor with sequence parallelism", when(_FULL, 12, 8) + when(_REPEATED, 2, 0),
     "Each block gathers its input and scatters its output, forward and backward."),
):
    _declare(f"traffic.{_name}_parallel_per_layer", f"bytes that a rank sends for {_kind} of one dense layer and "
             "micro-batch, forward and backward", "MB", letter=f"{_name}_layer", domain="non-negative")
    RELATIONS.add(Relation(
        f"traffic.{_name}_parallel_per_layer",
        when(equal(_TP, 1), number(0, "B"), _times * _around(_TP) * _MESSAGE), _because, SEQUENCE,
        ("Ring collectives: bytes sent per rank, with the factor (n-1)/n.",),
        reasons={
            equal(_TP, 1): ("one rank has nobody to send to", ""),
            _FULL: ("full recomputation repeats the collectives of the forward pass", ""),
            **({_REPEATED: ("two inputs a layer are gathered once more", "")} if _name == "sequence" else {}),
        },
    ))
RELATIONS.add(Relation(
    "traffic.sequence_parallel_sent",
    when(equal(_TP, 1), number(0, "B"),
         (when(_FULL, 12, 8) + when(_REPEATED, 2, 0)) * _L / _PP * _M * _around(_TP) * _MESSAGE),
    "Each block gathers its input and scatters its output, forward and backward; the input that was kept as a share is "
    "gathered once more for the weights' gradient.",
    SEQUENCE,
    ("Ring collectives: bytes sent per rank, with the factor (n-1)/n; embedding and loss are left out.",),
    (Slip("no-repeat", "The backward pass gathers the input of each block once more.",
          set={"traffic.repeated_gather": Text("false")}, kind="convention"),),
    reasons={
        equal(_TP, 1): ("one rank has nobody to send to", ""),
        _FULL: ("full recomputation repeats the four collectives of the forward pass, so twelve a layer",
                "two gathers and two scatters forward and as many backward, so eight a layer"),
        _REPEATED: ("two inputs a layer are gathered once more", "the gathered inputs are kept"),
    },
    unless=("layout.ep",),
))

_HEADS: Final = symbol("model.query_heads")
RELATIONS.add(Relation(
    "traffic.query_block",
    symbol("batch.sequence") * symbol("batch.micro") * _HEADS / _TP
    * ((symbol("model.nope_head_dim") + symbol("model.rope_head_dim") + symbol("model.value_head_dim")) / 2)
    * symbol("batch.activation_bytes") / _CP,
    "Queries of the tokens that a rank holds, and the output of attention: the mean of the two.", DEEPSEEK_V2,
    ("MLA: an output head is narrower than a query head.",), drops=("token",), stated=("model.kv_rank",),
))
RELATIONS.add(Relation(
    "traffic.query_block",
    symbol("batch.sequence") * symbol("batch.micro") * _HEADS / _TP * symbol("model.head_dim")
    * symbol("batch.activation_bytes") / _CP,
    "Queries of the tokens that a rank holds; the output of attention is as large.", COUNTING, drops=("token",),
    unless=("model.kv_rank",),
))
_KV_RANK: Final = call("ceil", symbol("model.kv_heads") / _TP)
RELATIONS.add(Relation(
    "traffic.ulysses_sent",
    when(equal(_CP, 1), number(0, "B"),
         when(_FULL, 3, 2) * _L / _PP * _M * _around(_CP)
         * (2 * symbol("traffic.query_block")
            + symbol("traffic.kv_block") * (_CP * call("ceil", _KV_RANK / _CP) / _KV_RANK))),
    "Four all-to-alls a layer and pass trade tokens for heads: queries, keys, values, and the output back.",
    ULYSSES,
    (("Per rank, each all-to-all sends (c-1)/c of what the rank holds; the backward pass sends the gradients the same "
      "way, in the same precision; selective recomputation works on what has arrived."),
     "A head is not split: with fewer key-value heads than ranks, each rank gets a copy of the head that it needs."),
    (
        Slip("forward-only", "The backward pass sends the gradients the same way.",
             expr=_L / _PP * _M * _around(_CP)
             * (2 * symbol("traffic.query_block")
                + symbol("traffic.kv_block") * (_CP * call("ceil", _KV_RANK / _CP) / _KV_RANK))),
        Slip("ring", "That is the ring, which passes keys and values to every rank.",
             expr=symbol("traffic.context_parallel_sent"), kind="convention"),
    ),
    reasons={
        equal(_CP, 1): ("one rank holds the whole sequence", ""),
        _FULL: ("full recomputation repeats the forward pass", "once forward, once backward"),
    },
))
LAWS.add(Law(
    "traffic.ulysses_sent",
    Logic("or", (equal(_CP, 1), equal(call("floor", _HEADS / (_TP * _CP)) * _TP * _CP, _HEADS))),
    "Ulysses divides the {model.query_heads} query heads among tp {layout.tp} × cp {layout.cp} ranks, which does not "
    "come out even",
))
