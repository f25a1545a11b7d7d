"""Overlap: how long data-parallel traffic takes beside the products it hides behind, and what stays exposed.

All is of one micro-batch on one GPU, so that it holds whatever the accumulation.
"""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Text, call, equal, number, symbol, when
from solvers.relation import RELATIONS, Relation, Slip
from solvers.sources import COUNTING, ZERO_TRAFFIC
from solvers.sources_speed import NCCL_TESTS, OVERLAP

_declare = CATALOGUE.declare

_declare("overlap.pass", "which pass: forward, backward, or both", letter="pass",
         choices=("forward", "backward", "both"), default=Text("both"), example="forward")
_declare("overlap.bandwidth", "rate at which the bytes of the collective pass a rank, per direction: the whole node's "
         "where all its cards serve one copy of the bytes", "GB/s", letter="BW", example="400 GB/s")
_declare("overlap.rate", "FLOP/s of a GPU while it computes", "TFLOP/s", letter="X", statable=True,
         example="400 TFLOP/s")
_declare("overlap.wire_bytes", "bytes per parameter that the pass moves, before the factor (n-1)/n", "B/param",
         letter="b_wire", domain="non-negative")
_declare("overlap.flops", "FLOPs per parameter and token of the pass", "FLOP/param/token", letter="f")
_declare("overlap.ring_factor", "part of the bytes that a rank sends, (n-1)/n", letter="ring", domain="fraction")
_declare("overlap.tokens_to_hide", "tokens of a micro-batch on a GPU from which the traffic hides behind the products",
         "token", letter="tokens", bare=True, domain="non-negative")
_declare("overlap.communication_time", "time of the data-parallel traffic of a micro-batch", "ms", letter="t_traffic",
         domain="non-negative")
_declare("overlap.compute_time", "time of the products of a micro-batch", "ms", letter="t_products")
_declare("overlap.exposed", "traffic that stays exposed when all of it may hide behind the products", "ms",
         letter="exposed", domain="non-negative")
_declare("overlap.exposed_share", "exposed traffic over products and exposed traffic", "%", letter="exposed_share",
         domain="fraction")

_ZERO: Final = symbol("layout.zero")
_FORWARD: Final = equal(symbol("overlap.pass"), Text("forward"))
_BACKWARD: Final = equal(symbol("overlap.pass"), Text("backward"))
_RESHARD: Final = equal(symbol("layout.reshard"), Text("true"))
_FULL: Final = equal(symbol("compute.recompute"), Text("full"))
_GATHER, _REDUCE = symbol("recipe.gather"), symbol("recipe.reduce")
_NONE: Final = number(0, "B/param")
_AGAIN: Final = when(_RESHARD, _GATHER, _NONE)
_RING: Final = symbol("overlap.ring_factor")
_SHARE: Final = symbol("model.parameters") / (symbol("layout.tp") * symbol("layout.pp"))
_TOKENS: Final = symbol("batch.tokens_per_micro_batch") / symbol("layout.cp")
# With experts more is moved than multiplied (`overlap_experts`); HSDP's replicas send over links of their own
# (`overlap_replicas`).
ELSEWHERE: Final = ("model.experts", "layout.shard", "layout.replicas")
_EACH: Final = "Gradients are reduced after this micro-batch; the products are those of the parameters, 6 N D."

RELATIONS.add(Relation(
    "overlap.rate", symbol("compute.hardware_rate"), "What a GPU achieves while it computes.", COUNTING,
    stated=("compute.hardware_rate",),
))
RELATIONS.add(Relation(
    "overlap.rate", symbol("compute.peak"), "At the peak the products are shortest, and least hides behind them.",
    COUNTING, ("The products run at the peak: a GPU that is slower hides more.",),
))
RELATIONS.add(Relation(
    "overlap.wire_bytes",
    when(equal(_ZERO, 0), when(_FORWARD, _NONE, 2 * _REDUCE),
         when(equal(_ZERO, 3),
              when(_FORWARD, _GATHER, when(_BACKWARD, _AGAIN + _REDUCE, _GATHER + _AGAIN + _REDUCE)),
              when(_FORWARD, _GATHER, when(_BACKWARD, _REDUCE, _GATHER + _REDUCE)))),
    "DDP all-reduces gradients in the backward pass; sharded weights are gathered in both passes, gradients "
    "reduce-scattered in the backward pass.", ZERO_TRAFFIC,
    reasons={
        equal(_ZERO, 0): ("stage 0 all-reduces, which moves the gradient twice", ""),
        equal(_ZERO, 3): ("stage 3 gathers for each pass",
                          "stages 1 and 2 gather the updated weights during the next forward pass"),
        _FORWARD: ("", ""), _BACKWARD: ("", ""),
        _RESHARD: ("weights were freed after the forward pass", "weights are still gathered"),
    },
))
RELATIONS.add(Relation(
    "overlap.flops",
    when(_FORWARD, number(2, "FLOP/param/token"),
         when(_BACKWARD, when(_FULL, number(6, "FLOP/param/token"), number(4, "FLOP/param/token")),
              when(_FULL, number(8, "FLOP/param/token"), number(6, "FLOP/param/token")))),
    "2 forward, 4 backward, and 2 more where the forward pass is recomputed.", COUNTING,
    reasons={_FORWARD: ("", ""), _BACKWARD: ("", ""),
             _FULL: ("the forward pass is recomputed in the backward pass", "")},
))
RELATIONS.add(Relation(
    "overlap.ring_factor", (symbol("layout.shard") - 1) / symbol("layout.shard"),
    "A rank sends every part but one.", NCCL_TESTS,
))
RELATIONS.add(Relation(
    "overlap.ring_factor", number(1), "With many ranks (n-1)/n is nearly 1.", NCCL_TESTS,
    ("The ranks are not stated: (n-1)/n is taken as 1.",),
))
RELATIONS.add(Relation(
    "overlap.tokens_to_hide",
    _RING * symbol("overlap.wire_bytes") * symbol("overlap.rate")
    / (symbol("overlap.flops") * symbol("overlap.bandwidth")),
    "Products grow with the tokens, gathered and reduced bytes do not; the size of the model cancels.", OVERLAP,
    ("All of the traffic may hide behind the products of the same pass.", _EACH,
     "Context-parallel ranks: tokens of one rank; tensor and pipeline parallelism divide both sides alike."),
    (
        Slip("bits", "Network rates are in bits: divide by 8 for bytes.",
             expr=_RING * symbol("overlap.wire_bytes") * symbol("overlap.rate")
             / (symbol("overlap.flops") * symbol("overlap.bandwidth")) / 8),
        Slip("forward-for-both", "That compares the forward pass alone.", set={"overlap.pass": Text("forward")},
             kind="convention"),
    ),
    unless=ELSEWHERE,
))
RELATIONS.add(Relation(
    "overlap.communication_time",
    _RING * symbol("overlap.wire_bytes") * _SHARE / symbol("overlap.bandwidth"),
    "The bytes that pass a rank, at their rate.", OVERLAP, ("Latency is left out.",), unless=ELSEWHERE,
))
RELATIONS.add(Relation(
    "overlap.compute_time", symbol("overlap.flops") * _SHARE * _TOKENS / symbol("overlap.rate"),
    "The products of a micro-batch, at what the GPU achieves.", COUNTING, (_EACH,), unless=("model.experts",),
))
_EXPOSED: Final = call("max", symbol("overlap.communication_time") - symbol("overlap.compute_time"), number(0, "s"))
RELATIONS.add(Relation(
    "overlap.exposed", _EXPOSED,
    "What takes longer than the products cannot hide behind them.", OVERLAP,
    ("A lower bound: the first gather and the last reduction have nothing to hide behind.",),
    (Slip("no-overlap", "That is all of the traffic; it overlaps with the products.",
          expr=symbol("overlap.communication_time")),),
))
RELATIONS.add(Relation(
    "overlap.exposed_share",
    symbol("overlap.exposed") / (symbol("overlap.exposed") + symbol("overlap.compute_time")),
    "Exposed traffic is a part of the time of the pass.", OVERLAP,
))
