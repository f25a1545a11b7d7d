"""Beginning a history beside other programs, and never taking a lost history for a new one."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from quiz.store import Store, StoreError, connection
from quiz.store.begin import begin, make
from quiz.store.schema import SCHEMA
from tests.unit.session.made import attempt, series

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.db"


def fill_as_another_program(path: Path) -> None:
    """Make the tables in one commit; a lock that is held makes it wait, which here means: not now."""
    other = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        connection._prepare(other, path, 0)
    except sqlite3.OperationalError:
        return
    finally:
        other.close()


@pytest.mark.parametrize("logged", [True, False])
@pytest.mark.parametrize("moment", range(20))
def test_another_program_may_fill_the_file_between_any_two_statements_of_ours(
    path: Path,
    moment: int,
    logged: bool,  # noqa: FBT001
) -> None:
    """What is read of the file to tell whose it is belongs to one moment: half of it may not be older."""
    path.parent.mkdir()
    path.touch()
    if logged:
        first = sqlite3.connect(path)
        first.execute("PRAGMA journal_mode = WAL")
        first.close()
    ours = sqlite3.connect(path, timeout=0, isolation_level=None)
    seen: list[str] = []

    def before(statement: str) -> None:
        seen.append(statement)
        if len(seen) == moment + 1:
            fill_as_another_program(path)

    ours.set_trace_callback(before)
    connection._prepare(ours, path, 0)
    ours.set_trace_callback(None)
    assert connection.owner(ours, path, 0) == SCHEMA
    assert ours.execute("SELECT count(*) FROM events").fetchone() == (0,)
    ours.close()
    assert {"PRAGMA user_version", "PRAGMA application_id"} <= set(seen)


def test_a_new_history_is_never_seen_without_its_tables(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the moment in which it gets its name there is no file; then it is whole."""
    states: list[object] = []

    def watched(part: Path) -> None:
        make(part)
        states.append(path.exists())

    monkeypatch.setattr("quiz.store.begin.make", watched)
    path.parent.mkdir()
    begin(path)
    assert states == [False]
    with Store.open(path, read_only=True) as store:
        assert list(store.events()) == []
    assert [one.name for one in path.parent.iterdir() if one.name.endswith(".new")] == []
    assert path.stat().st_mode & 0o077 == 0


def test_of_two_programs_that_begin_a_history_one_file_stands(path: Path) -> None:
    with Store.open(path) as store:
        store.append(series(1)[0])
        begin(path)
        store.append(series(2)[1])
    with Store.open(path) as store:
        assert len(list(store.events())) == 2


def test_a_history_begins_where_the_file_system_knows_no_links(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("pathlib.Path.hardlink_to", refuse)
    with Store.open(path) as store:
        store.append(series(1)[0])
    assert [one.name for one in path.parent.iterdir()] == ["history.db"]


def test_a_file_that_grows_between_two_looks_is_not_called_cut_short(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that is being written back leaves, for a moment, a header that is ahead of the file."""
    with Store.open(path) as store:
        store.append(series(1)[0])
    whole = connection._look(path)
    looks = [(whole[0], whole[1] - 4_096, True), whole]
    monkeypatch.setattr(connection, "_head", lambda _: looks[0][:2])
    monkeypatch.setattr(connection, "_look", lambda _: looks.pop(0))
    with Store.open(path) as store:
        assert len(list(store.events())) == 1
    assert looks == []


def test_an_empty_file_with_nothing_beside_it_begins_anew_and_says_so(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with Store.open(path) as store:
        (told,) = store.notices
        assert "was empty (0 bytes)" in told
        assert str(path) in told
    with Store.open(path) as store:
        assert store.notices == ()


def test_an_empty_file_that_becomes_a_history_is_its_owners_only(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    path.chmod(0o644)
    with Store.open(path) as store:
        store.append(attempt())
        modes = {one.name: one.stat().st_mode & 0o777 for one in path.parent.iterdir() if one.is_file()}
    assert modes == dict.fromkeys(("history.db", "history.db-shm", "history.db-wal"), 0o600)


def test_a_missing_file_with_nothing_beside_it_is_a_newcomers_and_says_nothing(path: Path) -> None:
    with Store.open(path) as store:
        assert store.notices == ()


def test_an_empty_file_cannot_be_read(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with pytest.raises(StoreError, match="it is empty") as refused:
        Store.open(path, read_only=True)
    assert refused.value.kind == "missing"
    assert path.stat().st_size == 0


@pytest.mark.parametrize("beside", ["history.db-wal", "history.db-journal", "backups/history-2026-01-05.db"])
@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("read_only", [True, False])
def test_a_history_that_is_lost_is_not_begun_anew(
    path: Path,
    beside: str,
    there: bool,  # noqa: FBT001
    read_only: bool,  # noqa: FBT001
) -> None:
    """Its file is empty or missing, but its log or a backup is there: refused, with advice, and nothing is touched."""
    left = path.parent / beside
    left.parent.mkdir(parents=True)
    left.write_bytes(b"answers")
    if there:
        path.touch()
    with pytest.raises(StoreError) as refused:
        Store.open(path, read_only=read_only)
    assert refused.value.kind == "lost"
    assert ("shardwise history restore" in str(refused.value)) == beside.startswith("backups")
    # What is no whole backup is not offered as one.
    assert ("is not whole" if beside.startswith("backups") else "anew") in refused.value.advice
    assert left.read_bytes() == b"answers"
    assert path.exists() == there
