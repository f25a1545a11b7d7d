"""A history in memory that holds nothing: what is shown where none was ever begun, without beginning one."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from quiz.store.begin import refuse_lost
from quiz.store.connection import migrate, transaction
from quiz.store.store import Store

if TYPE_CHECKING:
    from pathlib import Path


def blank(path: Path) -> Store:
    """Return an empty history that cannot be written, in the place of one that is missing.

    Raises:
        StoreError: kind `lost`; there was one, since its backups or its log are there.
    """
    refuse_lost(path)
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    with transaction(connection, 0):
        migrate(connection, path)
    return Store(connection, path, read_only=True, patience=0)
