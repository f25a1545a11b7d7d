"""`shardwise doctor` says what is there, what is missing and what to do about it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from quiz import paths
from quiz.cli import doctor
from quiz.cli.entry import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundled bank of one question."""
    folder = tmp_path / "bank"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory" / "one.yaml").touch()
    monkeypatch.setattr(paths, "bundled_bank", lambda: folder)
    return folder


def report(capsys: pytest.CaptureFixture[str], *, code: int = 0) -> dict[str, dict[str, str]]:
    assert main(["doctor", "--json"]) == code
    shown, said = capsys.readouterr()
    assert said == ""
    found = json.loads(shown)
    assert isinstance(found, dict)
    return found


@pytest.mark.usefixtures("bank")
def test_what_is_optional_and_absent_is_no_problem(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    found = report(capsys)
    assert found["torch"]["state"] == "absent"
    assert "shardwise[drill]" in found["torch"]["advice"]


def test_json_and_text_say_the_same(bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys)
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    for subject, finding in found.items():
        assert subject in text
        assert finding["value"] in text
    assert found["bundled bank"]["value"] == f"{bank} (1 question files)"


def test_an_empty_bank_is_a_problem(bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (bank / "memory" / "one.yaml").unlink()
    assert report(capsys, code=3)["bundled bank"]["state"] == "problem"


def test_a_missing_bank_is_a_problem(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def missing() -> Path:
        message = "the bundled questions are missing"
        raise paths.BankMissingError(message)

    monkeypatch.setattr(paths, "bundled_bank", missing)
    assert "missing" in report(capsys, code=3)["bundled bank"]["value"]


@pytest.mark.usefixtures("bank")
def test_a_data_folder_under_a_file_is_a_problem_with_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SHARDWISE_DATA", str(tmp_path / "file" / "data"))
    assert "is a file" in report(capsys, code=3)["data folder"]["advice"]


@pytest.mark.usefixtures("bank")
def test_looking_makes_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "not made yet" in report(capsys)["data folder"]["value"]
    assert not (tmp_path / "data").exists()


@pytest.mark.usefixtures("bank")
def test_a_needed_package_that_is_missing_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "_NEEDED", ("no-such-package-here",))
    assert report(capsys, code=3)["no-such-package-here"]["state"] == "problem"
