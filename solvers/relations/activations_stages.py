"""Activations of a stage whose layers are not all alike: leading dense layers, experts, first and last stage."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, call, number, symbol, when
from solvers.relation import RELATIONS, Reasons, Relation, Slip
from solvers.relations.activations_model import FULL, LAST, NONE, OWN_STAGES
from solvers.sources import COUNTING
from solvers.sources_memory import PAPER

_declare = CATALOGUE.declare
_declare("pipeline.stage_layers", "layers of the stage that is looked at", letter="L_stage", domain="positive integer")
_declare("pipeline.stage_moe_layers", "layers with experts of the stage that is looked at", letter="M_stage",
         domain="non-negative integer")  # fmt: skip
_declare("activation.largest_layer", "activations of the layer of the stage that keeps most, of one micro-batch on one "
         "GPU", "MB", letter="largest")  # fmt: skip

_FIRST: Final = symbol("pipeline.stage") <= 1
for _name, _of, _because in (
    ("stage_layers", "layers", "First, last, and between them the fullest."),
    ("stage_moe_layers", "moe_layers", "Of the stage's layers, those that have experts."),
):
    RELATIONS.add(
        Relation(
            f"pipeline.{_name}",
            when(_FIRST, symbol(f"stage.first_{_of}"),
                 when(LAST, symbol(f"stage.last_{_of}"), symbol(f"stage.middle_{_of}"))),
            _because,
            COUNTING,
            reasons={_FIRST: ("the first stage", ""), LAST: ("the last stage", "a stage between first and last")},
        )
    )  # fmt: skip

_LAYERS, _MOE = symbol("pipeline.stage_layers"), symbol("pipeline.stage_moe_layers")
_DENSE: Final = _LAYERS - _MOE
_v, _k = symbol("layout.interleave"), symbol("compute.recompute_layers")
_NOTHING: Final = number(0, "B")
_HAS_DENSE, _HAS_MOE = _DENSE > 0, _MOE > 0
_LEFT_OUT: Final = when(NONE, _NOTHING, symbol("activation.scores"))
_LAYER, _MOE_LAYER = symbol("activation.layer"), symbol("activation.moe_layer")


def _kept(layers: Expr, each: Expr) -> Expr:
    return layers * (each - _LEFT_OUT)


_KEPT: Final = when(
    FULL,
    _v * call("ceil", _LAYERS / _v / _k) * symbol("activation.layer_input"),
    when(_HAS_DENSE, _kept(_DENSE, _LAYER), _NOTHING) + when(_HAS_MOE, _kept(_MOE, _MOE_LAYER), _NOTHING),
)
_LARGEST: Final = when(_HAS_MOE, when(_HAS_DENSE, call("max", _LAYER, _MOE_LAYER), _MOE_LAYER), _LAYER)
_KINDS: Final[Reasons] = {
    _HAS_DENSE: ("layers without experts", ""),
    _HAS_MOE: ("layers with experts", ""),
}
_RECOMPUTED: Final[Reasons] = {
    FULL: ("only the input of each recomputed block of layers is kept", ""),
    NONE: ("nothing is recomputed", "the attention scores are recomputed, not kept"),
}
RELATIONS.add(
    Relation("activation.largest_layer", _LARGEST, "Layers with and without experts keep different tensors.", COUNTING,
             reasons={_HAS_DENSE: ("", ""), _HAS_MOE: ("", "")})
)  # fmt: skip
for _stated in OWN_STAGES:
    RELATIONS.add(
        Relation(
            "activation.kept_per_micro_batch",
            _KEPT,
            "Of each layer of the stage, what is kept and not recomputed.",
            PAPER,
            reasons={**_RECOMPUTED, **_KINDS},
            stated=(_stated,),
        )
    )
    RELATIONS.add(
        Relation(
            "activation.recomputed_per_gpu",
            when(
                NONE,
                _NOTHING,
                when(
                    FULL,
                    call("min", _k, _LAYERS / _v) * symbol("activation.largest_layer"),
                    symbol("activation.scores"),
                ),
            ),
            "What is recomputed lives for one block and one micro-batch at a time.",
            PAPER,
            (
                ("A recomputed block counts all its tensors, its first input too, which is also among the checkpoints; "
                "every layer of the block as the largest kind of the stage."),
            ),
            reasons={NONE: ("nothing is recomputed", ""),
                     FULL: ("a block of layers at a time", "the scores of one layer")},
            stated=(_stated,),
        )
    )  # fmt: skip

_declare("stage.state_per_gpu", "training state on one GPU of the stage that is looked at", "GB", letter="state_stage",
         domain="non-negative")  # fmt: skip
_declare("stage.total_per_gpu", "state, activations and reserve on one GPU of the stage that is looked at", "GB",
         letter="total_stage", domain="non-negative")  # fmt: skip
RELATIONS.add(
    Relation(
        "stage.state_per_gpu",
        when(_FIRST, symbol("stage.first_state_per_gpu"),
             when(LAST, symbol("stage.last_state_per_gpu"), symbol("stage.middle_state_per_gpu"))),
        "First, last, and between them the fullest.",
        COUNTING,
        reasons={_FIRST: ("the first stage", ""), LAST: ("the last stage", "a stage between first and last")},
    )
)  # fmt: skip
RELATIONS.add(
    Relation(
        "stage.total_per_gpu",
        symbol("stage.state_per_gpu") + symbol("memory.activations_per_gpu") + symbol("memory.reserve_per_gpu"),
        "What the stage holds of the model, and the activations of its layers and micro-batches in flight.",
        COUNTING,
        ("Gathered units and communication buffers are left out unless memory.reserve_per_gpu is stated.",),
        (
            Slip("no-activations", "You left out the activations.", expr=symbol("stage.state_per_gpu")),
            Slip("first-stage", "The first stage holds most micro-batches, but not the head and the loss.",
                 set={"pipeline.stage": number(1)}),
        ),
    )
)  # fmt: skip
