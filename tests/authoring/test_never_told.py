"""Mistakes that read well and went through: a date to come, foreign braces, a switch for a reason, one plan twice."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.lint import lint

if TYPE_CHECKING:
    from quiz.bank.diagnostics import Diagnostic
    from tests.trial_bank import Trial

SOUND = (Path(__file__).resolve().parents[1] / "bad" / "literal-figure.yaml").read_text(encoding="utf-8")
SOUND = SOUND.replace("Every GPU holds 1,120 GB.", "Every GPU holds {{ memory.state_per_gpu }}.")
SOURCE = 'where: "memory analysis"'


def found_in(trial: Trial, old: str, new: str) -> list[Diagnostic]:
    assert old in SOUND
    trial.write(SOUND.replace(old, new, 1))
    return list(lint(trial.folder, date(2026, 11, 30), workers=1).diagnostics)


@pytest.mark.parametrize("day", ["2027", "2026-12", "2026-12-01", "2031-05"])
def test_a_date_that_is_still_to_come_is_told_of_a_publication_too(trial: Trial, day: str) -> None:
    assert [one.code for one in found_in(trial, SOURCE, f"{SOURCE}, as_of: {day}")] == ["future-as-of"]


@pytest.mark.parametrize("day", ["2026", "2026-11", "2026-11-30", "2019-10"])
def test_a_date_up_to_today_is_none(trial: Trial, day: str) -> None:
    assert found_in(trial, SOURCE, f"{SOURCE}, as_of: {day}") == []


@pytest.mark.parametrize(
    "written", ["{{{ memory.state_per_gpu }}}", "{{{kept_whole | GB 1}}}", "{% memory.state_total %}"]
)
def test_the_braces_of_other_programs_are_told_with_those_that_are_meant(trial: Trial, written: str) -> None:
    [found] = found_in(trial, "Every GPU holds {{ memory.state_per_gpu }}.", f"Every GPU holds {written}.")
    assert found.code == "single-brace"
    assert found.next.startswith("Write {{ ")


@pytest.mark.parametrize("said", ["yes", "on", "'true'", "No"])
def test_a_switch_is_no_reason_to_ask_a_question_no_more(trial: Trial, said: str) -> None:
    [found] = found_in(trial, "figures:", f"deprecated: {said}\nfigures:")
    assert found.path == "deprecated"
    assert "is no reason" in found.what


@pytest.mark.parametrize(
    "patch", ["{layout.dp: cluster.gpus, layout.zero: 0}", "{layout.zero: 0, layout.dp: cluster.gpus}"]
)
def test_two_options_that_state_the_same_are_one_plan(trial: Trial, patch: str) -> None:
    [found] = found_in(trial, "{layout.dp: cluster.gpus, layout.zero: 1}", patch)
    assert (found.code, found.path) == ("options-equal", "options.copies")
