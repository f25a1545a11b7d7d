"""What must hold of throughput, overlap, rooflines and scaling for any inputs: two ways to the same figure."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solvers import Solver, scenario_of

if TYPE_CHECKING:
    from solvers.inputs import Raw

MODEL = st.integers(10**6, 10**12)
SHARE = st.integers(1, 99)
GPUS = st.sampled_from([1, 8, 64, 1024, 16_384])
CARD = st.sampled_from(["a100-80gb", "h100-80gb", "b200-180gb", "mi300x-192gb", "tpu-v5p"])


def quantity(name: str, inputs: dict[str, Raw]) -> Fraction:
    return Solver(scenario_of(inputs)).quantity(name).value


def measured(value: Fraction, unit: str) -> str:
    """An exact value as a person would have to write it."""
    return f"{value.numerator} {unit} / {value.denominator}"


@given(MODEL, SHARE, GPUS, CARD, st.sampled_from(["none", "full"]))
def test_utilisation_to_throughput_and_back_is_the_identity(
    parameters: int, share: int, gpus: int, card: str, recompute: str,
) -> None:
    plan: dict[str, Raw] = {"model.parameters": parameters, "cluster.gpus": gpus, "cluster.gpu": card,
                            "compute.recompute": recompute}
    tokens = quantity("compute.tokens_per_second", plan | {"compute.mfu": f"{share} %"})
    stated: dict[str, Raw] = plan | {"compute.tokens_per_second": measured(tokens, "token/s")}
    assert quantity("compute.mfu", stated) == Fraction(share, 100)


@given(MODEL, SHARE, GPUS, st.integers(10**6, 10**13), st.sampled_from(["none", "full"]))
def test_the_model_s_and_the_hardware_s_way_take_the_same_time(
    parameters: int, share: int, gpus: int, tokens: int, recompute: str,
) -> None:
    """6 T P over the model's rate is 8 T P over the hardware's: recomputation is in both or in neither."""
    plan: dict[str, Raw] = {"model.parameters": parameters, "cluster.gpus": gpus, "compute.peak": "1000 TFLOP/s",
                            "compute.training_tokens": tokens, "compute.recompute": recompute}
    part = Fraction(share, 134)
    model = quantity("compute.training_time", plan | {"compute.mfu": part})
    hardware = part * (Fraction(8, 6) if recompute == "full" else 1)
    assert model == quantity("compute.training_time", plan | {"compute.hfu": hardware})
    rate = measured(hardware * 1000, "TFLOP/s")
    assert model == quantity("compute.training_time", plan | {"compute.hardware_rate": rate})
    assert model == 6 * parameters * tokens / (gpus * part * 10**15)


@given(MODEL, st.integers(0, 3), st.sampled_from(["forward", "backward", "both"]), st.integers(1, 10**6),
       st.sampled_from([2, 8, 64]), st.sampled_from(["true", "false"]), st.sampled_from(["none", "full"]))
def test_traffic_is_exposed_exactly_below_the_tokens_that_hide_it(
    parameters: int, stage: int, phase: str, tokens: int, ranks: int, reshard: str, recompute: str,
) -> None:
    assume(reshard == "true" or stage == 3)
    plan: dict[str, Raw] = {
        "model.parameters": parameters, "recipe": "zero-paper", "layout.zero": stage, "layout.dp": ranks,
        "layout.reshard": reshard, "overlap.pass": phase, "overlap.bandwidth": "50 GB/s",
        "compute.peak": "989 TFLOP/s", "compute.recompute": recompute, "batch.sequence": tokens,
    }
    enough = quantity("overlap.tokens_to_hide", plan)
    exposed = quantity("overlap.exposed", plan)
    assert (exposed > 0) == (tokens < enough)
    assert exposed == max(0, quantity("overlap.communication_time", plan) - quantity("overlap.compute_time", plan))


@given(st.integers(0, 3), st.sampled_from([2, 4, 32]), st.sampled_from(["zero-paper", "fp32", "fsdp2-fp32-shard"]),
       st.integers(1, 8), st.sampled_from(["each-micro-batch", "each-step"]))
def test_buffers_per_parameter_are_the_traffic_without_the_ring_factor(
    stage: int, ranks: int, recipe: str, batches: int, sync: str,
) -> None:
    plan: dict[str, Raw] = {"model.parameters": 1000, "recipe": recipe, "layout.zero": stage, "layout.dp": ranks,
                            "batch.accumulation": batches, "layout.sync": sync}
    found = {name: quantity(f"traffic.{name}_per_parameter", plan) for name in ("gathered", "scattered", "all_reduced")}
    sent = (found["gathered"] + found["scattered"] + 2 * found["all_reduced"]) * 1000 * Fraction(ranks - 1, ranks)
    assert sent == quantity("traffic.data_parallel_sent", plan)


@given(st.integers(1, 9000), st.integers(1, 9000), st.integers(1, 9000), CARD)
def test_a_product_is_limited_by_memory_exactly_below_the_ridge(m: int, n: int, k: int, card: str) -> None:
    plan: dict[str, Raw] = {"roofline.m": m, "roofline.n": n, "roofline.k": k, "cluster.gpu": card}
    intensity = Fraction(2 * m * n * k, 2 * (m * k + k * n + m * n))
    peak, ridge = quantity("compute.peak", plan), quantity("roofline.ridge", plan)
    assert quantity("roofline.intensity", plan) == intensity
    assert (quantity("roofline.attainable", plan) < peak) == (intensity < ridge)
    assert quantity("roofline.time", plan) == quantity("roofline.flops", plan) / quantity("roofline.attainable", plan)


@given(st.integers(18, 28), st.sampled_from(["hoffmann-2022", "besiroglu-2024"]))
@settings(max_examples=12, deadline=None)
def test_no_other_division_of_the_budget_has_a_lower_loss(power: int, fit: str) -> None:
    """The closed form of the parametric optimum against the loss itself, on either side of it."""
    plan: dict[str, Raw] = {"scaling.flops": f"1e{power} FLOP", "scaling.fit": fit, "scaling.approach": "parametric"}
    best = quantity("scaling.parameters", plan)

    def loss(parameters: Fraction) -> Fraction:
        whole = max(1, round(parameters))
        return quantity("scaling.loss", {"scaling.fit": fit, "model.parameters": whole,
                                         "compute.training_tokens": round(Fraction(10**power, 6 * whole))})

    assert loss(best) < min(loss(best * Fraction(9, 10)), loss(best * Fraction(11, 10)))


@given(st.integers(10**18, 10**30), st.sampled_from(["20-tokens", "approach-1", "approach-2", "approach-3"]))
def test_the_optimum_spends_the_whole_budget(flops: int, approach: str) -> None:
    plan: dict[str, Raw] = {"scaling.flops": f"{flops} FLOP", "scaling.approach": approach}
    spent = 6 * quantity("scaling.parameters", plan) * quantity("scaling.tokens", plan)
    assert abs(spent / flops - 1) < Fraction(1, 10**9)


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_steps_and_examples_trade_as_the_model_of_large_batches_says(batch: int, critical: int) -> None:
    plan: dict[str, Raw] = {"batch.tokens_per_step": batch, "batch.critical": critical, "batch.least_steps": 1000}
    steps = quantity("batch.steps_needed", plan) / 1000
    tokens = quantity("batch.tokens_needed", plan) / quantity("batch.least_tokens", plan)
    assert (steps - 1) * (tokens - 1) == 1
    assert quantity("batch.steps_needed", plan) * batch == quantity("batch.tokens_needed", plan)


@given(st.integers(1, 64), st.integers(1, 64), st.sampled_from([1, 2, 4, 8]))
def test_the_global_batch_and_its_parts_agree_whichever_is_stated(micro: int, accumulation: int, dp: int) -> None:
    parts: dict[str, Raw] = {"batch.micro": micro, "layout.dp": dp, "batch.sequence": 128}
    whole = quantity("batch.tokens_per_step", parts | {"batch.accumulation": accumulation})
    assert quantity("batch.accumulation", parts | {"batch.tokens_per_step": int(whole)}) == accumulation
    sequences = micro * accumulation * dp
    assert quantity("batch.tokens_per_step", {"batch.sequence": 128, "batch.sequences_per_step": sequences}) == whole
    assert quantity("batch.accumulation", parts | {"batch.sequences_per_step": sequences}) == accumulation


@given(SHARE, st.sampled_from(["none", "full"]), st.sampled_from(["left-out", "full", "causal"]))
def test_both_utilisations_follow_from_each_other_and_from_the_rates(
    share: int, recompute: str, attention: str,
) -> None:
    plan: dict[str, Raw] = {"model": "llama-3-8b", "batch.sequence": 8192, "cluster.gpu": "h100-80gb",
                            "compute.recompute": recompute, "compute.attention": attention}
    hardware = Fraction(share, 100)
    model = quantity("compute.mfu", plan | {"compute.hfu": hardware})
    assert quantity("compute.hfu", plan | {"compute.mfu": model}) == hardware
    rate = quantity("compute.hardware_rate", plan | {"compute.hfu": hardware})
    ratio = quantity("compute.hardware_flops_per_token", plan) / quantity("compute.flops_per_token", plan)
    assert rate / ratio == quantity("compute.model_rate", plan | {"compute.mfu": model})
