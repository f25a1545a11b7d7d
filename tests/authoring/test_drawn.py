"""The draws of a question are tried again when anything changes that they rest on, and only then."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.draws import Draws
from quiz.authoring.lint import lint
from tests.trial_bank import STRATEGY

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.authoring.sheet import Findings
    from quiz.bank.variants import Survey
    from tests.trial_bank import Trial

COMPARED = "why: |\n  The state of {{ memory.state_per_gpu }} exceeds {{ cluster.capacity_per_gpu }}.\n"
BASE = STRATEGY + COMPARED + "sources: [{source: memo}]\nwaive: {missing-reveal: A trial is short.}\n"


class Counting:
    """Counts how often the draws of a question are tried."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        real = Draws.survey

        def survey(draws: Draws, *, halves: bool = False) -> Survey:
            self.count += 1
            return real(draws, halves=halves)

        patch.setattr(Draws, "survey", survey)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    return Counting(monkeypatch)


def linted(trial: Trial, text: str, cache: Path | None) -> Findings:
    trial.write(text, "t/strategy.yaml")
    return lint(trial.folder, date(2026, 1, 1), {"t/strategy.yaml"}, cache=cache)


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("Which plan fits?", "Which of these plans fits?"),
        ("of state, {{", "of training state, {{"),
        ("stay whole", "remain whole"),
        ("difficulty: 2", "difficulty: 3"),
        ("source: memo", "source: zero-2019"),
    ],
)
def test_an_edit_of_words_keeps_what_the_draws_came_to(
    trial: Trial, tmp_path: Path, counting: Counting, said: str, instead: str
) -> None:
    before = linted(trial, BASE, tmp_path)
    assert said in BASE
    after = linted(trial, BASE.replace(said, instead), tmp_path)
    assert (counting.count, after.compiled) == (1, 1)
    assert after.rows == before.rows
    assert after.rows[0].variants == 9


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("cluster.nodes: 4", "cluster.nodes: 5"),
        ("memory.activations_per_gpu: 15 GB\nstem", "memory.activations_per_gpu: 16 GB\nstem"),
        ("layout.zero: 1}", "layout.zero: 2}"),
        ("require: memory.total_per_gpu <=", "require: memory.total_per_gpu <"),
        ("Only the optimizer state sharded", "Just the optimizer state sharded"),
        ("15 GB, 20 GB]", "15 GB, 21 GB]"),
        ("exceeds {{ cluster", "is above {{ cluster"),
        ("slip: stage-one-shards-all", "slip: stage-one"),
    ],
)
def test_an_edit_of_what_the_draws_rest_on_has_them_tried_again(
    trial: Trial, tmp_path: Path, counting: Counting, said: str, instead: str
) -> None:
    linted(trial, BASE, tmp_path)
    assert said in BASE
    linted(trial, BASE.replace(said, instead), tmp_path)
    assert counting.count == 2


def test_draws_in_which_something_was_found_are_tried_at_every_change(
    trial: Trial, tmp_path: Path, counting: Counting
) -> None:
    few = BASE.replace("[34e9, 70e9, 100e9]", "[34e9, 70e9]").replace("15 GB, 20 GB]", "15 GB]")
    first = linted(trial, few, tmp_path)
    assert [one.code for one in first.diagnostics if one.severity == "error"] == ["few-variants"]
    second = linted(trial, "# a line more\n" + few, tmp_path)
    moved = [one.place.line for one in second.diagnostics if one.code == "few-variants"]
    assert counting.count == 2
    assert moved == [one.place.line + 1 for one in first.diagnostics if one.code == "few-variants"]
