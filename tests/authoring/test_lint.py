"""`shardwise author lint`: problems with their lines, keys with their margins, and an exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from quiz.cli.entry import main
from tests.house import ROOT
from tests.trial_bank import CLAIM, NUMERIC, OPEN, ORDERING, STRATEGY

if TYPE_CHECKING:
    from pathlib import Path

    from tests.trial_bank import Trial


SOURCED = "sources: [{source: memo}]\nwaive: {missing-reveal: A trial is short.}\n"


@pytest.fixture
def filled(trial: Trial) -> Trial:
    for name, text in (
        ("strategy", STRATEGY),
        ("numeric", NUMERIC),
        ("claim", CLAIM),
        ("ordering", ORDERING),
        ("open", OPEN),
    ):
        trial.write(text + SOURCED, f"t/{name}.yaml")
    return trial


def lint(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["author", "lint", *(str(word) for word in words)])
    shown, said = capsys.readouterr()
    return code, shown, said


def test_a_whole_bank_shows_keys_margins_and_the_share_of_asserted_options(
    filled: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    code, shown, said = lint(capsys, filled.folder)
    assert (code, said) == (0, "")
    rows = {line.split()[0]: " ".join(line.split()) for line in shown.splitlines() if line}
    assert rows["which-fits"] == "which-fits strategy whole key 37.5 %, others 301.6 % 9"
    assert rows["how-often"] == "how-often numeric 19.27 min nearest slip 5.2 % away 1"
    assert rows["in-order"] == "in-order ordering none > one > three neighbours 73.8 % apart or more 1"
    assert rows["which-holds"] == "which-holds claim kept_whole others 193.1 % 1"
    assert rows["say-it"] == "say-it open by a rubric 1"
    assert "5 questions are whole, 0 errors, 6 warnings, 5 waived; 1 of 6 options are asserted" in shown


def test_an_error_is_shown_with_its_line_and_ends_with_one(filled: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    filled.write(STRATEGY.replace("{{ kept }}", "{{ kpt }}") + SOURCED, "t/strategy.yaml")
    code, shown, _ = lint(capsys, filled.folder)
    assert code == 1
    assert "t/strategy.yaml:31:10: unknown-name: no figure or quantity is named 'kpt'; did you mean kept?" in shown
    assert "   31 |       {{ kpt }} stay whole." in shown
    assert "4 questions are whole, 1 error, " in shown


def test_too_few_variants_are_an_error_of_the_lint_alone(filled: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    filled.write(NUMERIC + "variants: {axes: {run.interruptions: [100, 419]}}\n", "t/numeric.yaml")
    assert filled.open().problems == ()
    code, shown, _ = lint(capsys, filled.folder)
    assert code == 1
    assert "only 2 variants are left of 2 draws" in shown


def test_rejected_draws_are_counted(filled: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    filled.write(STRATEGY.replace("15 GB, 20 GB]", "15 GB, 20 GB, 70 GB]") + SOURCED, "t/strategy.yaml")
    _, shown, _ = lint(capsys, filled.folder)
    assert "which-fits: all 12 draws tried; rejected 3 because the key is not decided." in shown


def test_one_file_can_be_checked(filled: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    filled.write("id: x\n", "t/broken.yaml")
    code, shown, _ = lint(capsys, filled.folder / "t" / "claim.yaml")
    assert code == 0
    assert "which-holds" in shown
    assert "which-fits" not in shown
    code, shown, _ = lint(capsys, filled.folder / "t" / "broken.yaml")
    assert code == 1
    assert "t/broken.yaml:1:1" in shown


def test_what_is_no_bank_ends_with_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, shown, said = lint(capsys, tmp_path / "nowhere")
    assert (code, shown) == (2, "")
    assert "does not exist" in said
    lone = tmp_path / "lone.yaml"
    lone.write_text(OPEN)
    code, _, said = lint(capsys, lone)
    assert code == 2
    assert "lies in no bank" in said


def test_json_has_the_same(filled: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    filled.write(OPEN + SOURCED + "related: [in-ordr]\n", "t/open.yaml")
    code, shown, _ = lint(capsys, filled.folder, "--json")
    found = json.loads(shown)
    assert code == 1
    assert {one["id"] for one in found["questions"]} == {"which-fits", "how-often", "which-holds", "in-order", "say-it"}
    (problem,) = (one for one in found["diagnostics"] if one["severity"] == "error")
    assert (problem["file"], problem["line"], problem["column"], problem["severity"]) == (
        "t/open.yaml",
        12,
        11,
        "error",
    )


def test_a_preference_shows_its_own_margin(filled: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    filled.write(
        STRATEGY.replace("70e9\n  recipe", "2e9\n  recipe")
        .replace("capacity_per_gpu\noptions", "capacity_per_gpu\n  prefer: [least memory.state_per_gpu]\noptions")
        .replace("[34e9, 70e9, 100e9]", "[1e9, 1.5e9, 2e9]"),
        "t/strategy.yaml",
    )
    _, shown, _ = lint(capsys, filled.folder)
    assert "preferred by 88.6 %" in shown


def test_two_files_with_one_id_are_neither_whole(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    """The table shows what is used, and the message says how many are not."""
    trial.write(OPEN + SOURCED, "a.yaml")
    trial.write(CLAIM + SOURCED, "b.yaml")
    trial.write(CLAIM + SOURCED, "c.yaml")
    code, shown, _ = lint(capsys, trial.folder)
    assert code == 1
    assert "Give one of them another id; neither is used until then." in shown
    assert "which-holds" not in shown.partition("question  ")[2]
    assert "1 question is whole, 2 errors, " in shown
    trial.write(CLAIM + SOURCED, "d.yaml")
    assert "none of them is used until then" in lint(capsys, trial.folder)[1]


@pytest.mark.skipif(sys.platform == "darwin", reason="its file system refuses such names")
def test_no_raw_byte_of_a_name_reaches_the_terminal(trial: Trial) -> None:
    """Even where the terminal's encoding would let it through, a byte that is no text stands as an escape."""
    trial.write(OPEN)
    with open(os.fsencode(trial.folder) + b"/caf\xe9\x9b.yaml", "wb") as file:  # noqa: PTH123, names in bytes
        file.write(b"id: x\n")
    bank = str(trial.folder)
    words = (["author", "lint", bank], ["author", "lint", bank, "--json"])
    both = f"from quiz.cli.entry import main; print(*[main(one) for one in {words!r}])"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONPATH": str(ROOT)}
    found = subprocess.run([sys.executable, "-c", both], capture_output=True, check=True, env=environment, timeout=300)
    assert found.stdout.endswith(b"1 1\n")
    assert b"\xe9" not in found.stdout
    assert b"\x9b" not in found.stdout
    assert found.stdout.count(b"\\udce9") >= 2


def test_a_name_in_a_text_that_takes_none_is_told(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    """A title, a citation, a place in a source, the words of a red flag; not an option that is called so."""
    named = '"{{ model.parameters }} in all"'
    text = STRATEGY.replace("kind: strategy\n", f"kind: strategy\ntitle: {named}\n") + (
        f"uses: [{{text: {named}, source: memo, as_of: 2026-02}}]\n"
        f"sources: [{{source: memo, where: {named}}}]\n"
        f"red_flags: [{{says: It fits., why: It does not., instead: Count., spot: [{named}]}}]\n"
    )
    trial.write(
        text.replace("  nothing:\n    text: |\n", "  title:\n    text: |\n      {{ model.parameters }}: "), "t/a.yaml"
    )
    _, shown, _ = lint(capsys, trial.folder)
    assert shown.count("single-brace: {{ model.parameters }} stands in the text as it is") == 4
