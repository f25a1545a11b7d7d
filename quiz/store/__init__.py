"""The learner's history in one SQLite file; the only place that knows SQL.

- `Store.open(path, read_only=False) -> Store`; a context manager; `close()`.
- `append(event) -> Recorded`: durable when it returns; idempotent by event id; a session takes the result.
- `new_id(now) -> str`: the id for the next event. `undo(now, offset) -> Undo | None`.
- `events()`, `cards(bank)`, `settings()`, `attempts_today(day)`, `recent(limit)`, `damaged`, `integrity()`.
- `rebuild()`: every card derived again from the events.
- `StoreError` (`kind`, `code` 3): what, where, why, what next.
- `export.write(store.events(), out)`: JSON Lines.
"""

from __future__ import annotations

from quiz.store.errors import StoreError
from quiz.store.rows import Damaged
from quiz.store.store import Rebuilt, Store, Undo

__all__ = ["Damaged", "Rebuilt", "Store", "StoreError", "Undo"]
