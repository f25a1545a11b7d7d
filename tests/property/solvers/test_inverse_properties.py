"""The inverse of the forward way, over many quantities and inputs: what is found keeps the bound, and is the best."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import CATALOGUE, Solver, scenario_of, solve_for
from solvers.expr.tree import Number
from solvers.expr.units import Unit

MODEL: Final = {"model.parameters": 70 * 10**9, "recipe": "zero-paper"}
SHAPE: Final = {"model": "llama-3-8b", "recipe": "zero-paper", "layout.dp": 8, "layout.zero": 3, "batch.sequence": 4096,
                "batch.micro": 1, "activation.block": "llama"}  # fmt: skip
RUN: Final = {"model.parameters": 8 * 10**9, "compute.training_tokens": "15e12", "cluster.gpus": 1024,
              "cluster.gpu": "h100-80gb", "compute.mfu": "40 %", "cost.price_per_gpu_hour": "2 $/GPU-hour"}  # fmt: skip
TRAFFIC: Final = {**MODEL, "layout.zero": 3, "layout.dp": 64, "batch.accumulation": 4}
SERVING: Final = {"model": "llama-3-8b", "serving.context": 8192, "serving.memory_share": "90 %",
                  "cluster.gpu": "h100-80gb"}  # fmt: skip
CHECKPOINT: Final = {"checkpoint.stall": "60 s", "run.mtbf": "3 h"}
LINK: Final = {"link.message": "1 GB", "link.bandwidth": "50 GB/s", "link.latency": "10 us"}
SCALING: Final = {"scaling.flops": "1e24 FLOP"}

CASES: Final = [
    ("memory.state_per_gpu", "layout.dp", {**MODEL, "layout.zero": 3}, (2, 300)),
    ("memory.state_per_gpu", "layout.dp", {**MODEL, "layout.zero": 1}, (2, 300)),
    ("memory.state_per_gpu", "layout.tp", {**MODEL, "layout.dp": 8, "layout.zero": 1}, (2, 64)),
    ("memory.state_per_gpu", "layout.pp", {**MODEL, "layout.dp": 8, "layout.zero": 2}, (2, 64)),
    ("memory.state_per_gpu", "cluster.gpus", {**MODEL, "layout.zero": 3}, (2, 300)),
    ("memory.state_per_gpu", "model.parameters", {"recipe": "lion", "layout.dp": 8, "layout.zero": 3}, (10**6, 10**13)),
    ("memory.state_per_gpu", "recipe.gradients", {"model.parameters": 10**9, "recipe": "zero-paper", "layout.dp": 4,
                                                  "layout.zero": 3}, (1, 8)),
    ("memory.total_per_gpu", "memory.activations_per_gpu", {**MODEL, "layout.zero": 3, "layout.dp": 64}, (1, 10**11)),
    ("memory.peak_per_gpu", "batch.micro", SHAPE, (1, 32)),
    ("memory.peak_per_gpu", "batch.sequence", SHAPE, (256, 20000)),
    ("activation.kept_per_gpu", "batch.sequence", SHAPE, (256, 20000)),
    ("activation.kept_per_gpu", "model.layers", SHAPE, (1, 200)),
    ("traffic.data_parallel_sent", "layout.dp", TRAFFIC, (2, 500)),
    ("traffic.data_parallel_sent", "batch.accumulation", TRAFFIC, (1, 500)),
    ("traffic.data_parallel_sent", "model.parameters", TRAFFIC, (10**6, 10**13)),
    ("pipeline.bubble_of_total", "batch.accumulation", {"layout.pp": 8}, (1, 500)),
    ("pipeline.bubble_of_total", "layout.pp", {"batch.accumulation": 32}, (2, 200)),
    ("pipeline.bubble_over_ideal", "layout.pp", {"batch.accumulation": 32}, (2, 200)),
    ("compute.training_time", "cluster.gpus", RUN, (1, 10**5)),
    ("compute.training_time", "compute.training_tokens", RUN, (10**6, 10**14)),
    ("compute.training_time", "compute.mfu", RUN, (1, 99)),
    ("cost.training", "cost.price_per_gpu_hour", RUN, (1, 100)),
    ("cost.training", "model.parameters", RUN, (10**6, 10**12)),
    ("serving.kv_per_sequence", "serving.context", SERVING, (1, 10**6)),
    ("serving.sequences", "serving.context", SERVING, (128, 10**5)),
    ("link.time", "link.message", LINK, (1, 10**12)),
    ("link.time", "link.bandwidth", LINK, (10**6, 10**12)),
    ("checkpoint.interval_young", "checkpoint.stall", CHECKPOINT, (1, 3000)),
    ("checkpoint.interval_daly", "run.mtbf", CHECKPOINT, (1000, 10**6)),
    ("scaling.parameters", "scaling.flops", SCALING, (10**18, 10**27)),
]


def base_value(symbol: str, drawn: int) -> Fraction:
    """The drawn number in base units: per cent of a share, whole anywhere else."""
    return Fraction(drawn, 100) if CATALOGUE[symbol].domain == "fraction" else Fraction(drawn)


def stated(symbol: str, value: Fraction) -> Number:
    unit = CATALOGUE[symbol].unit
    return Number(value, Unit(unit.name, Fraction(1), unit.dimension))


@pytest.mark.parametrize(("quantity", "symbol", "plan", "ends"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES])
@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_what_is_found_is_no_worse_than_what_is_known_to_reach_the_bound(
    quantity: str, symbol: str, plan: dict[str, Any], ends: tuple[int, int], data: st.DataObject
) -> None:
    """The bound is the forward value at some x, rounded nowhere: the inverse must reach it at x or find better."""
    open_plan = scenario_of({name: value for name, value in plan.items() if name != symbol})
    x = base_value(symbol, data.draw(st.integers(*ends)))
    at_x = Solver(open_plan.patched({symbol: stated(symbol, x)}))
    bound = at_x.quantity(quantity)
    at_most = data.draw(st.booleans())
    info = CATALOGUE[quantity]
    limit = Number(bound.value, Unit(info.unit.name, Fraction(1), info.unit.dimension))
    found = solve_for(open_plan, symbol, quantity, limit, at_most=at_most)
    reached = Solver(open_plan.patched({symbol: stated(symbol, found.value.value)})).quantity(quantity)
    slack = Fraction(1, 10**9)
    if at_most:
        assert reached.value <= bound.value * (1 + slack)
    else:
        assert reached.value >= bound.value * (1 - slack)
    if found.kind == "fewest":
        assert found.value.value <= x * (1 + slack)
    else:
        assert found.value.value >= x * (1 - slack)
