"""Work beside work: another thread, and for it the same state of a history by a connection of its own."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: What tells one state of a history from another: each change of it begins with an event.
_STATE: Final = "SELECT (SELECT max(seq) FROM events), (SELECT value FROM meta WHERE name = 'derivation')"


@contextmanager
def beside(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection | None]:
    """Open the state that a connection sees a second time, and hold both there; None where that cannot be had.

    That is a history in memory, one in the middle of a transaction, one that is read where nothing can be written, or
    one into which another program writes at this very moment.

    Raises:
        sqlite3.Error: the history cannot be read by the connection that is there.
    """
    name = str(connection.execute("PRAGMA database_list").fetchone()[2])
    if not name or connection.in_transaction:
        yield None
        return
    connection.execute("BEGIN")
    other: sqlite3.Connection | None = None
    try:
        state = connection.execute(_STATE).fetchone()
        try:
            address = f"{Path(name).absolute().as_uri()}?mode=ro"
            other = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
            other.execute("BEGIN")
            same = other.execute(_STATE).fetchone() == state
        except sqlite3.Error:
            same = False  # one connection is enough
        yield other if same else None
    finally:
        if other is not None:
            other.close()
        connection.execute("ROLLBACK")


@contextmanager
def aside(act: Callable[[], object]) -> Iterator[None]:
    """Let another thread do something during a block; what it raised is raised at the end of the block."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            act()
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is waited for
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
    if failed:
        raise failed[0]
