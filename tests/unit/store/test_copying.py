"""A copy is the history as it stood, whatever other programs do, and whichever way it was made."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from quiz.store import Store, copying
from quiz.store.copying import copy
from tests.unit.session.made import series

if TYPE_CHECKING:
    from pathlib import Path

WANTED = [one.id for one in series(40)]


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "history.db"
    with Store.open(path) as store:
        for one in series(20):
            store.append(one)
    return path


def copied(history: Path, target: Path) -> list[str]:
    with closing(sqlite3.connect(history, isolation_level=None)) as connection:
        assert copy(connection, target) == ()
    with Store.open(target, read_only=True) as store:
        assert store.integrity() == ()
        return [event.id for event in store.events()]


def test_a_copy_holds_what_still_lay_in_the_log(history: Path, tmp_path: Path) -> None:
    with Store.open(history, backup=False) as other:
        other.append(series(21)[20])
        assert copied(history, tmp_path / "copy.db") == WANTED[:21]
        other.append(series(22)[21])
        assert copied(history, tmp_path / "copy.db") == WANTED[:22]


def test_a_copy_beside_a_reader_that_keeps_the_log_is_whole_too(history: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(history, isolation_level=None)) as reader, Store.open(history, backup=False) as other:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM events").fetchone() == (20,)
        other.append(series(21)[20])
        assert copied(history, tmp_path / "copy.db") == WANTED[:21]


@pytest.mark.skipif(not hasattr(os, "copy_file_range"), reason="the system does not copy files by itself")
def test_what_others_store_while_the_file_is_copied_stays_out_of_the_copy_and_in_the_history(
    history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.copy_file_range
    with Store.open(history, backup=False) as other:

        def slow(source: int, target: int, count: int, start: int, to: int) -> int:
            for one in series(40)[20:]:
                other.append(one)
            with closing(sqlite3.connect(history, isolation_level=None, timeout=0)) as tidy:
                tidy.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            return real(source, target, min(count, 5_000), start, to)

        monkeypatch.setattr(os, "copy_file_range", slow)
        assert copied(history, tmp_path / "copy.db") == WANTED[:20]
        assert [event.id for event in other.events()] == WANTED


@pytest.mark.skipif(not hasattr(os, "copy_file_range"), reason="the system does not copy files by itself")
@pytest.mark.parametrize("failing", [errno.EXDEV, errno.ENOSYS, errno.ENOSPC, 0])
def test_where_the_system_does_not_copy_the_file_sqlite_does(
    history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    def refuse(_source: int, target: int, count: int, *_: int) -> int:
        if failing:
            raise OSError(failing, os.strerror(failing))
        return os.pwrite(target, bytes(count), 0)  # it says so, and wrote something else

    monkeypatch.setattr(os, "copy_file_range", refuse)
    assert copied(history, tmp_path / "copy.db") == WANTED[:20]


@pytest.mark.skipif(not hasattr(os, "copy_file_range"), reason="the system does not copy files by itself")
@pytest.mark.parametrize("wrong", [None, 0, 1, -1])
def test_a_copy_in_many_pieces_is_whole_and_one_wrong_byte_in_any_piece_is_noticed(
    history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: int | None
) -> None:
    """Then SQLite copies, page by page."""
    real, piece = os.copy_file_range, 10_000
    size = history.stat().st_size
    places = range(0, size, piece)
    by_file: list[int] = []

    def copied_piece(source: int, target: int, count: int, start: int, to: int) -> int:
        moved = real(source, target, count, start, to)
        by_file.append(start)
        if wrong is not None and start == places[wrong]:
            last = start + moved - 1
            os.pwrite(target, bytes([os.pread(target, 1, last)[0] ^ 1]), last)
        return moved

    monkeypatch.setattr(copying, "_PIECE", piece)
    monkeypatch.setattr(copying, "_CHUNK", 3_000)
    monkeypatch.setattr(os, "copy_file_range", copied_piece)
    with closing(sqlite3.connect(history, isolation_level=None)) as connection:
        assert copy(connection, tmp_path / "copy.db") == ()
    assert by_file == list(places)[: None if wrong is None else list(places).index(places[wrong]) + 1]
    with Store.open(tmp_path / "copy.db", read_only=True) as store:
        assert store.integrity() == ()
        assert [event.id for event in store.events()] == WANTED[:20]


@pytest.mark.skipif(not hasattr(os, "copy_file_range"), reason="the system does not copy files by itself")
def test_a_damaged_page_is_found_in_the_file_though_the_history_s_own_connection_holds_it_in_memory(
    history: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(history, isolation_level=None)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        assert len(connection.execute("SELECT * FROM events").fetchall()) == 20
        with history.open("rb+") as file:
            file.seek((page - 1) * size)
            file.write(b"\xff" * 64)
        assert len(connection.execute("SELECT * FROM events").fetchall()) == 20
        with pytest.raises(sqlite3.DatabaseError, match="malformed"):
            copy(connection, tmp_path / "copy.db")


def test_the_locks_of_a_history_are_held_after_it_was_copied(history: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(history, isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode = NORMAL")
        assert copy(connection, tmp_path / "copy.db") == ()
        connection.execute("BEGIN IMMEDIATE")
        code = (
            "import sqlite3, sys; one = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None);"
            "one.execute('PRAGMA journal_mode = DELETE')"
        )
        run = subprocess.run([sys.executable, "-c", code, str(history)], capture_output=True, text=True, check=False)
        assert "locked" in run.stderr
        connection.execute("ROLLBACK")


def test_a_copy_that_cannot_be_brought_to_the_disk_is_told(
    history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_number: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with closing(sqlite3.connect(history, isolation_level=None)) as connection:
        monkeypatch.setattr(os, "fsync", refuse)
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            copy(connection, tmp_path / "copy.db")
