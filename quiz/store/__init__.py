"""The learner's history in one SQLite file; the only place that knows SQL.

- `Store.open(path, read_only=False) -> Store`; a context manager; `close()`; `notices`: what to tell the learner.
- `append(event) -> Recorded`: durable when it returns; idempotent by event id; a session takes the result.
- `new_id(now) -> str`: the id for the next event. `undo(now, offset) -> Undo | None`.
- `due(bank, day, until)`, `upcoming(bank, day, now)`, `known(bank)`, `card(key)`: what a queue asks for; `cards(bank)`
  and `standings(bank)` hold all of them, `tallies(bank)` the statistics, `forecast(bank)` the reviews by day.
- `events()`, `of_kind(kind)`, `settings()`, `attempts_today(day)`, `recent(limit)`, `counts()`.
- `follow(bank, renamed, now, offset)`: questions that have other names now.
- `damaged`, `integrity()`, `missing()`, `stale()`: what is wrong. `rebuild()`: cards and tallies derived again from the
  events.
- `marks.read(store, bank)`, `marks.put(store, ...)`: what the learner says of questions.
- `merge(events) -> Merged`: events from elsewhere, by their ids.
- `StoreError` (`kind`, `why`, `advice`, `code` 3): what, where, why, what next.
- `export.write(store.events(), out)`, `export.read_line(text)`: JSON Lines.
- `places.backups(path)`; `restore.trouble(path)`, `restore.restore(path)`: a damaged history.
"""

from __future__ import annotations

from quiz.store.errors import StoreError
from quiz.store.merging import Merged
from quiz.store.rows import Damaged
from quiz.store.store import Rebuilt, Store, Undo

__all__ = ["Damaged", "Merged", "Rebuilt", "Store", "StoreError", "Undo"]
