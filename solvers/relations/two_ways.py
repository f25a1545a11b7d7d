"""The state under a stated schedule: DualPipe feeds the pipeline from both ends, so that each stage is held twice.

The two ranks that hold the same stage are replicas of each other: what ZeRO divides is divided among twice as many
ranks, and what is whole is there twice.
"""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Compare, Logic, Text, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation
from solvers.sources_speed import DEEPSEEK_V3

_declare = CATALOGUE.declare
_declare("pipeline.held_stages", "stages whose parameters a rank of the pipeline holds", letter="stages_held",
         domain="positive integer")  # fmt: skip

_DUAL: Final = Logic("and", (equal("pipeline.schedule", Text("dualpipe")), symbol("layout.pp") > 1))
RELATIONS.add(Relation(
    "pipeline.held_stages", when(_DUAL, 2, 1), "DualPipe's ranks hold a stage for each direction.", DEEPSEEK_V3,
    reasons={_DUAL: ("micro-batches come in from both ends", "")}, stated=("pipeline.schedule",),
))  # fmt: skip
RELATIONS.add(Relation(
    "pipeline.held_stages", number(1), "A rank holds its own stage.", DEEPSEEK_V3, unless=("pipeline.schedule",),
))  # fmt: skip

for _part, _least in (("weights", 3), ("gradients", 2), ("master", 1), ("moments", 1)):
    _whole = Logic("and", (_DUAL, Compare("<", symbol("layout.zero"), number(_least))))
    for _base in RELATIONS.of(f"memory.{_part}_per_gpu"):
        _unless = tuple(name for name in _base.unless if name != "pipeline.schedule")
        RELATIONS.add(Relation(
            _base.target, when(_whole, 2 * _base.expr, _base.expr), _base.because, _base.source,
            _base.assumptions, _base.slips,
            {**_base.reasons, _whole: ("DualPipe's rank holds two stages, one for each direction", "")},
            stated=(*_base.stated, "pipeline.schedule"), unless=_unless,
        ))  # fmt: skip

LAWS.add(Law(
    "stage.most_state_per_gpu", Logic("not", (_DUAL,)),
    "under dualpipe a GPU holds two stages: ask for memory.state_per_gpu, or add the states of the two",
    knows=("pipeline.schedule",),
))  # fmt: skip
