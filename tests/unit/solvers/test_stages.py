"""Stages and ranks: every tensor laid on its GPU by hand, against the closed forms."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import ceil, prod
from typing import TYPE_CHECKING

import pytest

from solvers import ScenarioError, SolveError, Solver, scenario_of
from tests.module_ledger import Ledger, sizes_of

if TYPE_CHECKING:
    from solvers.inputs import Raw

ROW_PARALLEL = (".o.weight", ".down.weight")
COLUMN_PARALLEL = tuple(f".{name}.{kind}" for name in ("q", "q_b", "kv_b", "k", "v", "up", "gate")
                        for kind in ("weight", "bias"))  # fmt: skip


def value(quantity: str, inputs: dict[str, Raw]) -> Fraction:
    return Solver(scenario_of(inputs)).quantity(quantity).value


def on_rank(name: str, shape: tuple[int, ...], layout: dict[str, int], kv_heads: int) -> Fraction:
    """Elements of a tensor on one GPU, experts shared out over the expert-parallel ranks."""
    tp = layout.get("expert_tp", layout["tp"]) if ".expert" in name else layout["tp"]
    share = Fraction(prod(shape))
    if name in ("embedding.weight", "head.weight"):
        share = Fraction(ceil(Fraction(shape[0], tp)) * shape[1])
    elif name == "head.bias":
        share = Fraction(ceil(Fraction(shape[0], tp)))
    elif name.endswith((".k.weight", ".v.weight", ".k.bias", ".v.bias")):
        share /= min(tp, kv_heads)
    elif name.endswith(ROW_PARALLEL + COLUMN_PARALLEL):
        share /= tp
    return share / layout.get("ep", 1) if ".expert" in name else share


def laid_out(name: str, layout: dict[str, int], layers: list[int]) -> list[tuple[Fraction, Fraction]]:
    """For each stage, what a GPU holds without the routed experts, and of them."""
    sizes = sizes_of(name)
    held = [[Fraction(0), Fraction(0)] for _ in layers]
    stage_of = [stage for stage, count in enumerate(layers) for _ in range(count)]
    tensors = Ledger(sizes).tensors
    if sizes["tied"] == "true" and len(layers) > 1:
        tensors.append(("head.weight", (int(sizes["vocabulary"]), int(sizes["hidden"]))))
    for tensor, shape in tensors:
        stage = -1 if tensor.startswith(("head", "outer")) else 0
        if tensor.startswith("layer"):
            stage = stage_of[int(tensor.partition(".")[0].removeprefix("layer"))]
        held[stage][".expert" in tensor] += on_rank(tensor, shape, layout, int(sizes["kv_heads"]))
    return [(dense, experts) for dense, experts in held]


CASES: list[tuple[str, dict[str, int], list[int]]] = [
    ("llama-3-8b", {"tp": 1}, [32]),
    ("llama-3-8b", {"tp": 8}, [8, 8, 8, 8]),
    ("llama-3-8b", {"tp": 16}, [16, 16]),
    ("llama-3-405b", {"tp": 8}, [7, *[8] * 14, 7]),
    ("llama-3.2-1b", {"tp": 2}, [4, 4, 4, 4]),
    ("gpt2", {"tp": 4}, [6, 6]),
    ("gpt2", {"tp": 1}, [12]),
    ("phi-2", {"tp": 8}, [8, 8, 8, 8]),
    ("qwen2.5-7b", {"tp": 4}, [7, 7, 7, 7]),
    ("bloom-7b1", {"tp": 4}, [10, 10, 10]),
    ("mixtral-8x7b", {"tp": 2, "ep": 8, "expert_tp": 1}, [8, 8, 8, 8]),
    ("mixtral-8x7b", {"tp": 4, "ep": 2}, [32]),
    ("qwen1.5-moe-a2.7b", {"tp": 2, "ep": 4}, [12, 12]),
    ("deepseek-v3", {"tp": 1, "ep": 64}, [*[4] * 14, 2, 3]),
    ("deepseek-v2-lite", {"tp": 4, "ep": 8, "expert_tp": 1}, [9, 9, 9]),
]


def inputs_of(name: str, layout: dict[str, int], layers: list[int]) -> dict[str, Raw]:
    inputs: dict[str, Raw] = {"model": name, "layout.pp": len(layers), "layout.dp": 64}
    inputs |= {f"layout.{degree}": size for degree, size in layout.items()}
    if len(set(layers)) > 1:
        inputs |= {"pipeline.first_layers": layers[0], "pipeline.last_layers": layers[-1]}
    return inputs


@pytest.mark.parametrize(("name", "layout", "layers"), CASES, ids=lambda case: str(case).replace(" ", ""))
def test_a_gpu_holds_what_is_laid_on_it(name: str, layout: dict[str, int], layers: list[int]) -> None:
    held = laid_out(name, layout, layers)
    inputs = inputs_of(name, layout, layers)
    middle = max(held[1:-1], key=sum) if len(layers) > 2 else None
    for at, expected in (("first", held[0]), ("middle", middle), ("last", held[-1])):
        if expected is not None:
            assert value(f"stage.{at}_dense_per_gpu", inputs) == expected[0]
            assert value(f"stage.{at}_experts_per_gpu", inputs) == expected[1]
    assert value("stage.most_per_gpu", inputs) == max(sum(parts) for parts in held)


@pytest.mark.parametrize(("name", "layers"), [("llama-3-8b", 4), ("gpt2", 3), ("mixtral-8x7b", 8), ("bloom-7b1", 5)])
def test_the_stages_are_the_model_and_a_copy_of_a_tied_embedding(name: str, layers: int) -> None:
    inputs: dict[str, Raw] = {"model": name, "layout.pp": layers}
    stages = [value(f"stage.{at}_parameters", inputs) for at in ("first", "middle", "last")]
    sizes = sizes_of(name)
    copy = int(sizes["vocabulary"]) * int(sizes["hidden"]) if sizes["tied"] == "true" else 0
    assert stages[0] + (layers - 2) * stages[1] + stages[2] == value("model.parameters", inputs) + copy


def test_one_stage_is_the_model() -> None:
    for name in ("gpt2", "llama-3-8b", "deepseek-v3"):
        for at in ("first", "last"):
            assert value(f"stage.{at}_parameters", {"model": name}) == value("model.parameters", {"model": name})


@pytest.mark.parametrize(
    ("inputs", "megabytes"),
    [  # Megatron-LM, theoretical_memory_usage.py, run: bytes of weights and optimizer on the fullest GPU
        ({"model.family": "gpt", "model.layers": 96, "model.hidden": 12288, "model.query_heads": 96, "layout.tp": 8,
          "layout.pp": 8, "layout.interleave": 3, "layout.dp": 8, "layout.zero": 1}, 20978588160),
        ({"model.family": "gpt", "model.layers": 48, "model.hidden": 6144, "model.query_heads": 64, "layout.tp": 8,
          "layout.dp": 1}, 49651605504),
        ({"model": "llama-3-8b", "layout.dp": 8, "layout.zero": 1}, 60226959360),
        ({"model": "mixtral-8x7b", "layout.tp": 2, "layout.pp": 4, "layout.dp": 8, "layout.zero": 1, "layout.ep": 4,
          "layout.expert_tp": 1}, 27119427072),
        ({"model": "mixtral-8x22b", "layout.tp": 4, "layout.pp": 8, "layout.dp": 4, "layout.ep": 4}, 22713619968),
        ({"model": "deepseek-v3", "layout.dp": 128, "layout.zero": 1, "layout.ep": 64}, 226918473888),
        ({"model": "deepseek-v3", "layout.tp": 2, "layout.dp": 128, "layout.zero": 1, "layout.ep": 64,
          "layout.expert_tp": 1}, 144438177216),
        ({"model": "deepseek-v2-lite", "layout.dp": 8, "layout.zero": 1, "layout.ep": 8}, 42225662208),
        ({"model": "qwen1.5-moe-a2.7b", "layout.pp": 4, "layout.dp": 8, "layout.zero": 1, "layout.ep": 4}, 13994469120),
        ({"model": "qwen3-30b-a3b", "layout.tp": 2, "layout.pp": 4, "layout.dp": 8, "layout.zero": 1, "layout.ep": 8,
          "layout.expert_tp": 1}, 12911816448),
    ],
)  # fmt: skip
def test_megatrons_estimate_is_reproduced(inputs: dict[str, Raw], megabytes: int) -> None:
    shape: dict[str, Raw] = {} if "model" in inputs else {"model.vocabulary": 51200, "model.positions": 2048}
    found = value("stage.megatron_state_per_gpu", {**shape, **inputs, "recipe": "megatron-bf16"})
    assert found == megabytes


STATE: dict[str, Raw] = {"model.parameters": 10**9, "layout.dp": 16}


@pytest.mark.parametrize("recipe", ["zero-paper", "megatron-bf16", "fp32-grad-accumulation"])
def test_bytes_of_a_share_add_up_to_the_state(recipe: str) -> None:
    """What a parameter costs on a GPU, times the parameters, is the state there, under every stage and offload."""
    offloads = {0: ("none",), 1: ("none", "optimizer"), 2: ("none", "optimizer", "optimizer-and-gradients"),
                3: ("none", "optimizer", "optimizer-and-gradients", "all")}  # fmt: skip
    for zero, sync, steps in itertools.product(range(4), ("each-step", "each-micro-batch"), (1, 4)):
        for offload in offloads[zero]:
            inputs = {**STATE, "recipe": recipe, "layout.zero": zero, "layout.sync": sync,
                      "batch.accumulation": steps, "layout.offload": offload}  # fmt: skip
            whole = value("memory.state_per_gpu", inputs)
            assert value("memory.bytes_per_parameter_per_gpu", inputs) * 10**9 == whole
            assert value("memory.state_per_gpu", {**inputs, "layout.ep": 1}) == whole


@pytest.mark.parametrize("zero", [1, 2, 3])
@pytest.mark.parametrize(("tp", "ep", "etp"), [(1, 8, 1), (2, 4, 2), (2, 8, 1), (4, 2, 4), (4, 16, 1)])
def test_sharded_state_over_all_gpus_is_kept_once(zero: int, tp: int, ep: int, etp: int) -> None:
    """Each expert's optimizer state lies on the ranks that hold the expert, and over all GPUs exactly once."""
    inputs: dict[str, Raw] = {"model": "mixtral-8x7b" if ep <= 8 else "deepseek-v2-lite", "recipe": "zero-paper",
                              "layout.zero": zero, "layout.dp": 16, "layout.tp": tp, "layout.ep": ep,
                              "layout.expert_tp": etp}  # fmt: skip
    parameters = value("model.parameters", inputs)
    assert value("memory.moments_per_gpu", inputs) * 16 * tp == 8 * parameters
    copies = 1 if zero == 3 else 16
    dense, routed = (parameters - value("model.routed_parameters", inputs)), value("model.routed_parameters", inputs)
    held = 2 * (dense * copies + routed * (1 if zero == 3 else Fraction(16 * tp, ep * etp)))
    assert value("memory.weights_per_gpu", inputs) * 16 * tp == held


@pytest.mark.parametrize("zero", range(4))
@pytest.mark.parametrize("ep", [None, 4])
def test_dualpipe_holds_whole_parts_twice_and_divides_the_rest_among_twice_the_ranks(zero: int, ep: int | None) -> None:
    """Ranks i and p-1-i both hold two stages: as replicas of each other, with twice as many ranks to divide among."""
    inputs: dict[str, Raw] = {"model": "mixtral-8x7b", "recipe": "megatron-bf16", "layout.zero": zero, "layout.pp": 4,
                              "layout.dp": 8}  # fmt: skip
    if ep:
        inputs |= {"layout.ep": ep}
    as_replicas = {**inputs, "layout.pp": 2, "layout.dp": 16}
    both = {**inputs, "pipeline.schedule": "dualpipe"}
    for part in ("weights", "gradients", "master", "moments"):
        assert value(f"memory.{part}_per_gpu", both) == value(f"memory.{part}_per_gpu", as_replicas)
    one_way = value("memory.state_per_gpu", {**inputs, "pipeline.schedule": "1f1b"})
    assert one_way == value("memory.state_per_gpu", inputs)
    assert [value("pipeline.held_stages", plan) for plan in (both, inputs)] == [2, 1]


def test_the_fullest_gpu_of_a_uniform_model_has_the_average() -> None:
    """Without an uneven embedding or head there is nothing that the average hides."""
    inputs: dict[str, Raw] = {"model": "llama-3-8b", "recipe": "zero-paper", "layout.zero": 3, "layout.dp": 8}
    assert value("stage.most_state_per_gpu", inputs) == value("memory.state_per_gpu", inputs)
    deep = {**inputs, "layout.pp": 4}
    assert value("stage.most_state_per_gpu", deep) > value("memory.state_per_gpu", deep)


@pytest.mark.parametrize(
    ("inputs", "quantity", "says"),
    [
        ({"model": "llama-3-405b", "layout.pp": 16}, "stage.first_parameters", "pipeline.first_layers"),
        ({"model": "gpt2", "layout.pp": 2, "pipeline.first_layers": 5, "pipeline.last_layers": 6},
         "stage.first_parameters", "are not the 12"),
        ({"model": "gpt2", "layout.pp": 3, "pipeline.first_layers": 10, "pipeline.last_layers": 6},
         "stage.middle_parameters", "more than the 12"),
        ({"model": "gpt2", "layout.pp": 2}, "stage.middle_parameters", "no stage between"),
        ({"model": "gpt2", "layout.pp": 3, "pipeline.first_layers": 2, "pipeline.last_layers": 4, "layout.dp": 1,
          "recipe": "zero-paper"}, "memory.state_per_gpu", "stage.most_state_per_gpu"),
        ({"model": "mixtral-8x7b", "layout.ep": 3, "layout.dp": 3}, "rank.experts_parameters", "do not divide"),
        ({"model": "mixtral-8x7b", "layout.ep": 8, "layout.dp": 4}, "rank.experts_parameters", "do not divide"),
        ({"model": "gpt2", "layout.ep": 2, "layout.dp": 2, "recipe": "zero-paper"}, "memory.state_per_gpu",
         "the model has none"),
        ({"model": "deepseek-v3", "layout.pp": 61}, "stage.first_parameters", "leading dense layers"),
        ({"model": "deepseek-v3", "layout.pp": 16, "pipeline.schedule": "dualpipe", "recipe": "zero-paper",
          "layout.dp": 8, "pipeline.first_layers": 4, "pipeline.last_layers": 1}, "stage.most_state_per_gpu",
         "holds two stages"),
    ],
)  # fmt: skip
def test_a_division_that_cannot_be_is_refused(inputs: dict[str, Raw], quantity: str, says: str) -> None:
    with pytest.raises((SolveError, ScenarioError), match=says):
        value(quantity, inputs)
