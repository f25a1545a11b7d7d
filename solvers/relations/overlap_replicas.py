"""Overlap under HSDP: a group gathers and scatters over its own links, replicas all-reduce the shard over others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Logic, Text, equal, number, symbol, when
from solvers.relation import RELATIONS, Relation, Slip
from solvers.sources import FSDP
from solvers.sources_speed import OVERLAP

if TYPE_CHECKING:
    from solvers.relation import Reasons

_declare = CATALOGUE.declare
_declare("overlap.replica_bandwidth", "rate at which replicas' bytes pass a rank, per direction", "GB/s", letter="BW_R",
         default=symbol("overlap.bandwidth"), example="50 GB/s")  # fmt: skip
_declare("overlap.replica_bytes", "bytes per parameter that a rank sends to the other replicas in the pass", "B/param",
         letter="b_replica", domain="non-negative")  # fmt: skip

_R, _SHARD = symbol("layout.replicas"), symbol("layout.shard")
_FORWARD: Final = equal("overlap.pass", Text("forward"))
_NONE: Final = Logic("or", (_FORWARD, equal(_R, 1), equal("layout.zero", 0)))
_SHARE: Final = symbol("model.parameters") / (symbol("layout.tp") * symbol("layout.pp"))
_BW, _BW_R = symbol("overlap.bandwidth"), symbol("overlap.replica_bandwidth")
_WIRE, _BYTES = symbol("overlap.wire_bytes"), symbol("overlap.replica_bytes")
_RING: Final = symbol("overlap.ring_factor")
_ONE_AFTER_ANOTHER: Final = "The reduction inside the group and the one between replicas follow one another."
_ALONE: Final[Reasons] = {_NONE: ("", "replicas all-reduce the gradient shard that they hold in common")}

RELATIONS.add(Relation(
    "overlap.replica_bytes",
    when(_NONE, number(0, "B/param"), 2 * ((_R - 1) / _R) * symbol("recipe.reduce") / _SHARD),
    "An all-reduce of a shard, twice (R-1)/R of it.", FSDP,
    slips=(Slip("not-sharded", "Replicas exchange the shard of one rank, not the whole gradient.",
                expr=2 * ((_R - 1) / _R) * symbol("recipe.reduce")),),
    reasons=_ALONE,
))  # fmt: skip


for _stated, _unless in ((("layout.shard",), ()), (("layout.replicas",), ("layout.shard",))):
    RELATIONS.add(Relation(
        "overlap.communication_time",
        _RING * _WIRE * _SHARE / _BW + _BYTES * _SHARE / _BW_R,
        "The bytes of the group at its rate, and those between replicas at theirs.", FSDP,
        ("Latency is left out.", _ONE_AFTER_ANOTHER), stated=_stated, unless=("model.experts", *_unless),
    ))  # fmt: skip
    RELATIONS.add(Relation(
        "overlap.tokens_to_hide",
        (_RING * _WIRE / _BW + _BYTES / _BW_R) * symbol("overlap.rate") / symbol("overlap.flops"),
        "Products grow with the tokens, moved bytes do not; the size of the model cancels.", OVERLAP,
        ("All of the traffic may hide behind the products of the same pass.", _ONE_AFTER_ANOTHER),
        (Slip("one-group", "Replicas send over other links than their groups.",
              expr=_RING * _WIRE * symbol("overlap.rate") / (symbol("overlap.flops") * _BW)),),
        stated=_stated, unless=("model.experts", *_unless),
    ))  # fmt: skip
