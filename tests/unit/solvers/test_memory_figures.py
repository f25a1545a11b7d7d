"""Published figures of activations, offloading and the estimators of other tools. Each row names its source."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from solvers import Solver, fewest, scenario_of
from solvers.expr.reader import read_strict
from solvers.expr.units import parse_unit

if TYPE_CHECKING:
    from solvers.inputs import Raw


def in_unit(quantity: str, inputs: dict[str, Raw], unit: str) -> Fraction:
    return Solver(scenario_of(inputs)).quantity(quantity).value / parse_unit(unit).factor


# DeepSpeed's estimator functions of ZeRO-3, run at edaa72212672: parameters, largest layer, nodes of 8 GPUs, what is
# offloaded, and the bytes on a GPU and on a node's host (None: not noted)
ZERO3 = [
    ("2851000000", "32000000", 1, "optimizer", 840750000, 68424000000),
    ("7e9", "131e6", 1, "none", 16274000000, 6288000000),
    ("7e9", "131e6", 1, "optimizer", 2274000000, None),
    ("7e9", "131e6", 1, "all", 524000000, 189000000000),
    ("8030261248", "525336576", 1, "none", None, 25216155648),
    ("8030261248", "525336576", 1, "optimizer", 4108911616, None),
    ("8030261248", "525336576", 1, "all", 2101346304, 216817053696),
    ("13e9", "164e6", 1, "optimizer", None, 312000000000),
    ("13e9", "164e6", 1, "all", 656000000, 351000000000),
    ("70e9", "1050e6", 1, "none", None, 50400000000),
    ("70e9", "1050e6", 1, "all", None, 1890000000000),
    ("70e9", "1050e6", 2, "none", None, 50400000000),
    ("70e9", "1050e6", 2, "all", 4200000000, None),
    ("70e9", "1050e6", 4, "none", 43575000000, 50400000000),
    ("70e9", "1050e6", 4, "optimizer", 8575000000, 420000000000),
    ("70e9", "1050e6", 4, "all", 4200000000, 472500000000),
    ("405e9", "2100e6", 16, "optimizer", 14728125000, None),
]


@pytest.mark.parametrize(("parameters", "largest", "nodes", "moved", "gpu", "host"), ZERO3)
def test_the_zero3_estimator_is_reproduced_to_the_byte(
    parameters: str, largest: str, nodes: int, moved: str, gpu: int | None, host: int | None
) -> None:
    plan: dict[str, Raw] = {
        "model.parameters": parameters,
        "estimator.largest_layer_parameters": largest,
        "cluster.nodes": nodes,
        "cluster.gpus_per_node": 8,
        "layout.zero": 3,
        "layout.offload": moved,
    }
    assert gpu is None or in_unit("memory.deepspeed_per_gpu", plan, "B") == gpu
    assert host is None or in_unit("memory.deepspeed_host_per_node", plan, "B") == host


ZERO2 = [
    ("7e9", 8, "none", 29750000000),
    ("8030261248", 8, "none", 34128610304),
    ("13e9", 8, "none", 55250000000),
    ("13e9", 8, "optimizer", 26000000000),
    ("70e9", 16, "none", 218750000000),
    ("70e9", 32, "none", 179375000000),
    ("70e9", 32, "optimizer", 140000000000),
    ("405e9", 128, "optimizer", 810000000000),
]


@pytest.mark.parametrize(("parameters", "gpus", "moved", "gpu"), ZERO2)
def test_the_zero2_estimator_is_reproduced_to_the_byte(parameters: str, gpus: int, moved: str, gpu: int) -> None:
    plan: dict[str, Raw] = {
        "model.parameters": parameters,
        "cluster.gpus": gpus,
        "layout.zero": 2,
        "layout.offload": moved,
    }
    assert in_unit("memory.deepspeed_per_gpu", plan, "B") == gpu


T5_3B: dict[str, Raw] = {
    "model.parameters": "2851e6",
    "estimator.largest_layer_parameters": "32e6",
    "cluster.nodes": 1,
    "cluster.gpus_per_node": 8,
    "layout.zero": 3,
}
T5_LARGE: dict[str, Raw] = {
    "model.parameters": "737.67e6",
    "estimator.largest_layer_parameters": "32.9e6",
    "cluster.gpus": 4,
    "layout.zero": 3,
}
ZERO2_T5 = {**T5_3B, "layout.zero": 2}
HOST, GPU = "memory.deepspeed_host_per_node", "memory.deepspeed_per_gpu"
DOCUMENTED: list[tuple[str, dict[str, Raw], str, str, str]] = [
    # DeepSpeed documentation, Memory Requirements; it prints GiB as GB and MiB as MB
    (HOST, {**T5_3B, "layout.offload": "all"}, "GiB", "71.71", "0.001"),
    (HOST, {**T5_3B, "layout.offload": "all", "estimator.zero_init": "false"}, "GiB", "127.48", "0.001"),
    (HOST, {**T5_3B, "layout.offload": "optimizer"}, "GiB", "63.72", "0.0002"),
    (HOST, T5_3B, "GiB", "1.43", "0.002"),
    (GPU, T5_3B, "GiB", "6.09", "0.001"),
    (GPU, {**T5_3B, "layout.offload": "optimizer"}, "GiB", "0.78", "0.005"),
    (GPU, {**T5_LARGE, "layout.offload": "all"}, "MiB", "125", "0.008"),
    (GPU, {**T5_LARGE, "layout.offload": "optimizer"}, "MiB", "477", "0.001"),
    (GPU, T5_LARGE, "MiB", "3291", "0.001"),
    # its ZeRO-2 table is of the older form, 4 P + 16 P/N
    (GPU, {**ZERO2_T5, "estimator.zero2_gradients": "whole"}, "GiB", "15.93", "0.001"),
    (GPU, {**ZERO2_T5, "layout.offload": "optimizer"}, "GiB", "5.31", "0.001"),
    (HOST, ZERO2_T5, "GiB", "127.45", "0.0001"),
    (HOST, {**ZERO2_T5, "layout.offload": "optimizer"}, "GiB", "127.45", "0.0001"),
]


@pytest.mark.parametrize(("quantity", "inputs", "unit", "printed", "within"), DOCUMENTED)
def test_the_tables_of_the_documentation_are_reproduced(
    quantity: str, inputs: dict[str, Raw], unit: str, printed: str, within: str
) -> None:
    published = Fraction(printed)
    assert abs(in_unit(quantity, inputs, unit) - published) <= Fraction(within) * published


def test_the_estimator_of_one_gpu_counts_20_bytes_under_zero_2() -> None:
    """Its 16-bit gradients are counted beside the fp32 ones, so that 20 P stands where nothing is divided."""
    assert in_unit(GPU, {"model.parameters": "7e9", "cluster.gpus": 1, "layout.zero": 2}, "GB") == 140


@pytest.mark.parametrize("stage", [0, 1])
def test_the_estimators_do_not_speak_of_other_stages(stage: int) -> None:
    with pytest.raises(Exception, match="ZeRO-2 and ZeRO-3"):
        in_unit(GPU, {**T5_3B, "layout.zero": stage}, "B")


LLAMA: dict[str, Raw] = {
    "activation.block": "llama-transformers",
    "model.hidden": 1024,
    "model.query_heads": 8,
    "model.head_dim": 128,
}
GPT: dict[str, Raw] = {
    "activation.block": "gpt",
    "model.hidden": 512,
    "model.query_heads": 8,
    "activation.mask_bytes": "2 B",
    "activation.statistic_bytes": "2 B",
    "activation.small": "counted",
}
LIKE_2: dict[str, Raw] = {**LLAMA, "model.kv_heads": 8, "model.ffn": 2752}
LIKE_3: dict[str, Raw] = {**LLAMA, "model.kv_heads": 2, "model.ffn": 3584}
SAVED = [  # bytes that hooks on saved tensors find around one layer, over s·b·h (torch 2.13, transformers 5.24, CPU)
    ({**LIKE_2, "activation.attention": "flash", "batch.sequence": 512}, "46.0390625"),
    ({**LIKE_2, "activation.attention": "scores", "batch.sequence": 512}, "70.0078125"),
    ({**LIKE_2, "activation.attention": "scores", "batch.sequence": 1024}, "94.0078125"),
    ({**LIKE_3, "activation.attention": "flash", "batch.sequence": 512}, "49.5390625"),
    ({**LIKE_3, "activation.attention": "flash", "batch.sequence": 1024}, "49.5390625"),
    ({**LIKE_3, "activation.attention": "scores", "batch.sequence": 512}, "76.5078125"),
    ({**LIKE_3, "activation.attention": "scores", "batch.sequence": 1024}, "100.5078125"),
    # dropout on a CPU keeps masks of two bytes and statistics in bf16: 36 + 6 a s/h instead of 34 + 5 a s/h
    ({**GPT, "activation.attention": "scores", "batch.sequence": 512, "batch.micro": 2}, "84.015625"),
    ({**GPT, "activation.attention": "flash", "batch.sequence": 1024}, "36.078125"),
]


@pytest.mark.parametrize(("inputs", "measured"), SAVED)
def test_what_hooks_find_around_a_layer_is_counted_exactly(inputs: dict[str, Raw], measured: str) -> None:
    assert in_unit("activation.per_width", inputs, "B") == Fraction(measured)


MEGATRON_175B: dict[str, Raw] = {  # Megatron-LM d98e8a64ddf3, theoretical_memory_usage.py, run
    "model.layers": 96,
    "model.hidden": 12288,
    "model.ffn": 49152,
    "model.vocabulary": 51200,
    "batch.sequence": 2048,
    "layout.tp": 8,
    "layout.pp": 8,
    "layout.interleave": 3,
    "layout.sequence_parallel": "true",
}
LLAMA_8B: dict[str, Raw] = {"batch.sequence": 32_768, "model.hidden": 4096, "model.vocabulary": 128_256}
ZERO_PAPER: dict[str, Any] = {"recipe": "zero-paper"}
ROWS: list[tuple[str, str, dict[str, Any], str, str, str]] = [
    ("megatron", "memory.megatron_activations_per_gpu", MEGATRON_175B, "13294916266.666668", "B", "1e-12"),
    # ml-engineering, training performance: one copy of hidden states in bf16, logits in fp32
    ("hidden-states", "activation.layer_input", LLAMA_8B, "0.25", "GiB", "0.01"),
    ("logits", "memory.logits_per_gpu", LLAMA_8B, "15.7", "GiB", "0.01"),
    # ZeRO-Offload, table of partitions: what stays on the GPU by what is moved
    *(
        (
            f"moved-{moved}",
            "offloading.gpu_bytes_per_parameter",
            {**ZERO_PAPER, "offloading.moved": moved},
            left,
            "B/param",
            "0",
        )
        for moved, left in (("none", "16"), ("gradients", "14"), ("optimizer", "4"), ("optimizer-and-gradients", "2"))
    ),
    # a report of 26B parameters on 16 GPUs, gradients in bf16
    (
        "sharded-gradients",
        "memory.gradients_per_gpu",
        {**ZERO_PAPER, "model.parameters": "26e9", "layout.dp": 16, "layout.zero": 2},
        "3.25",
        "GB",
        "0",
    ),
    # a report of 40B parameters loaded in fp32 by each of 8 ranks
    (
        "load-every-rank",
        "offloading.load_per_node",
        {"model.parameters": "40e9", "cluster.gpus_per_node": 8},
        "1280",
        "GB",
        "0",
    ),
    *(
        (
            f"70b-{letters}-{gpus}",
            "memory.state_per_gpu",
            {"recipe": recipe, "model.parameters": "70e9", "layout.dp": gpus, "layout.zero": 3},
            value,
            "GB",
            "0",
        )
        for letters, recipe, gpus, value in (
            ("16", "zero-paper", 8, "140"),
            ("20", "fp32-grad-accumulation", 8, "175"),
            ("12", "no-master", 14, "60"),
            ("16", "zero-paper", 14, "80"),
            ("18", "megatron-bf16", 14, "90"),
            ("20", "fp32-grad-accumulation", 14, "100"),
            ("12", "no-master", 16, "52.5"),
            ("16", "zero-paper", 16, "70"),
            ("20", "fp32-grad-accumulation", 16, "87.5"),
            ("12", "no-master", 32, "26.25"),
        )
    ),
    ("accelerate-fp32", "memory.state_total", {"recipe": "fp32", "model": "llama-3-70b"}, "1128859303936", "B", "0"),
]


@pytest.mark.parametrize(
    ("quantity", "inputs", "printed", "unit", "within"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_a_published_figure_is_reproduced(
    quantity: str, inputs: dict[str, Raw], printed: str, unit: str, within: str
) -> None:
    published = Fraction(printed)
    assert abs(in_unit(quantity, inputs, unit) - published) <= Fraction(within) * published


def test_fourteen_gpus_hold_the_bare_state_of_70b() -> None:
    plan: dict[str, Any] = {"recipe": "zero-paper", "model.parameters": "70e9", "layout.zero": 3}
    found = fewest(scenario_of(plan), "layout.dp", read_strict("memory.state_per_gpu <= 80 GB"))
    assert found.value.value == 14
