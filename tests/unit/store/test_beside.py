"""A history is looked at by two threads at once, in one and the same state."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from quiz.store import Store
from quiz.store.beside import aside, beside
from tests.unit.session.made import series

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COUNT = "SELECT count(*) FROM events"


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    path = tmp_path / "history.db"
    with Store.open(path) as store:
        store.merge(series(3))
    with closing(sqlite3.connect(path, isolation_level=None)) as found:
        yield found


def test_both_see_one_state_whatever_another_program_stores_meanwhile(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    with beside(connection) as other, Store.open(tmp_path / "history.db", backup=False) as store:
        assert other is not None
        store.append(series(4)[3])
        assert [one.execute(COUNT).fetchone() for one in (connection, other)] == [(3,), (3,)]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            other.execute("DELETE FROM days")
    assert not connection.in_transaction
    assert connection.execute(COUNT).fetchone() == (4,)


def test_there_is_one_alone_where_another_program_came_between(
    connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = sqlite3.connect

    def late(*args: object, **more: object) -> sqlite3.Connection:
        monkeypatch.undo()
        with Store.open(tmp_path / "history.db", backup=False) as store:
            store.append(series(4)[3])
        return real(*args, **more)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(sqlite3, "connect", late)
    with beside(connection) as other:
        assert other is None
        assert connection.execute(COUNT).fetchone() == (3,)


def test_there_is_one_alone_in_memory_and_within_a_transaction(connection: sqlite3.Connection) -> None:
    with closing(sqlite3.connect(":memory:")) as memory, beside(memory) as other:
        assert other is None
    connection.execute("BEGIN")
    with beside(connection) as other:
        assert other is None
    assert connection.in_transaction


def test_what_another_thread_raises_is_raised_when_the_block_ends() -> None:
    done: list[str] = []
    with pytest.raises(ZeroDivisionError), aside(lambda: 1 / 0):
        done.append("block")
    with aside(lambda: done.append("aside")):
        pass
    assert done == ["block", "aside"]
