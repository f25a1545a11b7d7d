"""What a person is told when something is missing: what to state, and from what else it would follow."""

from __future__ import annotations

import pytest

from solvers import MissingError, Solver, scenario_of


def told(quantity: str, **inputs: str) -> str:
    named = {name.replace("__", "."): value for name, value in inputs.items()}
    with pytest.raises(MissingError) as caught:
        Solver(scenario_of(named)).value(quantity)
    return str(caught.value)


def test_what_may_be_stated_or_derived_is_told_with_what_it_would_follow_from() -> None:
    said = told("compute.training_time", model__parameters="8e9", cluster__gpus="1024",
                compute__training_tokens="15e12")
    assert said.startswith("compute.training_time needs compute.gpu_hours, which the scenario does not state")
    assert "compute.model_rate would follow from compute.mfu, compute.peak" in said
    assert "compute.peak would follow from cluster.gpu" in said


def test_a_preset_is_asked_for_until_it_is_stated_and_then_the_figure_that_it_lacks() -> None:
    assert "needs cluster.gpu," in told("compute.peak")
    assert "needs cluster.peak_fp8," in told("compute.peak", cluster__gpu="a100-80gb", compute__precision="fp8")


def test_nothing_is_told_twice() -> None:
    ways = told("compute.mfu").split("; ")[1:]
    assert len(ways) == len(set(ways)) <= 4


def test_a_solver_that_need_not_explain_names_something_missing_and_gives_the_same_values() -> None:
    scenario = scenario_of({"model.parameters": "8e9", "cluster.gpus": "1024", "compute.training_tokens": "15e12"})
    with pytest.raises(MissingError) as caught:
        Solver(scenario, explains=False).value("compute.training_time")
    assert caught.value.needs
    stated = scenario_of({"model.parameters": "8e9", "recipe": "zero-paper"})
    assert Solver(stated, explains=False).value("memory.state_total") == Solver(stated).value("memory.state_total")
