"""`shardwise author diff` from the shell: files, folders and revisions of git."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tarfile
from io import BytesIO
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.versions.revisions import RevisionError, _unpack, extract
from quiz.cli.entry import main
from tests.house import ROOT
from tests.trial_bank import NUMERIC, OPEN

if TYPE_CHECKING:
    from pathlib import Path

    from tests.trial_bank import Trial

PAGE = (ROOT / "docs" / "instructors" / "diff.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
CHANGED = NUMERIC.replace("within: 3 %", "within: 5 %").replace("54 day", "50 day")


def diff(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["author", "diff", *(str(word) for word in words)])
    shown, said = capsys.readouterr()
    return code, shown, said


def git(folder: Path, *words: str) -> None:
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    command = ["git", "-C", str(folder), "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false", *words]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull})


@pytest.fixture
def kept(trial: Trial) -> Path:
    """A repository with a bank in `my-bank`: tagged v1, then changed and tagged v2. The bank's folder."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    bank = trial.folder.parent / "repository" / "my-bank"
    bank.parent.mkdir()
    trial.write(NUMERIC, "topic/how-often.yaml")
    trial.write(OPEN, "topic/say-it.yaml")
    trial.folder.rename(bank)
    git(bank.parent, "init", "-q")
    for tag, text in (("v1", NUMERIC), ("v2", CHANGED)):
        (bank / "topic" / "how-often.yaml").write_text(text, encoding="utf-8")
        git(bank.parent, "add", ".")
        git(bank.parent, "commit", "-q", "-m", tag)
        git(bank.parent, "tag", tag)
    return bank


def test_the_examples_of_the_page_run_and_print_what_it_says(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(kept.parent)
    commands = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()]
    assert len(commands) == 4
    shown = {line: diff(capsys, *line.partition("#")[0].split()[3:]) for line in commands}
    assert [code for code, _, _ in shown.values()] == [1, 1, 1, 1]
    (expected,) = [text for kind, text in BLOCKS if kind == "markdown"]
    assert shown[commands[0]][1] == expected


def test_json_holds_every_change_with_its_variant(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, shown, _ = diff(capsys, "v1", kept, "--json")
    data = json.loads(shown)
    assert code == 1
    assert (data["old"], data["added"], data["removed"], data["same"]) == ("v1", [], [], 1)
    (one,) = data["changed"]
    assert (one["id"], one["file"]) == ("how-often", "topic/how-often.yaml")
    assert [change["variant"] for change in one["changes"] if change["what"] == "answer"] == ["base"]


def test_two_files_and_two_folders_are_compared(
    trial: Trial, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trial.write(NUMERIC)
    alone = tmp_path / "alone.yaml"
    alone.write_text(CHANGED, encoding="utf-8")
    code, shown, _ = diff(capsys, alone, trial.folder / "topic" / "one.yaml")
    assert code == 1
    assert "| tolerance of `answer` |" in shown
    code, shown, _ = diff(capsys, trial.folder, trial.folder)
    assert code == 0
    assert "Nothing differs; 1 question compared." in shown


def test_a_file_of_a_revision_is_read_in_its_bank(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the sources and units that the bank had then."""
    code, shown, said = diff(capsys, "v1", kept / "topic" / "how-often.yaml")
    assert (code, said) == (1, "")
    assert "## how-often" in shown


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("nowhere:my-bank", "my-bank"), "git knows no revision 'nowhere'"),
        (("v1:elsewhere", "my-bank"), "there is no elsewhere at v1"),
        (("v1", "v2"), "for a revision say of which folder"),
        ((":my-bank", "my-bank"), "names no revision"),
        (("v1:../outside", "my-bank"), "there is no ../outside at v1"),
    ],
)
def test_what_is_no_version_is_refused_with_its_reason(
    kept: Path, words: tuple[str, str], what: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(kept.parent)
    code, shown, said = diff(capsys, *words)
    assert (code, shown) == (2, "")
    assert what in said


def test_what_is_no_question_and_no_bank_is_refused(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (kept.parent / "notes.txt").write_text("notes", encoding="utf-8")
    for word, told in (
        (kept.parent / "notes.txt", "is no question: a question is a .yaml file"),
        (kept / "topic", f"is a folder of the bank {kept}: compare that"),
    ):
        code, shown, said = diff(capsys, word, kept)
        assert (code, shown) == (2, "")
        assert told in said


def test_outside_a_repository_there_are_no_revisions(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    trial.write(NUMERIC)
    code, _, said = diff(capsys, "v1", trial.folder)
    assert code == 2
    assert "no git repository" in said


def test_without_git_the_command_says_so(
    trial: Trial, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trial.write(NUMERIC)
    monkeypatch.setenv("PATH", "")
    code, _, said = diff(capsys, "v1", trial.folder)
    assert code == 3
    assert "git is not installed" in said


def test_nothing_of_an_archive_lands_outside_its_folder(tmp_path: Path) -> None:
    out = BytesIO()
    with tarfile.open(fileobj=out, mode="w") as made:
        for name in ("../up.yaml", "/abs.yaml", "link.yaml", "run.sh", "good/one.yaml"):
            entry = tarfile.TarInfo(name)
            entry.type = tarfile.SYMTYPE if name == "link.yaml" else tarfile.REGTYPE
            entry.linkname = "/etc/passwd"
            made.addfile(entry, BytesIO())
    folder = tmp_path / "in"
    folder.mkdir()
    _unpack(out.getvalue(), folder)
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.yaml")] == ["in/good/one.yaml"]


def test_a_revision_that_looks_like_an_option_is_none(kept: Path, tmp_path: Path) -> None:
    with pytest.raises(RevisionError, match="no revision"):
        extract(kept.parent, "--output=evil", "my-bank", tmp_path)
    assert not (kept.parent / "evil").exists()
