"""How the GPUs are arranged: degrees, shard groups, and what must divide what."""

from __future__ import annotations

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Logic, Text, call, equal, number, symbol
from solvers.relation import LAWS, RELATIONS, Law, Relation
from solvers.sources import DEFINITION, FSDP, MEGATRON_PIPELINE

_declare = CATALOGUE.declare

_declare("layout.zero", "ZeRO stage: 0 replicates (DDP), 1 shards the optimizer state, 2 gradients too, 3 weights too",
         letter="stage", domain="non-negative integer", default=number(0), most=3, example="3")
_declare("layout.tp", "tensor-parallel degree", letter="t", domain="positive integer", default=number(1), example="8")
_declare("layout.pp", "pipeline stages", letter="p", domain="positive integer", default=number(1), example="4")
_declare("layout.cp", "context-parallel degree", letter="c", domain="positive integer", default=number(1), example="2")
_declare("layout.ep", "expert-parallel degree: ranks among which the experts of a layer are divided", letter="e",
         domain="positive integer", default=number(1), example="64")
_declare("layout.dp", "data-parallel degree", letter="N", domain="positive integer", statable=True, example="8")
_declare("layout.data_ranks", "ranks with the same weights: data-parallel times context-parallel", letter="D",
         domain="positive integer")
_declare("layout.shard", "ranks that the sharded state is divided among (HSDP: fewer than all)", letter="S",
         domain="positive integer", default=symbol("layout.data_ranks"), statable=True, example="8")
_declare("layout.replicas", "groups that hold the same shards (HSDP)", letter="R", domain="positive integer",
         statable=True, example="4")
_declare("layout.world", "GPUs that the layout needs", letter="world", domain="positive integer")
_declare("layout.sequence_parallel", "whether tensor-parallel ranks also divide the sequence between blocks",
         letter="sequence_parallel", choices=("true", "false"), default=Text("false"), example="true")
_declare("layout.reshard", "whether gathered weights are freed after the forward pass and gathered again",
         letter="reshard", choices=("true", "false"), default=Text("true"), example="false")
_declare("layout.offload", "what lives in host memory: none; optimizer (master copy and moments); "
         "optimizer-and-gradients; all (weights too)", letter="offload",
         choices=("none", "optimizer", "optimizer-and-gradients", "all"), default=Text("none"), example="optimizer")
_declare("layout.sync", "when sharded gradients are reduced over the shard group: each-micro-batch, or each-step "
         "(no_sync; they stay whole until then)", letter="sync", choices=("each-micro-batch", "each-step"),
         default=Text("each-micro-batch"), example="each-step")
_declare("layout.replica_sync", "when HSDP's replicas all-reduce their gradients", letter="replica_sync",
         choices=("each-micro-batch", "each-step"), default=Text("each-micro-batch"), example="each-step")
_declare("layout.interleave", "model chunks per pipeline stage (virtual stages)", letter="v",
         domain="positive integer", default=number(1), example="2")

_TP, _PP, _CP, _DP = (symbol(f"layout.{name}") for name in ("tp", "pp", "cp", "dp"))

RELATIONS.add(Relation(
    "layout.dp", symbol("cluster.gpus") / (_TP * _PP * _CP),
    "The GPUs that tensor, pipeline and context parallelism leave over are data-parallel replicas.",
    DEFINITION, drops=("gpu",),
))
RELATIONS.add(Relation(
    "layout.data_ranks", _DP * _CP,
    "Context-parallel ranks hold the same weights, so they share state and sum gradients like data-parallel ranks.",
    MEGATRON_PIPELINE,
))
RELATIONS.add(Relation(
    "layout.shard", symbol("layout.data_ranks") / symbol("layout.replicas"),
    "HSDP divides the ranks into replicas; the state is sharded inside one.", FSDP, stated=("layout.replicas",),
))
RELATIONS.add(Relation(
    "layout.replicas", symbol("layout.data_ranks") / symbol("layout.shard"),
    "As many replicas as shard groups fit into the ranks.", FSDP,
))
RELATIONS.add(Relation(
    "layout.world", _DP * _TP * _PP * _CP, "The degrees multiply.", DEFINITION,
))


def _divides(divisor: Expr, whole: Expr) -> Expr:
    return equal(call("floor", whole / divisor) * divisor, whole)


LAWS.add(Law(
    "layout.dp", symbol("layout.world") <= symbol("cluster.gpus") / number(1, "GPU"),
    "the layout needs {layout.world} GPUs (dp {layout.dp} × tp {layout.tp} × pp {layout.pp} × cp {layout.cp}), "
    "but the cluster has {cluster.gpus}", any_of=("cluster.gpus", "cluster.nodes"),
))
LAWS.add(Law(
    "layout.shard", _divides(symbol("layout.shard"), symbol("layout.data_ranks")),
    "a shard group of {layout.shard} does not divide the {layout.data_ranks} ranks that hold the same weights",
    knows=("layout.shard",),
))
LAWS.add(Law(
    "layout.shard", equal(symbol("layout.shard") * symbol("layout.replicas"), symbol("layout.data_ranks")),
    "{layout.replicas} replicas of {layout.shard} ranks are not the {layout.data_ranks} ranks of the layout",
    knows=("layout.shard", "layout.replicas"),
))
LAWS.add(Law(
    "layout.pp", _divides(_PP * symbol("layout.interleave"), symbol("model.layers")),
    "{model.layers} layers do not divide into {layout.pp} pipeline stages at interleave {layout.interleave}; uneven "
    "stages are not modelled, but for a first and a last one of their own length (pipeline.first_layers, "
    "pipeline.last_layers)", knows=("layout.pp", "model.layers"),
    unless=("pipeline.first_layers", "pipeline.last_layers"),
))
LAWS.add(Law(
    "layout.interleave", Logic("or", (equal(symbol("layout.interleave"), 1), _PP > 1)),
    "{layout.interleave} chunks per stage need at least 2 pipeline stages", knows=("layout.interleave",),
))
LAWS.add(Law(
    "layout.tp", _divides(_TP, symbol("model.query_heads")),
    "a tensor-parallel degree of {layout.tp} does not divide the {model.query_heads} query heads",
    knows=("layout.tp", "model.query_heads"),
))
LAWS.add(Law(
    "layout.offload", Logic("or", (equal(symbol("layout.offload"), Text("none")), symbol("layout.zero") >= 1)),
    "offloading to the host (layout.offload = {layout.offload}) goes with ZeRO: set layout.zero to 1, 2 or 3",
    knows=("layout.offload",),
))
LAWS.add(Law(
    "layout.offload",
    Logic("or", (Logic("not", (equal(symbol("layout.offload"), Text("all")),)), equal(symbol("layout.zero"), 3))),
    "layout.offload = all keeps the sharded weights on the host, which needs layout.zero = 3",
    knows=("layout.offload",),
))
# Said from whichever of the three a scenario brings up: stage 0 is a default, and HSDP without a stage an oversight.
for _name in ("layout.zero", "layout.shard", "layout.replicas"):
    LAWS.add(Law(
        _name,
        Logic("or", (equal(symbol("layout.shard"), symbol("layout.data_ranks")), symbol("layout.zero") > 0)),
        "a shard group of {layout.shard} of {layout.data_ranks} ranks shards nothing under layout.zero = 0: "
        "set layout.zero to 1, 2 or 3", any_of=("layout.shard", "layout.replicas"),
    ))
LAWS.add(Law(
    "layout.zero", Logic("or", (equal(symbol("layout.reshard"), Text("true")), equal(symbol("layout.zero"), 3))),
    "layout.reshard = false speaks of gathered weights, which only layout.zero = 3 has", knows=("layout.reshard",),
))

LAWS.add(Law(
    "layout.offload",
    Logic("or", (Logic("not", (equal(symbol("layout.offload"), Text("optimizer-and-gradients")),)),
                 symbol("layout.zero") > 1)),
    "layout.offload = optimizer-and-gradients moves sharded gradients, which layout.zero = 2 or 3 has",
    knows=("layout.offload",),
))
