"""A question that gets another id says which it had: compared with the last commit."""

from __future__ import annotations

import subprocess
from datetime import date
from typing import TYPE_CHECKING

import pytest

from quiz.authoring import former
from quiz.authoring.lint import lint
from quiz.cli.entry import main
from tests.trial_bank import MANIFEST, NUMERIC, OPEN, SOURCES

if TYPE_CHECKING:
    from pathlib import Path

TODAY = date(2026, 11, 30)


@pytest.fixture
def committed(tmp_path: Path) -> Path:
    """A bank of one question, committed."""
    (tmp_path / "bank.yaml").write_text(MANIFEST)
    (tmp_path / "sources.yaml").write_text(SOURCES)
    (tmp_path / "one.yaml").write_text(OPEN)
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "One"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return tmp_path


def ids_told(folder: Path) -> list[tuple[str, str, str]]:
    found = lint(folder, TODAY, workers=1).diagnostics
    return [(one.code, one.severity, one.place.file) for one in found if one.code.startswith("id-")]


def test_an_unchanged_question_is_not_told_of(committed: Path) -> None:
    assert ids_told(committed) == []


def test_a_changed_id_is_an_error_until_the_former_one_is_named(committed: Path) -> None:
    (committed / "one.yaml").write_text(OPEN.replace("say-it", "tell-it"))
    assert ids_told(committed) == [("id-changed", "error", "one.yaml")]
    (committed / "one.yaml").write_text(OPEN.replace("say-it", "tell-it\nrenamed_from: [say-it]"))
    assert ids_told(committed) == []


def test_a_question_that_is_gone_is_a_warning_and_one_that_moved_is_not(committed: Path) -> None:
    (committed / "one.yaml").rename(committed / "two.yaml")
    assert ids_told(committed) == []
    (committed / "two.yaml").write_text(NUMERIC)
    assert ids_told(committed) == [("id-lost", "warning", "one.yaml")]


def test_the_banks_own_id_is_no_question(committed: Path) -> None:
    (committed / "bank.yaml").write_text(MANIFEST.replace("A trial", "Another title"))
    assert ids_told(committed) == []


def test_a_question_that_moved_and_got_another_id_is_still_known_by_its_lines(committed: Path) -> None:
    (committed / "one.yaml").unlink()
    text = OPEN.replace("say-it", "tell-it")
    (committed / "two.yaml").write_text(text)
    assert ids_told(committed) == [("id-changed", "error", "two.yaml")]
    subprocess.run(["git", "add", "-A"], cwd=committed, check=True)  # git takes it for a rename then
    assert ids_told(committed) == [("id-changed", "error", "two.yaml")]
    (committed / "two.yaml").write_text(text.replace("tell-it", "tell-it\nrenamed_from: [say-it]"))
    assert ids_told(committed) == []


def test_what_a_file_was_is_read_only_where_its_id_line_changed(
    committed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An author changes dozens of files between two commits, and each reading is a process of its own."""
    read: list[str] = []
    real = former._committed

    def counted(folder: Path, name: str, since: str) -> str:
        read.append(name)
        return real(folder, name, since)

    monkeypatch.setattr(former, "_committed", counted)
    (committed / "one.yaml").write_text(OPEN + "generation: 1\n")
    assert (ids_told(committed), read) == ([], [])
    (committed / "one.yaml").write_text(OPEN.replace("id: say-it", "id: 'say-it'"))
    assert (ids_told(committed), read) == ([], ["one.yaml"])


def commit(folder: Path, message: str) -> None:
    for words in (["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", message]):
        subprocess.run(["git", *words], cwd=folder, check=True)


def test_two_questions_that_change_ids_with_each_other_are_both_told(committed: Path) -> None:
    """Each id is still there, and yet whoever answered one question would be shown to have answered the other."""
    (committed / "two.yaml").write_text(NUMERIC)
    commit(committed, "Two")
    (committed / "one.yaml").write_text(OPEN.replace("id: say-it", "id: how-often"))
    (committed / "two.yaml").write_text(NUMERIC.replace("id: how-often", "id: say-it"))
    assert ids_told(committed) == [("id-changed", "error", "one.yaml"), ("id-changed", "error", "two.yaml")]
    (committed / "one.yaml").write_text(NUMERIC)  # the files change names instead
    (committed / "two.yaml").write_text(OPEN)
    assert ids_told(committed) == []


def test_a_changed_id_that_was_committed_is_found_from_where_the_branch_began(
    committed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a job on a pull request sees it: the last commit has the new id, the branch to which it goes the old one."""
    subprocess.run(["git", "branch", "-q", "base"], cwd=committed, check=True)
    (committed / "one.yaml").write_text(OPEN.replace("say-it", "tell-it"))
    commit(committed, "Rename")
    assert ids_told(committed) == []
    since = former.base_of(committed, "base")
    found = lint(committed, TODAY, workers=1, since=since).diagnostics
    assert [one.code for one in found if one.code.startswith("id-")] == ["id-changed"]
    assert main(["author", "lint", "--no-cache", "--since", "base", str(committed)]) == 1
    assert "id-changed" in capsys.readouterr().out
    assert main(["author", "lint", "--no-cache", "--since", "nowhere", str(committed)]) == 2
    assert "--since nowhere: git finds no commit" in capsys.readouterr().err


def test_a_bank_in_no_repository_is_told_so_where_a_commit_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bank.yaml").write_text(MANIFEST)
    assert main(["author", "lint", "--no-cache", "--since", "base", str(tmp_path)]) == 2
    assert f"--since base: {tmp_path} lies in no git repository" in capsys.readouterr().err
