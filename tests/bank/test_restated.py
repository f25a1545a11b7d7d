"""A quantity that follows from others is refused where it is stated beside them, with what to set in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.house import ROOT
from tests.trial_bank import NUMERIC, STRATEGY

if TYPE_CHECKING:
    from quiz.bank.diagnostics import Diagnostic
    from quiz.bank.library import Bank
    from tests.trial_bank import Trial


def spot(problem: Diagnostic, text: str) -> str:
    """What stands at the place of a problem."""
    return text.split("\n")[problem.place.line - 1][problem.place.column - 1 :]


BESIDE = "cluster.gpus follows already from cluster.nodes and cluster.gpus_per_node, which are stated too"
NODES = "  cluster.nodes: 4\n"


@pytest.mark.parametrize(
    ("base", "old", "new", "at", "said", "after"),
    [
        (STRATEGY, NODES, f"{NODES}  cluster.gpus: 32\n", "cluster.gpus: 32", BESIDE, "set cluster.nodes or"),
        (
            STRATEGY,
            "set: {layout.dp: 8}",
            "set: {layout.dp: 8, cluster.gpus: 16}",
            "16}",
            "another number",
            "",
        ),
        (
            STRATEGY,
            "{layout.dp: cluster.gpus, layout.zero: 0}",
            "{cluster.gpus: 32}",
            "cluster.gpus: 32",
            BESIDE,
            "alone",
        ),
        (
            STRATEGY,
            "    model.parameters: [",
            "    cluster.gpus: [8, 16]\n    model.parameters: [",
            "cluster.gpus: [8",
            "cluster.gpus is no input of this question",
            "It follows from cluster.nodes and cluster.gpus_per_node: vary one of these.",
        ),
        (
            STRATEGY,
            NODES,
            f"{NODES}  memory.state_per_gpu: 3 GB\n",
            "memory.state_per_gpu: 3 GB",
            "memory.state_per_gpu is derived from other quantities",
            "State what it follows from: recipe and model.parameters; or pin it, under `given`.",
        ),
        (
            NUMERIC,
            "  run.interruptions: 419\n",
            "  run.interruptions: 419\n  run.mtbf: 3 h\n",
            "run.mtbf: 3 h",
            "run.mtbf",
            "run.observed",
        ),
    ],
)
def test_it_is_refused_at_its_name_with_what_to_set(
    trial: Trial, base: str, old: str, new: str, at: str, said: str, after: str
) -> None:
    text = base.replace(old, new, 1)
    found = [one for one in trial.problems(text) if said in one.what]
    assert found, [one.what for one in trial.problems(text)]
    assert spot(found[0], text).startswith(at)
    assert after in found[0].next


def test_alone_it_is_an_input_like_others(trial: Trial) -> None:
    """A cluster that is told by its GPUs, and a layout that is stated whole beside the cluster that it fills."""
    text = STRATEGY.replace(f"{NODES}  cluster.gpus_per_node: 8\n", "  cluster.gpus: 32\n")
    text = text.replace("{{ cluster.nodes }} nodes of {{ cluster.gpus_per_node }}", "{{ cluster.gpus }}")
    trial.write(text)
    assert trial.open().problems == ()


def test_what_a_law_objects_to_is_told_once(trial: Trial) -> None:
    text = STRATEGY.replace(NODES, f"{NODES}  cluster.gpus: 16\n")
    told = [one for one in trial.problems(text) if "another number" in one.what]
    assert len(told) == 1


def test_the_bundled_questions_state_nothing_twice(bank: Bank) -> None:
    assert bank.folder == ROOT / "questions"
    assert not [one for one in bank.problems if "follows already" in one.what]
