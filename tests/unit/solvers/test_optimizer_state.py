"""Optimizer state, adapters and quantised bases: against tensors, and against published figures."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, prod
from typing import TYPE_CHECKING

import pytest

from solvers import SolveError, Solver, scenario_of
from solvers.presets import RECIPES
from tests.module_ledger import Ledger, sizes_of

if TYPE_CHECKING:
    from solvers.inputs import Raw

MODELS = ("llama-3-8b", "gpt2-medium", "bloom-7b1", "qwen2.5-1.5b", "gemma-2-2b", "olmo-2-7b", "qwen3-30b-a3b",
          "mixtral-8x7b", "qwen1.5-moe-a2.7b", "deepseek-v2-lite", "phi-2", "falcon-7b")  # fmt: skip


def value(quantity: str, inputs: dict[str, Raw]) -> Fraction:
    return Solver(scenario_of(inputs)).quantity(quantity).value


def matrices(name: str) -> list[tuple[str, tuple[int, ...]]]:
    """The matrices of the layers, as (tensor, (rows, columns))."""
    return [(tensor, shape) for tensor, shape in Ledger(sizes_of(name)).tensors
            if tensor.startswith("layer") and len(shape) == 2]  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_matrices_and_their_sides_are_those_of_the_tensors(name: str) -> None:
    found = matrices(name)
    assert value("model.layer_matrices", {"model": name}) == sum(prod(shape) for _, shape in found)
    assert value("model.layer_rows", {"model": name}) == sum(rows for _, (rows, _) in found)
    every = Ledger(sizes_of(name)).tensors
    assert value("model.factored_elements", {"model": name}) == sum(sum(shape) for _, shape in every)


@pytest.mark.parametrize("name", MODELS)
def test_adafactor_keeps_rows_columns_and_vectors(name: str) -> None:
    """fp32 statistics of each tensor, one by one, against the recipe over the whole model."""
    kept = sum(4 * sum(shape) for _, shape in Ledger(sizes_of(name)).tensors)
    inputs: dict[str, Raw] = {"model": name, "recipe": "adafactor", "layout.dp": 1}
    assert value("memory.moments_per_gpu", inputs) == kept
    parameters = value("model.parameters", inputs)
    assert value("memory.moments_per_gpu", {**inputs, "recipe": "adafactor-momentum"}) == kept + 4 * parameters


@pytest.mark.parametrize("name", MODELS)
def test_muon_keeps_one_momentum_of_matrices_and_adamw_two_of_the_rest(name: str) -> None:
    hidden = {tensor for tensor, _ in matrices(name)}
    kept = sum((4 if tensor in hidden else 8) * prod(shape) for tensor, shape in Ledger(sizes_of(name)).tensors)
    assert value("memory.moments_per_gpu", {"model": name, "recipe": "muon-adamw", "layout.dp": 1}) == kept


@pytest.mark.parametrize(
    ("optimizer", "expected"),
    [  # state of one fp32 parameter of 1024 x 4096, in bytes per element, of the libraries as installed
        ("adamw", "8"), ("adamw-bf16", "4"), ("amsgrad", "12"), ("sgd-momentum", "4"), ("adagrad", "4"), ("muon", "4"),
        ("lion", "4"), ("adafactor", "0.0048828125"), ("adafactor-momentum", "4.0048828125"),
        ("adamw-8bit", "2.03173828125"), ("adamw-4bit", "1.062530517578125"), ("adamw-fp8", "2.03125"), ("sgd", "0"),
        ("rprop", "8"), ("asgd", "4"),
    ],
)  # fmt: skip
def test_one_matrix_costs_what_was_measured(optimizer: str, expected: str) -> None:
    found = value("matrix.bytes_per_parameter",
                  {"matrix.optimizer": optimizer, "matrix.rows": 1024, "matrix.columns": 4096})  # fmt: skip
    assert found == Fraction(expected)


def test_a_quantised_state_is_counted_block_by_block() -> None:
    """Blocks that are not full have a scale too; tensors that are too small stay in fp32."""
    for rows, columns in ((100, 1000), (4096, 4096), (63, 65), (64, 64)):
        elements = rows * columns
        each = elements + 4 * ceil(elements / 256) + 1024 if elements >= 4096 else 4 * elements
        inputs: dict[str, Raw] = {"matrix.optimizer": "adamw-8bit", "matrix.rows": rows, "matrix.columns": columns}
        assert value("matrix.state", inputs) == 2 * each


def test_a_recipe_keeps_of_a_large_matrix_what_its_optimizer_keeps() -> None:
    """The bytes of the recipes and those of the optimizers agree where tables and small tensors are nothing."""
    for recipe, optimizer in (("fp32", "adamw"), ("pure-bf16", "adamw-bf16"), ("lion", "lion"), ("amsgrad", "amsgrad"),
                              ("sgd-momentum", "sgd-momentum"), ("sgd", "sgd"), ("adagrad", "adagrad"),
                              ("adam-8bit", "adamw-8bit"), ("adam-4bit", "adamw-4bit")):  # fmt: skip
        per_matrix = value("matrix.bytes_per_parameter", {
            "matrix.optimizer": optimizer, "matrix.table": "0 B", "matrix.rows": 2**10, "matrix.columns": 2**12,
        })  # fmt: skip
        assert value("recipe.moments", {"recipe": recipe}) == per_matrix, recipe


@pytest.mark.parametrize(
    ("recipe", "zero", "ranks", "expected"),
    [  # Megatron Core, distributed optimizer: 4 + 16/d, 6 + 12/d, 8 + 8/d, and without it 20, 18, 16
        ("megatron-fp16", 0, 1, "20"), ("megatron-bf16", 0, 1, "18"), ("fp32", 0, 1, "16"),
        *[("megatron-fp16", 1, d, str(Fraction(4 * d + 16, d))) for d in (1, 2, 8, 64)],
        *[("megatron-bf16", 1, d, str(Fraction(6 * d + 12, d))) for d in (1, 2, 8, 64)],
        *[("fp32", 1, d, str(Fraction(8 * d + 8, d))) for d in (1, 2, 8, 64)],
    ],
)  # fmt: skip
def test_megatrons_bytes_per_parameter(recipe: str, zero: int, ranks: int, expected: str) -> None:
    found = value("memory.bytes_per_parameter_per_gpu", {"recipe": recipe, "layout.zero": zero, "layout.dp": ranks})
    assert found == Fraction(expected)


def test_every_recipe_has_its_moments_and_its_optimizer() -> None:
    for recipe in RECIPES:
        inputs: dict[str, Raw] = {"recipe": recipe, "model": "llama-3-8b"}
        parts = [value(f"recipe.{part}", inputs) for part in ("weights", "gradients", "accumulation", "optimizer")]
        assert sum(parts) == value("recipe.bytes_per_parameter", inputs)
        assert value("recipe.optimizer", inputs) - value("recipe.moments", inputs) == value("recipe.master", inputs)


LORA = [  # peft on the meta device, litgpt's table, a notebook of peft: trainable parameters
    ("llama-2-7b", 8, "q,v", 4194304), ("llama-2-7b", 16, "all-linear", 39976960),
    ("llama-2-13b", 16, "all-linear", 62586880), ("llama-1-65b", 8, "q,v", 20971520),
    ("llama-1-65b", 16, "all-linear", 199884800), ("llama-1-65b", 64, "all-linear", 799539200),
    ("llama-2-70b", 64, "all-linear", 828375040), ("llama-3-8b", 8, "q,v", 3407872),
    ("llama-3-8b", 16, "all-linear", 41943040), ("llama-3-8b", 64, "all-linear", 167772160),
    ("llama-3-70b", 64, "all-linear", 828375040), ("mistral-7b", 8, "q,v", 3407872),
    ("mistral-7b", 16, "all-linear", 41943040), ("opt-6.7b", 16, "q,v", 8388608),
    ("stablelm-alpha-3b", 8, "q,v", 2097152), ("llama-2-13b", 8, "q,v", 6553600),
]  # fmt: skip


@pytest.mark.parametrize(("name", "rank", "targets", "trained"), LORA)
def test_adapters_train_what_was_published(name: str, rank: int, targets: str, trained: int) -> None:
    assert value("adapter.parameters", {"model": name, "adapter.rank": rank, "adapter.targets": targets}) == trained


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("targets", ["q,k,v,o", "mlp", "all-linear"])
def test_adapters_are_two_thin_matrices_beside_each_adapted_one(name: str, targets: str) -> None:
    words = {"q,k,v,o": ("attention",), "mlp": ("mlp", "expert", "shared."),
             "all-linear": ("attention", "mlp", "expert", "shared.")}[targets]  # fmt: skip
    beside = sum(rows + columns for tensor, (rows, columns) in matrices(name)
                 if any(f".{word}" in tensor for word in words))  # fmt: skip
    inputs: dict[str, Raw] = {"model": name, "adapter.rank": 8, "adapter.targets": targets}
    assert value("adapter.parameters", inputs) == 8 * beside


def test_adapters_on_a_fused_projection_share_its_columns() -> None:
    """GPT-2's queries, keys and values are one matrix of 768 by 2304: 12 x 8 x (768 + 2304)."""
    inputs: dict[str, Raw] = {"model": "gpt2", "adapter.rank": 8, "adapter.targets": "q,k,v", "adapter.fused": "true"}
    assert value("adapter.parameters", inputs) == 12 * 8 * (768 + 2304) == 294912


def test_all_parameters_the_share_and_the_checkpoint() -> None:
    """OPT 6.7B with q,v at rank 16 (a notebook of peft); GPT-3 at rank 4 saves 37.7 MB, printed as 35 MB."""
    opt: dict[str, Raw] = {"model": "opt-6.7b", "adapter.rank": 16, "adapter.targets": "q,v"}
    assert value("adapter.all_parameters", opt) == 6666862592
    assert value("adapter.share", opt) == Fraction(8388608, 6666862592)
    gpt3: dict[str, Raw] = {
        "model": "gpt-3-175b",
        "adapter.rank": 4,
        "adapter.targets": "q,v",
        "adapter.saved": "2 B/param",
    }
    assert value("adapter.checkpoint_size", gpt3) == 37748736
    assert float(value("adapter.checkpoint_size", gpt3)) == pytest.approx(35e6, rel=0.08)


def test_double_quantisation_leaves_0_127_bits() -> None:
    """QLoRA: 0.5 bits before, 0.127 after, some 3 GB saved on 65B."""
    assert value("quant.overhead", {"quant.scheme": "nf4"}) * 8 == Fraction(1, 2)
    assert value("quant.overhead", {"quant.scheme": "nf4-double"}) * 8 == Fraction(8, 64) + Fraction(32, 64 * 256)
    saved = value("quant.double_saving", {"quant.scheme": "nf4-double", "model": "llama-1-65b"})
    assert float(saved) == pytest.approx(3e9, rel=0.03)


def test_a_full_16_bit_finetune_of_65b_takes_more_than_780_gb() -> None:
    assert value("memory.state_total", {"recipe": "no-master", "model": "llama-1-65b"}) == 12 * 65285660672 > 780e9


@pytest.mark.parametrize("name", ["llama-3-8b", "gpt2-medium", "mixtral-8x7b"])
def test_a_quantised_base_is_counted_block_by_block(name: str) -> None:
    """Each matrix in blocks of 64 with their constants, everything else in two bytes."""
    hidden = {tensor for tensor, _ in matrices(name)}
    size = Fraction(0)
    for tensor, shape in Ledger(sizes_of(name)).tensors:
        blocks = Fraction(prod(shape), 64)
        nf4 = Fraction(prod(shape), 2) + blocks + blocks / 256 * 4
        size += nf4 if tensor in hidden else 2 * prod(shape)
    inputs: dict[str, Raw] = {"model": name, "quant.scheme": "nf4-double"}
    assert value("quant.size", inputs) == size
    rows = sum(shape[0] for _, shape in matrices(name))
    whole = sum(prod(shape) for _, shape in matrices(name))
    eight = value("quant.size", {"model": name, "quant.scheme": "int8"})
    assert eight == whole + 4 * rows + 2 * (value("model.parameters", inputs) - whole)
    assert value("quant.size", {"model": name, "quant.scheme": "bf16"}) == 2 * value("model.parameters", inputs)


def test_a_gpu_holds_the_frozen_base_and_the_state_of_the_adapters() -> None:
    inputs: dict[str, Raw] = {"model": "llama-3-70b", "quant.scheme": "nf4-double", "adapter.rank": 64,
                              "recipe": "fp32", "adapter.targets": "all-linear", "layout.dp": 8}  # fmt: skip
    base, trained = value("quant.size", inputs), value("adapter.parameters", inputs)
    assert value("adapter.state_per_gpu", inputs) == base + 16 * trained
    assert value("adapter.state_per_gpu", {**inputs, "layout.zero": 3}) == base / 8 + 2 * trained
    assert value("adapter.state_per_gpu", {**inputs, "layout.zero": 1}) == base + (8 + 1) * trained


def test_adapters_on_nothing_and_on_half_of_a_latent_pair_are_refused() -> None:
    with pytest.raises(SolveError, match=r"adapter\.targets"):
        value("adapter.parameters", {"model": "gpt2", "adapter.rank": 8})
    with pytest.raises(SolveError, match="both or none"):
        value("adapter.parameters", {"model": "deepseek-v3", "adapter.rank": 8, "adapter.targets": "q,v"})
