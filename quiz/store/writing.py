"""The history file, open for writing: one transaction at a time, and a backup before the first one of a day."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from quiz.store.connection import identity, transaction
from quiz.store.daily import daily, local_day
from quiz.store.errors import failure
from quiz.store.reading import Reader

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from datetime import date


class Writer(Reader):
    """One history file, open for writing."""

    #: The local day of the last look for a backup; None where none is to be made.
    _looked_on: date | None = None

    def _back_up(self, connection: sqlite3.Connection, today: date | None = None) -> None:
        """Back up at the first write of another day than that of the last look; with `today`, look now and for it.

        Raises StoreError: kind `corrupt`, the history itself is damaged.
        """
        now = local_day()
        if today is None and self._looked_on in (None, now):
            return
        self._looked_on = now
        told, damaged = daily(connection, self.path, today or now)
        self.notices += tuple(one for one in told if one not in self.notices)
        self.named |= set(damaged)

    @contextmanager
    def _writing(self, doing: str) -> Iterator[sqlite3.Connection]:
        if self.read_only:
            raise failure("read-only", doing, self.path, "it was opened for reading only")
        with self._reading(doing) as connection:
            if identity(self.path) != self._identity:
                # SQLite would go on writing to a file that nobody finds again. What lies in its log goes into the
                # file before that, wherever it is now: the log keeps the old name and would be left behind.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                raise failure("moved", doing, self.path, "it is no longer the file that was opened")
            self._back_up(connection)
            try:
                with transaction(connection, self._patience):
                    yield connection
            except BaseException:
                self._known = None  # it may rest on what was rolled back
                raise
