"""Pipeline schedules by the time of forward, backward and weight gradient, and the slow-down of uneven stages.

F, B and W are the times of one micro-batch on one stage: forward, gradient of the input, gradient of the weights.
A full backward pass is B + W; some papers call that B.
"""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Logic, Text, call, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.sources import COUNTING, DEFINITION, MEGATRON_PIPELINE
from solvers.sources_speed import ZERO_BUBBLE

_declare = CATALOGUE.declare

_SCHEDULES: Final = ("gpipe", "1f1b", "interleaved-1f1b", "zb-h1", "zb-h2", "zb-v", "dualpipe")
_declare("pipeline.schedule", "the schedule: gpipe, 1f1b, interleaved-1f1b, zb-h1 (ZB1P), zb-h2 (ZB2P), zb-v or "
         "dualpipe", letter="schedule", choices=_SCHEDULES, example="zb-h1")
_declare("pipeline.forward_time", "time of the forward pass of a micro-batch on a stage", "ms", letter="F",
         example="10 ms")
_declare("pipeline.input_backward_time", "time of the gradient of the input of a micro-batch on a stage", "ms",
         letter="B", example="10 ms")
_declare("pipeline.weight_backward_time", "time of the gradient of the weights of a micro-batch on a stage", "ms",
         letter="W", domain="non-negative", example="10 ms")
_declare("pipeline.pair_time", "time of a forward and a whole backward pass that overlap each other (DualPipe)", "ms",
         letter="F&B", statable=True, example="30 ms")
_declare("pipeline.slot_time", "time of a micro-batch on a stage, forward and whole backward", "ms", letter="slot")
_declare("pipeline.bubble_time", "idle time of a stage in one step, by the schedule's formula", "ms", letter="bubble",
         domain="non-negative")
_declare("pipeline.ideal_time", "time of one step without a bubble", "ms", letter="ideal")
_declare("pipeline.schedule_time", "time of one step with its bubble", "ms", letter="step")
_declare("pipeline.schedule_over_ideal", "idle time of a stage over the time of an ideal pipeline, by the schedule",
         "%", letter="bubble_over_ideal", domain="non-negative")
_declare("pipeline.schedule_of_total", "idle time of a stage as a part of the whole step, by the schedule", "%",
         letter="bubble_of_total", domain="fraction")

_P, _M, _V = symbol("layout.pp"), symbol("batch.accumulation"), symbol("layout.interleave")
_F, _B, _W = (symbol(f"pipeline.{name}_time") for name in ("forward", "input_backward", "weight_backward"))
_NONE: Final = number(0, "s")


def _is(*names: str) -> Expr:
    tests = tuple(equal(symbol("pipeline.schedule"), Text(name)) for name in names)
    return tests[0] if len(tests) == 1 else Logic("or", tests)


_ONE_WAY: Final = _is("gpipe", "1f1b")
_CHUNKED: Final = _is("interleaved-1f1b")
_H1, _H2, _ZV, _DUAL = (_is(name) for name in ("zb-h1", "zb-h2", "zb-v", "dualpipe"))

RELATIONS.add(Relation(
    "pipeline.slot_time", _F + _B + _W, "Forward, gradient of the input, gradient of the weights.", DEFINITION,
))
RELATIONS.add(Relation(
    "pipeline.pair_time", _F + _B + _W, "Without a gain from the overlap, the pair takes as long as its parts.",
    DEFINITION, ("Overlap of a forward with a backward pass hides communication, and gains no compute time.",),
))
RELATIONS.add(Relation(
    "pipeline.bubble_time",
    when(_ONE_WAY, (_P - 1) * (_F + _B + _W),
         when(_CHUNKED, (_P - 1) * (_F + _B + _W) / _V,
              when(_H1, (_P - 1) * (_F + _B - _W),
                   when(_H2, (_P - 1) * (_F + _B - 2 * _W),
                        when(_ZV, _NONE,
                             (_P / 2 - 1) * (symbol("pipeline.pair_time") + (_B + _W) - 3 * _W)))))),
    "Filling and draining leave a stage idle; gradients of the weights wait for nobody and fill the gaps.",
    ZERO_BUBBLE,
    (("Stages take equal time; sending is hidden; the optimizer step waits for no other stage (ZB-H2 and ZB-V check "
      "afterwards)."),
     "B is the gradient of the input alone: where a paper's B is the whole backward pass, it is B + W here."),
    (
        Slip("whole-backward", "B is the gradient of the input alone here; the whole backward pass is B + W.",
             expr=(_P - 1) * (_F + _B), kind="convention"),
        Slip("p-for-p-minus-1", "Filling costs p-1 slots, not p.", expr=_P * (_F + _B + _W)),
    ),
    reasons={
        _ONE_WAY: ("a whole backward pass holds back the stage before it", ""),
        _CHUNKED: ("v chunks a stage make the fill v times shorter", ""),
        _H1: ("W is put off, so that the stage before gets its gradient sooner, with the memory of 1F1B", ""),
        _H2: ("more forward passes at the start and W at the end fill the gaps, with twice the memory of 1F1B", ""),
        _ZV: ("with F = B = W two chunks a stage in the shape of a V leave no gap",
              "micro-batches enter from both ends; the published formula, which the published order meets where F = B"),
    },
    stated=("layout.pp", "pipeline.schedule"),
))
RELATIONS.add(Relation(
    "pipeline.ideal_time", _M * symbol("pipeline.slot_time"), "Every micro-batch takes its slot.", MEGATRON_PIPELINE,
    stated=("batch.accumulation",),
))
RELATIONS.add(Relation(
    "pipeline.schedule_time", symbol("pipeline.ideal_time") + symbol("pipeline.bubble_time"),
    "Work and bubble follow one another.", MEGATRON_PIPELINE,
))
RELATIONS.add(Relation(
    "pipeline.schedule_over_ideal", symbol("pipeline.bubble_time") / symbol("pipeline.ideal_time"),
    "The bubble over the work of a stage.", MEGATRON_PIPELINE, ("Convention: over ideal time.",),
    (Slip("of-total", "That is the bubble as a part of the whole step.", expr=symbol("pipeline.schedule_of_total"),
          kind="convention"),),
))
RELATIONS.add(Relation(
    "pipeline.schedule_of_total", symbol("pipeline.bubble_time") / symbol("pipeline.schedule_time"),
    "The bubble over the whole step.", MEGATRON_PIPELINE, ("Convention: of the whole step.",),
    (Slip("over-ideal", "That is the bubble over ideal time.", expr=symbol("pipeline.schedule_over_ideal"),
          kind="convention"),),
))
LAWS.add(Law(
    "pipeline.bubble_time", Logic("or", (Logic("not", (_ZV,)), Logic("and", (equal(_F, _B), equal(_B, _W))))),
    "zb-v has a formula only where F, B and W take equal time: no bubble; elsewhere its schedule is searched for",
    knows=("pipeline.schedule",),
))
LAWS.add(Law(
    "pipeline.bubble_time",
    Logic("or", (Logic("not", (_is("zb-h1", "zb-h2"),)), call("min", _F, _B) >= _W)),
    "the formula of {pipeline.schedule} is for a W of at most F and B, not {pipeline.weight_backward_time}",
    knows=("pipeline.schedule",),
))
LAWS.add(Law(
    "pipeline.bubble_time",
    Logic("or", (Logic("not", (_DUAL,)), equal(call("floor", _P / 2) * 2, _P))),
    "dualpipe needs an even number of stages, not {layout.pp}", knows=("pipeline.schedule",),
))
# The bubble alone needs no micro-batches: what is wrong with those that are stated is told there too.
_COUNTED: Final = (("pipeline.ideal_time", ()), ("pipeline.bubble_time", ("batch.accumulation",)))
for _on, _knows in _COUNTED:
    LAWS.add(Law(
        _on, Logic("or", (Logic("not", (_DUAL,)), equal(call("floor", _M / 2) * 2, _M))),
        "dualpipe divides its micro-batches between both ends: an even number, not {batch.accumulation}",
        knows=("pipeline.schedule", *_knows),
    ))
    LAWS.add(Law(
        _on, Logic("or", (Logic("not", (_DUAL,)), _M >= 2 * _P)),
        "dualpipe needs at least twice as many micro-batches as stages: {batch.accumulation} for {layout.pp}",
        knows=("pipeline.schedule", *_knows),
    ))
for _schedule, _least, _said in ((_H1, _P, "as many micro-batches as stages"),
                                 (_H2, 2 * _P - 1, "twice as many micro-batches as stages, less one")):
    for _on, _knows in _COUNTED:
        LAWS.add(Law(
            _on, Logic("or", (Logic("not", (_schedule,)), _least <= _M)),
            f"the formula of {{pipeline.schedule}} needs at least {_said}: {{batch.accumulation}} for {{layout.pp}}",
            knows=("pipeline.schedule", "layout.pp", *_knows),
        ))
LAWS.add(Law(
    "pipeline.schedule_time",
    Logic("or", (Logic("not", (_DUAL,)), equal(symbol("pipeline.pair_time"), symbol("pipeline.slot_time")))),
    "dualpipe's formula gives the bubble; with an overlapped pair of {pipeline.pair_time} the whole step is not "
    "slots and bubble alone", knows=("pipeline.schedule",),
))

# Stages of unequal work: the last one has the output head, so the others wait for it.
_declare("pipeline.stages", "pipeline stages, which need not have as many layers each", letter="p",
         domain="positive integer", statable=True, example="16")
_declare("pipeline.layer_parameters", "parameters of one layer, which tell the work of a stage", "param",
         letter="P_layer", statable=True, bare=True, example="855638016")
_declare("pipeline.head_layers", "the output head in layers: its products over those of a layer", letter="head",
         domain="non-negative", statable=True, example="1.228")
_declare("pipeline.first_layers", "layers of the first stage", letter="L_first", domain="positive integer",
         statable=True, example="7")
_declare("pipeline.last_layers", "layers of the last stage", letter="L_last", domain="non-negative integer",
         statable=True, example="7")
_declare("pipeline.interior_layers", "layers of each stage between the first and the last", letter="L_interior",
         domain="non-negative integer")
_declare("pipeline.slowest_stage", "work of the slowest stage, in layers", letter="slowest")
_declare("pipeline.mean_stage", "work of a stage on average, in layers", letter="mean")
_declare("pipeline.imbalance", "slow-down of the whole pipeline by its slowest stage, over equal stages",
         letter="imbalance")

_L, _STAGES = symbol("model.layers"), symbol("pipeline.stages")
_EMBEDDING: Final = symbol("model.vocabulary") * symbol("model.hidden") * number(1, "param")
_FIRST, _LAST, _HEAD = (symbol(f"pipeline.{name}_layers") for name in ("first", "last", "head"))
RELATIONS.add(Relation(
    "pipeline.layer_parameters",
    (symbol("model.active_parameters") - symbol("model.embedding_parameters") - symbol("model.head_parameters")) / _L,
    "What is not embedding or head is layers.", COUNTING,
    ("Parameters that work on a token, as many in every layer; the final norm is spread over the layers.",),
))
RELATIONS.add(Relation(
    "pipeline.layer_parameters", (symbol("model.parameters") - 2 * _EMBEDDING) / _L,
    "What is not embedding or head is layers.", COUNTING,
    ("Embedding and head are two matrices (untied); the final norm is spread over the layers.",),
))
RELATIONS.add(Relation(
    "pipeline.head_layers", _EMBEDDING / symbol("pipeline.layer_parameters"),
    "Work goes with the parameters that a token is multiplied with.", COUNTING,
    ("Products of attention itself, loss and embedding look-up are left out.",),
))
RELATIONS.add(Relation(
    "pipeline.stages", _P, "The stages of the layout.", DEFINITION, stated=("layout.pp",),
))
RELATIONS.add(Relation(
    "pipeline.first_layers", _L / _STAGES, "Unless stated, layers are divided evenly.", COUNTING,
))
RELATIONS.add(Relation(
    "pipeline.last_layers", when(equal(_STAGES, 2), _L - _FIRST, _L / _STAGES),
    "Unless stated, layers are divided evenly.", COUNTING,
    reasons={equal(_STAGES, 2): ("of two stages the last has what the first leaves", "")},
))
RELATIONS.add(Relation(
    "pipeline.interior_layers",
    when(_STAGES > 2, (_L - _FIRST - _LAST) / (_STAGES - 2), 0),  # noqa: PLR2004 - first and last
    "The other stages share what first and last leave.", COUNTING,
    reasons={_STAGES > 2: ("", "two stages are first and last")},  # noqa: PLR2004 - first and last
))
RELATIONS.add(Relation(
    "pipeline.slowest_stage", call("max", _FIRST, symbol("pipeline.interior_layers"), _LAST + _HEAD),
    "Every stage waits for the slowest.", MEGATRON_PIPELINE,
))
RELATIONS.add(Relation(
    "pipeline.mean_stage", (_L + _HEAD) / _STAGES, "All the work, divided evenly.", COUNTING,
))
LAWS.add(Law(
    "pipeline.slowest_stage",
    Logic("or", (Logic("not", (equal(_STAGES, 2),)), equal(_FIRST + _LAST, _L))),
    "two stages of {pipeline.first_layers} and {pipeline.last_layers} layers are not the {model.layers} of the model",
))
RELATIONS.add(Relation(
    "pipeline.imbalance", symbol("pipeline.slowest_stage") / symbol("pipeline.mean_stage"),
    "A pipeline that is full goes at the pace of its slowest stage.", MEGATRON_PIPELINE,
    ("Many micro-batches: filling and draining come on top.",),
    (Slip("head-forgotten", "The output head works on every token too.", set={"pipeline.head_layers": number(0)}),),
))
