"""Published figures of adapters and of other estimators: litgpt's tables, Accelerate's estimate. Each says whose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from solvers import Solver, scenario_of

if TYPE_CHECKING:
    from solvers.inputs import Raw


def in_gb(quantity: str, inputs: dict[str, Raw]) -> float:
    return float(Solver(scenario_of(inputs)).quantity(quantity).value) / 1e9


# litgpt, resource tables, single-GPU inference on an A100: the largest reserved memory in GB
INFERENCE = [
    ("phi-1.5", "bf16", 2.86),
    ("stablelm-alpha-3b", "bf16", 7.30), ("llama-2-7b", "bf16", 13.52), ("llama-2-7b", "nf4", 4.57),
    ("llama-2-7b", "nf4-double", 4.26), ("llama-2-13b", "bf16", 26.21), ("llama-2-13b", "nf4", 8.32),
    ("llama-2-13b", "nf4-double", 7.72), ("codellama-34b", "nf4", 20.52), ("codellama-34b", "nf4-double", 18.95),
    ("llama-2-70b", "nf4-double", 37.21),
]  # fmt: skip


@pytest.mark.parametrize(("model", "scheme", "measured"), INFERENCE)
def test_weights_are_nine_tenths_of_what_inference_was_measured_to_take(
    model: str, scheme: str, measured: float
) -> None:
    """Embedding and head stay in 16 bits, which the measurement confirms; cache and workspace make up the rest.

    Of the two smallest models in 4 bits the workspace is more than a tenth: they are not here.
    """
    assert in_gb("quant.size", {"model": model, "quant.scheme": scheme}) == pytest.approx(measured, rel=0.10)


# litgpt, resource tables, LoRA (rank 8 on queries and values) on one A100: tokens, scheme, micro-batch, GB
TRAINING = [
    ("phi-1.5", 1044, "bf16", 1, 4.82), ("phi-1.5", 1044, "nf4", 1, 3.78), ("phi-1.5", 1044, "nf4-double", 1, 3.72),
    ("phi-1.5", 1044, "bf16", 2, 6.76), ("phi-1.5", 1044, "bf16", 4, 10.68),
    ("stablelm-alpha-3b", 1034, "bf16", 1, 9.69), ("stablelm-alpha-3b", 1034, "nf4", 1, 6.35),
    ("stablelm-alpha-3b", 1034, "nf4-double", 1, 6.19), ("stablelm-alpha-3b", 1034, "bf16", 2, 12.10),
    ("stablelm-alpha-3b", 1034, "bf16", 4, 16.92), ("llama-2-7b", 1304, "bf16", 1, 21.30),
    ("llama-2-7b", 1304, "nf4", 1, 14.14), ("llama-2-7b", 1304, "nf4-double", 1, 13.84),
    ("llama-2-7b", 1304, "bf16", 2, 29.07), ("llama-2-13b", 1304, "bf16", 1, 38.12),
    ("llama-2-13b", 1304, "nf4", 1, 23.14), ("llama-2-13b", 1304, "nf4-double", 1, 22.55),
]  # fmt: skip


@pytest.mark.parametrize(("model", "tokens", "scheme", "micro", "measured"), TRAINING)
def test_frozen_weights_adapters_and_activations_are_what_a_run_was_measured_to_take(
    model: str, tokens: int, scheme: str, micro: int, measured: float
) -> None:
    """Within a quarter: dequantised matrices and workspace are missing, inputs of frozen matrices are too many."""
    plan: dict[str, Raw] = {
        "model": model, "quant.scheme": scheme, "adapter.rank": 8, "adapter.targets": "q,v", "recipe": "pure-bf16",
        "layout.dp": 1, "batch.sequence": tokens, "batch.micro": micro, "compute.recompute": "none",
    }  # fmt: skip
    if model.startswith("llama"):
        plan["activation.block"] = "llama"
    else:
        plan |= {"activation.block": "gpt", "activation.attention": "flash", "activation.mask_bytes": "0 B"}
    assert in_gb("adapter.total_per_gpu", plan) == pytest.approx(measured, rel=0.25)


def test_a_qlora_run_with_checkpoints_and_a_loss_in_chunks_takes_what_was_measured() -> None:
    """torchtune, README: Llama 3.1 8B, two sequences of 2,048 tokens, every matrix adapted, a loss of eight chunks."""
    plan: dict[str, Raw] = {
        "model": "llama-3-8b", "quant.scheme": "nf4-double", "adapter.rank": 8, "adapter.targets": "all-linear",
        "recipe": "pure-bf16", "layout.dp": 1, "batch.sequence": 2048, "batch.micro": 2,
        "activation.block": "llama", "compute.recompute": "full", "activation.loss_chunk": 512,
    }  # fmt: skip
    assert in_gb("adapter.total_per_gpu", plan) == pytest.approx(7.4 * 2**30 / 1e9, rel=0.03)


@pytest.mark.parametrize(("model", "trained"), [("phi-1.5", 1572864), ("falcon-40b", 12042240)])
def test_litgpts_adapters_train_what_its_table_says(model: str, trained: int) -> None:
    """Falcon's queries, keys and values are one matrix in groups: litgpt gives each a rank of its own, on one input."""
    plan: dict[str, Raw] = {"model": model, "adapter.rank": 8, "adapter.targets": "q,v"}
    assert Solver(scenario_of(plan)).quantity("adapter.parameters").value == trained


@pytest.mark.parametrize(
    ("model", "precision", "each"),
    [("llama-3-70b", "float32", 16), ("llama-3-70b", "float16", 8), ("gpt2", "float16", 8)],
)
def test_accelerate_estimates_its_largest_phase(model: str, precision: str, each: int) -> None:
    """Run at 16cb6eb80dd9: estimate_training_usage(4 P, precision), the largest of its four figures."""
    plan: dict[str, Raw] = {"model": model, "estimator.precision": precision}
    solver = Solver(scenario_of(plan))
    parameters = solver.quantity("model.parameters").value
    assert solver.quantity("memory.accelerate_training").value == each * parameters


@pytest.mark.parametrize(
    ("megabytes", "precision", "gib"),
    [("418.18", "float32", 1.61), ("418.18", "float16", 0.80699), ("304250.88", "float16", 594.24)],
)
def test_the_tables_of_accelerates_documentation(megabytes: str, precision: str, gib: float) -> None:
    """bert-base-cased (it prints MiB as MB) and idefics-80b-instruct (297.12 GiB in fp32)."""
    parameters = round(float(megabytes) * 2**20 / 4)
    plan: dict[str, Raw] = {"model.parameters": parameters, "estimator.precision": precision}
    assert in_gb("memory.accelerate_training", plan) * 1e9 / 2**30 == pytest.approx(gib, rel=0.02)
