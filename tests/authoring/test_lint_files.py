"""What the lint does with files that it cannot read, or that are named and are no questions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.lint import lint
from quiz.authoring.preview import Preview
from quiz.bank.diagnostics import BankError, Diagnostic, Place
from quiz.bank.files import Listing
from quiz.cli.entry import main
from tests.trial_bank import OPEN

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.authoring.sheet import Findings
    from tests.trial_bank import Trial

CLEAN = OPEN + "sources: [{source: memo}]\nwaive: {missing-reveal: A trial is short.}\n"
FAULTY = CLEAN.replace("say-it", "say-that").replace("source: memo", "source: mmo")
TODAY = date(2026, 11, 30)
OLD = 1_700_000_000


@pytest.fixture
def locked(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The files that may not be read; unlike permissions this binds root too."""
    names: set[str] = set()
    read = Listing.read

    def refuse(self: Listing, name: str) -> bytes:
        if name in names:
            what = "this file cannot be read: Permission denied"
            raise BankError([Diagnostic(Place(name, 0, 0), "unreadable", what)])
        return read(self, name)

    monkeypatch.setattr(Listing, "read", refuse)
    return names


def told(found: Findings) -> tuple[list[tuple[str, str]], list[str]]:
    return [(one.place.file, one.code) for one in found.diagnostics], [row.file for row in found.rows]


def filled(trial: Trial, *, old: bool) -> None:
    """Three files, one of them faulty; those that are old are known by their size and time alone."""
    for name, text in (("a.yaml", CLEAN), ("b.yaml", FAULTY), ("c.yaml", CLEAN.replace("say-it", "say-more"))):
        path = trial.write(text, name)
        if old:
            os.utime(path, (OLD, OLD))


@pytest.mark.parametrize("old", [False, True])
def test_a_file_that_cannot_be_read_hides_nothing_of_the_others(trial: Trial, locked: set[str], *, old: bool) -> None:
    filled(trial, old=old)
    locked.add("c.yaml")
    for _ in range(3):
        findings, rows = told(lint(trial.folder, TODAY, cache=trial.cache, workers=1))
        assert findings == [("b.yaml", "unknown-source"), ("c.yaml", "unreadable")]
        assert rows == ["a.yaml"]
    assert told(lint(trial.folder, TODAY, ["a.yaml"], cache=trial.cache, workers=1)) == ([], ["a.yaml"])


@pytest.mark.parametrize("old", [False, True])
def test_a_file_that_can_be_read_again_is_read_though_it_has_not_changed(
    trial: Trial, locked: set[str], *, old: bool
) -> None:
    filled(trial, old=old)
    locked.add("c.yaml")
    lint(trial.folder, TODAY, cache=trial.cache, workers=1)
    locked.clear()
    findings, rows = told(lint(trial.folder, TODAY, cache=trial.cache, workers=1))
    assert findings == [("b.yaml", "unknown-source")]
    assert rows == ["a.yaml", "c.yaml"]


def test_a_young_file_locked_after_it_was_linted_is_told_beside_the_others(trial: Trial, locked: set[str]) -> None:
    filled(trial, old=False)
    lint(trial.folder, TODAY, cache=trial.cache, workers=1)
    locked.add("c.yaml")
    findings, _ = told(lint(trial.folder, TODAY, cache=trial.cache, workers=1))
    assert findings == [("b.yaml", "unknown-source"), ("c.yaml", "unreadable")]


def test_the_preview_of_a_file_bears_another_that_cannot_be_read(trial: Trial, locked: set[str]) -> None:
    filled(trial, old=False)
    lint(trial.folder, TODAY, cache=trial.cache, workers=1)
    locked.add("c.yaml")
    preview = Preview(trial.folder, trial.cache)
    preview.meet()
    assert [one.code for one in preview.look("b.yaml").findings] == ["unknown-source"]


def test_practice_begins_again_with_a_file_that_can_be_read_again(trial: Trial, locked: set[str]) -> None:
    trial.write(CLEAN, "a.yaml")
    os.utime(trial.write(CLEAN.replace("say-it", "say-more"), "c.yaml"), (OLD, OLD))

    def ids() -> list[str]:
        return [one.id for one in trial.open(bundled=True).index]

    locked.add("c.yaml")
    for _ in range(2):
        assert ids() == ["say-it"]
    locked.clear()
    assert ids() == ["say-it", "say-more"]


@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_a_pipe_in_a_bank_is_told_and_never_waited_for(trial: Trial, form: str) -> None:
    trial.write(CLEAN)
    os.mkfifo(trial.folder / "pipe.yaml")
    command = [sys.executable, "-m", "quiz", "author", "lint", "--no-cache", "--format", form, str(trial.folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "this is no ordinary file" in done.stdout


def linted(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, list[tuple[str, str, str]], str]:
    code = main(["author", "lint", "--no-cache", "--json", *(str(word) for word in words)])
    shown = capsys.readouterr().out
    return code, [(one["code"], one["what"], one["next"]) for one in json.loads(shown)["diagnostics"]], shown


@pytest.mark.parametrize("figures", [[], ["--figures"]])
@pytest.mark.parametrize("name", ["BROKEN.YAML", "notes.txt", "old.yml", "old.Yml", ".hidden.yaml", ".git/x.yaml"])
def test_a_named_file_that_is_no_question_file_is_an_error_that_says_what_to_do(
    trial: Trial, capsys: pytest.CaptureFixture[str], name: str, figures: list[str]
) -> None:
    trial.write(CLEAN)
    code, findings, _ = linted(capsys, *figures, trial.write("a: [", name))
    assert code == 1
    ((found, what, advice),) = findings
    assert found == "file-name"
    assert "not read" in what
    assert "ename it" in advice


def test_a_file_that_is_met_twice_is_read_by_its_own_path_only(
    trial: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    trial.write(CLEAN, "topic/a.yaml")
    (trial.folder / "zz").symlink_to(trial.folder / "topic", target_is_directory=True)
    codes = []
    for folder in ("topic", "zz"):
        code, findings, _ = linted(capsys, trial.folder / folder / "a.yaml")
        assert len(findings) == code
        codes.append(code)
    assert sorted(codes) == [0, 1]


@pytest.mark.parametrize("ending", ["YAML", "Yaml", "YML"])
def test_in_a_folder_an_ending_in_capitals_is_told_as_yml_is(
    trial: Trial, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    trial.write(CLEAN)
    trial.write(CLEAN, f"other.{ending}")
    trial.write("Read me", "README.md")
    code, findings, _ = linted(capsys, trial.folder)
    assert code == 1
    assert [one[:2] for one in findings] == [("file-name", f"this file ends in .{ending} and is not read")]


def test_a_path_that_goes_up_and_down_names_the_same_file(
    trial: Trial, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trial.write(CLEAN, "topic/a.yaml")
    (trial.folder / "topic" / "deep").mkdir()
    (tmp_path / "outside.yaml").write_text(CLEAN)
    monkeypatch.chdir(trial.folder / "topic" / "deep")
    for path in ("../a.yaml", "../../topic/a.yaml", "../deep/../a.yaml"):
        code, findings, shown = linted(capsys, path)
        assert (code, findings) == (0, []), path
        assert [row["file"] for row in json.loads(shown)["questions"]] == ["topic/a.yaml"], path
    outside = os.path.relpath(tmp_path / "outside.yaml")
    assert main(["author", "lint", outside]) == 2
    assert "lies in no bank" in capsys.readouterr().err
