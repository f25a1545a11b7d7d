"""The verdict: parts that add up, the capacity by its stated figure, the margin, and what binds."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from solvers import MissingError, Solver, Verdict, fit, scenario_of

if TYPE_CHECKING:
    from solvers.inputs import Raw

PLAN: dict[str, Raw] = {
    "model.parameters": "70e9", "recipe": "zero-paper", "layout.zero": 3, "cluster.gpu": "h100-80gb",
    "cluster.nodes": 4, "cluster.gpus_per_node": 8}
GIVEN: dict[str, Raw] = {"memory.activations_per_gpu": "15 GB"}
GB = 10**9


def verdict(changes: dict[str, Raw] | None = None, given: dict[str, Raw] | None = None) -> Verdict:
    return fit(Solver(scenario_of({**PLAN, **(changes or {})}, GIVEN if given is None else given)))


@pytest.mark.parametrize("zero", [0, 1, 2, 3])
@pytest.mark.parametrize("capacity", ["nominal", "reported"])
def test_the_parts_add_up_to_the_total_and_the_margin_to_the_capacity(zero: int, capacity: str) -> None:
    found = verdict({"layout.zero": zero, "cluster.capacity": capacity})
    assert sum(part.value.value for part in found.parts) == found.total.value
    assert found.total.value + found.margin.value == found.capacity.value
    assert found.fits is (found.margin.value >= 0)
    assert found.share == Fraction(found.total.value, found.capacity.value)
    assert found.capacity_name == capacity
    assert found.binding.value.value == max(part.value.value for part in found.parts)


@pytest.mark.parametrize(
    ("changes", "total", "fits"),
    [
        ({}, "50", True),
        ({"layout.zero": 1}, "321.25", False),
        ({"layout.zero": 0}, "1135", False),
        ({"layout.pp": 8, "layout.zero": 0}, "155", False),
        ({"layout.pp": 16, "layout.zero": 1, "model.layers": 80}, None, True),
    ],
)
def test_the_source_cards_question_is_decided(changes: dict[str, Raw], total: str | None, fits: bool) -> None:  # noqa: FBT001
    found = verdict(changes)
    if total is not None:
        assert found.total.value == Fraction(total) * GB
    assert found.fits is fits


def test_one_node_needs_the_host() -> None:
    assert verdict({"cluster.nodes": 1}).fits is False
    offloaded = verdict({"cluster.nodes": 1, "layout.offload": "optimizer"})
    assert offloaded.fits is True
    assert offloaded.total.value == 50 * GB


def test_at_exactly_the_capacity_it_fits() -> None:
    assert verdict(given={"memory.activations_per_gpu": "45 GB"}).margin.value == 0
    assert verdict(given={"memory.activations_per_gpu": "45 GB"}).fits is True
    assert verdict(given={"memory.activations_per_gpu": "45.000000001 GB"}).fits is False


def test_given_parts_are_marked() -> None:
    assert {part.term for part in verdict().parts if part.given} == {"activations"}


def test_a_pinned_state_is_one_part() -> None:
    plan = scenario_of({"cluster.gpu": "h100-80gb"}, {"memory.state_per_gpu": "35 GB", **GIVEN})
    assert [part.term for part in fit(Solver(plan)).parts] == ["state", "activations", "buffers"]


def test_a_pinned_optimizer_is_one_part() -> None:
    plan = scenario_of({"cluster.gpu": "h100-80gb", "model.parameters": "7e9", "layout.dp": 8, "layout.zero": 3,
                        "recipe.weights": "2 B/param", "recipe.gradients": "2 B/param"},
                       {"memory.optimizer_per_gpu": "35 GB", **GIVEN})
    assert [part.term for part in fit(Solver(plan)).parts] == [
        "weights", "gradients", "optimizer", "activations", "buffers"]


def test_the_reserve_counts_as_a_buffer() -> None:
    assert verdict({"memory.reserve_per_gpu": "5 GB"}).parts[-1].value.value == 5 * GB
    assert verdict({"memory.reserve_per_gpu": "5 GB"}).total.value == 55 * GB


def test_usable_memory_needs_its_allowance_stated() -> None:
    with pytest.raises(MissingError, match=r"cluster\.allowance"):
        verdict({"cluster.capacity": "usable"})
    usable = verdict({"cluster.capacity": "usable", "cluster.allowance": "3 GB"})
    assert usable.capacity.value == 81_559 * 2**20 - 3 * GB


def test_the_verdict_is_a_sentence() -> None:
    assert verdict({"cluster.nodes": 2}).text == (
        "does not fit: 85 GB of 80 GB (nominal), 5 GB too much; the largest part is moments, 35 GB, "
        "106.3 % of the capacity in all")
