"""How much of the peak is used: model and hardware FLOP utilisation."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Text, equal, number, symbol, when
from solvers.relation import RELATIONS, Relation, Slip
from solvers.sources import PALM

_declare = CATALOGUE.declare

_declare("compute.recompute", "what of the forward pass is computed again in the backward pass: none, selective (the "
         "core of attention) or full", letter="recompute", choices=("none", "selective", "full"), default=Text("none"),
         example="full")
_declare("compute.hfu", "hardware FLOP utilisation: all that was computed, over the peak", "%", letter="HFU",
         domain="fraction", statable=True, example="52 %")
_declare("compute.mfu", "model FLOP utilisation: what the model needs, over the peak", "%", letter="MFU",
         domain="fraction", statable=True, example="39 %")

_FULL: Final = equal(symbol("compute.recompute"), Text("full"))
_MATMUL: Final = ("Matmul FLOPs only: forward 2 per parameter and token, backward 4, a recomputed forward 2 more; "
                  "attention is left out.")
_REASONS: Final = {_FULL: ("full recomputation does 8 parts of work for the 6 that the model needs",
                           "nothing is computed twice")}

RELATIONS.add(Relation(
    "compute.mfu", symbol("compute.hfu") * when(_FULL, number(6) / 8, 1),
    "Recomputed work counts for the hardware, not for the model.", PALM, (_MATMUL,),
    (
        Slip("hfu-for-mfu", "That is the hardware's figure; recomputation is not the model's work.",
             expr=symbol("compute.hfu")),
        Slip("inverted", "You multiplied where you had to divide: the model's figure is the smaller one.",
             expr=symbol("compute.hfu") * Fraction(8, 6)),
        Slip("two-thirds", "Forward is one part of three, backward two: recomputation makes four of three.",
             expr=symbol("compute.hfu") * Fraction(2, 3)),
    ),
    reasons=_REASONS, stated=("compute.recompute",), unless=("compute.attention",),
))
RELATIONS.add(Relation(
    "compute.hfu", symbol("compute.mfu") * when(_FULL, number(8) / 6, 1),
    "Recomputed work counts for the hardware, not for the model.", PALM, (_MATMUL,),
    reasons=_REASONS, stated=("compute.recompute",), unless=("compute.attention",),
))
