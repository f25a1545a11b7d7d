"""Collectives by themselves: bytes sent, rounds, bus bandwidth and time of a message over so many ranks.

The message is what the collective is about, whole: the gathered size of an all-gather, the size before a
reduce-scatter, a rank's whole buffer of an all-reduce or an all-to-all.
"""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Logic, Text, call, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.sources_speed import BLUECONNECT, NCCL_TESTS, NCCL_TIME, NCCL_TUNING

_declare = CATALOGUE.declare

_declare("collective.kind", "which collective: all-reduce, all-gather, reduce-scatter, all-to-all, broadcast",
         letter="kind", choices=("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast"),
         example="all-reduce")
_declare("collective.algorithm", "ring, or tree (two binary trees, for an all-reduce)", letter="algorithm",
         choices=("ring", "tree"), default=Text("ring"), example="ring")
_declare("collective.message", "bytes that the collective is about, whole", "GB", letter="M", domain="non-negative",
         example="14 GB")
_declare("collective.ranks", "ranks of the collective", letter="n", domain="positive integer", example="8")
_declare("collective.busbw_factor", "bus bandwidth over algorithm bandwidth", letter="factor", domain="non-negative")
_declare("collective.sent", "bytes that a rank sends", "GB", letter="sent", domain="non-negative")
_declare("collective.rounds", "messages after one another, each with its latency", letter="rounds",
         domain="non-negative integer")
_declare("collective.time", "time of the collective", "ms", letter="time", domain="non-negative")
_declare("collective.algorithm_bandwidth", "message over time", "GB/s", letter="algbw")
_declare("collective.bus_bandwidth", "bytes that a rank sends, over time: what a link must carry", "GB/s",
         letter="busbw", domain="non-negative")
_declare("collective.group", "ranks of one node, which the hierarchical collective serves first", letter="g",
         domain="positive integer", example="8")
_declare("collective.groups", "nodes of the hierarchical collective", letter="k", domain="positive integer")
_declare("collective.inner_sent", "bytes that a rank sends inside its node (hierarchical)", "GB", letter="inner_sent",
         domain="non-negative")
_declare("collective.outer_sent", "bytes that a rank sends to other nodes (hierarchical)", "GB", letter="outer_sent",
         domain="non-negative")
_declare("collective.inner_bandwidth", "bandwidth of a rank inside its node, per direction", "GB/s", letter="BW_inner",
         default=symbol("cluster.link_bandwidth"), example="450 GB/s")
_declare("collective.outer_bandwidth", "bandwidth of a rank to other nodes, per direction", "GB/s", letter="BW_outer",
         default=symbol("cluster.network_per_gpu"), example="50 GB/s")
_declare("collective.inner_time", "time inside the nodes (hierarchical), bytes alone", "ms", letter="inner_time",
         domain="non-negative")
_declare("collective.outer_time", "time between the nodes (hierarchical), bytes alone", "ms", letter="outer_time",
         domain="non-negative")
_declare("collective.hierarchical_time", "time of the hierarchical collective, its phases one after another", "ms",
         letter="time", domain="non-negative")

_KIND: Final = symbol("collective.kind")
_M, _N = symbol("collective.message"), symbol("collective.ranks")
_G, _K = symbol("collective.group"), symbol("collective.groups")
_REDUCE: Final = equal(_KIND, Text("all-reduce"))
_CAST: Final = equal(_KIND, Text("broadcast"))
_ALL: Final = equal(_KIND, Text("all-to-all"))
_TREE: Final = equal(symbol("collective.algorithm"), Text("tree"))
_BUFFER: Final = ("The message is whole: the gathered size of an all-gather, the size before a reduce-scatter, the "
                  "buffer of one rank elsewhere.")
_REASONS: Final = {
    _REDUCE: ("an all-reduce is a reduce-scatter and an all-gather", ""),
    _CAST: ("a broadcast passes the whole message on", "each part is passed by every rank but one"),
}


def _around(ranks: Expr) -> Expr:
    return (ranks - 1) / ranks


_FACTOR: Final = when(_REDUCE, 2 * _around(_N), when(_CAST, 1, _around(_N)))
RELATIONS.add(Relation(
    "collective.busbw_factor", _FACTOR,
    "What a rank must send, as a part of the message.", NCCL_TESTS, (_BUFFER,),
    (
        Slip("no-ring-factor", "A rank sends every part but one: (n-1)/n.", expr=when(_REDUCE, number(2), number(1))),
        Slip("once-round", "An all-reduce goes twice round.", expr=_around(_N)),
    ),
    reasons=_REASONS, stated=("collective.kind",),
))
RELATIONS.add(Relation(
    "collective.sent", symbol("collective.busbw_factor") * _M,
    "The factor of the collective times its message.", NCCL_TESTS,
    (_BUFFER,),
    (Slip("whole-message", "A rank sends every part but one.", expr=when(_REDUCE, 2 * _M, _M)),),
))
RELATIONS.add(Relation(
    "collective.rounds",
    when(_TREE, 2 * call("ceil", call("log2", _N)), when(_REDUCE, 2 * (_N - 1), _N - 1)),
    "A ring has a round for each rank but one; a tree has its depth, up and down.", NCCL_TUNING,
    reasons={
        _TREE: ("a tree is as deep as the logarithm of its ranks (two trees, and bytes as the mean over ranks)",
                "a ring passes through every rank"),
        _REDUCE: ("an all-reduce goes twice round", "once round"),
    },
    slips=(Slip("once-round", "An all-reduce goes twice round.", expr=_N - 1),),
))
RELATIONS.add(Relation(
    "collective.time",
    symbol("collective.rounds") * symbol("link.latency") + symbol("collective.sent") / symbol("link.bandwidth"),
    "Latency for each round, and the bytes of a rank at its link's rate.", NCCL_TIME,
    ("Every rank sends at the full rate of its link in one direction; rounds of a tree are pipelined.",),
    (
        Slip("no-factor", "A rank sends the factor times the message.",
             expr=symbol("collective.rounds") * symbol("link.latency") + _M / symbol("link.bandwidth")),
        Slip("no-latency", "The latency is missing.", expr=symbol("collective.sent") / symbol("link.bandwidth")),
    ),
))
RELATIONS.add(Relation(
    "collective.algorithm_bandwidth", _M / symbol("collective.time"),
    "The message over the time.", NCCL_TESTS, (_BUFFER,),
))
RELATIONS.add(Relation(
    "collective.bus_bandwidth", symbol("collective.busbw_factor") * symbol("collective.algorithm_bandwidth"),
    "The factor makes the figure comparable with the link, whatever the ranks.", NCCL_TESTS,
))

RELATIONS.add(Relation("collective.groups", _N / _G, "As many nodes as groups of ranks.", BLUECONNECT))
RELATIONS.add(Relation(
    "collective.inner_sent", when(_REDUCE, 2 * _around(_G), _around(_G)) * _M,
    "Inside a node every rank exchanges the message with the others of the node.", BLUECONNECT, (_BUFFER,),
    reasons={_REDUCE: _REASONS[_REDUCE]}, stated=("collective.kind",),
))
RELATIONS.add(Relation(
    "collective.outer_sent",
    when(_ALL, _around(_K) * _M, when(_REDUCE, 2 * _around(_K), _around(_K)) * _M / _G),
    "Between nodes each rank of a node carries its own part of the message.", BLUECONNECT, (_BUFFER,),
    (
        Slip("flat-ring", "That is a flat ring: a rank of a node carries only its part between nodes.",
             expr=symbol("collective.sent")),
        Slip("whole-message", "Each of the node's ranks carries only its part of the message.",
             expr=when(_REDUCE, 2 * _around(_K), _around(_K)) * _M),
    ),
    reasons={_REDUCE: _REASONS[_REDUCE], _ALL: ("an all-to-all brings every part to another rank, so none is shared",
                                                "")},
    stated=("collective.kind",),
))
RELATIONS.add(Relation(
    "collective.inner_time", symbol("collective.inner_sent") / symbol("collective.inner_bandwidth"),
    "The bytes inside the node at the rate inside the node.", BLUECONNECT, ("Latency is left out.",),
))
RELATIONS.add(Relation(
    "collective.outer_time", symbol("collective.outer_sent") / symbol("collective.outer_bandwidth"),
    "The bytes between nodes at a rank's share of the network.", BLUECONNECT,
    ("Latency is left out.", "Every rank uses its own network card."),
))
RELATIONS.add(Relation(
    "collective.hierarchical_time", symbol("collective.inner_time") + symbol("collective.outer_time"),
    "The phases inside the nodes and the one between them, one after another.", BLUECONNECT,
    ("The phases follow one another; pipelined over pieces of the message, the slower of the two remains.",),
))
LAWS.add(Law(
    "collective.algorithm", Logic("or", (equal(symbol("collective.algorithm"), Text("ring")), _REDUCE)),
    "the tree is for an all-reduce, not for {collective.kind}", knows=("collective.algorithm", "collective.kind"),
))
LAWS.add(Law(
    "collective.group", Logic("not", (_CAST,)),
    "the hierarchical collective is not modelled for a {collective.kind}", knows=("collective.kind",),
))
