"""Answers are gone from a file that is sound otherwise: each command says how many, and the advice brings them back."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import date
from typing import TYPE_CHECKING

import pytest

from quiz.cli.entry import main
from quiz.cli.history import history_path
from quiz.store import Store
from quiz.store.places import backups
from tests.unit.session.made import START, series

if TYPE_CHECKING:
    from pathlib import Path

ANSWERS = series(30)
WANTED = [one.id for one in ANSWERS]


@pytest.fixture
def path() -> Path:
    """A history of 30 answers, with a backup of the first 20."""
    path = history_path()
    for first, last, day in ((0, 20, 1), (20, 30, 2)):
        with Store.open(path, today=date(2026, 3, day)) as store:
            for one in ANSWERS[first:last]:
                store.append(one)
    return path


def ids(path: Path) -> list[str]:
    with Store.open(path, read_only=True) as store:
        return [event.id for event in store.events()]


def gone(path: Path, *places: int) -> None:
    """Take rows out of a history, as no command does; what counted them stays."""
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("DROP TRIGGER events_are_not_deleted")
        raw.executemany("DELETE FROM events WHERE seq = ?", [(place,) for place in places])
        raw.commit()


def test_answers_that_are_missing_are_counted_and_brought_back_from_the_backup_that_is_named(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No command calls what is left whole, or sound, or advises to derive the cards from it."""
    (holds,) = (one.path for one in backups(path) if len(ids(one.path)) == 20)
    gone(path, 3, 11)
    counted = "the cards and days counted 30, and 28 can be read"
    assert main(["doctor"]) == 3
    out = capsys.readouterr().out
    assert f"2 answers are missing: {counted}" in out
    assert f"`shardwise history restore` brings them back: {holds} holds them and was read whole" in out
    assert "history rebuild" not in out
    assert main(["history"]) == 1
    assert f"missing  2 answers: {counted}" in capsys.readouterr().out
    assert main(["history", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["missing"] == 2
    assert main(["history", "restore"]) == 0
    assert "Every answer that the damaged file had counted is here." in capsys.readouterr().out
    assert ids(path) == WANTED
    assert main(["doctor"]) == 0
    capsys.readouterr()
    assert main(["history"]) == 0
    assert "missing  " not in capsys.readouterr().out


def test_a_backup_from_before_answers_went_brings_them_back_although_a_later_one_holds_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = history_path()
    with Store.open(path, today=date(2026, 3, 1)) as store:
        for one in ANSWERS[:10]:
            store.append(one)
    Store.open(path, today=date(2026, 3, 2)).close()
    gone(path, 4)
    with Store.open(path, today=date(2026, 3, 2)) as store:
        for one in ANSWERS[10:]:
            store.append(one)
    Store.open(path, today=date(2026, 3, 3)).close()
    assert [len(ids(one.path)) for one in backups(path)][:2] == [29, 10]
    assert main(["history", "restore"]) == 0
    assert "30 events" in capsys.readouterr().out
    assert ids(path) == WANTED


def test_missing_answers_that_no_sound_backup_holds_are_said_to_be_in_none(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A backup that does not pass its checks is none; an answer that was taken back is not missing."""
    gone(path, 3)
    for one in backups(path):
        one.path.write_bytes(one.path.read_bytes()[:-4096])
    assert main(["doctor"]) == 3
    out = capsys.readouterr().out
    assert "1 answer is missing: " in out
    assert "no sound backup holds them. `shardwise history merge FILE`" in out
    assert main(["history", "restore"]) == 0
    assert "Lost: 1 answer that the damaged file had counted." in capsys.readouterr().out
    with Store.open(path) as store:
        assert store.undo(START, 0) is not None
        assert store.missing() is None
    assert list(path.parent.glob("*.aside-*"))
