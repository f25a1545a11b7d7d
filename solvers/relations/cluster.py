"""The machines: GPUs, nodes, and the three figures of a card's memory."""

from __future__ import annotations

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Text, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation
from solvers.sources import DEFINITION
from solvers.tables.hardware import GPUS

_declare = CATALOGUE.declare

_declare("cluster.gpu", "the GPU, which states its memory", choices=tuple(GPUS), example="h100-80gb")
_declare("cluster.nodes", "nodes of the cluster", "node", letter="nodes", domain="positive integer", bare=True,
         example="4")
_declare("cluster.gpus_per_node", "GPUs in one node", "GPU/node", letter="GPUs_per_node", domain="positive integer",
         bare=True, example="8")
_declare("cluster.gpus", "GPUs of the cluster", "GPU", letter="GPUs", domain="positive integer", statable=True,
         bare=True, example="32")
_declare("cluster.capacity", "which figure of a card's memory counts: nominal, reported or usable",
         letter="capacity", choices=("nominal", "reported", "usable"), default=Text("nominal"), example="nominal")
_declare("cluster.memory_nominal", "memory of one GPU as the data sheet names it", "GB", letter="nominal",
         example="80 GB")
_declare("cluster.memory_reported", "memory of one GPU as the driver's tool reports it", "GB", letter="reported",
         example="81559 MiB")
_declare("cluster.memory_visible", "memory of one GPU that a program is told it has, as measured", "GiB",
         letter="visible", example="79.15 GiB")
_declare("cluster.allowance", "memory that context, communication buffers and the allocator take from what is "
         "reported", "GB", letter="allowance", domain="non-negative", example="3 GB")
_declare("cluster.capacity_per_gpu", "memory of one GPU by the stated figure", "GB", letter="capacity",
         domain="positive")

RELATIONS.add(Relation(
    "cluster.gpus", symbol("cluster.nodes") * symbol("cluster.gpus_per_node"),
    "Nodes times GPUs per node.", DEFINITION,
))
RELATIONS.add(Relation(
    "cluster.gpus", symbol("layout.world") * number(1, "GPU"),
    "No cluster is stated: it is as large as the layout.", DEFINITION, stated=("layout.dp",),
    unless=("cluster.nodes", "cluster.gpus_per_node"),
))
RELATIONS.add(Relation(
    "cluster.capacity_per_gpu",
    when(equal(symbol("cluster.capacity"), Text("nominal")), symbol("cluster.memory_nominal"),
         when(equal(symbol("cluster.capacity"), Text("reported")), symbol("cluster.memory_reported"),
              symbol("cluster.memory_reported") - symbol("cluster.allowance"))),
    "The nominal figure is the data sheet's, the reported one the driver's, and usable is what is reported less a "
    "stated allowance.", DEFINITION,
))
LAWS.add(Law(
    "cluster.gpus", equal(symbol("cluster.gpus"), symbol("cluster.nodes") * symbol("cluster.gpus_per_node")),
    "cluster.gpus is {cluster.gpus}, but {cluster.nodes} × {cluster.gpus_per_node} (nodes times GPUs of each) "
    "is another number",
    knows=("cluster.gpus", "cluster.nodes", "cluster.gpus_per_node"),
))
