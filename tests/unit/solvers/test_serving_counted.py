"""A second path for serving and for the length of a training: caches filled and steps taken one by one."""

from __future__ import annotations

from fractions import Fraction
from math import exp, prod

import pytest

from solvers import Solver, scenario_of

CACHE = 2  # bytes of an element


def tensors_of(layers: int, heads: int, size: int, ranks: int, stages: int) -> list[list[tuple[int, int]]]:
    """The key and value tensors of one token on each GPU: whole heads are dealt to ranks, and copied beyond as many."""
    gpus: list[list[tuple[int, int]]] = []
    for _ in range(stages):
        for rank in range(ranks):
            if ranks >= heads:
                held = [rank * heads // ranks]
            else:
                held = [head for head in range(heads) if head % ranks == rank]
            gpus.append([(len(held), size) for _ in range(layers // stages) for _ in ("keys", "values")])
    return gpus


@pytest.mark.parametrize(("ranks", "stages"), [(1, 1), (2, 1), (4, 2), (8, 1), (16, 4)])
@pytest.mark.parametrize(("layers", "heads", "size"), [(32, 8, 128), (16, 4, 64)])
def test_a_token_leaves_a_key_and_a_value_in_each_layer_and_head(
    layers: int, heads: int, size: int, ranks: int, stages: int
) -> None:
    held = [sum(map(prod, tensors)) * CACHE for tensors in tensors_of(layers, heads, size, ranks, stages)]
    solver = Solver(scenario_of({
        "model.layers": layers, "model.kv_heads": heads, "model.head_dim": size, "layout.tp": ranks,
        "layout.pp": stages, "serving.cache_bytes": f"{CACHE} B", "model.query_heads": 32,
    }))  # fmt: skip
    assert {solver.quantity("serving.kv_per_token_per_gpu").value} == set(held)
    whole = sum(map(prod, tensors_of(layers, heads, size, 1, 1)[0])) * CACHE
    assert solver.quantity("serving.kv_per_token").value == whole


@pytest.mark.parametrize(("gigabytes", "context"), [(80, 4096), (80, 8192), (24, 2048), (17, 32768), (12, 1024)])
def test_sequences_are_let_in_until_the_memory_is_full(gigabytes: int, context: int) -> None:
    parameters = 8 * 10**9
    solver = Solver(scenario_of({
        "model.parameters": parameters, "model.layers": 32, "model.kv_heads": 8, "model.head_dim": 128,
        "serving.context": context, "serving.memory_share": "90 %", "cluster.memory_nominal": f"{gigabytes} GB",
    }))  # fmt: skip
    room = Fraction(9, 10) * gigabytes * 10**9 - 2 * parameters
    one, let_in = 2 * 32 * 8 * 128 * CACHE * context, 0
    while room >= one:
        room -= one
        let_in += 1
    assert solver.quantity("serving.sequences").value == let_in


@pytest.mark.parametrize("gpus", [8, 64, 1024])
def test_a_training_lasts_as_long_as_its_steps(gpus: int) -> None:
    """Tokens are taken away a step at a time until none is left; the last step need not be full."""
    per_step, tokens, parameters, rate = 4 * 2**20, 10**10, 10**9, 4 * 10**14
    elapsed, steps, left = Fraction(0), 0, tokens
    while left > 0:
        elapsed += Fraction(6 * parameters * min(per_step, left), rate * gpus)
        left -= per_step
        steps += 1
    solver = Solver(scenario_of({
        "model.parameters": parameters, "compute.training_tokens": tokens, "cluster.gpus": gpus,
        "compute.model_rate": "400 TFLOP/s", "batch.tokens_per_step": per_step, "batch.sequence": 4096,
        "cost.price_per_gpu_hour": "2 $/GPU-hour",
    }))  # fmt: skip
    assert solver.quantity("compute.steps").value == steps
    assert solver.quantity("compute.training_time").value == elapsed
    assert solver.quantity("cost.training").value == elapsed * gpus / 3600 * 2


@pytest.mark.parametrize(("stall", "mtbf"), [(60, 10_800), (300, 36_000), (30, 86_400)])
def test_no_other_interval_loses_less(stall: int, mtbf: int) -> None:
    """Young's and Daly's intervals against the least of the exact expected time per second of work, found by search.

    With interruptions at random the expected time of a segment of work w and a stall d is M (e^((w+d)/M) - 1).
    """
    def lost(work: float) -> float:
        return mtbf * (exp((work + stall) / mtbf) - 1) / work

    low, high = 1.0, float(mtbf)
    while high - low > 1e-6:
        third = (high - low) / 3
        low, high = (low, high - third) if lost(low + third) < lost(high - third) else (low + third, high)
    solver = Solver(scenario_of({"checkpoint.stall": f"{stall} s", "run.mtbf": f"{mtbf} s"}))
    names = ("young", "daly", "daly_higher")
    values = {name: float(solver.quantity(f"checkpoint.interval_{name}").value) for name in names}
    assert values["daly_higher"] == pytest.approx(low, rel=1e-3)
    assert values["daly"] == pytest.approx(low, rel=3e-2)
    assert lost(values["daly"]) < lost(values["young"]) < 1.003 * lost(low)
