"""`shardwise doctor` says what is there, what is missing and what to do about it."""

from __future__ import annotations

import json
import os
import sqlite3
from typing import TYPE_CHECKING

import pytest

from quiz import paths
from quiz.cli import doctor
from quiz.cli.entry import main
from quiz.cli.history import history_path
from quiz.session.events import Retraction
from quiz.store import Store
from quiz.store.places import backups, companions
from tests.unit.session.made import START, identity, series

if TYPE_CHECKING:
    from collections.abc import Callable
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
    assert found["bundled bank"]["value"] == f"{bank} (1 question file)"


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


def begun(answers: int = 5) -> Path:
    """A history with answers."""
    with Store.open(history_path()) as store:
        for one in series(answers):
            store.append(one)
    return history_path()


@pytest.mark.usefixtures("bank")
def test_a_sound_history_and_its_backups_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    path = begun()
    Store.open(path).close()
    found = report(capsys)
    assert found["history"]["state"] == "ok"
    assert "5 answers, 1 card, every checksum right" in found["history"]["value"]
    assert found["backups"]["state"] == "ok"
    assert "(5 answers)" in found["backups"]["value"]


@pytest.mark.usefixtures("bank")
def test_a_history_that_others_can_read_is_a_problem(capsys: pytest.CaptureFixture[str]) -> None:
    path = begun()
    path.chmod(0o644)
    found = report(capsys, code=3)["history"]
    assert (found["state"], found["value"]) == ("problem", f"{path}: others on this machine can read it")
    assert found["advice"] == f"chmod 600 {path}"
    path.chmod(0o600)
    assert report(capsys)["history"]["state"] == "ok"


@pytest.mark.usefixtures("bank")
def test_no_history_yet_is_no_problem(capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys)
    assert (found["history"]["state"], found["backups"]["state"]) == ("absent", "absent")


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def overwritten(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4_096)
        file.write(b"\xff" * 4_096)


def altered(path: Path) -> None:
    """One byte of one answer."""
    connection = sqlite3.connect(path)
    (body,) = connection.execute("SELECT body FROM events WHERE seq = 3").fetchone()
    connection.close()
    content = path.read_bytes()
    assert content.count(body)
    path.write_bytes(content.replace(body, body[:40] + bytes([body[40] ^ 1]) + body[41:]))


def newer(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[63] = 99  # user_version
    path.write_bytes(content)


def a_text(path: Path) -> None:
    path.write_text("my notes\n" * 99)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.usefixtures("bank")
@pytest.mark.parametrize(
    ("harm", "says", "advises"),
    [
        (truncated, "it is cut short", "history restore"),
        (overwritten, "damaged", "history restore"),
        (altered, "its checksum does not match", "history restore"),
        (newer, "a newer Shardwise wrote it (schema 99", "Update Shardwise"),
        (a_text, "it is not a database", "Move it aside"),
        (emptied, "it is empty (0 bytes)", "put your copy of the file back"),
    ],
)
def test_a_history_that_cannot_be_used_is_a_problem_with_advice(
    harm: Callable[[Path], None], says: str, advises: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = begun()
    harm(path)
    content = path.read_bytes()
    found = report(capsys, code=3)["history"]
    assert found["state"] == "problem"
    assert says in found["value"]
    assert advises in found["advice"]
    assert path.read_bytes() == content


@pytest.mark.usefixtures("bank")
def test_a_broken_backup_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    path = begun()
    Store.open(path).close()
    (made,) = backups(path)
    truncated(made.path)
    found = report(capsys, code=3)
    assert found["history"]["state"] == "ok"
    assert found["backups"]["state"] == "problem"
    assert made.path.name in found["backups"]["advice"]


@pytest.mark.usefixtures("bank")
def test_a_missing_history_with_backups_is_a_problem(capsys: pytest.CaptureFixture[str]) -> None:
    path = begun()
    Store.open(path).close()
    path.unlink()
    for one in companions(path):
        one.unlink()
    found = report(capsys, code=3)["history"]
    assert "it is missing, but there are backups of it" in found["value"]
    assert "`shardwise history restore`" in found["advice"]


@pytest.mark.usefixtures("bank")
def test_amendments_without_their_answers_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    path = begun()
    with Store.open(path) as store:
        store.append(Retraction(store.new_id(START), START, 0, identity(START, 77)))
    found = report(capsys)["history"]
    assert found["state"] == "ok"
    assert "1 amendment to answers that are not here" in found["value"]


@pytest.mark.usefixtures("bank")
def test_an_index_that_does_not_go_with_its_table_is_a_problem(capsys: pytest.CaptureFixture[str]) -> None:
    """SQLite's quick check does not count the one against the other."""
    path = begun()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA writable_schema = ON")
    changed = connection.execute(
        "UPDATE sqlite_master SET sql = replace(sql, '(question, bank', '(bank, question')"
        " WHERE name = 'attempts_by_card' AND sql LIKE '%(question, bank%'"
    ).rowcount
    connection.close()
    assert changed == 1
    found = report(capsys, code=3)["history"]
    assert "attempts_by_card" in found["value"]


@pytest.mark.usefixtures("bank")
def test_caches_that_are_not_what_the_answers_say_are_a_problem_that_rebuild_mends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = begun()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE days SET cells = replace(cells, 'new', 'now')")
    connection.commit()
    connection.close()
    found = report(capsys, code=3)["history"]
    assert "0 cards and 1 tally are not what the answers say" in found["value"]
    assert main(["history", "rebuild"]) == 0
    capsys.readouterr()
    assert report(capsys)["history"]["state"] == "ok"
