"""The whole of a GPU's memory: state, activations, buffers, and the margin to its capacity."""

from __future__ import annotations

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Logic, Text, equal, number, symbol, when
from solvers.relation import RELATIONS, Relation, Slip
from solvers.sources import DEFINITION, EXPERT_PARALLEL, FSDP2

_declare = CATALOGUE.declare

_declare("memory.activations_per_gpu", "activations that a GPU keeps for the backward pass", "GB",
         letter="activations", domain="non-negative", statable=True, example="15 GB")
_declare("memory.unsharded_per_gpu", "weights that stay gathered from the forward to the backward pass", "GB",
         letter="unsharded", domain="non-negative")
_declare("memory.reserve_per_gpu", "room kept beside state and activations", "GB",
         letter="reserve", domain="non-negative", default=number(0, "B"), example="5 GB")
_declare("memory.buffers_per_gpu", "transient memory of a GPU: unsharded weights and what is reserved", "GB",
         letter="buffers", domain="non-negative")
_declare("memory.total_per_gpu", "memory that a GPU needs: state, activations and buffers", "GB", letter="total",
         domain="non-negative")
_declare("memory.margin_per_gpu", "capacity left over on a GPU; below zero it does not fit", "GB", letter="margin",
         domain="any")

_STAYS = Logic("and", (equal(symbol("layout.zero"), 3), equal(symbol("layout.reshard"), Text("false"))))

RELATIONS.add(Relation(
    "memory.unsharded_per_gpu",
    when(_STAYS, symbol("recipe.gather") * symbol("model.parameters") / (symbol("layout.tp") * symbol("layout.pp")),
         number(0, "B")),
    "Without resharding the gathered copy, in the precision it is gathered in, lives from forward to backward.",
    FSDP2,
    reasons={_STAYS: ("the gathered weights stay until the backward pass",
                      "")},
    unless=("layout.ep",),
))
RELATIONS.add(Relation(
    "memory.unsharded_per_gpu",
    when(_STAYS, symbol("recipe.gather") * (symbol("rank.dense_average") + symbol("rank.experts_average")),
         number(0, "B")),
    "Without resharding the gathered copy of the dense part and of a GPU's experts lives from forward to backward.",
    EXPERT_PARALLEL,
    reasons={_STAYS: ("the gathered weights stay until the backward pass",
                      "")},
    stated=("layout.ep",),
))
RELATIONS.add(Relation(
    "memory.buffers_per_gpu", symbol("memory.unsharded_per_gpu") + symbol("memory.reserve_per_gpu"),
    "What stays gathered and what is reserved.", DEFINITION,
    (("Buffers count only what is named: gathered units in flight, communication buffers and fragmentation are left "
      "out unless memory.reserve_per_gpu is stated."),),
))
RELATIONS.add(Relation(
    "memory.total_per_gpu",
    symbol("memory.state_per_gpu") + symbol("memory.activations_per_gpu") + symbol("memory.buffers_per_gpu"),
    "State, activations and buffers add up.", DEFINITION,
    slips=(
        Slip("no-activations", "You left out the activations.",
             expr=symbol("memory.state_per_gpu") + symbol("memory.buffers_per_gpu")),
        Slip("no-master", "You left out the fp32 master copy.", set={"recipe.master": number(0, "B/param")}),
        Slip("zero1-for-zero3", "That is ZeRO-1: only the optimizer state is divided.",
             set={"layout.zero": number(1)}),
    ),
))
RELATIONS.add(Relation(
    "memory.margin_per_gpu", symbol("cluster.capacity_per_gpu") - symbol("memory.total_per_gpu"),
    "The capacity less what is needed.", DEFINITION,
))
