"""How fast the machines are: dense peaks, memory bandwidth, links inside a node and between nodes."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Text, equal, number, symbol, when
from solvers.relation import RELATIONS, Relation, Slip
from solvers.sources import DEFINITION
from solvers.sources_speed import LINKS, NCCL_TIME
from solvers.tables.links import LINK_TABLE, NETWORKS

_declare = CATALOGUE.declare

_PRECISIONS: Final = ("bf16", "fp16", "fp8", "tf32", "fp32", "fp4")
for _name in _PRECISIONS:
    _declare(f"cluster.peak_{_name}", f"dense peak of one GPU in {_name}", "TFLOP/s", letter=f"peak_{_name}",
             example="989 TFLOP/s")
_declare("cluster.hbm_bandwidth", "bandwidth of a GPU's own memory", "TB/s", letter="BW_memory", example="3.35 TB/s")
_declare("cluster.link_bandwidth", "bandwidth of a GPU to the others of its node, per direction", "GB/s",
         letter="BW_node", example="450 GB/s")
_declare("cluster.network", "the network cards of a node, as a published machine has them", choices=tuple(NETWORKS),
         letter="network", example="dgx-h100")
_declare("cluster.nics_per_node", "network cards of one node", letter="cards", domain="positive integer", example="8")
_declare("cluster.nic_rate", "rate of one network card, per direction", "Gb/s", letter="rate", example="400 Gb/s")
_declare("cluster.node_bandwidth", "bandwidth of a node to the others, per direction", "GB/s", letter="BW_network",
         statable=True, example="400 GB/s")
_declare("cluster.network_per_gpu", "a GPU's share of its node's bandwidth to the others, per direction", "GB/s",
         letter="BW_network_GPU", statable=True, example="50 GB/s")
_declare("compute.precision", "precision of the matrix products, which decides the peak: bf16, fp16, fp8, tf32, fp32, "
         "fp4", letter="precision", choices=_PRECISIONS, default=Text("bf16"), example="bf16")
_declare("compute.peak", "dense peak of one GPU in the stated precision", "TFLOP/s", letter="peak", statable=True,
         example="989 TFLOP/s")

_declare("link.kind", "a published link inside a node", choices=tuple(LINK_TABLE), letter="link", example="nvlink4")
_declare("link.total", "bandwidth of a link in both directions together, as vendors print it", "GB/s", letter="total",
         example="900 GB/s")
_declare("link.bandwidth", "bandwidth of a link per direction", "GB/s", letter="BW", statable=True, example="450 GB/s")
_declare("link.latency", "time before the first byte of a message arrives", "µs", letter="latency",
         domain="non-negative", default=number(0, "s"), example="5 µs")
_declare("link.message", "bytes of one message", "GB", letter="message", domain="non-negative", example="1 GB")
_declare("link.time", "time of one message over a link", "ms", letter="time", domain="non-negative")

_DENSE: Final = "Peaks are dense: without structured sparsity, which vendors often print doubled."


def _peak(precisions: tuple[str, ...]) -> Expr:
    first = symbol(f"cluster.peak_{precisions[0]}")
    if len(precisions) == 1:
        return first
    return when(equal(symbol("compute.precision"), Text(precisions[0])), first, _peak(precisions[1:]))


RELATIONS.add(Relation(
    "compute.peak", _peak(_PRECISIONS), "The peak of the precision that the matrix products run in.", DEFINITION,
    (_DENSE,),
    (Slip("with-sparsity", "That is the peak with structured sparsity; dense products have half of it.",
          expr=2 * _peak(_PRECISIONS)),),
    reasons={equal(symbol("compute.precision"), Text(name)): ("", "") for name in _PRECISIONS[:-1]},
))
RELATIONS.add(Relation(
    "cluster.node_bandwidth", symbol("cluster.nics_per_node") * symbol("cluster.nic_rate"),
    "All network cards of the node together; eight bits are a byte.", LINKS,
    ("Per direction; a collective that uses every card of the node.",),
    (
        Slip("bits-for-bytes", "Network rates are in bits: divide by 8 for bytes.",
             expr=8 * symbol("cluster.nics_per_node") * symbol("cluster.nic_rate")),
        Slip("one-card", "That is one card; the node has several.", expr=symbol("cluster.nic_rate")),
    ),
))
RELATIONS.add(Relation(
    "cluster.network_per_gpu", symbol("cluster.node_bandwidth") / symbol("cluster.gpus_per_node"),
    "The GPUs of a node share its network cards.", DEFINITION, drops=("gpu", "node"),
))
RELATIONS.add(Relation(
    "link.bandwidth", symbol("link.total") / 2,
    "A vendor's figure adds both directions; a message travels in one.", LINKS,
    ("Both directions are equally fast.",),
    (Slip("both-directions", "That figure adds both directions; a message travels in one.",
          expr=symbol("link.total")),),
))
RELATIONS.add(Relation(
    "link.time", symbol("link.latency") + symbol("link.message") / symbol("link.bandwidth"),
    "First the latency, then the bytes at the link's rate.", NCCL_TIME,
    ("The link carries nothing else meanwhile.",),
    (Slip("no-latency", "The latency is missing.", expr=symbol("link.message") / symbol("link.bandwidth")),),
))
