"""The pipeline bubble, under both conventions."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Logic, call, equal, symbol
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.sources import GPIPE, MEGATRON_PIPELINE

_declare = CATALOGUE.declare

_declare("pipeline.bubble_over_ideal", "idle time of a stage over the time of an ideal pipeline", "%",
         letter="bubble_over_ideal", domain="non-negative")
_declare("pipeline.bubble_of_total", "idle time of a stage as a part of the whole step", "%",
         letter="bubble_of_total", domain="fraction")

_PP, _M, _V = symbol("layout.pp"), symbol("batch.accumulation"), symbol("layout.interleave")
_EVEN: Final = "Stages take equal time, forward and backward; sending is hidden (GPipe, 1F1B, interleaved 1F1B)."

RELATIONS.add(Relation(
    "pipeline.bubble_over_ideal", (_PP - 1) / (_V * _M),
    "Filling and draining cost p-1 slots, beside m slots of work; v chunks a stage make a slot v times shorter.",
    MEGATRON_PIPELINE, (_EVEN, "Convention: over ideal time, (p-1)/(v m)."),
    (
        Slip("of-total", "That is the bubble as a part of the whole step; over ideal time was asked for.",
             expr=symbol("pipeline.bubble_of_total"), kind="convention"),
        Slip("p-over-m", "Filling costs p-1 slots, not p.", expr=_PP / (_V * _M)),
    ),
    stated=("layout.pp", "batch.accumulation"),
))
RELATIONS.add(Relation(
    "pipeline.bubble_of_total", (_PP - 1) / (_V * _M + _PP - 1),
    "Of v m + p-1 slots, p-1 are idle.",
    GPIPE, (_EVEN, "Convention: of the whole step, (p-1)/(v m + p-1)."),
    (
        Slip("over-ideal", "That is the bubble over ideal time; the part of the whole step was asked for.",
             expr=symbol("pipeline.bubble_over_ideal"), kind="convention"),
        Slip("p-over-total", "Filling costs p-1 slots, not p.", expr=_PP / (_V * _M + _PP)),
    ),
    stated=("layout.pp", "batch.accumulation"),
))
LAWS.add(Law(
    "layout.interleave",
    Logic("or", (equal(_V, 1), equal(call("floor", _M / _PP) * _PP, _M))),
    "the interleaved schedule needs a multiple of {layout.pp} micro-batches, not {batch.accumulation}",
    knows=("layout.interleave", "batch.accumulation"),
))
