"""Published figures of collectives, compute, time, cost and hardware, reproduced. Each row names its source."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from solvers import Solver, scenario_of
from solvers.expr.units import parse_unit

if TYPE_CHECKING:
    from solvers.inputs import Raw


@dataclass(frozen=True)
class Row:
    """A quantity, the inputs, the published value in `unit`, and how far it may be off (as it was printed)."""

    id: str
    quantity: str
    value: str
    unit: str
    inputs: dict[str, Raw] = field(default_factory=dict)
    within: str = "0.0000001"


FULL: dict[str, Raw] = {"compute.recompute": "full"}
A100: dict[str, Raw] = {"cluster.gpu": "a100-80gb"}
H100: dict[str, Raw] = {"cluster.gpu": "h100-80gb"}


def gpt(batch: int, layers: int, hidden: int) -> dict[str, Raw]:
    return {**FULL, "batch.sequences_per_step": batch, "batch.sequence": 2048, "model.layers": layers,
            "model.hidden": hidden, "model.vocabulary": 51_200}


def megatron_days(parameters: str, gpus: int, rate: int, tokens: str = "300e9") -> dict[str, Raw]:
    return {**FULL, "model.parameters": parameters, "cluster.gpus": gpus,
            "compute.hardware_rate": f"{rate} TFLOP/s", "compute.training_tokens": tokens}


def aggregate(gpus: int, rate: int) -> dict[str, Raw]:
    return {"cluster.gpus": gpus, "compute.hardware_rate": f"{rate} TFLOP/s"}


def collective(kind: str, ranks: int) -> dict[str, Raw]:
    return {"collective.kind": kind, "collective.ranks": ranks}


def fsdp2(ranks: int = 8, **more: Raw) -> dict[str, Raw]:
    named = {key.replace("__", "."): value for key, value in more.items()}
    return {"recipe": "fsdp2-fp32-shard", "layout.zero": 3, "layout.dp": ranks, **named}


# Narayanan 2021, arXiv:2104.04473: equation 3 at the models of table 1, table 2 and section 5.1
MEGATRON = [
    *(Row(f"megatron-flops-{name}", "compute.gpt_step_flops", value, "FLOP", gpt(batch, layers, hidden), "1e-12")
      for name, batch, layers, hidden, value in (
          ("1.7B", 512, 24, 2304, "1.5466830067924994e16"), ("7.5B", 512, 36, 4096, "6.7184558503624696e16"),
          ("18.4B", 1024, 40, 6144, "3.2483971531014144e17"), ("76.1B", 1792, 60, 10_240, "2.3020474950746112e18"),
          ("145.6B", 2304, 80, 12_288, "5.641682123048877e18"), ("310.1B", 2160, 96, 16_384, "1.1194006936108399e19"),
          ("529.6B", 2520, 105, 20_480, "2.221594167685939e19"))),
    *(Row(f"megatron-days-{parameters}-{gpus}-{rate}", "compute.training_time", days, "day",
          megatron_days(parameters, gpus, rate), "0.04")
      for parameters, gpus, rate, days in (
          ("174.6e9", 384, 144, "90"), ("529.6e9", 640, 138, "169"), ("529.6e9", 1120, 98, "137"),
          ("174.6e9", 384, 153, "84"), ("529.6e9", 560, 171, "156"), ("529.6e9", 1120, 167, "80"))),
    Row("megatron-days-1T", "compute.training_time", "84", "day", megatron_days("1e12", 3072, 163, "450e9"), "0.02"),
    Row("megatron-days-175B", "compute.training_time", "34", "day", megatron_days("175e9", 1024, 140), "0.02"),
    *(Row(f"megatron-aggregate-{gpus}-{rate}", "compute.aggregate_hardware_rate", value, "PFLOP/s",
          aggregate(gpus, rate), "0.01")
      for gpus, rate, value in ((64, 138, "8.8"), (1536, 148, "227.1"), (1920, 155, "297.4"), (2520, 163, "410.2"),
                                (3072, 163, "502.0"))),
    *(Row(f"megatron-peak-{rate}", "compute.hfu", share, "%", {**A100, "compute.hardware_rate": f"{rate} TFLOP/s"},
          "0.014") for rate, share in ((138, "44"), (140, "45"), (163, "52"))),
]
UTILISATION = [
    # PaLM, arXiv:2204.02311, section 4 and appendix B: without and with attention
    Row("palm-without-attention", "compute.mfu", "45.7", "%",
        {"compute.tokens_per_second": "238300 token/s", "model.parameters": "540.35e9", "cluster.gpus": 6144,
         "cluster.gpu": "tpu-v4"}, "0.002"),
    Row("palm-with-attention", "compute.mfu", "46.2", "%",
        {"compute.tokens_per_second": "238300 token/s", "model.parameters": "540.35e9", "cluster.gpus": 6144,
         "cluster.gpu": "tpu-v4", "compute.attention": "full", "model.layers": 118, "model.query_heads": 48,
         "model.head_dim": 256, "batch.sequence": 2048}, "0.002"),
    # torchtitan, benchmarks of 2024-12: 6 (N - N_emb) + 12 L h s over the peak of an H100
    *(Row(f"torchtitan-8b-{tokens}", "compute.mfu", share, "%",
          {"model": "llama-3-8b", **H100, "batch.sequence": 8192, "compute.attention": "full",
           "compute.counted": "without-embedding", "compute.tokens_per_second_per_gpu": f"{tokens} token/s"}, "0.002")
      for tokens, share in ((5762, "33.7"), (6667, "39.0"))),
    # Llama 3, arXiv:2407.21783, table 4, and the model card's GPU-hours
    *(Row(f"llama3-{rate}", "compute.mfu", share, "%",
          {"compute.model_rate": f"{rate} TFLOP/s", "compute.peak": "989.4 TFLOP/s"}, "0.017")
      for rate, share in ((430, "43"), (400, "41"), (380, "38"))),
    Row("llama3-mean-rate", "compute.model_rate", "340", "TFLOP/s",
        {"compute.gpu_hours": "30.84e6 GPU-hour", "compute.training_flops": "3.79e25 FLOP"}, "0.01"),
    Row("llama3-flops", "compute.training_flops", "3.8e25", "FLOP",
        {"model.parameters": "405e9", "compute.training_tokens": "15.6e12"}, "0.01"),
    # The open book "Machine Learning Engineering": four passes of 2 FLOPs over 3,584 sequences of 1,024 tokens
    Row("idefics-step", "compute.step_time", "18", "s",
        {**FULL, "model.parameters": "80e9", "batch.sequence": 1024, "batch.sequences_per_step": 3584,
         "cluster.gpus": 512, "compute.hardware_rate": "250 TFLOP/s"}, "0.028"),
]
# DeepSeek-V3, arXiv:2412.19437, table 1
V3: dict[str, Raw] = {"compute.gpu_hours": "2.664e6 GPU-hour", "compute.training_tokens": "14.8e12"}
COST = [
    Row("deepseek-hours", "compute.gpu_hours", "2664000", "GPU-hour",
        {"compute.gpu_hours_per_trillion": "180e3 GPU-hour", "compute.training_tokens": "14.8e12"}),
    Row("deepseek-hours-per-trillion", "compute.gpu_hours_per_trillion", "180000", "GPU-hour", V3, "0.001"),
    Row("deepseek-days-per-trillion", "compute.time_per_trillion", "3.7", "day", {**V3, "cluster.gpus": 2048},
        "0.015"),
    Row("deepseek-cost", "cost.training", "5576000", "$",
        {"compute.gpu_hours": "2.788e6 GPU-hour", "cost.price_per_gpu_hour": "2 $/GPU-hour"}),
    Row("8b-days", "compute.training_time", "20.571337", "day",
        {**H100, "model.parameters": "8e9", "compute.training_tokens": "15e12", "cluster.gpus": 1024,
         "compute.mfu": "40 %"}),
    Row("8b-cost", "cost.training", "1263903", "$",
        {**H100, "model.parameters": "8e9", "compute.training_tokens": "15e12", "compute.mfu": "40 %",
         "cost.price_per_gpu_hour": "2.5 $/GPU-hour"}, "1e-6"),
    Row("llama3-window", "compute.training_time", "78.43017578125", "day",
        {"compute.gpu_hours": "30.84e6 GPU-hour", "cluster.gpus": 16_384}),
]
# Hoffmann 2022, arXiv:2203.15556: budget, parameters and tokens in billions of tables 3 and A3
CHINCHILLA = {
    "approach-1": (("1.92e19", "0.4", "8.0"), ("1.21e20", "1", "20.2"), ("1.23e22", "10", "205.1"),
                   ("5.76e23", "67", "1500"), ("3.85e24", "175", "3700"), ("9.90e24", "280", "5900"),
                   ("3.43e25", "520", "11000"), ("1.27e26", "1000", "21200"), ("1.30e28", "10000", "216200")),
    "approach-2": (("1.84e19", "0.4", "7.7"), ("1.20e20", "1", "20.0"), ("1.32e22", "10", "219.5"),
                   ("1.75e28", "10000", "292000")),
    "approach-3": (("2.21e19", "0.4", "9.2"), ("1.62e20", "1", "27.1"), ("2.46e22", "10", "410.1"),
                   ("8.55e28", "10000", "1425500")),
}
SCALING = [
    *(Row(f"chinchilla-{approach}-{parameters}B-flops", "compute.training_flops", flops, "FLOP",
          {"model.parameters": f"{parameters}e9", "compute.training_tokens": f"{tokens}e9"}, "0.05")
      for approach, rows in CHINCHILLA.items() for flops, parameters, tokens in rows),
    *(Row(f"chinchilla-{approach}-{parameters}B", "scaling.parameters", f"{parameters}e9", "param",
          {"scaling.flops": f"{flops} FLOP", "scaling.approach": approach}, "0.05")
      for approach, rows in CHINCHILLA.items() for flops, parameters, _ in rows),
    Row("chinchilla-20", "scaling.parameters", "91.287093e9", "param", {"scaling.flops": "1e24 FLOP"}),
    Row("chinchilla-70b-loss", "scaling.loss", "1.936", "",
        {"model.parameters": "70e9", "compute.training_tokens": "1.4e12"}, "0.001"),
    Row("critical-batch-speed-up", "batch.steps_over_least", "1.125", "",
        {"batch.critical": "1e6", "batch.tokens_per_step": "8e6"}),
]
# nccl-tests, doc/PERFORMANCE.md
FACTORS = [
    *(Row(f"busbw-all-reduce-{ranks}", "collective.busbw_factor", value, "", collective("all-reduce", ranks))
      for ranks, value in ((2, "1"), (8, "1.75"), (16, "1.875"), (64, "1.96875"), (1024, "1.998046875"))),
    *(Row(f"busbw-{kind}-{ranks}", "collective.busbw_factor", value, "", collective(kind, ranks))
      for kind in ("all-gather", "reduce-scatter", "all-to-all")
      for ranks, value in ((2, "0.5"), (16, "0.9375"), (64, "0.984375"), (1024, "0.9990234375"))),
    Row("busbw-broadcast", "collective.busbw_factor", "1", "", collective("broadcast", 8)),
    Row("hierarchical-lower-bound", "collective.outer_time", "61.25", "ms",
        {**collective("all-reduce", 64), "collective.message": "14 GB", "collective.group": 8,
         "collective.outer_bandwidth": "50 GB/s"}),
    Row("ddp-small-buckets", "collective.time", "5.05121", "s",
        {**collective("all-reduce", 32), "collective.message": "14 GB", "link.bandwidth": "5.37 GB/s"}, "1e-6"),
]
# torch 2.13, fully_shard on a fake process group: bytes of whole buffers per parameter and optimizer step
BUFFERS = [
    Row("fsdp2-gather", "traffic.gathered_per_parameter", "4", "B/param", fsdp2()),
    Row("fsdp2-scatter", "traffic.scattered_per_parameter", "4", "B/param", fsdp2()),
    Row("fsdp2-gather-fp32", "traffic.gathered_per_parameter", "8", "B/param", fsdp2(recipe="fp32")),
    Row("fsdp2-gather-no-reshard", "traffic.gathered_per_parameter", "2", "B/param",
        fsdp2(layout__reshard="false")),
    Row("fsdp2-gather-4", "traffic.gathered_per_parameter", "16", "B/param", fsdp2(batch__accumulation=4)),
    Row("fsdp2-scatter-4", "traffic.scattered_per_parameter", "16", "B/param", fsdp2(batch__accumulation=4)),
    Row("fsdp2-gather-4-no-sync", "traffic.gathered_per_parameter", "16", "B/param",
        fsdp2(batch__accumulation=4, layout__sync="each-step")),
    Row("fsdp2-scatter-4-no-sync", "traffic.scattered_per_parameter", "4", "B/param",
        fsdp2(batch__accumulation=4, layout__sync="each-step")),
    Row("hsdp-2x4-all-reduce", "traffic.all_reduced_per_parameter", "1", "B/param", fsdp2(layout__shard=4)),
    Row("ddp-all-reduce", "traffic.all_reduced_per_parameter", "4", "B/param", {"recipe": "fp32"}),
    Row("fsdp2-adamw-state", "recipe.moments", "8", "B/param", fsdp2()),
]
DRAFTS = [
    Row("overlap-forward", "overlap.tokens_to_hide", "2472.5", "token",
        {**H100, "recipe": "zero-paper", "layout.zero": 3, "overlap.pass": "forward",
         "overlap.bandwidth": "400 GB/s"}),
    Row("decode-ridge", "roofline.decode_batch", "295.223881", "", H100, "1e-8"),
    Row("decode-70b-tp8", "roofline.decode_time", "5.2238806", "ms",
        {**H100, "model.parameters": "70e9", "layout.tp": 8}),
    Row("dualpipe-16", "pipeline.bubble_time", "14", "s",
        {"pipeline.schedule": "dualpipe", "layout.pp": 16, "pipeline.forward_time": "1 s",
         "pipeline.input_backward_time": "1 s", "pipeline.weight_backward_time": "1 s"}),
    Row("zb1p-share", "pipeline.schedule_over_ideal", "7.291666667", "%",
        {"pipeline.schedule": "zb-h1", "layout.pp": 8, "batch.accumulation": 32, "pipeline.forward_time": "1 s",
         "pipeline.input_backward_time": "1 s", "pipeline.weight_backward_time": "1 s"}),
    Row("head-in-layers", "pipeline.head_layers", "1.227918", "", {"model": "llama-3-70b"}, "1e-6"),
    Row("head-evens-out", "pipeline.slowest_stage", "8", "",
        {"model": "llama-3-405b", "pipeline.stages": 16, "pipeline.first_layers": 7, "pipeline.last_layers": 7}),
    Row("attention-at-128k", "compute.attention_share", "122.713351", "%",
        {"model.parameters": "70e9", "model.layers": 80, "model.hidden": 8192, "batch.sequence": 131_072,
         "compute.attention": "causal"}),
    Row("accumulation", "batch.accumulation", "8", "",
        {"batch.tokens_per_step": 2**22, "batch.sequence": 8192, "layout.dp": 64}),
]
# Vendors' data sheets; the open book "Machine Learning Engineering" prints the same, some rounded (within 1 %)
SPECS = [
    *(Row(f"hbm-{gpu}", "cluster.hbm_bandwidth", value, "TB/s", {"cluster.gpu": gpu}, "0.01")
      for gpu, value in (("a100-80gb-pcie", "1.94"), ("h100-80gb", "3.35"), ("h100-80gb-pcie", "2.0"),
                         ("h200-141gb", "4.8"), ("gh200-141gb", "4.8"), ("gh200-96gb", "4.0"), ("b200-180gb", "8.0"),
                         ("b300-288gb", "8.0"), ("l40s-48gb", "0.86"), ("mi300x-192gb", "5.3"),
                         ("mi325x-256gb", "6.0"), ("mi355x-288gb", "8.0"), ("mi350x-288gb", "8.0"),
                         ("gaudi3-128gb", "3.7"), ("gaudi2-96gb", "2.46"), ("gb200-186gb", "8.0"),
                         ("trainium2-96gb", "2.9"), ("mi250-128gb", "3.28"), ("mi250x-128gb", "3.28"),
                         ("h100-94gb-nvl", "3.9"), ("tpu-v5p", "2.76"), ("tpu-v5e", "0.82"), ("tpu-v6e", "1.64"),
                         ("tpu-7x", "7.38"))),
    *(Row(f"hbm-rounded-{gpu}", "cluster.hbm_bandwidth", value, "TB/s", {"cluster.gpu": gpu}, "0.025")
      for gpu, value in (("tpu-v4", "1.20"), ("a100-80gb", "2.00"))),
    *(Row(f"bf16-{gpu}", "cluster.peak_bf16", value, "TFLOP/s", {"cluster.gpu": gpu}, "0.01")
      for gpu, value in (("a100-80gb", "312"), ("a100-80gb-pcie", "312"), ("h100-80gb", "989"),
                         ("h100-80gb-pcie", "756"), ("h200-141gb", "989"), ("b200-180gb", "2250"),
                         ("b300-288gb", "2250"), ("gb200-186gb", "2500"), ("mi300x-192gb", "1300"),
                         ("mi325x-256gb", "1300"), ("mi355x-288gb", "2500"), ("mi250x-128gb", "383"),
                         ("gaudi2-96gb", "432"), ("gaudi3-128gb", "1677"), ("l40s-48gb", "362"),
                         ("trainium2-96gb", "667"), ("tpu-v4", "275"), ("tpu-v5e", "197"), ("tpu-v5p", "459"),
                         ("tpu-v6e", "918"), ("tpu-7x", "2307"), ("mi250-128gb", "362"), ("mi350x-288gb", "2300"),
                         ("gh200-141gb", "989"), ("gb300", "2500"), ("h100-94gb-nvl", "835"))),
    *(Row(f"fp8-{gpu}", "cluster.peak_fp8", value, "TFLOP/s", {"cluster.gpu": gpu}, "0.01")
      for gpu, value in (("h100-80gb", "1979"), ("h100-80gb-pcie", "1513"), ("b200-180gb", "4500"),
                         ("gb200-186gb", "5000"), ("l40s-48gb", "733"), ("mi300x-192gb", "2610"),
                         ("mi325x-256gb", "2610"), ("mi355x-288gb", "5000"), ("gaudi2-96gb", "865"),
                         ("trainium2-96gb", "1299"), ("h200-141gb", "1979"), ("gh200-141gb", "1979"),
                         ("b300-288gb", "4500"), ("gb300", "5000"), ("gaudi3-128gb", "1677"), ("tpu-v5p", "459"),
                         ("tpu-v6e", "918"), ("tpu-7x", "4614"))),
    *(Row(f"memory-{gpu}", "cluster.memory_nominal", value, "GB", {"cluster.gpu": gpu})
      for gpu, value in (("v100-32gb", "32"), ("a100-80gb", "80"), ("h100-80gb", "80"), ("h100-80gb-pcie", "80"),
                         ("h200-141gb", "141"), ("b200-180gb", "180"), ("b300-288gb", "288"), ("gb200-186gb", "186"),
                         ("mi300x-192gb", "192"), ("mi325x-256gb", "256"), ("mi355x-288gb", "288"), ("tpu-v4", "32"),
                         ("tpu-v5e", "16"), ("tpu-v5p", "95"), ("tpu-v6e", "32"), ("tpu-7x", "192"),
                         ("mi350x-288gb", "288"), ("l40s-48gb", "48"), ("gaudi2-96gb", "96"), ("gaudi3-128gb", "128"),
                         ("trainium2-96gb", "96"), ("mi250x-128gb", "128"), ("gh200-96gb", "96"),
                         ("h100-94gb-nvl", "94"))),
    *(Row(f"visible-{gpu}", "cluster.memory_visible", value, "GiB", {"cluster.gpu": gpu}, within)
      for gpu, value, within in (("a100-80gb", "79.15", "0"), ("a100-80gb", "79.21", "0.001"),
                                 ("h100-80gb", "79.10", "0.0011"), ("h200-141gb", "139.80", "0"),
                                 ("b200-180gb", "178.35", "0"))),
    *(Row(f"link-{total}", "link.bandwidth", value, "GB/s", {"link.total": f"{total} GB/s"})
      for total, value in (("900", "450"), ("62", "31"), ("126", "63"), ("600", "300"))),
    *(Row(f"link-{kind}", "link.bandwidth", value, "GB/s", {"link.kind": kind}, "0.02")
      for kind, value in (("nvlink2", "150"), ("nvlink3", "300"), ("nvlink4", "450"), ("nvlink5", "900"),
                          ("pcie4-x16", "31"), ("pcie5-x16", "63"), ("pcie6-x16", "121"), ("xgmi-mi300x", "448"),
                          ("nvlink1", "80"), ("nvlink6", "1800"), ("xgmi-mi250x", "350"), ("xgmi-mi355x", "535.5"),
                          ("nvlink-c2c", "450"))),
    *(Row(f"link-of-{gpu}", "cluster.link_bandwidth", value, "GB/s", {"cluster.gpu": gpu}, "0.01")
      for gpu, value in (("v100-32gb", "150"), ("a100-80gb", "300"), ("h100-80gb", "450"), ("b200-180gb", "900"),
                         ("mi300x-192gb", "448"), ("mi355x-288gb", "535.5"), ("gaudi3-128gb", "600"),
                         ("trainium2-96gb", "640"), ("tpu-v5p", "600"), ("tpu-v6e", "400"), ("tpu-7x", "600"))),
    *(Row(f"node-{cards}x{rate}", "cluster.node_bandwidth", value, "GB/s",
          {"cluster.nics_per_node": cards, "cluster.nic_rate": f"{rate} Gb/s"})
      for cards, rate, value in ((32, 100, "400"), (4, 100, "50"), (8, 800, "800"), (16, 200, "400"))),
    *(Row(f"node-{network}", "cluster.node_bandwidth", value, "GB/s", {"cluster.network": network})
      for network, value in (("aws-p5", "400"), ("aws-p4d", "50"), ("dgx-b300", "800"), ("dgx-h100", "400"),
                             ("gcp-a3-mega", "200"), ("gaudi2", "300"), ("gaudi3", "600"), ("gcp-a3-high", "100"),
                             ("aws-p5en", "400"), ("aws-p6-b200", "400"), ("aws-p6-b300", "800"),
                             ("dgx-a100", "200"))),
]


@pytest.mark.parametrize(
    "row", [*MEGATRON, *UTILISATION, *COST, *SCALING, *FACTORS, *BUFFERS, *DRAFTS, *SPECS], ids=lambda row: row.id,
)
def test_a_published_figure_is_reproduced(row: Row) -> None:
    value = Solver(scenario_of(row.inputs)).quantity(row.quantity).value / parse_unit(row.unit).factor
    published = Fraction(row.value)
    assert abs(value - published) <= Fraction(row.within) * published, f"{float(value)} is not {row.value} {row.unit}"
