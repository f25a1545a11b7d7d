"""How many micro-batches a pipeline stage holds activations of at once, by schedule."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Logic, Text, call, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.sources import GPIPE as GPIPE_PAPER
from solvers.sources_memory import PAPER_PIPELINE
from solvers.sources_speed import ZERO_BUBBLE

_declare = CATALOGUE.declare

_declare(
    "pipeline.stage",
    "which pipeline stage is looked at; the first is 1, and holds most micro-batches",
    letter="stage",
    domain="positive integer",
    default=number(1),
    example="1",
)
_declare(
    "pipeline.all_in_flight",
    "micro-batches of a step, all in flight under GPipe",
    letter="m_all",
    domain="positive integer",
)
_declare("pipeline.split_in_flight", "micro-batches that a stage holds at once under zb-h1, zb-h2, zb-v or dualpipe",
         letter="in_flight")  # fmt: skip
_declare("pipeline.in_flight", "micro-batches whose activations a stage holds at once", letter="in_flight")
_declare(
    "pipeline.head_in_flight",
    "micro-batches that the head holds at once, on the last stage",
    letter="head_in_flight",
)

_declare(
    "pipeline.weight_share",
    "part of a micro-batch's activations that stays until the gradient of the weights (zb-h1, zb-h2)",
    letter="M_W/M_B",
    domain="fraction",
    default=number(1),
    example="0.9",
)

_p, _v, _m = symbol("layout.pp"), symbol("layout.interleave"), symbol("batch.accumulation")
_stage: Final = symbol("pipeline.stage")
ALONE: Final = equal(_p, 1)
_SCHEDULE: Final = symbol("pipeline.schedule")
_GPIPE: Final = equal(_SCHEDULE, Text("gpipe"))
_ONE_CHUNK: Final = equal(_v, 1)
_WARM_UP: Final = _p - _stage + 1
_CHUNKS: Final = 2 * (_p - _stage) + (_v - 1) * _p + 1
_REASONS: Final = {
    ALONE: ("without a pipeline each micro-batch goes back before the next comes", ""),
    _ONE_CHUNK: (
        "1F1B: a stage is as many micro-batches ahead as stages follow, and works on one",
        "interleaved: warm-up counts chunks, of which v make a micro-batch",
    ),
}
_H1, _H2, _ZV, _DUAL = (equal(_SCHEDULE, Text(name)) for name in ("zb-h1", "zb-h2", "zb-v", "dualpipe"))
_SPLIT_SAYS: Final = {
    _H1: (
        "as many micro-batches ahead as in 1F1B, and weight gradients that are put off by as many as stages precede",
        "",
    ),
    _H2: ("twice as many micro-batches ahead as in 1F1B, less one, so that nothing waits", ""),
    _ZV: (
        "two chunks in the shape of a V make every stage hold what the first holds in 1F1B",
        "micro-batches come in from both ends: p of them, and that of the overlapped pair",
    ),
}
_SPLIT: Final = Logic("or", (_H1, _H2, _ZV, _DUAL))
_GPIPE_SAYS: Final = {_GPIPE: ("GPipe runs all micro-batches forward before any goes back", "")}
_SLIPS: Final = (
    Slip("one", "A stage holds several micro-batches before the first comes back.", expr=number(1)),
    Slip(
        "gpipe-for-1f1b",
        "That is GPipe, which holds every micro-batch of the step.",
        expr=symbol("batch.accumulation"),
    ),
    Slip("last-stage", "The last stage holds one; the first holds most.", set={"pipeline.stage": _p}),
    Slip(
        "no-interleaving",
        "Interleaved chunks hold more: 1 + (p-1)/(p v) times as much.",
        set={"layout.interleave": number(1)},
    ),
)
_BY_CHUNKS: Final = "Interleaved: on the first stage p (1 + (p-1)/(p v)) micro-batches, counted in chunks of 1/v."
_ENOUGH: Final = "A step has enough micro-batches to fill the pipeline, since none are stated."
_PUT_OFF: Final = (
    "A micro-batch whose weight gradient waits keeps all of its activations, unless pipeline.weight_share says how "
    "much; that of the head does not wait."
)
_1F1B: Final = "The schedule is 1F1B, interleaved where a stage has several chunks, since none is stated."

RELATIONS.add(
    Relation(
        "pipeline.all_in_flight",
        _m,
        "Every micro-batch of the step.",
        GPIPE_PAPER,
        stated=("batch.accumulation",),
    )
)


def _flying(*, bounded: bool, named: bool) -> Expr:
    """In flight; `bounded` by the micro-batches of a step, under a `named` schedule or 1F1B."""
    plain: Expr = call("min", _m, _WARM_UP) if bounded else _WARM_UP
    chunked: Expr = call("min", _m * _v, _CHUNKS) if bounded else _CHUNKS
    one_way = when(_ONE_CHUNK, plain, chunked / _v)
    if not named:
        return when(ALONE, 1, one_way)
    ahead = when(_SPLIT, symbol("pipeline.split_in_flight"), one_way)
    return when(ALONE, 1, when(_GPIPE, symbol("pipeline.all_in_flight"), ahead))


def _split(*, bounded: bool) -> Expr:
    """In flight where the backward pass is split, or micro-batches come in from both ends."""

    def most(count: Expr) -> Expr:
        return call("min", _m, count) if bounded else count

    def put_off(ahead: Expr, together: Expr) -> Expr:
        return most(ahead) + symbol("pipeline.weight_share") * (most(together) - most(ahead))

    return when(_H1, put_off(_WARM_UP, _p),
                when(_H2, put_off(2 * _WARM_UP - 1, 2 * _p - 1), when(_ZV, most(_p), most(_p + 1))))  # fmt: skip


for _bounded in (True, False):
    RELATIONS.add(
        Relation(
            "pipeline.split_in_flight",
            _split(bounded=_bounded),
            "A stage holds the micro-batches that it is ahead, and those whose weight gradients are put off.",
            ZERO_BUBBLE,
            (_PUT_OFF, *(() if _bounded else (_ENOUGH,))),
            (
                Slip("last-stage", "The weight gradients that are put off make all stages hold alike.",
                     expr=_WARM_UP),
            ),
            _SPLIT_SAYS,
            stated=("pipeline.schedule", *(("batch.accumulation",) if _bounded else ())),
        )
    )  # fmt: skip
for _named, _bounded in ((True, True), (True, False), (False, True), (False, False)):
    _assumptions = (
        _BY_CHUNKS,
        *(() if _bounded else (_ENOUGH,)),
        *(() if _named else (_1F1B,)),
    )
    _stated = (("pipeline.schedule",) if _named else ()) + (("batch.accumulation",) if _bounded else ())
    RELATIONS.add(
        Relation(
            "pipeline.in_flight",
            _flying(bounded=_bounded, named=_named),
            "A stage holds the micro-batches of its warm-up and the one that it works on.",
            PAPER_PIPELINE,
            _assumptions,
            _SLIPS,
            {**_REASONS, **({**_GPIPE_SAYS, _SPLIT: ("", "")} if _named else {})},
            stated=_stated,
            unless=() if _named else ("pipeline.schedule",),
        )
    )
RELATIONS.add(
    Relation(
        "pipeline.head_in_flight",
        when(_GPIPE, symbol("pipeline.in_flight"), 1),
        "The last stage turns each micro-batch round at once, but for GPipe.",
        GPIPE_PAPER,
        reasons=_GPIPE_SAYS,
        stated=("pipeline.schedule",),
    )
)
RELATIONS.add(
    Relation(
        "pipeline.head_in_flight",
        number(1),
        "The last stage turns each micro-batch round at once.",
        PAPER_PIPELINE,
        unless=("pipeline.schedule",),
    )
)
LAWS.add(
    Law(
        "pipeline.stage",
        _stage <= _p,
        "there is no stage {pipeline.stage} among {layout.pp}",
        knows=("pipeline.stage",),
    )
)
_1F1B_NAMED: Final = equal(_SCHEDULE, Text("1f1b"))
LAWS.add(
    Law(
        "pipeline.in_flight",
        Logic("or", (ALONE, Logic("not", (_1F1B_NAMED,)), _ONE_CHUNK)),
        "1f1b has one chunk a stage; with layout.interleave {layout.interleave} it is interleaved-1f1b",
        knows=("pipeline.schedule",),
    )
)
LAWS.add(
    Law(
        "pipeline.split_in_flight",
        Logic("or", (Logic("not", (_DUAL,)), _m >= 2 * _p)),
        "dualpipe needs at least twice as many micro-batches as stages: {batch.accumulation} for {layout.pp}",
        knows=("batch.accumulation",),
    )
)
LAWS.add(
    Law(
        "pipeline.in_flight",
        Logic("or", (ALONE, Logic("not", (_DUAL,)), equal(call("floor", _p / 2) * 2, _p))),
        "dualpipe needs an even number of stages, not {layout.pp}",
        knows=("pipeline.schedule",),
    )
)
LAWS.add(
    Law(
        "activation.ends_per_gpu",
        Logic("or", (ALONE, Logic("not", (_DUAL,)))),
        "dualpipe has embedding and head on the ranks at both ends, which are not counted here: ask for "
        "activation.layers_per_gpu",
        knows=("pipeline.schedule",),
    )
)
