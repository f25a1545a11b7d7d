"""A question that gets another id says which it had: compared with the last commit."""

from __future__ import annotations

import subprocess
from datetime import date
from typing import TYPE_CHECKING

import pytest

from quiz.authoring import former
from quiz.authoring.lint import lint
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

    def counted(folder: Path, name: str) -> str:
        read.append(name)
        return real(folder, name)

    monkeypatch.setattr(former, "_committed", counted)
    (committed / "one.yaml").write_text(OPEN + "generation: 1\n")
    assert (ids_told(committed), read) == ([], [])
    (committed / "one.yaml").write_text(OPEN.replace("id: say-it", "id: 'say-it'"))
    assert (ids_told(committed), read) == ([], ["one.yaml"])
