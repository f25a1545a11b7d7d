"""Overlap and decoding with experts: all parameters are moved or read, and a token works with few of them."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Logic, Text, call, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Reasons, Relation, Slip
from solvers.sources import COUNTING, MOE
from solvers.sources_speed import DECODE, DEEPSEEK_V3, GSHARD, NCCL_TESTS, OVERLAP

_declare = CATALOGUE.declare
_declare("overlap.expert_ring_factor", "part of the bytes of an expert that a rank sends, (n-1)/n of the ranks that "
         "hold it", letter="ring_e", domain="fraction")  # fmt: skip
_declare("overlap.moved_parameters", "parameters that pass a rank, each part by the factor of its own group", "param",
         letter="P_moved", domain="non-negative", bare=True)  # fmt: skip
_declare("overlap.worked_parameters", "active parameters that work on a token, for each rank of a tensor and pipeline "
         "group", "param", letter="P_worked", bare=True)  # fmt: skip
_declare("overlap.expert_exchange_time", "time of dispatch and combine of a micro-batch, in the passes of overlap.pass",
         "ms", letter="t_exchange", domain="non-negative")  # fmt: skip
_declare("overlap.expert_bandwidth", "rate at which a rank sends tokens to experts, per direction", "GB/s",
         letter="BW_experts", default=symbol("overlap.bandwidth"), example="50 GB/s")  # fmt: skip
_declare("roofline.routing", "which experts a decoding step reads: as many as even, independent routing meets on "
         "average (expected), or as many as it can meet at most (most)", letter="routing",
         choices=("expected", "most"), default=Text("expected"), example="most")  # fmt: skip
_declare("roofline.experts_read", "experts of a layer that one step reads, of all sequences together",
         letter="E_read", domain="non-negative")  # fmt: skip

_STATED: Final = ("model.experts",)
_P, _ACTIVE = symbol("model.parameters"), symbol("model.active_parameters")
_ROUTED: Final = symbol("model.routed_parameters")
_TP, _PP = symbol("layout.tp"), symbol("layout.pp")
_RING, _RING_E = symbol("overlap.ring_factor"), symbol("overlap.expert_ring_factor")
_WIRE, _FLOPS = symbol("overlap.wire_bytes"), symbol("overlap.flops")
_MOVED, _WORKED = symbol("overlap.moved_parameters"), symbol("overlap.worked_parameters")
_BW: Final = symbol("overlap.bandwidth")
_EVEN: Final = "Tokens are routed evenly, so that every rank works as much; dispatch and combine are left out."

RELATIONS.add(Relation(
    "overlap.expert_ring_factor", (symbol("layout.expert_shard") - 1) / symbol("layout.expert_shard"),
    "A rank sends every part but one.", NCCL_TESTS,
))  # fmt: skip
RELATIONS.add(Relation(
    "overlap.expert_ring_factor", number(1), "With many ranks (n-1)/n is nearly 1.", NCCL_TESTS,
    ("The ranks are not stated: (n-1)/n is taken as 1.",),
))  # fmt: skip
RELATIONS.add(Relation(
    "overlap.moved_parameters",
    _RING * symbol("rank.dense_average") + _RING_E * symbol("rank.experts_average"),
    "The dense part goes round all ranks, an expert round those that hold it.", COUNTING,
))  # fmt: skip
RELATIONS.add(Relation(
    "overlap.worked_parameters", _ACTIVE / (_TP * _PP),
    "A token works with the active parameters only; expert parallelism shares tokens out as it shares experts.", MOE,
    (_EVEN,),
    (Slip("total-for-active", "A token meets only the experts that it is sent to.", expr=_P / (_TP * _PP)),),
))  # fmt: skip
RELATIONS.add(Relation(
    "overlap.tokens_to_hide", _WIRE * symbol("overlap.rate") * _MOVED / (_FLOPS * _BW * _WORKED),
    "Products grow with the tokens and the active parameters, moved bytes with all of them.", OVERLAP,
    ("All of the traffic may hide behind the products of the same pass.", _EVEN),
    (Slip("dense", "All parameters are moved, but only the active ones work on a token.",
          expr=_WIRE * symbol("overlap.rate") / (_FLOPS * _BW)),), stated=_STATED,
))  # fmt: skip
RELATIONS.add(Relation(
    "overlap.communication_time", _WIRE * _MOVED / _BW, "The bytes that pass a rank, at their rate.", OVERLAP,
    ("Latency is left out; dispatch and combine are no part of it.",), stated=_STATED,
))  # fmt: skip
RELATIONS.add(Relation(
    "overlap.compute_time",
    _FLOPS * _WORKED * symbol("batch.tokens_per_micro_batch") / symbol("layout.cp") / symbol("overlap.rate"),
    "The products of a micro-batch with the active parameters, at what the GPU achieves.", COUNTING, (_EVEN,),
    stated=_STATED,
))  # fmt: skip
_FORWARD: Final = equal("overlap.pass", Text("forward"))
_BACKWARD: Final = equal("overlap.pass", Text("backward"))
_FULL: Final = equal("compute.recompute", Text("full"))
RELATIONS.add(Relation(
    "overlap.expert_exchange_time",
    when(_FORWARD, 1, when(_BACKWARD, when(_FULL, 2, 1), when(_FULL, 3, 2))) * symbol("model.moe_layers") / _PP
    * (symbol("traffic.dispatch") + symbol("traffic.combine")) / symbol("overlap.expert_bandwidth"),
    "Each layer with experts dispatches and combines in each pass.", DEEPSEEK_V3, ("Latency is left out.",),
    reasons={
        _FORWARD: ("", ""), _BACKWARD: ("", ""),
        _FULL: ("the recomputed forward pass dispatches and combines again", ""),
    },
))  # fmt: skip

# Decoding: each step reads the dense part once, and the experts that its tokens meet.
_E, _K = symbol("model.experts"), symbol("model.experts_per_token")
_B: Final = symbol("roofline.decode_sequences")
_MOST: Final = equal("roofline.routing", Text("most"))
_ONE: Final = equal(_B, 1)
# Beyond it an expert is left unread once in 1e17 steps, and the power has no digits to show.
_EVERY: Final = Logic("or", (equal(_K, _E), _B * _K > 40 * _E))
RELATIONS.add(Relation(
    "roofline.experts_read",
    when(_MOST, call("min", _E, _B * _K),
         when(_ONE, _K, when(_EVERY, _E, _E * (1 - call("exp", _B * call("log", 1 - _K / _E)))))),
    "An expert is left unread only if no sequence chooses it: E (1 - (1 - k/E)^b) are met on average.", GSHARD,
    ("Every sequence chooses its experts evenly and independently of the others.",),
    reasons={
        _MOST: ("no two sequences choose the same expert, until all are read", ""),
        _ONE: ("one sequence reads the experts of its one token", ""),
        _EVERY: ("every expert is chosen by some sequence", ""),
    },
))  # fmt: skip
_HAS_EXPERTS: Final = _E > 0
_READ: Final = when(_HAS_EXPERTS, (_P - _ROUTED * (1 - symbol("roofline.experts_read") / _E)) / _P, 1)
_WEIGHTS: Final = symbol("serving.weights") * _READ / (_TP * _PP)
_EXPERT_READS: Final = (
    "The experts that are read are spread evenly over the GPUs: tensor, pipeline and expert ranks divide the weights."
)


def _decode(target: str, expr: Expr, because: str, *assumptions: str, stated: tuple[str, ...] = (),
            slips: tuple[Slip, ...] = ()) -> None:  # fmt: skip
    reasons: Reasons = {_HAS_EXPERTS: ("", "a dense model reads all of its weights")} if "bytes" in target else {}
    RELATIONS.add(Relation(f"roofline.{target}", expr, because, DECODE, assumptions, slips, reasons,
                           stated=(*stated, *_STATED)))  # fmt: skip


_ACTIVE_ONLY: Final = Slip("active-only", "Sequences choose different experts: more are read than one token meets.",
                           expr=symbol("serving.weights") * _ACTIVE / _P / (_TP * _PP))  # fmt: skip
_WHOLE: Final = Slip("all-experts", "Experts that no sequence chooses are not read.",
                     expr=symbol("serving.weights") / (_TP * _PP))  # fmt: skip
_decode("decode_bytes", _WEIGHTS + _B * symbol("serving.kv_per_sequence_per_gpu"),
        "Each step reads the dense part, the chosen experts, and the cache of each sequence.", _EXPERT_READS,
        "One step of one token per sequence; activations are left out.", stated=("serving.context",),
        slips=(_ACTIVE_ONLY, _WHOLE))  # fmt: skip
_decode("decode_bytes", _WEIGHTS, "Each step reads the dense part and the chosen experts.", _EXPERT_READS,
        "No context is stated: reading the cache is left out.", slips=(_ACTIVE_ONLY, _WHOLE))  # fmt: skip
_decode("decode_time",
        _PP * call("max", symbol("roofline.decode_bytes") / symbol("cluster.hbm_bandwidth"),
                   number(2, "FLOP/param") * _ACTIVE * _B / (_TP * _PP) / symbol("compute.peak")),
        "Reading decides until the batch is large; a token works with the active parameters.",
        "Memory and arithmetic overlap perfectly; communication is left out; pipeline stages work one after another.",
        )  # fmt: skip
_decode("decode_batch",
        symbol("compute.peak") * symbol("serving.weight_bytes") * _P
        / (number(2, "FLOP/param") * symbol("cluster.hbm_bandwidth") * _ACTIVE),
        "A step reads every parameter once and works with the active ones for every sequence.",
        "So many sequences read every expert. Weights alone: reading the cache keeps decoding bound by memory beyond "
        "this batch.",
        slips=(Slip("dense", "Only the active parameters work on a token, but all are read.",
                    expr=symbol("compute.peak") * symbol("serving.weight_bytes")
                    / (number(2, "FLOP/param") * symbol("cluster.hbm_bandwidth"))),))  # fmt: skip

for _target, _said in (("overlap.flops", "overlap.*"), ("roofline.decode_time", "decoding"),
                       ("roofline.decode_batch", "decoding")):  # fmt: skip
    LAWS.add(Law(
        _target, equal(_ACTIVE, _P),
        f"only {{model.active_parameters}} of {{model.parameters}} work on a token: {_said} asks for the experts too "
        "(model.experts, model.experts_per_token, model.expert_ffn and what else a model states)",
        unless=_STATED,
    ))  # fmt: skip
LAWS.add(Law(
    "overlap.expert_ring_factor", equal(symbol("layout.replicas"), 1),
    "replicas of a model with experts are not counted: overlap.* is for one group of all ranks",
    any_of=("layout.shard", "layout.replicas"),
))  # fmt: skip
