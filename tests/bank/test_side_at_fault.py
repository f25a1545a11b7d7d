"""What is wrong in an expression is told at the part that is wrong: the side that does not go with the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.trial_bank import MANIFEST, NUMERIC, STRATEGY

if TYPE_CHECKING:
    from quiz.bank.diagnostics import Diagnostic
    from tests.trial_bank import Trial

REQUIRED = "memory.total_per_gpu <= cluster.capacity_per_gpu"


def spot(problem: Diagnostic, text: str) -> str:
    """What stands at the place of a problem."""
    return text.split("\n")[problem.place.line - 1][problem.place.column - 1 :]


@pytest.mark.parametrize(
    ("required", "at", "said"),
    [
        ("memory.total_per_gpu <= 3 s", "3 s", "cannot compare bytes and seconds"),
        ("3 s >= memory.total_per_gpu", "3 s >=", "cannot compare seconds and bytes"),
        ("memory.total_per_gpu <= (3 s)", "(3 s)", "cannot compare bytes and seconds"),
        ("memory.total_per_gpu <= 80", "80", "cannot compare bytes and a plain number"),
        ("not (memory.total_per_gpu > 3 s)", "3 s)", "cannot compare bytes and seconds"),
        (f"{REQUIRED} and memory.state_per_gpu + 3 s > 1 GB", "3 s >", "cannot add bytes and seconds"),
        ("memory.total_per_gpu - 1 GB - 3 s - 1 GB < 80 GB", "3 s -", "cannot subtract seconds from bytes"),
        ("memory.total_per_gpu <= room + 3 s", "3 s", "cannot add bytes and seconds"),
        ("(memory.total_per_gpu) + (-(3 s)) < 80 GB", "(-(3 s))", "cannot add bytes and seconds"),
        ("min(80 GB, memory.total_per_gpu / 1 s) < 80 GB", "80 GB, mem", "cannot compare"),
        ("memory.total_per_gpu < when(layout.zero > 2, 3 s, 3 s)", "when", "cannot compare bytes and seconds"),
        ("memory.total_per_gpu / 0 <= cluster.capacity_per_gpu", "0 <=", "division by zero"),
        ("memory.total_per_gpu * 2 ^ 3 s <= 80 GB", "3 s", "an exponent is a plain number"),
        ("memory.total_per_gpu > cluster.capacity", "cluster.capacity", "cannot compare bytes with 'nominal'"),
        ("cluster.nodes * cluster.capacity > 1", "cluster.capacity", "a number is expected, not 'nominal'"),
        ("memory.total_per_gpu - 80 GB <= 0 GB", "0 GB", "the right-hand side is zero"),
        ("memory.total_per_gpu <= memory.total", "memory.total", "named 'memory.total'"),
    ],
)
def test_a_condition_is_at_fault_on_the_side_that_does_not_go_with_the_other(
    trial: Trial, required: str, at: str, said: str
) -> None:
    text = STRATEGY.replace(f"require: {REQUIRED}", f"require: {required}")
    problem = next(one for one in trial.problems(text) if one.path == "decide.require")
    assert said in problem.what
    found = spot(problem, text)
    assert found.startswith(at), found


@pytest.mark.parametrize(
    ("base", "old", "new", "at"),
    [
        (STRATEGY, "state: memory.state_total", "state: memory.state_total + 3 s", "3 s"),
        (STRATEGY, "is: memory.weights_per_gpu + memory", "is: memory.weights_per_gpu + 3 s + memory", "3 s +"),
        (STRATEGY, "such_that: memory.total_per_gpu + room <=", "such_that: memory.total_per_gpu + 3 s <=", "3 s <="),
        (STRATEGY, "fewest: layout.dp", "fewest: layout.dpp", "layout.dpp"),
        (STRATEGY, "  axes:\n", "  where: [memory.activations_per_gpu < 3 s]\n  axes:\n", "3 s"),
        (NUMERIC, "sqrt(checkpoint.stall * run.mtbf)", "sqrt(checkpoint.stall + 3 GB)", "3 GB"),
        (NUMERIC, "share: checkpoint.stall /", "share: checkpoint.stall / 0 *", "0 *"),
    ],
)
def test_every_other_expression_is_told_in_the_same_way(trial: Trial, base: str, old: str, new: str, at: str) -> None:
    text = base.replace(old, new, 1)
    assert any(spot(one, text).startswith(at) for one in trial.problems(text)), trial.problems()


def test_the_sides_are_found_where_the_bank_has_units_of_its_own(trial: Trial) -> None:
    trial.write(f"{MANIFEST}units: {{m: base}}\n", "bank.yaml")
    text = STRATEGY.replace(f"require: {REQUIRED}", "require: memory.total_per_gpu <= 3 m")
    problem = next(one for one in trial.problems(text) if one.path == "decide.require")
    assert "cannot compare bytes and" in problem.what
    assert spot(problem, text) == "3 m"


def test_a_name_is_found_by_itself_and_not_inside_a_longer_one(trial: Trial) -> None:
    text = STRATEGY.replace(f"require: {REQUIRED}", "require: memory.state_per_gpu + memory.state <= 80 GB")
    problem = next(one for one in trial.problems(text) if one.path == "decide.require")
    assert spot(problem, text) == "memory.state <= 80 GB"
