"""`author lint --figures`: the form and the question's own figures of each file, quickly, and nothing else."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.own_figures import check_figures
from quiz.cli.entry import main
from tests.trial_bank import CLAIM, NUMERIC, OPEN, ORDERING, STRATEGY

if TYPE_CHECKING:
    from tests.trial_bank import Trial


def codes(trial: Trial, workers: int = 1) -> list[tuple[str, str]]:
    found = check_figures(trial.folder, workers=workers)
    return [(one.place.file, one.code) for one in found.diagnostics]


def test_whole_questions_of_every_kind_pass(trial: Trial) -> None:
    for number, text in enumerate((STRATEGY, NUMERIC, CLAIM, ORDERING, OPEN)):
        trial.write(text, f"t/{number}.yaml")
    assert codes(trial) == []


def test_a_broken_form_a_missing_key_a_figure_without_value_and_a_right_slip_are_found(trial: Trial) -> None:
    trial.write("id: [", "t/a.yaml")
    trial.write(STRATEGY.replace("difficulty: 2", "difficulty: 9"), "t/b.yaml")
    trial.write(STRATEGY.replace("memory.activations_per_gpu: 15 GB", "memory.activations_per_gpu: 75 GB"), "t/c.yaml")
    trial.write(STRATEGY.replace("state: memory.state_total", "state: memory.no_such"), "t/d.yaml")
    trial.write(STRATEGY.replace("set: {layout.dp: 8}", "set: {layout.dp: 32}"), "t/e.yaml")
    found = codes(trial)
    by_file = {file: [code for other, code in found if other == file] for file, _ in found}
    assert list(by_file) == ["t/a.yaml", "t/b.yaml", "t/c.yaml", "t/d.yaml", "t/e.yaml"]
    # Where activations leave no room, a figure that asks for the fewest GPUs has no answer either.
    assert [*by_file.values()][1:] == [["out-of-range"], ["no-key", "solver"], ["unknown-name"], ["slip-not-wrong"]]


@pytest.mark.parametrize("forks", [True, False])
def test_other_processes_find_the_same(trial: Trial, monkeypatch: pytest.MonkeyPatch, *, forks: bool) -> None:
    if forks and sys.platform != "linux":
        pytest.skip("processes start as copies on Linux alone")
    monkeypatch.setattr("quiz.authoring.pool.may_fork", lambda: forks)
    for number in range(60):
        slip = number % 20 == 7
        text = STRATEGY.replace("set: {layout.dp: 8}", "set: {layout.dp: 32}") if slip else STRATEGY
        trial.write(text.replace("which-fits", f"which-{number}"), f"t/{number:02}.yaml")
    assert codes(trial, workers=2) == [(f"t/{number:02}.yaml", "slip-not-wrong") for number in (7, 27, 47)]


def test_the_command_says_what_it_left_out(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    trial.write(STRATEGY)
    assert main(["author", "lint", "--figures", str(trial.folder)]) == 0
    assert capsys.readouterr().out == "1 file checked by form and own figures alone: 0 errors, 0 warnings.\n"
    main(["author", "lint", "--figures", "--json", str(trial.folder)])
    assert json.loads(capsys.readouterr().out)["figures_of"] == 1
