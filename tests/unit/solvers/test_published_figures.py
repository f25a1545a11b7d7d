"""Figures that were published by others, reproduced by the relations. Each row names its source."""

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


ZERO_TABLE = {  # ZeRO paper, arXiv:1910.02054, table 1: GB per GPU under stages 1, 2 and 3
    ("7.5e9", 1): ("120", "120", "120"), ("7.5e9", 4): ("52.5", "41.3", "30"), ("7.5e9", 16): ("35.6", "21.6", "7.5"),
    ("7.5e9", 64): ("31.4", "16.6", "1.88"), ("7.5e9", 1024): ("30.1", "15.1", "0.12"),
    ("128e9", 1): ("2048", "2048", "2048"), ("128e9", 4): ("896", "704", "512"),
    ("128e9", 16): ("608", "368", "128"), ("128e9", 64): ("536", "284", "32"), ("128e9", 256): ("518", "263", "8"),
    ("128e9", 1024): ("513", "257", "2"),
    ("1000e9", 1): ("16000", "16000", "16000"), ("1000e9", 4): ("7000", "5500", "4000"),
    ("1000e9", 16): ("4750", "2875", "1000"), ("1000e9", 64): ("4187", "2218", "250"),
    ("1000e9", 1024): ("4011", "2013", "15.6"),
}


def _zero_rows() -> list[Row]:
    rows = []
    for (parameters, ranks), values in ZERO_TABLE.items():
        for stage, value in enumerate(values, start=1):
            inputs: dict[str, Raw] = {"model.parameters": parameters, "recipe": "zero-paper",
                                            "layout.zero": stage, "layout.dp": ranks}
            rows.append(Row(f"zero-table-1-{parameters}-{ranks}-stage{stage}", "memory.state_per_gpu", value, "GB",
                            inputs, "0.03" if value == "0.12" else "0.01"))
    return rows


CARD: dict[str, Raw] = {"model.parameters": "70e9", "recipe": "zero-paper"}
MESH: dict[str, Raw] = {
    **CARD, "model.layers": 80, "model.hidden": 8192, "batch.sequence": 8192, "batch.accumulation": 32,
    "layout.tp": 8, "layout.pp": 8, "layout.dp": 16, "layout.zero": 1, "layout.sequence_parallel": "true",
}
# llm-analysis prints gradients in fp32 and master plus moments in 12 bytes, of its own parameters of Llama 2
LLM_ANALYSIS = {"70b": 68_714_504_192, "7b": 6_573_789_184}
ROWS = [
    *_zero_rows(),
    Row("card-weights", "memory.weights_per_gpu", "140", "GB", {**CARD, "layout.dp": 8}),
    Row("card-gradients", "memory.gradients_per_gpu", "140", "GB", {**CARD, "layout.dp": 8}),
    Row("card-optimizer", "memory.optimizer_per_gpu", "840", "GB", {**CARD, "layout.dp": 8}),
    Row("card-zero3-8", "memory.state_per_gpu", "140", "GB", {**CARD, "layout.dp": 8, "layout.zero": 3}),
    Row("card-zero3-14", "memory.state_per_gpu", "80", "GB", {**CARD, "layout.dp": 14, "layout.zero": 3}),
    Row("card-zero3-16", "memory.state_per_gpu", "70", "GB", {**CARD, "layout.dp": 16, "layout.zero": 3}),
    Row("card-20-8", "memory.state_per_gpu", "175", "GB",
        {**CARD, "recipe": "fp32-grad-accumulation", "layout.dp": 8, "layout.zero": 3}),
    Row("card-18-14", "memory.state_per_gpu", "90", "GB",
        {**CARD, "recipe": "megatron-bf16", "layout.dp": 14, "layout.zero": 3}),
    Row("card-12-32", "memory.state_per_gpu", "26.25", "GB",
        {**CARD, "recipe": "no-master", "layout.dp": 32, "layout.zero": 3}),
    Row("playbook-7b-16", "memory.state_total", "112", "GB", {"model.parameters": "7e9", "recipe": "fp32"}),
    Row("playbook-70b-20", "memory.state_total", "1400", "GB", {**CARD, "recipe": "fp32-grad-accumulation"}),
    Row("playbook-405b-16", "memory.state_total", "6480", "GB", {"model.parameters": "405e9", "recipe": "zero-paper"}),
    Row("accelerate-70b-fp32", "memory.state_total", "1128859303936", "B",
        {"model": "llama-3-70b", "recipe": "fp32"}),
    Row("fake-tensors-fsdp2-8", "memory.state_per_gpu", "141.107", "GB",
        {"model": "llama-3-70b", "recipe": "fsdp2-fp32-shard", "layout.zero": 3, "layout.dp": 8}, "0.00001"),
    Row("fake-tensors-fsdp2-1024", "memory.state_per_gpu", "1.103", "GB",
        {"model": "llama-3-70b", "recipe": "fsdp2-fp32-shard", "layout.zero": 3, "layout.dp": 1024}, "0.001"),
    Row("megatron-bf16-flat", "recipe.bytes_per_parameter", "18", "B/param", {"recipe": "megatron-bf16"}),
    Row("megatron-fp32-flat", "recipe.bytes_per_parameter", "16", "B/param", {"recipe": "fp32"}),
    Row("megatron-fp32-d64", "memory.state_per_gpu", "8.125", "B",
        {"model.parameters": 1, "recipe": "fp32", "layout.zero": 1, "layout.dp": 64}),
    Row("megatron-bf16-d8", "memory.state_per_gpu", "7.5", "B",
        {"model.parameters": 1, "recipe": "megatron-bf16", "layout.zero": 1, "layout.dp": 8}),
    Row("megatron-70b", "memory.state_per_gpu", "16.40625", "GB",
        {**CARD, "recipe": "megatron-bf16", "layout.tp": 8, "layout.pp": 4, "layout.dp": 8, "layout.zero": 1}),
    *(Row(f"llm-analysis-{size}-{part}-z{zero}-{ranks}", f"memory.{part}_per_gpu", value, "B",
          {"model.parameters": LLM_ANALYSIS[size], "recipe": "megatron-bf16", "layout.zero": zero, "layout.dp": ranks})
      for size, part, zero, ranks, value in (
          ("70b", "weights", 2, 8, "137429008384"), ("70b", "optimizer", 2, 8, "103071756288"),
          ("70b", "gradients", 3, 8, "34357252096"), ("70b", "weights", 3, 16, "8589313024"),
          ("70b", "weights", 3, 32, "4294656512"), ("70b", "gradients", 3, 32, "8589313024"),
          ("70b", "gradients", 3, 64, "4294656512"), ("7b", "weights", 0, 8, "13147578368"),
          ("7b", "gradients", 0, 8, "26295156736"), ("7b", "gradients", 2, 8, "3286894592"),
          ("7b", "optimizer", 2, 8, "9860683776"), ("7b", "weights", 3, 8, "1643447296"),
          ("7b", "optimizer", 3, 8, "9860683776"))),
    # torchao's AdamW8bit on a 1024 x 4096 matrix, less the two tables of 256 fp32 levels (2,048 B)
    Row("torchao-adamw8bit", "memory.moments_per_gpu", str(Fraction("2.03173828125") * 1024 * 4096 - 2048), "B",
        {"model.parameters": 1024 * 4096, "recipe": "adam-8bit-no-master", "layout.dp": 1}),
    Row("traffic-7b-ddp", "traffic.data_parallel_sent", "24.5", "GB",
        {"model.parameters": "7e9", "recipe": "zero-paper", "layout.dp": 8}),
    Row("traffic-7b-zero3", "traffic.data_parallel_sent", "36.75", "GB",
        {"model.parameters": "7e9", "recipe": "zero-paper", "layout.dp": 8, "layout.zero": 3}),
    Row("traffic-7b-zero3-m8", "traffic.data_parallel_sent", "294", "GB",
        {"model.parameters": "7e9", "recipe": "zero-paper", "layout.dp": 8, "layout.zero": 3, "batch.accumulation": 8}),
    Row("traffic-7b-zero3-m8-no-sync", "traffic.data_parallel_sent", "208.25", "GB",
        {"model.parameters": "7e9", "recipe": "zero-paper", "layout.dp": 8, "layout.zero": 3, "batch.accumulation": 8,
         "layout.sync": "each-step"}),
    Row("traffic-8b-no-reshard", "traffic.data_parallel_sent", "28.105", "GB",
        {"model.parameters": "8.03e9", "recipe": "zero-paper", "layout.dp": 8, "layout.zero": 3,
         "layout.reshard": "false"}),
    Row("traffic-1.3b-ddp", "traffic.data_parallel_sent", "5.119", "GB",
        {"model.parameters": "1.3e9", "recipe": "zero-paper", "layout.dp": 64}, "0.0001"),
    Row("traffic-1.3b-zero3", "traffic.data_parallel_sent", "7.678125", "GB",
        {"model.parameters": "1.3e9", "recipe": "zero-paper", "layout.dp": 64, "layout.zero": 3}),
    Row("traffic-tp8", "traffic.tensor_parallel_sent", "5.637144576", "GB",
        {"model.layers": 24, "model.hidden": 2048, "batch.sequence": 2048, "batch.micro": 4, "layout.tp": 8}),
    Row("mesh-tp", "traffic.tensor_parallel_sent", "300.6", "GB", MESH, "0.0005"),
    Row("mesh-dp", "traffic.data_parallel_sent", "4.1015625", "GB", MESH),
    Row("mesh-pp", "traffic.pipeline_sent", "1.073741824", "GB", MESH),
    Row("bubble-8-32-ideal", "pipeline.bubble_over_ideal", "21.875", "%", {"layout.pp": 8, "batch.accumulation": 32}),
    Row("bubble-8-32-total", "pipeline.bubble_of_total", "17.9", "%", {"layout.pp": 8, "batch.accumulation": 32},
        "0.006"),
    Row("bubble-4-8-total", "pipeline.bubble_of_total", "27", "%", {"layout.pp": 4, "batch.accumulation": 8}, "0.02"),
    Row("bubble-4-64-total", "pipeline.bubble_of_total", "4.5", "%", {"layout.pp": 4, "batch.accumulation": 64},
        "0.02"),
    Row("bubble-interleaved", "pipeline.bubble_over_ideal", "5.46875", "%",
        {"layout.pp": 8, "batch.accumulation": 32, "layout.interleave": 4}),
    Row("llama3-mtbf", "run.mtbf", "3.093", "h", {"run.interruptions": 419, "run.observed": "54 day"}, "0.0005"),
    Row("llama3-young", "checkpoint.interval_young", "19.265759", "min",
        {"run.interruptions": 419, "run.observed": "54 day", "checkpoint.stall": "60 s"}, "0.0000001"),
    Row("kv-70b", "serving.kv_per_token", "327680", "B/token", {"model": "llama-3-70b"}),
    Row("kv-70b-tp8", "serving.kv_per_token_per_gpu", "40960", "B/token", {"model": "llama-3-70b", "layout.tp": 8}),
    Row("kv-70b-tp16", "serving.kv_per_token_per_gpu", "40960", "B/token", {"model": "llama-3-70b", "layout.tp": 16}),
    Row("kv-70b-sequences", "serving.sequences", "162", "",
        {"model": "llama-3-70b", "layout.tp": 8, "cluster.gpu": "h100-80gb", "serving.memory_share": "90 %",
         "serving.context": 8192}),
    Row("hfu-to-mfu", "compute.mfu", "39", "%", {"compute.hfu": "52 %", "compute.recompute": "full"}),
    Row("h100-reported", "cluster.capacity_per_gpu", "85.52081", "GB",
        {"cluster.gpu": "h100-80gb", "cluster.capacity": "reported"}, "0.0000001"),
    Row("llama3-world", "layout.world", "16384", "",
        {"layout.tp": 8, "layout.cp": 16, "layout.pp": 16, "layout.dp": 8}),
    Row("llama3-tokens", "batch.tokens_per_step", "16780000", "token",
        {"batch.sequence": 131_072, "batch.accumulation": 16, "layout.dp": 8}, "0.001"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_published_figure_is_reproduced(row: Row) -> None:
    value = Solver(scenario_of(row.inputs)).quantity(row.quantity).value / parse_unit(row.unit).factor
    published = Fraction(row.value)
    assert abs(value - published) <= Fraction(row.within) * published, f"{float(value)} is not {row.value} {row.unit}"
