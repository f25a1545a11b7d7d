"""How fast and how long: achieved FLOP/s, throughput, step time, time to train, GPU-hours, money."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, equal, number, symbol
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.sources import DEFINITION, PALM
from solvers.sources_speed import DEEPSEEK_COST, MEGATRON_TIME

_declare = CATALOGUE.declare

_declare("compute.model_rate", "FLOP/s of one GPU, counting what the model needs", "TFLOP/s", letter="X",
         statable=True, example="400 TFLOP/s")
_declare("compute.hardware_rate", "FLOP/s of one GPU, counting all that is computed", "TFLOP/s", letter="X_hardware",
         statable=True, example="163 TFLOP/s")
_declare("compute.aggregate_model_rate", "FLOP/s of all GPUs, counting what the model needs", "PFLOP/s", letter="nX")
_declare("compute.aggregate_hardware_rate", "FLOP/s of all GPUs, counting all that is computed", "PFLOP/s",
         letter="nX_hardware")
_declare("compute.tokens_per_second", "tokens per second over all GPUs", "token/s", letter="tps", statable=True,
         example="238300 token/s")
_declare("compute.tokens_per_second_per_gpu", "tokens per second and GPU", "token/s", letter="tps_GPU", statable=True,
         example="5762 token/s")
_declare("compute.step_time", "time of one optimizer step", "s", letter="t_step", statable=True, example="18 s")
_declare("compute.gpu_hours", "GPU time of the whole training", "GPU-hour", letter="hours", statable=True,
         example="30.84e6 GPU-hours")
_declare("compute.gpu_hours_per_trillion", "GPU time for each trillion tokens", "GPU-hour", letter="hours_per_T",
         statable=True, example="180e3 GPU-hours")
_declare("compute.time_per_trillion", "time for each trillion tokens on all GPUs", "day", letter="time_per_T")
_declare("compute.training_time", "time of the whole training on all GPUs", "day", letter="time")
_declare("cost.price_per_gpu_hour", "price of one GPU for an hour", "$/GPU-hour", letter="price",
         domain="non-negative", example="2 $/GPU-hour")
_declare("cost.training", "price of the GPU time of the whole training", "$", letter="cost", domain="non-negative")
_declare("cost.per_million_tokens", "price of the GPU time for a million tokens", "$", letter="cost_per_M",
         domain="non-negative")

_GPUS: Final = symbol("cluster.gpus")
_PEAK: Final = symbol("compute.peak")
_F, _D = symbol("compute.flops_per_token"), symbol("compute.training_tokens")
_X, _XH = symbol("compute.model_rate"), symbol("compute.hardware_rate")
_HOURS: Final = symbol("compute.gpu_hours")
_TRILLION: Final = number(10**12, "token")
_AWAY: Final = "Restarts, evaluation and failed runs are left out, unless the achieved rate is a mean over all time."


def _add(target: str, expr: Expr, because: str, *assumptions: str, stated: tuple[str, ...] = (),
         drops: tuple[str, ...] = (), slips: tuple[Slip, ...] = ()) -> None:
    RELATIONS.add(Relation(target, expr, because, DEFINITION, assumptions, slips, drops=drops, stated=stated))


_add("compute.model_rate", _F * symbol("compute.tokens_per_second_per_gpu"),
     "FLOPs per token times tokens per second.", stated=("compute.tokens_per_second_per_gpu",))
_add("compute.model_rate", _F * symbol("compute.tokens_per_second") / _GPUS,
     "FLOPs per token times tokens per second, divided among the GPUs.", stated=("compute.tokens_per_second",),
     drops=("gpu",))
_add("compute.model_rate", symbol("compute.step_flops") / (symbol("compute.step_time") * _GPUS),
     "The FLOPs of a step over its time, divided among the GPUs.", stated=("compute.step_time",), drops=("gpu",))
_add("compute.model_rate", symbol("compute.training_flops") / _HOURS,
     "All FLOPs over all GPU time: the mean over the whole training.",
     "The mean counts all GPU time, with whatever was lost in it.", stated=("compute.gpu_hours",), drops=("gpu",),
     slips=(Slip("recomputed", "That counts recomputed work as well.",
                 expr=symbol("compute.hardware_training_flops") / _HOURS, kind="convention"),))
_add("compute.model_rate", symbol("compute.mfu") * _PEAK, "Utilisation is the part of the peak that is used.")
_add("compute.hardware_rate", symbol("compute.hfu") * _PEAK, "Utilisation is the part of the peak that is used.")
_RATIO: Final = symbol("compute.hardware_flops_per_token") / _F
for _of, _expr in (("mfu", symbol("compute.hfu") / _RATIO), ("hfu", symbol("compute.mfu") * _RATIO)):
    RELATIONS.add(Relation(
        f"compute.{_of}", _expr, "Recomputed work counts for the hardware, not for the model.", PALM,
        ("Attention counts as compute.attention says.",), stated=("compute.recompute", "compute.attention"),
    ))
RELATIONS.add(Relation(
    "compute.mfu", _X / _PEAK, "What the model needs, over the peak.", PALM,
    ("The peak is dense; what is counted decides the figure: parameters, attention, no recomputation.",),
    (Slip("sparse-peak", "That divides by the peak with sparsity.", expr=_X / (2 * _PEAK)),),
))
RELATIONS.add(Relation(
    "compute.hfu", _XH / _PEAK, "All that is computed, over the peak.", PALM, ("The peak is dense.",),
    (Slip("sparse-peak", "That divides by the peak with sparsity.", expr=_XH / (2 * _PEAK)),),
))
_add("compute.aggregate_model_rate", _GPUS * _X, "GPUs times what one achieves.", drops=("gpu",))
_add("compute.aggregate_hardware_rate", _GPUS * _XH, "GPUs times what one achieves.", drops=("gpu",))
_add("compute.tokens_per_second_per_gpu", symbol("compute.tokens_per_second") / _GPUS,
     "Throughput is divided among the GPUs.", stated=("compute.tokens_per_second",), drops=("gpu",))
_add("compute.tokens_per_second_per_gpu", _X / _F, "What a GPU achieves, over the FLOPs of a token.")
_add("compute.tokens_per_second", symbol("compute.tokens_per_second_per_gpu") * _GPUS,
     "Tokens per second and GPU, times the GPUs.", drops=("gpu",))
_add("compute.step_time", symbol("batch.tokens_per_step") / symbol("compute.tokens_per_second"),
     "The tokens of a step at the stated throughput.", stated=("compute.tokens_per_second",))
_add("compute.step_time", symbol("compute.hardware_step_flops") / (_GPUS * _XH),
     "What is computed in a step, at what the GPUs achieve.", stated=("compute.recompute",), drops=("gpu",))
_add("compute.step_time", symbol("compute.step_flops") / (_GPUS * _X),
     "What a step needs, at what the GPUs achieve.", drops=("gpu",))

LAWS.add(Law(
    "compute.step_time", equal(symbol("layout.world"), _GPUS / number(1, "GPU")),
    "a step of a layout of {layout.world} GPUs is not worked on by all {cluster.gpus} of the cluster: state a layout "
    "of all of them, or a cluster of {layout.world}", knows=("layout.dp",), any_of=("cluster.gpus", "cluster.nodes"),
    unless=("batch.tokens_per_step", "batch.sequences_per_step"),
))

_SLIPS: Final = (
    Slip("peak", "No run reaches the peak: the achieved rate counts.",
         expr=symbol("compute.training_flops") / _PEAK),
    Slip("forward-only", "That is the forward pass only.",
         expr=number(2, "FLOP/param/token") * symbol("compute.parameters") * _D / _X),
)
_add("compute.gpu_hours", symbol("compute.gpu_hours_per_trillion") * _D / _TRILLION,
     "So much for each trillion tokens.", stated=("compute.gpu_hours_per_trillion",))
RELATIONS.add(Relation(
    "compute.gpu_hours", symbol("compute.hardware_training_flops") / _XH,
    "All that is computed, at what a GPU achieves: 8 T P / X with full recomputation.", MEGATRON_TIME, (_AWAY,),
    _SLIPS, drops=("gpu",), stated=("compute.recompute",),
))
RELATIONS.add(Relation(
    "compute.gpu_hours", symbol("compute.training_flops") / _X,
    "All that the model needs, at what a GPU achieves: 6 T P / X.", MEGATRON_TIME, (_AWAY,), _SLIPS, drops=("gpu",),
))
RELATIONS.add(Relation(
    "compute.training_time", _HOURS / _GPUS, "GPU time is shared by the GPUs.", MEGATRON_TIME,
    slips=(Slip("no-gpus", "That is the time on one GPU.", expr=_HOURS / number(1, "GPU")),),
))
_add("compute.gpu_hours_per_trillion", _HOURS / (_D / _TRILLION), "GPU time over the trillions of tokens.")
_add("compute.time_per_trillion", symbol("compute.gpu_hours_per_trillion") / _GPUS, "GPU time is shared by the GPUs.")
RELATIONS.add(Relation(
    "cost.training", _HOURS * symbol("cost.price_per_gpu_hour"), "GPU time at its price.", DEEPSEEK_COST,
    ("The stated price; research, failed runs, data, people and storage are left out.",),
    (Slip("no-price", "That is GPU-hours, not money.", expr=_HOURS * number(1, "$/GPU-hour")),),
))
_add("cost.per_million_tokens",
     symbol("cost.price_per_gpu_hour") * number(10**6, "token") / symbol("compute.tokens_per_second_per_gpu"),
     "The time of a GPU for a million tokens, at its price.", "The stated price, at full load.", drops=("gpu",))
