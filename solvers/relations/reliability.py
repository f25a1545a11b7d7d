"""How often to write a checkpoint: the mean time between failures and the intervals of Young and Daly."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import call, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.sources import DALY, DEFINITION, YOUNG

_declare = CATALOGUE.declare

_declare("run.interruptions", "interruptions of the whole job in the observed time", letter="interruptions",
         domain="positive integer", example="419")
_declare("run.observed", "time in which the interruptions were counted", "day", letter="observed", example="54 days")
_declare("run.mtbf", "mean time between interruptions of the whole job", "h", letter="M", statable=True, example="3 h")
_declare("checkpoint.stall", "time that training stands still for one checkpoint", "s", letter="stall", example="60 s")
_declare("checkpoint.interval_young", "time between checkpoints by Young's rule", "min", letter="interval")
_declare("checkpoint.interval_daly", "time between checkpoints by Daly, first order: Young less the stall", "min",
         letter="interval")
_declare("checkpoint.interval_daly_higher", "time between checkpoints by Daly's higher order", "min",
         letter="interval")

_STALL: Final = symbol("checkpoint.stall")
_MTBF: Final = symbol("run.mtbf")

RELATIONS.add(Relation(
    "run.mtbf", symbol("run.observed") / symbol("run.interruptions"),
    "The observed time is shared out among the interruptions; any of them stops the whole job.", DEFINITION,
))
RELATIONS.add(Relation(
    "checkpoint.interval_young", call("sqrt", 2 * _STALL * _MTBF),
    "At the optimum, writing costs as much as the work that is lost.", YOUNG,
    ("First order: the stall is short against the mean time between failures; restart time is left out.",),
    (
        Slip("forgot-the-2", "The 2 under the root is missing.", expr=call("sqrt", _STALL * _MTBF)),
        Slip("per-gpu", "You used the mean time between failures of one GPU; the job stops when any of them does.",
             expr=call("sqrt", 2 * _STALL * _MTBF * symbol("cluster.gpus") / number(1, "GPU"))),
        Slip("observed-not-divided", "You did not divide the observed time by the interruptions.",
             expr=call("sqrt", 2 * _STALL * symbol("run.observed"))),
        Slip("daly", "That is Daly's interval to first order, one stall shorter: right, but not the rule asked for.",
             expr=symbol("checkpoint.interval_daly"), kind="convention"),
    ),
))
RELATIONS.add(Relation(
    "checkpoint.interval_daly", call("sqrt", 2 * _STALL * _MTBF) - _STALL,
    "Young's optimum counts the stall as part of the interval; Daly takes it off.", DALY,
    ("First order, for a stall shorter than half the mean time between failures; restart time is left out.",),
    (Slip("young", "That is Young's interval; Daly's is one stall shorter.",
          expr=symbol("checkpoint.interval_young"), kind="convention"),),
))
LAWS.add(Law(
    "checkpoint.interval_daly", 2 * _STALL <= _MTBF,
    "Daly's first order is for a stall of at most half the mean time between failures ({run.mtbf}), "
    "not {checkpoint.stall}: ask for checkpoint.interval_daly_higher",
))
_RATIO: Final = _STALL / (2 * _MTBF)
_SHORT: Final = _STALL < 2 * _MTBF
RELATIONS.add(Relation(
    "checkpoint.interval_daly_higher",
    when(_SHORT, call("sqrt", 2 * _STALL * _MTBF) * (1 + call("sqrt", _RATIO) / 3 + _RATIO / 9) - _STALL, _MTBF),
    "Two more terms of the expansion; where the stall is not short, checkpoint once per failure.", DALY,
    ("Higher order; restart time is left out.",),
    reasons={_SHORT: ("the stall is shorter than twice the mean time between failures",
                      "the stall is at least twice the mean time between failures")},
))
