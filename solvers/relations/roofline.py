"""Roofline: whether arithmetic or memory is the limit, of a matrix product and of decoding."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import call, number, symbol
from solvers.relation import RELATIONS, Relation, Slip
from solvers.sources import COUNTING
from solvers.sources_speed import DECODE, ROOFLINE

_declare = CATALOGUE.declare

_declare("roofline.ridge", "FLOPs per byte from which arithmetic is the limit", "FLOP/B", letter="ridge")
for _name, _meaning in (("m", "rows of the first matrix (tokens)"), ("n", "columns of the second matrix"),
                        ("k", "columns of the first matrix, rows of the second")):
    _declare(f"roofline.{_name}", f"matrix product: {_meaning}", letter=_name, domain="positive integer",
             example="4096")
_declare("roofline.element_bytes", "bytes of one element of the three matrices", "B", letter="b",
         default=number(2, "B"), example="2 B")
_declare("roofline.flops", "FLOPs of the matrix product", "GFLOP", letter="F")
_declare("roofline.bytes", "bytes that the matrix product must move, each matrix once", "MB", letter="Q")
_declare("roofline.intensity", "arithmetic intensity: FLOPs per byte", "FLOP/B", letter="I", statable=True,
         example="300 FLOP/B")
_declare("roofline.attainable", "FLOP/s that memory and arithmetic allow", "TFLOP/s", letter="attainable")
_declare("roofline.time", "shortest time of the matrix product", "µs", letter="time")
_declare("roofline.decode_sequences", "sequences that are decoded together", letter="b", domain="positive integer",
         default=number(1), example="32")
_declare("roofline.decode_batch", "sequences from which decoding is limited by arithmetic, weights alone", letter="b",
         )
_declare("roofline.decode_bytes", "bytes that one GPU reads for one token of each sequence", "GB", letter="Q")
_declare("roofline.decode_time", "shortest time of one token of each sequence", "ms", letter="time")
_declare("roofline.decode_rate", "tokens per second of all sequences together", "token/s", letter="rate")

_PEAK, _BW = symbol("compute.peak"), symbol("cluster.hbm_bandwidth")
_m, _n, _k = symbol("roofline.m"), symbol("roofline.n"), symbol("roofline.k")
_TP, _PP = symbol("layout.tp"), symbol("layout.pp")
_SEQUENCES: Final = symbol("roofline.decode_sequences")
_EXPERTS: Final = ("model.experts",)  # then only the chosen experts are read (`overlap_experts`)
_ONCE: Final = "Each matrix is moved once; caches and launch are left out."

RELATIONS.add(Relation(
    "roofline.ridge", _PEAK / _BW, "Where memory and arithmetic take equal time.", ROOFLINE,
    (),
    (Slip("inverted", "That is bytes per FLOP.", expr=_BW / _PEAK * number(1, "FLOP^2/B^2")),),
))
RELATIONS.add(Relation(
    "roofline.flops", 2 * _m * _n * _k * number(1, "FLOP"), "A multiplication and an addition for each triple.",
    COUNTING,
    slips=(Slip("no-2", "A multiplication and an addition: two FLOPs.", expr=_m * _n * _k * number(1, "FLOP")),),
))
RELATIONS.add(Relation(
    "roofline.bytes", symbol("roofline.element_bytes") * (_m * _k + _k * _n + _m * _n),
    "Both factors are read and the product is written.", COUNTING, (_ONCE,),
    (Slip("weights-only", "The activations are moved too.", expr=symbol("roofline.element_bytes") * _k * _n),),
))
RELATIONS.add(Relation(
    "roofline.intensity", symbol("roofline.flops") / symbol("roofline.bytes"), "FLOPs over bytes.", ROOFLINE, (_ONCE,),
))
RELATIONS.add(Relation(
    "roofline.attainable", call("min", _PEAK, symbol("roofline.intensity") * _BW),
    "Below the ridge memory is the limit, above it arithmetic.", ROOFLINE,
))
RELATIONS.add(Relation(
    "roofline.time", call("max", symbol("roofline.flops") / _PEAK, symbol("roofline.bytes") / _BW),
    "The slower of the two decides.", ROOFLINE, ("Memory and arithmetic overlap perfectly.",),
))
RELATIONS.add(Relation(
    "roofline.decode_batch",
    _PEAK * symbol("serving.weight_bytes") / (number(2, "FLOP/param") * _BW),
    "A step reads each weight once and works on it for every sequence.", DECODE,
    ("Weights alone: reading the cache keeps decoding bound by memory beyond this batch.",),
    (Slip("ridge", "That is the ridge: a parameter has more than one byte, or two FLOPs.",
          expr=_PEAK / _BW * number(1, "B/FLOP")),), unless=_EXPERTS,
))
RELATIONS.add(Relation(
    "roofline.decode_bytes",
    symbol("serving.weights") / (_TP * _PP) + _SEQUENCES * symbol("serving.kv_per_sequence_per_gpu"),
    "Each token reads the weights once for all sequences, and the cache of each sequence.", DECODE,
    ("One step of one token per sequence, dense model; activations are left out.",), stated=("serving.context",),
    unless=_EXPERTS,
))
RELATIONS.add(Relation(
    "roofline.decode_bytes", symbol("serving.weights") / (_TP * _PP),
    "Each token reads the weights once for all sequences.", DECODE,
    ("No context is stated: reading the cache is left out; dense model.",), unless=_EXPERTS,
))
RELATIONS.add(Relation(
    "roofline.decode_time",
    _PP * call("max", symbol("roofline.decode_bytes") / _BW,
               number(2, "FLOP/param") * symbol("model.parameters") * _SEQUENCES / (_TP * _PP) / _PEAK),
    "Reading decides until the batch is large; pipeline stages work one after another.", DECODE,
    ("Memory and arithmetic overlap perfectly; communication is left out.",),
    (Slip("arithmetic", "Reading the weights takes longer than the arithmetic.",
          expr=number(2, "FLOP/param") * symbol("model.parameters") * _SEQUENCES / _TP / _PEAK),), unless=_EXPERTS,
))
RELATIONS.add(Relation(
    "roofline.decode_rate", _SEQUENCES * number(1, "token") / symbol("roofline.decode_time"),
    "A step gives each sequence one token.", DECODE,
))
