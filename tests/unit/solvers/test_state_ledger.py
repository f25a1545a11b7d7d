"""A second path for the training state: a ledger of real bytes, held rank by rank.

The ledger knows nothing of closed forms. It makes every parameter an index, hands indices to tensor and
pipeline ranks, then to the ranks of a shard group, writes down each byte that a rank keeps, and counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from solvers import Solver, scenario_of

if TYPE_CHECKING:
    from solvers.inputs import Raw

RECIPES = {  # bytes of weight, gradient, accumulation, master, both moments: typed here a second time
    "zero-paper": (2, 2, 0, 4, 8), "megatron-bf16": (2, 4, 0, 4, 8), "fp32-grad-accumulation": (2, 2, 4, 4, 8),
    "fsdp2-fp32-shard": (4, 4, 0, 0, 8), "no-master": (2, 2, 0, 0, 8), "pure-bf16": (2, 2, 0, 0, 4),
}


@dataclass
class Rank:
    """What one GPU holds, and what the host keeps for it, in bytes by part."""

    gpu: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("weights", "gradients", "optimizer"), 0))
    host: int = 0


def ledger(recipe: str, layout: dict[str, Any], parameters: int) -> list[Rank]:
    """Every rank of the layout after writing down each parameter's bytes."""
    weight, gradient, accumulation, master, moments = RECIPES[recipe]
    tp, pp, dp, shard, stage = (int(layout[key]) for key in ("tp", "pp", "dp", "shard", "zero"))
    offload = layout["offload"]
    ranks = {place: Rank() for place in product(range(tp), range(pp), range(dp))}
    for index in range(parameters):
        t, p = index % tp, index // tp % pp
        owner = index // (tp * pp) % shard
        for d in range(dp):
            rank, owned = ranks[t, p, d], d % shard == owner
            parts = {"weights": (weight, stage >= 3), "gradients": (gradient + accumulation, stage >= 2),
                     "optimizer": (master + moments, stage >= 1)}
            for part, (size, sharded) in parts.items():
                if sharded and not owned:
                    continue
                if offload == "all" or (offload == "optimizer" and part == "optimizer"):
                    rank.host += size
                else:
                    rank.gpu[part] += size
    return list(ranks.values())


LAYOUTS = [
    {"tp": tp, "pp": pp, "dp": dp, "shard": shard, "zero": zero, "offload": "none"}
    for tp, pp in ((1, 1), (2, 1), (1, 2), (2, 2))
    for dp, shard in ((1, 1), (2, 2), (4, 4), (4, 2), (6, 3))
    for zero in (0, 1, 2, 3)
    if zero or shard == dp
] + [
    {"tp": 1, "pp": 1, "dp": 4, "shard": 4, "zero": zero, "offload": offload}
    for zero, offload in ((1, "optimizer"), (2, "optimizer"), (3, "optimizer"), (3, "all"))
]
PARAMETERS = 2 * 2 * 12


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_the_closed_form_is_what_a_ledger_counts_on_every_rank(recipe: str, layout: dict[str, Any]) -> None:
    counted = ledger(recipe, layout, PARAMETERS)
    solver = Solver(scenario_of({"model.parameters": PARAMETERS, "recipe": recipe,
                                 **{f"layout.{key}": value for key, value in layout.items()}}))
    for part in ("weights", "gradients", "optimizer"):
        formula = solver.quantity(f"memory.{part}_per_gpu").value
        assert {rank.gpu[part] for rank in counted} == {formula}
    assert solver.quantity("memory.state_per_gpu").value == sum(counted[0].gpu.values())
    assert solver.quantity("memory.host_total").value == sum(rank.host for rank in counted)


def test_gradients_that_wait_for_the_step_stay_whole() -> None:
    """Without a reduction after each micro-batch a rank keeps all gradients of its part until the step."""
    plan: dict[str, Raw] = {"model.parameters": 1000, "recipe": "zero-paper", "layout.zero": 3, "layout.dp": 4,
            "batch.accumulation": 8, "layout.sync": "each-step"}
    solver = Solver(scenario_of(plan))
    assert solver.quantity("memory.gradients_per_gpu").value == 2000
    assert Solver(scenario_of(plan | {"batch.accumulation": 1})).quantity("memory.gradients_per_gpu").value == 500
    offloaded = Solver(scenario_of(plan | {"layout.offload": "all"}))
    assert offloaded.quantity("memory.gradients_per_gpu").value == 2000, "they cannot leave before they are reduced"


def test_deepspeed_keeps_fp32_gradients_on_the_host() -> None:
    """Its estimate without the buffer factor: 2 bytes per parameter on the GPUs, 16 on the host."""
    solver = Solver(scenario_of({"model.parameters": "70e9", "recipe": "zero-paper", "layout.zero": 3, "layout.dp": 8,
                                 "layout.offload": "optimizer-and-gradients"}))
    assert solver.quantity("memory.state_per_gpu").value == Fraction("17.5e9")
    assert solver.quantity("memory.host_total").value == Fraction("1120e9")


def test_context_parallel_ranks_share_the_state_like_data_parallel_ones() -> None:
    plan: dict[str, Raw] = {"model.parameters": "8e9", "recipe": "zero-paper", "layout.zero": 3}
    apart = Solver(scenario_of(plan | {"layout.dp": 4, "layout.cp": 2}))
    together = Solver(scenario_of(plan | {"layout.dp": 8}))
    assert apart.quantity("memory.state_per_gpu") == together.quantity("memory.state_per_gpu")
    assert apart.quantity("layout.world").value == together.quantity("layout.world").value == 8


def test_without_resharding_the_gathered_copy_is_a_buffer_in_its_wire_precision() -> None:
    plan: dict[str, Raw] = {"model.parameters": "8e9", "recipe": "fsdp2-fp32-shard", "layout.zero": 3, "layout.dp": 8}
    kept = Solver(scenario_of(plan | {"layout.reshard": "false"}))
    assert kept.quantity("memory.buffers_per_gpu").value == 16 * 10**9
    assert kept.quantity("memory.state_per_gpu").value == 16 * 10**9
    assert Solver(scenario_of(plan)).quantity("memory.buffers_per_gpu").value == 0
