"""What is read of many rows at once is what the rows say, or is refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from quiz.store import columns


def column(*values: object) -> str:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (value)")
        connection.executemany("INSERT INTO t VALUES (?)", [(value,) for value in values])
        return str(connection.execute("SELECT json_group_array(value) FROM t").fetchone()[0])


def test_texts_and_numbers_come_back_as_they_stand_in_the_rows() -> None:
    texts = ["pp-1", 'a "quoted" one', "tab\tand\x1f", "é漢\U0001f600", ""]
    assert columns.names(column(*texts)) == texts
    numbers = [0, -1, 1 << 53, (1 << 63) - 1]
    assert columns.numbers(column(*numbers)) == numbers
    assert columns.names(column()) == []
    assert columns.numbers(column()) == []


@pytest.mark.parametrize("value", [None, 1.5, "12"])
def test_a_column_with_something_else_in_it_is_damaged(value: object) -> None:
    with pytest.raises(sqlite3.DatabaseError, match="damaged"):
        columns.numbers(column(1, value))


def test_a_name_that_is_no_text_is_damaged() -> None:
    with pytest.raises(sqlite3.DatabaseError, match="damaged"):
        columns.names(column("one", 2))
