"""`shardwise history`: what the messages about a damaged history advise can be done, and what is taken out comes in."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from datetime import date
from typing import TYPE_CHECKING

import pytest

from quiz import paths
from quiz.cli.entry import main
from quiz.cli.history import history_path
from quiz.session.events import Retraction
from quiz.store import Store, export
from quiz.store.places import backups
from tests.unit.session.made import START, identity, series

if TYPE_CHECKING:
    from pathlib import Path

WANTED = [one.id for one in series(30)]


@pytest.fixture
def path() -> Path:
    """A history of 30 answers on which one more day has begun."""
    path = history_path()
    for first, day in ((0, 1), (20, 2)):
        with Store.open(path, today=date(2026, 3, day)) as store:
            for one in series(first + 20 if not first else 30)[first:]:
                store.append(one)
    return path


def ids(path: Path) -> list[str]:
    with Store.open(path, read_only=True) as store:
        return [event.id for event in store.events()]


def damage(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2 // 4_096 * 4_096)
        file.write(b"\xff" * 8_192)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another machine: its data folder is in force."""
    monkeypatch.setenv("SHARDWISE_DATA", str(tmp_path / "elsewhere"))
    return tmp_path / "elsewhere" / "history.db"


def test_what_is_stored_is_shown(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history"]) == 0
    text = capsys.readouterr().out
    assert main(["history", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["file"] == str(path)
    assert (data["answers"], data["taken_back"], data["cards"]) == (30, 0, 1)
    assert data["first_day"] == "2026-01-05"
    assert data["backups"] == [str(backups(path)[0].path)]
    assert "30, from 2026-01-05 to 2026-02-03" in text
    assert "1 in" in text


@pytest.mark.parametrize("action", [[], ["export"], ["export", "x.jsonl"]])
def test_without_a_history_reading_it_is_refused_and_none_is_begun(
    action: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", *action]) == 3
    assert "there is no history yet" in capsys.readouterr().err
    assert not paths.data_folder().exists()


def test_an_export_goes_to_standard_output_or_into_a_new_file(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "answers.jsonl"
    assert main(["history", "export"]) == 0
    plain = capsys.readouterr().out
    assert main(["history", "export", "-"]) == 0
    assert capsys.readouterr().out == plain
    assert main(["history", "export", str(target)]) == 0
    assert "30 events written" in capsys.readouterr().err
    assert target.read_text() == plain
    assert [export.read_line(line).id for line in plain.splitlines()] == WANTED
    assert main(["history", "export", str(target)]) == 2
    assert "--force" in capsys.readouterr().err
    assert main(["history", "export", "--force", str(target)]) == 0
    assert main(["history", "export", "--force", str(path)]) == 2
    assert "is the history itself" in capsys.readouterr().err
    assert ids(path) == WANTED


def test_an_export_that_cannot_be_written_leaves_nothing(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert path.exists()
    assert main(["history", "export", str(tmp_path / "no" / "folder.jsonl")]) == 3
    assert "cannot be written: no such file or directory" in capsys.readouterr().err
    assert main(["history", "export", str(tmp_path)]) == 2


def test_merging_is_by_event_id_in_any_order_and_as_often_as_you_like(
    path: Path, elsewhere: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From an export, from a history file, and in any order; the cards are those of the whole."""
    with Store.open(path) as store:
        store.append(Retraction(identity(START, 999), START, 60, WANTED[7]))
        wanted = store.cards("core")
        lines = [export.line(event) for event in store.events()]  # type: ignore[arg-type]  # none is damaged
    later, all_of_it = tmp_path / "later.jsonl", tmp_path / "all.jsonl"
    later.write_text("\n".join(reversed(lines[15:])) + "\n\n")
    all_of_it.write_text("\n".join(lines + lines[:3]))
    assert main(["history", "merge", str(later)]) == 0
    assert "16 events added, 0 were here already; 1 card now." in capsys.readouterr().out
    assert main(["history", "import", str(all_of_it), str(path)]) == 0
    assert "15 events added, 50 were here already" in capsys.readouterr().out
    assert sorted(ids(elsewhere)) == sorted(ids(path))
    with Store.open(elsewhere) as store:
        assert store.cards("core") == wanted
        assert store.integrity() == ()
        assert store.stale() == (0, 0)


BAD = {
    "not JSON": "{",
    "no checksum": "{}",
    "a list": "[1]",
    "deep": "[" * 100_000,
    "another checksum": export.line(series(1)[0]).replace("21500", "21501"),
    "not UTF-8": "\udcff",
}


@pytest.mark.parametrize("line", BAD.values(), ids=list(BAD))
def test_a_line_that_cannot_be_trusted_is_named_and_the_others_come_in(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "answers.jsonl"
    good = [export.line(one) for one in series(3)[1:]]
    file.write_bytes("\n".join([good[0], line, good[1]]).encode("utf-8", "surrogateescape"))
    assert main(["history", "merge", str(file)]) == 1
    told = capsys.readouterr()
    assert f"left out: {file}, line 2: " in told.err
    assert "2 events added" in told.out
    assert ids(history_path()) == WANTED[1:3]


def checked(**changes: object) -> str:
    """A line whose checksum is right and whose content no program of ours wrote."""
    from quiz.session.events import checksum

    fields = json.loads(export.line(series(1)[0]))
    del fields["checksum"]
    fields |= changes
    body = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return json.dumps({**fields, "checksum": checksum(body)})


@pytest.mark.parametrize(
    "changes",
    [
        {"bank": "\ud800"},
        {"generation": 1 << 70},
        {"kind": "new", "version": 1 << 70},
        {"time": "yesterday"},
        {"rating": 9},
        {"id": "short"},
        {"id": "7" + "Z" * 25},
        {"version": 2, "retention": 10**400, "placed": False},
    ],
    ids=lambda changes: str(changes)[:40],
)
def test_a_right_checksum_does_not_let_in_what_cannot_be_stored(
    changes: dict[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(checked(**changes))
    assert main(["history", "merge", str(file)]) == 1
    told = capsys.readouterr()
    assert "line 1: " in told.err
    assert "fault" not in told.err
    assert "0 events added" in told.out


def test_a_long_value_is_repeated_in_part_and_of_many_lines_the_number_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join([checked(verdict="v" * 1_000_000), *["no event"] * 40]))
    assert main(["history", "merge", str(file)]) == 1
    told = capsys.readouterr().err.splitlines()
    assert told[0].endswith("v… (1,000,002 characters).")
    assert len(told) == 21
    assert told[-1] == "shardwise: left out: 21 more."


def test_a_byte_order_mark_before_the_first_line_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(export.line(series(1)[0]), "utf-8-sig")
    assert main(["history", "merge", str(file)]) == 0
    assert ids(history_path()) == WANTED[:1]


def test_another_event_under_a_known_id_is_named_and_does_not_replace(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(checked(duration_ms=1))
    assert main(["history", "merge", str(file)]) == 1
    assert f"event {WANTED[0]}: another event has this id here already" in capsys.readouterr().err
    with Store.open(path) as store:
        assert store.stale() == (0, 0)
        assert next(store.events()) == series(1)[0]


def test_a_file_that_cannot_be_read_changes_nothing(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "merge", "no-such-file"]) == 2
    assert "no-such-file cannot be read: no such file or directory" in capsys.readouterr().err
    assert main(["history", "merge", "--help"]) == 0
    assert ids(path) == WANTED


def test_rebuild_says_what_changed(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "rebuild"]) == 0
    assert capsys.readouterr().out == "1 card derived, 0 of them changed.\n"
    with Store.open(path) as store:
        store._connection.execute("UPDATE cards SET due = 'never'")
    assert main(["doctor"]) == 3
    assert "`shardwise history rebuild`" in capsys.readouterr().out
    assert main(["history", "rebuild"]) == 0
    assert "1 of them changed" in capsys.readouterr().out
    assert main(["doctor"]) == 0


def test_a_damaged_history_is_put_right_as_the_message_says(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damage(path)
    assert main(["doctor"]) == 3
    assert "`shardwise history restore`" in capsys.readouterr().out
    assert main(["history", "restore"]) == 0
    told = capsys.readouterr().out
    assert str(backups(path)[-1].path) in told
    (aside,) = (one for one in path.parent.glob("*.aside-*") if not one.name.endswith(("-wal", "-shm")))
    assert str(aside) in told
    assert main(["doctor"]) == 0
    assert set(WANTED[:20]) <= set(ids(path)) <= set(WANTED)


def test_a_sound_history_is_replaced_only_by_a_file_that_is_named(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", "restore"]) == 2
    assert "is sound" in capsys.readouterr().err
    assert main(["history", "restore", "no-such-file"]) == 2
    assert "there is no file no-such-file" in capsys.readouterr().err
    assert ids(path) == WANTED
    assert main(["history", "restore", str(backups(path)[0].path)]) == 0
    assert "20 events" in capsys.readouterr().out
    assert ids(path) == WANTED[:20]


def test_what_is_no_backup_is_refused_with_advice_about_it(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Moving the history aside, or another data folder, would not help."""
    before = path.read_bytes()
    text = tmp_path / "notes.txt"
    text.write_text("no database")
    for file, why in ((text, "cannot be restored from: it is not a database"), (path, "is the history itself")):
        assert main(["history", "restore", str(file)]) == 2
        told = capsys.readouterr().err
        assert f"{file} {why}. Nothing was changed. Name a backup; they lie in {path.parent / 'backups'}." in told
    assert path.read_bytes() == before


def test_a_newer_history_is_not_replaced_without_being_asked(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(path) as store:
        store._connection.execute("PRAGMA user_version = 99")
    content = path.read_bytes()
    assert main(["history", "restore"]) == 3
    assert "Update Shardwise" in capsys.readouterr().err
    assert path.read_bytes() == content


def test_a_newer_history_of_elsewhere_is_not_merged(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    newer = path.with_name("newer.db")
    with Store.open(newer) as store:
        store.append(series(30)[29])
        store._connection.execute("PRAGMA user_version = 99")
    before = ids(path)
    assert main(["history", "merge", str(newer)]) == 3
    told = capsys.readouterr().err
    assert f"{newer}: " in told
    assert "Update Shardwise" in told
    assert ids(path) == before


def test_a_missing_history_with_backups_is_not_begun_anew(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for one in path.parent.glob("history.db*"):
        one.unlink()
    assert main(["history", "rebuild"]) == 3
    assert "it is missing, but there are backups of it" in capsys.readouterr().err
    assert main(["history", "restore"]) == 0
    assert ids(path) == WANTED[:20]


def test_nothing_of_it_is_readable_by_others(path: Path) -> None:
    files = [one for one in path.parent.rglob("*") if one.is_file()]
    assert len(files) >= 2
    assert all(one.stat().st_mode & 0o077 == 0 for one in files)


def test_a_database_of_another_program_brings_nothing_in_and_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE notes (text)")
    connection.close()
    assert main(["history", "merge", str(other)]) == 1
    assert f"{other}: it is a database, and no event in it can be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"root:x:0:0:\n" * 25, "line 1: it is not JSON"),
        (b'\n{"id": 1}\n[]\n', "line 2: it is no line of an export: it has no checksum"),
        (b"\xff\xfe" * 99, "line 1: it is not UTF-8 text"),
    ],
)
def test_a_file_that_is_no_export_is_said_once_and_brings_nothing_in(
    content: bytes, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, other = tmp_path / "answers.jsonl", tmp_path / "other"
    good.write_text(export.line(series(1)[0]))
    other.write_bytes(content)
    assert main(["history", "merge", str(good), str(other)]) == 2
    told = capsys.readouterr()
    assert not told.out
    assert len(told.err.splitlines()) == 1
    assert f"{other} is no export of a history: not one line is an event; {why}" in told.err
    assert not history_path().exists()


def test_doctor_and_restore_say_how_many_answers_a_cut_history_has_lost(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a backup; what both say is below the truth by a few at most."""
    path = history_path()
    with Store.open(path, today=date(2026, 3, 1)) as store:
        for one in series(300):
            store.append(one)
    os.truncate(path, path.stat().st_size * 6 // 10)
    assert main(["doctor"]) == 3
    doctor = capsys.readouterr().out
    assert main(["history", "restore"]) == 0
    said = capsys.readouterr().out
    here = len(ids(path))
    assert f"{here} answers can still be read, and " in doctor
    (told,) = re.findall(r"can still be read, and (\d+) ", doctor)
    assert f"Lost: {told} " in said
    assert 0 <= 300 - here - int(told) < 20
