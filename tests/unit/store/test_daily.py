"""A backup a day: when one is made, of what, how many stay, and what is said where none can be made."""

from __future__ import annotations

import os
import sqlite3
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from quiz.store import Store, writing
from quiz.store.places import backup_folder, backups
from tests.unit.session.made import series
from tests.unit.store.test_backups import TODAY, WANTED, YESTERDAY, answered, ids

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.db"


def test_the_first_opening_of_a_day_backs_up_what_was_there(path: Path) -> None:
    """Before its first write; later openings of the day add nothing, and an empty history has nothing to keep."""
    answered(path, 0, 3, YESTERDAY)
    assert backups(path) == ()
    answered(path, 3, 5)
    answered(path, 5, 6)
    (made,) = backups(path)
    assert made.day == TODAY
    assert ids(made.path) == WANTED[:3]
    assert made.path.stat().st_mode & 0o077 == 0
    assert [one.name for one in backup_folder(path).iterdir()] == [made.path.name]


def test_a_history_that_stays_open_for_days_is_backed_up_before_the_first_write_of_each(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking makes none; and where one cannot be made, the answer is stored and it is said."""
    days = [YESTERDAY]
    monkeypatch.setattr(writing, "local_day", lambda: days[-1])
    made = series(8)
    with Store.open(path, today=YESTERDAY) as store:
        for one in made[:3]:
            store.append(one)
        days.append(TODAY)
        store.settings()
        assert not backups(path)
        for one in made[3:5]:
            store.append(one)
        days.append(TODAY + timedelta(days=3))
        store.append(made[5])
        kept = [(one.day, ids(one.path)) for one in sorted(backups(path), key=lambda one: one.day)]
        assert kept == [(TODAY, WANTED[:3]), (days[-1], WANTED[:5])]
        assert not store.notices
        backup_folder(path).rename(path.parent / "elsewhere")
        backup_folder(path).write_text("in the way")
        days.append(TODAY + timedelta(days=4))
        for one in made[6:]:
            store.append(one)
        (told,) = store.notices
        assert told.startswith("Today's backup of your history could not be made")
    assert ids(path) == WANTED[:8]


def test_a_backup_is_one_file_that_can_be_read_where_nothing_can_be_written(path: Path) -> None:
    answered(path, 0, 3)
    answered(path, 3, 4, TODAY + timedelta(days=1))
    (made,) = backups(path)
    assert made.path.read_bytes()[18:20] == b"\x01\x01"  # no write-ahead log


def test_seven_backups_stay_and_other_files_are_left_alone(path: Path) -> None:
    answered(path, 0, 1)
    for number in range(12):
        Store.open(path, today=TODAY + timedelta(days=number)).close()
    mine = backup_folder(path) / "history-before-the-move.db"
    mine.write_text("mine")
    Store.open(path, today=TODAY + timedelta(days=12)).close()
    assert [one.day for one in backups(path)] == [TODAY + timedelta(days=12 - number) for number in range(7)]
    assert mine.read_text() == "mine"


def test_a_clock_that_was_wrong_once_does_not_stop_the_backups(path: Path) -> None:
    answered(path, 0, 1)
    for number in range(8):
        Store.open(path, today=date(2099, 1, 1) + timedelta(days=number)).close()
    Store.open(path, today=TODAY).close()
    assert backups(path)[-1].day == TODAY
    assert len(backups(path)) == 7
    for number in range(1, 8):
        Store.open(path, today=TODAY + timedelta(days=number)).close()
    assert [one.day for one in backups(path)] == [TODAY + timedelta(days=7 - number) for number in range(7)]


def test_what_a_killed_program_left_of_a_backup_is_removed_a_day_later(path: Path) -> None:
    answered(path, 0, 1)
    backup_folder(path).mkdir()
    old, young = (backup_folder(path) / f".history-2026-02-0{day}.db.7.part" for day in (1, 2))
    old.touch()
    young.touch()
    os.utime(old, (0, 0))
    Store.open(path, today=TODAY).close()
    assert not old.exists()
    assert young.exists()


def test_a_backup_that_cannot_be_made_is_said_and_answering_goes_on(path: Path) -> None:
    answered(path, 0, 1)
    backup_folder(path).write_text("a file where the folder should be")
    with Store.open(path, today=TODAY) as store:
        (told,) = store.notices
        assert "could not be made" in told
        assert str(backup_folder(path)) in told
        assert not store.append(series(2)[1]).duplicate


def test_a_backup_that_finds_no_room_is_told_in_words(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    answered(path, 0, 1)
    monkeypatch.setattr("quiz.store.daily.copy", full)
    with Store.open(path, today=TODAY) as store:
        (told,) = store.notices
    assert told.endswith(f"{backup_folder(path)}: the disk is full. Your answers are stored all the same.")
