"""What an interviewer asks of the solver, with answers worked out by hand; and what is said where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from solvers import InverseError, LawError, MissingError, Solver, expr_of, scenario_of, solve_for
from solvers.inverse_search import Search

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from solvers.inputs import Raw
    from solvers.inverse import Checked

PLAN: dict[str, Raw] = {"model": "llama-3-70b", "recipe": "zero-paper", "layout.zero": 3, "layout.dp": 8}


def figure(name: str, inputs: Mapping[str, Raw]) -> float:
    return float(Solver(scenario_of(inputs)).quantity(name).value)


@pytest.mark.parametrize(
    ("name", "inputs", "answer"),
    [
        ("scaling.tokens", {"scaling.parameters": "70e9"}, 1.4e12),
        ("scaling.flops", {"scaling.parameters": "70e9"}, 6 * 70e9 * 1.4e12),
        ("scaling.parameters", {"scaling.tokens": "1.4e12"}, 70e9),
        ("scaling.flops", {"scaling.parameters": "70e9", "scaling.tokens": "300e9"}, 6 * 70e9 * 300e9),
        ("scaling.tokens", {"scaling.parameters": "70e9", "scaling.flops": "1e24 FLOP"}, 1e24 / (6 * 70e9)),
        ("scaling.tokens", {"scaling.parameters": "8e9", "scaling.tokens_per_parameter": "100 token/param"}, 8e11),
        ("batch.critical", {"batch.least_steps": 10000, "batch.least_tokens": "1e10"}, 1e6),
        ("batch.tokens_needed", {"batch.critical": "1e6", "batch.least_tokens": "1e10",
                                 "batch.tokens_per_step": "5e5"}, 1.5e10),
    ],
)
def test_a_rule_of_scaling_is_read_from_any_of_its_figures(
    name: str, inputs: dict[str, Raw], answer: float
) -> None:
    assert figure(name, inputs) == pytest.approx(answer, rel=1e-12)


@pytest.mark.parametrize("approach", ["20-tokens", "approach-1", "approach-2", "approach-3", "parametric"])
def test_every_approach_leads_back_to_the_budget_it_came_from(approach: str) -> None:
    budget: dict[str, Raw] = {"scaling.flops": "5.76e23 FLOP", "scaling.approach": approach}
    for name in ("scaling.parameters", "scaling.tokens"):
        back = {"scaling.approach": approach, name: repr(figure(name, budget))}
        assert figure("scaling.flops", back) == pytest.approx(5.76e23, rel=1e-9)


STEP: dict[str, Raw] = {"model.parameters": "70e9", "batch.sequence": 4096, "batch.micro": 1, "batch.accumulation": 8,
                        "layout.dp": 16, "layout.tp": 8, "cluster.gpu": "h100-80gb", "compute.mfu": "40 %"}  # fmt: skip


def test_a_step_takes_the_gpus_of_the_layout_where_no_cluster_is_stated() -> None:
    by_hand = 6 * 70e9 * (4096 * 8 * 16) / (128 * 989e12 * 0.4)
    assert figure("compute.step_time", STEP) == pytest.approx(by_hand, rel=1e-3)
    assert figure("compute.step_time", STEP | {"cluster.gpus": 128}) == figure("compute.step_time", STEP)


def test_gpus_that_the_layout_leaves_idle_do_not_shorten_its_step() -> None:
    with pytest.raises(LawError, match=r"layout of 128 GPUs .* all 1,024"):
        figure("compute.step_time", STEP | {"cluster.gpus": 1024})


SCHEDULE: dict[str, Raw] = {"layout.pp": 8, "pipeline.forward_time": "1 ms", "pipeline.input_backward_time": "1 ms",
                            "pipeline.weight_backward_time": "1 ms"}  # fmt: skip
LAYER: dict[str, Raw] = {"model": "llama-3-8b", "batch.micro": 1, "activation.block": "llama", "layout.tp": 8}


@pytest.mark.parametrize(
    ("name", "inputs", "said"),
    [
        ("pipeline.bubble_time", SCHEDULE | {"pipeline.schedule": "zb-h1", "batch.accumulation": 3}, "3 for 8"),
        ("pipeline.bubble_time", SCHEDULE | {"pipeline.schedule": "zb-h2", "batch.accumulation": 14}, "14 for 8"),
        ("pipeline.bubble_time", SCHEDULE | {"pipeline.schedule": "dualpipe", "batch.accumulation": 31,
                                             "pipeline.pair_time": "3 ms"}, "an even number, not 31"),
        ("activation.layer", LAYER | {"layout.sequence_parallel": "true", "batch.sequence": 1001}, "does not come out"),
    ],
)  # fmt: skip
def test_what_a_formula_does_not_hold_for_is_refused(name: str, inputs: dict[str, Raw], said: str) -> None:
    with pytest.raises(LawError, match=said):
        figure(name, inputs)


def test_a_schedule_without_stated_micro_batches_has_its_bubble() -> None:
    """(p − 1)(F + B − W) for ZB-H1, whatever the micro-batches."""
    assert figure("pipeline.bubble_time", SCHEDULE | {"pipeline.schedule": "zb-h1"}) == pytest.approx(7e-3)


def test_a_sequence_that_is_not_divided_may_have_any_length() -> None:
    assert figure("activation.layer", LAYER | {"batch.sequence": 1001}) > 0


def test_a_share_that_no_run_reaches_is_said_with_how_near_the_whole_comes() -> None:
    plan = scenario_of({"model.parameters": "70e9", "compute.training_tokens": "15e12", "cluster.gpu": "h100-80gb",
                        "cluster.gpus": 1024})  # fmt: skip
    bound = expr_of("compute.training_time", "30 day")
    with pytest.raises(InverseError, match=r"would have to be 240 %.* is 72 days at compute\.mfu = 100 %"):
        solve_for(plan, "compute.mfu", "compute.training_time", bound, at_most=True)


def test_a_rate_in_bits_is_read_as_networks_are_sold() -> None:
    assert figure("link.time", {"link.message": "1 GB", "link.bandwidth": "400 Gbps"}) == pytest.approx(0.02)


def test_a_peak_that_a_gpu_does_not_have_is_said_with_the_gpu() -> None:
    with pytest.raises(MissingError, match=r"v100-32gb has no cluster\.peak_bf16"):
        figure("compute.peak", {"cluster.gpu": "v100-32gb", "compute.precision": "bf16"})


def test_frozen_weights_are_asked_for_by_their_scheme() -> None:
    with pytest.raises(MissingError) as caught:
        figure("quant.size", {"model": "llama-3-8b"})
    assert caught.value.needs == ("quant.scheme",)


@pytest.mark.parametrize(
    ("unknown", "quantity", "bound", "at_most", "inputs", "last"),
    [
        ("layout.tp", "memory.state_per_gpu", "1 GB", True, PLAN, "64"),
        ("layout.tp", "memory.state_per_gpu", "1000 GB", False, PLAN, "64"),
        ("layout.pp", "memory.state_per_gpu", "1 GB", True, PLAN, "80"),
        ("layout.shard", "memory.state_per_gpu", "1 GB", True, PLAN | {"layout.dp": 60}, "60"),
        ("layout.cp", "activation.layer", "0.001 MB", True,
         {"model": "llama-3-8b", "batch.sequence": 8192, "batch.micro": 1, "activation.block": "llama"}, "8,192"),
    ],
)  # fmt: skip
def test_values_that_no_layout_admits_are_not_tried_one_by_one(
    unknown: str, quantity: str, bound: str, at_most: bool, inputs: dict[str, Raw], last: str,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    tried: list[Fraction] = []
    evaluated = Search._evaluated

    def counted(question: Search, value: Fraction) -> Checked:
        tried.append(value)
        return evaluated(question, value)

    monkeypatch.setattr(Search, "_evaluated", counted)
    with pytest.raises(InverseError, match=f"up to {last};"):
        solve_for(scenario_of(inputs), unknown, quantity, expr_of(quantity, bound), at_most=at_most)
    assert len(tried) < 200


def test_what_is_sieved_is_what_is_refused() -> None:
    """Every degree that the sieve leaves out is refused when it is tried."""
    plan = scenario_of(PLAN | {"layout.pp": 1})
    admissible = []
    for degree in range(1, 130):
        try:
            Solver(plan.patched({"layout.tp": expr_of("layout.tp", degree)})).quantity("memory.state_per_gpu")
        except LawError:
            continue
        admissible.append(degree)
    assert admissible == [1, 2, 4, 8, 16, 32, 64]
    bound = expr_of("memory.state_per_gpu", "2.3 GB")
    found = solve_for(plan, "layout.tp", "memory.state_per_gpu", bound, at_most=True)
    assert found.text == "64"
