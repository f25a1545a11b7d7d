"""Expert parallelism: what dispatch and combine send, by routed tokens or by capacity, within and between nodes."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Logic, Text, call, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.sources import COUNTING
from solvers.sources_speed import DEEPSEEK_V3, GSHARD

_declare = CATALOGUE.declare

_declare("traffic.routing", "what is sent: the routed tokens, or the whole capacity of every expert, padding included",
         letter="routing", choices=("routed", "capacity"), default=Text("routed"), example="capacity")
_declare("traffic.capacity_factor", "capacity of an expert over its share of evenly routed tokens", letter="factor",
         example="1.25")
_declare("traffic.dispatch_bytes", "bytes of an element on the way to the experts", "B", letter="b_dispatch",
         default=number(2, "B"), example="1 B")
_declare("traffic.combine_bytes", "bytes of an element on the way back", "B", letter="b_combine",
         default=number(2, "B"), example="2 B")
_declare("traffic.nodes_per_token", "nodes that a token is sent to at most", letter="nodes_token",
         domain="positive integer", example="4")
_declare("traffic.rank_tokens", "tokens of one micro-batch that a rank sends to experts", "token", letter="T",
         bare=True)
_declare("traffic.expert_capacity", "tokens of one rank that an expert takes at most", letter="capacity",
         domain="positive integer")
_declare("traffic.expert_slots", "copies of tokens that a rank sends to experts, its own experts included",
         letter="slots")
_declare("traffic.dispatch", "bytes that a rank sends to the experts of other ranks, for a layer and micro-batch", "MB",
         letter="dispatch", domain="non-negative")
_declare("traffic.combine", "bytes that a rank sends back to the tokens of other ranks, for a layer and micro-batch",
         "MB", letter="combine", domain="non-negative")
_declare("traffic.expert_parallel_sent", "bytes that a rank sends per step for expert parallelism", "GB",
         letter="expert_parallel", domain="non-negative")
_declare("traffic.node_bytes_per_token", "bytes between nodes that a token costs in one forward pass at most",
         "MB/token", letter="node_bytes")

_K, _E = symbol("model.experts_per_token"), symbol("model.experts")
_EP, _TP = symbol("layout.ep"), symbol("layout.tp")
_h: Final = symbol("model.hidden")
_T: Final = symbol("traffic.rank_tokens")
_SLOTS: Final = symbol("traffic.expert_slots")
_CAPACITY: Final = equal(symbol("traffic.routing"), Text("capacity"))
_SEQUENCE: Final = equal(symbol("layout.sequence_parallel"), Text("true"))
_FULL: Final = equal(symbol("compute.recompute"), Text("full"))
_EVEN: Final = "Tokens are routed evenly: a copy goes to each chosen expert, (e-1)/e of them to other ranks."


def _around(ranks: Expr) -> Expr:
    return (ranks - 1) / ranks


RELATIONS.add(Relation(
    "traffic.rank_tokens",
    symbol("batch.tokens_per_micro_batch") / symbol("layout.cp") / when(_SEQUENCE, _TP, 1),
    "Context and sequence parallelism leave a rank a share of the tokens.", COUNTING,
    reasons={_SEQUENCE: ("sequence parallelism divides the tokens among the tensor ranks",
                         "without sequence parallelism each tensor rank has every token")},
))
RELATIONS.add(Relation(
    "traffic.expert_capacity",
    call("ceil", symbol("traffic.capacity_factor") * _T * _K / _E / number(1, "token")),
    "An even share of the routed tokens, with room to spare; more is dropped.", GSHARD,
))
RELATIONS.add(Relation(
    "traffic.expert_slots",
    when(_CAPACITY, _E * symbol("traffic.expert_capacity"), _T * _K / number(1, "token")),
    "Each token goes to so many experts; a fixed capacity is sent whole.", GSHARD,
    reasons={_CAPACITY: ("every expert's buffer is sent, full or not", "what is routed is sent")},
    slips=(Slip("top-1", "Each token goes to several experts.", expr=_T / number(1, "token")),),
))
for _way, _because in (("dispatch", "Copies of tokens go to the ranks of their experts."),
                       ("combine", "What the experts made of the tokens goes back.")):
    RELATIONS.add(Relation(
        f"traffic.{_way}", _around(_EP) * _SLOTS * _h * symbol(f"traffic.{_way}_bytes"), _because, GSHARD, (_EVEN,),
        (Slip("all-elsewhere", "Experts on the rank itself need no sending.",
              expr=_SLOTS * _h * symbol(f"traffic.{_way}_bytes")),),
    ))
RELATIONS.add(Relation(
    "traffic.expert_parallel_sent",
    when(equal(_EP, 1), number(0, "B"),
         when(_FULL, 3, 2) * symbol("model.moe_layers") / symbol("layout.pp") * symbol("batch.accumulation")
         * (symbol("traffic.dispatch") + symbol("traffic.combine"))),
    "A dispatch and a combine forward, and their gradients the other way backward.", DEEPSEEK_V3,
    ("Gradients travel in the precisions of the forward pass; layers with experts are spread evenly over the stages.",),
    (
        Slip("forward-only", "The gradients travel as well.",
             expr=symbol("model.moe_layers") / symbol("layout.pp") * symbol("batch.accumulation")
             * (symbol("traffic.dispatch") + symbol("traffic.combine"))),
        Slip("dispatch-only", "What was dispatched comes back.",
             expr=2 * symbol("model.moe_layers") / symbol("layout.pp") * symbol("batch.accumulation")
             * symbol("traffic.dispatch")),
    ),
    reasons={
        equal(_EP, 1): ("every rank has all experts", ""),
        _FULL: ("full recomputation dispatches and combines once more", "once forward, once backward"),
    },
))
RELATIONS.add(Relation(
    "traffic.node_bytes_per_token",
    symbol("traffic.nodes_per_token") * _h * (symbol("traffic.dispatch_bytes") + symbol("traffic.combine_bytes"))
    * symbol("model.moe_layers"),
    "A token is sent to a node once, and spread over its experts inside.", DEEPSEEK_V3,
    ("At most: the token's own node counts as one of the nodes; what comes back is added up inside the node.",),
    (Slip("experts-for-nodes", "A token crosses to a node once, not once for each expert there.",
          expr=_K * _h * (symbol("traffic.dispatch_bytes") + symbol("traffic.combine_bytes"))
          * symbol("model.moe_layers")),),
    drops=("token",),
))
LAWS.add(Law(
    "layout.ep", equal(call("floor", _E / _EP) * _EP, _E),
    "{model.experts} experts do not divide among {layout.ep} expert-parallel ranks",
    knows=("layout.ep", "model.experts"),
))
LAWS.add(Law(
    "layout.ep", Logic("or", (equal(_EP, 1), _E > 0)),
    "an expert-parallel degree of {layout.ep} divides experts among ranks, but the model has none",
    knows=("layout.ep",), any_of=("model", "model.parameters", "model.family"),
))
