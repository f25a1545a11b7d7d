"""Pipeline stages: layers, parameters and state of the first, a middle and the last one, and of the fullest GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Logic, call, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.relations.modules import GATED, MOE_MODEL, TIED
from solvers.sources import COUNTING, MEGATRON_ESTIMATE, MEGATRON_PIPELINE, ZERO

if TYPE_CHECKING:
    from solvers.expr.tree import Expr
    from solvers.relation import Reasons

_declare = CATALOGUE.declare
STAGES: Final = ("first", "middle", "last")
_PP, _TP, _L = symbol("layout.pp"), symbol("layout.tp"), symbol("model.layers")
_NOTHING: Final = number(0, "param")
_ALONE: Final = equal(_PP, 1)
_INNER: Final = _PP > 2  # noqa: PLR2004 - a first, a last, and one between them
_KIND: Final = {"first": "the first pipeline stage", "middle": "a middle pipeline stage (the fullest one)",
                "last": "the last pipeline stage"}  # fmt: skip

for _at in STAGES:
    _declare(f"stage.{_at}_layers", f"layers of {_KIND[_at]}", letter=f"L_{_at}", domain="non-negative integer")
    _declare(f"stage.{_at}_moe_layers", f"layers with experts of {_KIND[_at]}", letter=f"M_{_at}",
             domain="non-negative integer")  # fmt: skip
    for _name, _letter, _meaning in (
        ("parameters", f"P_{_at}", f"parameters of {_KIND[_at]}, over all its GPUs"),
        ("dense_per_gpu", f"D_{_at}", f"parameters on one GPU of {_KIND[_at]}, routed experts left out"),
        ("experts_per_gpu", f"X_{_at}", f"parameters of routed experts on one GPU of {_KIND[_at]}"),
        ("per_gpu", f"R_{_at}", f"parameters on one GPU of {_KIND[_at]}"),
    ):
        _declare(f"stage.{_at}_{_name}", _meaning, "param", letter=_letter, domain="non-negative integer", bare=True)
    _declare(f"stage.{_at}_state_per_gpu", f"training state on one GPU of {_KIND[_at]}", "GB",
             letter=f"state_{_at}", domain="non-negative")  # fmt: skip
_declare("stage.most_per_gpu", "parameters on the GPU that has most", "param", letter="R_most",
         domain="non-negative integer", bare=True)  # fmt: skip
_declare("stage.most_state_per_gpu", "training state on the GPU that has most", "GB", letter="state_most",
         domain="non-negative")  # fmt: skip
_declare("stage.megatron_per_gpu", "parameters on the fullest GPU as Megatron-LM's estimate counts them", "param",
         letter="R_Megatron", domain="non-negative", bare=True)  # fmt: skip
_declare("stage.megatron_state_per_gpu", "training state on the fullest GPU as Megatron-LM estimates it", "GB",
         letter="state_Megatron", domain="non-negative")  # fmt: skip

_TIED_COPY: Final = "A tied head has a copy of the embedding on the last stage, which is counted there."
_FULLEST: Final = "Middle stages divide what the first and the last leave over; the fullest one is counted."
_ONE_KIND: Final = "The layers without experts lead, and all are on the first stage."


def _layers(at: str) -> Expr:
    return symbol(f"stage.{at}_layers")


for _at in ("first", "last"):
    RELATIONS.add(Relation(
        f"stage.{_at}_layers", when(_ALONE, _L, symbol(f"pipeline.{_at}_layers")),
        "Stages are alike unless it is said otherwise.", MEGATRON_PIPELINE,
        reasons={_ALONE: ("the only stage has all layers", "")},
    ))  # fmt: skip
RELATIONS.add(Relation(
    "stage.middle_layers", call("ceil", (_L - _layers("first") - _layers("last")) / call("max", _PP - 2, 1)),
    "What the first and the last stage leave over is divided among the stages between them.", MEGATRON_PIPELINE,
    (_FULLEST,),
))  # fmt: skip

_BEHIND: Final = _layers("first") > symbol("model.dense_layers")
for _at, _expr in (
    ("first", when(MOE_MODEL, when(_BEHIND, _layers("first") - symbol("model.dense_layers"), 0), 0)),
    ("middle", when(MOE_MODEL, _layers("middle"), 0)),
    ("last", when(MOE_MODEL, when(_ALONE, symbol("stage.first_moe_layers"), _layers("last")), 0)),
):
    RELATIONS.add(Relation(
        f"stage.{_at}_moe_layers", _expr, "Experts are in every layer but the leading dense ones.", COUNTING,
        reasons={condition: ("", "") for condition, used in (
            (MOE_MODEL, True), (_BEHIND, _at == "first"), (_ALONE, _at == "last")) if used},
    ))  # fmt: skip


def _body(at: str, dense: str, moe: str) -> Expr:
    """The layers of a stage: those without experts, and those with."""
    with_experts = symbol(f"stage.{at}_moe_layers")
    without = _layers(at) - with_experts
    return (when(without > 0, without * symbol(dense), _NOTHING)
            + when(with_experts > 0, with_experts * symbol(moe), _NOTHING))  # fmt: skip


_OUTER: Final = symbol("model.outer_norms") * symbol("model.norm_parameters") + symbol("model.other_parameters")
_BODY_REASONS: Final[dict[str, Reasons]] = {
    at: {_layers(at) - symbol(f"stage.{at}_moe_layers") > 0: ("", ""), symbol(f"stage.{at}_moe_layers") > 0: ("", "")}
    for at in STAGES
}
_ALONE_REASON: Final[Reasons] = {
    _ALONE: ("the only stage has the embedding, the head and the norms outside the layers", "")
}
_HELD: Final = "A stage holds its layers; the first has the embedding too, the last the head and the outer norms."
_EVEN: Final = Slip("even-share", "The embedding and the head are not divided evenly over the stages.",
                    expr=symbol("model.parameters") / _PP)  # fmt: skip

for _quantity, _holder, _own_head, _head in (
    ("parameters", "model", "model.head_parameters", "model.output_parameters"),
    ("dense_per_gpu", "rank", "rank.own_head_parameters", "rank.head_parameters"),
):
    for _at in STAGES:
        _whole: Expr = _body(_at, f"{_holder}.layer_parameters", f"{_holder}.moe_layer_parameters")
        _reasons: Reasons = _BODY_REASONS[_at]
        if _at == "first":
            _whole = (_whole + symbol(f"{_holder}.embedding_parameters")
                     + when(_ALONE, symbol(_own_head) + _OUTER, _NOTHING))  # fmt: skip
        elif _at == "last":
            _whole = when(_ALONE, symbol(f"stage.first_{_quantity}"), _whole + symbol(_head) + _OUTER)
        RELATIONS.add(Relation(
            f"stage.{_at}_{_quantity}", _whole, _HELD, MEGATRON_PIPELINE,
            (_ONE_KIND, _TIED_COPY) if _at == "last" else (_ONE_KIND,),
            reasons=_reasons if _at == "middle" else {**_reasons, **_ALONE_REASON},
            slips=(_EVEN,) if _quantity == "parameters" else (),
        ))  # fmt: skip

for _at in STAGES:
    _with_experts = symbol(f"stage.{_at}_moe_layers")
    RELATIONS.add(Relation(
        f"stage.{_at}_experts_per_gpu",
        when(_with_experts > 0, _with_experts * symbol("rank.experts_parameters"), _NOTHING),
        "Each layer with experts leaves its share of them on a GPU.", COUNTING,
        reasons={_with_experts > 0: ("", "")},
    ))  # fmt: skip
    _dense, _experts = symbol(f"stage.{_at}_dense_per_gpu"), symbol(f"stage.{_at}_experts_per_gpu")
    RELATIONS.add(Relation(f"stage.{_at}_per_gpu", _dense + _experts, "Dense part and experts add up.", COUNTING))
    RELATIONS.add(Relation(
        f"stage.{_at}_state_per_gpu",
        _dense * symbol("memory.bytes_per_parameter_per_gpu")
        + when(_with_experts > 0, _experts * symbol("memory.expert_bytes_per_parameter_per_gpu"), number(0, "B")),
        "Each parameter of the share costs what the recipe and the ZeRO stage leave of it.", ZERO,
        ("Padding of shards and communication buffers are left out.",), reasons={_with_experts > 0: ("", "")},
    ))  # fmt: skip

_SEVERAL: Final = _PP > 1
for _quantity, _because in (("per_gpu", "The fullest GPU is on the fullest of these stages."),
                            ("state_per_gpu", "The GPU with the most state binds.")):  # fmt: skip
    _first, _middle, _last = (symbol(f"stage.{at}_{_quantity}") for at in STAGES)
    RELATIONS.add(Relation(
        f"stage.most_{_quantity}",
        when(_INNER, call("max", _first, _middle, _last), when(_SEVERAL, call("max", _first, _last), _first)),
        _because, MEGATRON_PIPELINE, reasons={_INNER: ("", ""), _SEVERAL: ("", "")},
    ))  # fmt: skip

_h, _V = symbol("model.hidden"), symbol("model.padded_vocabulary")
MATRICES: Final = (2 * _h * symbol("model.query_width") + 2 * _h * symbol("model.kv_width")
                    + when(GATED, 3 * _h * symbol("model.ffn"), 2 * _h * symbol("model.ffn")))  # fmt: skip
HEAD_TOO: Final = Logic("and", (_ALONE, Logic("not", (TIED,))))
RELATIONS.add(Relation(
    "stage.megatron_per_gpu",
    (_L * (MATRICES / _TP * number(1, "param") + 2 * symbol("model.norm_parameters"))
     + symbol("model.norm_parameters")) / _PP
    + when(HEAD_TOO, 2 * _V * _h, _V * _h) / _TP * number(1, "param"),
    "The first stage: its part of the layers and norms, and the embedding.", MEGATRON_ESTIMATE,
    (("As the estimate does: no linear biases, no learned positions, norms whole on every rank, the final norm "
      "divided over the stages."),),
    reasons={GATED: ("gate, up and down: three matrices", "up and down: two matrices"),
             HEAD_TOO: ("the only stage has a head of its own too", "")},
    unless=("model.experts", "model.kv_rank"),
))  # fmt: skip
RELATIONS.add(Relation(
    "stage.megatron_state_per_gpu",
    symbol("stage.megatron_per_gpu") * symbol("memory.bytes_per_parameter_per_gpu"),
    "With the distributed optimizer 6 + 12/d bytes a parameter, without it 18.", MEGATRON_ESTIMATE,
    unless=("model.experts", "model.kv_rank"),
))  # fmt: skip

LAWS.add(Law(
    "stage.first_layers",
    Logic("or", (Logic("not", (_INNER,)), _layers("first") + _layers("last") <= _L)),
    "{stage.first_layers} layers on the first and {stage.last_layers} on the last stage are more than the "
    "{model.layers} of the model", knows=("layout.pp", "model.layers"),
))  # fmt: skip
LAWS.add(Law(
    "stage.first_layers", equal("pipeline.stages", _PP),
    "the layout has {layout.pp} pipeline stages, but pipeline.stages is {pipeline.stages}", knows=("pipeline.stages",),
))  # fmt: skip
LAWS.add(Law(
    "stage.middle_layers", _INNER, "with {layout.pp} stages there is no stage between the first and the last",
    knows=("layout.pp",),
))  # fmt: skip
LAWS.add(Law(
    "stage.first_layers",
    Logic("or", (_INNER, equal(when(_ALONE, _layers("first"), _layers("first") + _layers("last")), _L))),
    "{stage.first_layers} layers on the first and {stage.last_layers} on the last stage are not the {model.layers} "
    "of the model", knows=("layout.pp", "model.layers"),
))  # fmt: skip
for _at in ("first", "last"):
    LAWS.add(Law(
        f"stage.{_at}_moe_layers",
        Logic("or", (_ALONE, symbol("model.dense_layers") <= _layers("first"))),
        "the {model.dense_layers} leading dense layers reach beyond the {stage.first_layers} layers of the first "
        "stage, which is not modelled", knows=("layout.pp", "model.dense_layers"),
    ))  # fmt: skip
    for _quantity in ("weights", "gradients", "master", "moments"):
        LAWS.add(Law(
            f"memory.{_quantity}_per_gpu", equal(_layers(_at) * _PP, _L),
            f"stages of different lengths (pipeline.{_at}_layers = {{pipeline.{_at}_layers}}) hold different state: "
            "ask for stage.first_state_per_gpu, stage.middle_state_per_gpu, stage.last_state_per_gpu or "
            "stage.most_state_per_gpu", knows=(f"pipeline.{_at}_layers", "model.layers"),
        ))  # fmt: skip
