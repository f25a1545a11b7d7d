"""The tables, and the forward steps from each released schema to the next.

`events` is the history: rows are inserted and never changed or deleted, which triggers hold. The columns
beside `body` and `sum` repeat what the body says, for indexes; they are compared when a row is read.
`cards` is a cache that is written in the same transaction and can be derived again from the events.
"""

from __future__ import annotations

from typing import Final

#: Marks a file as ours in its header ("Shwd").
APPLICATION_ID: Final = 0x53687764

_FIRST: Final = (
    """
    CREATE TABLE events (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        version INTEGER NOT NULL,
        time TEXT NOT NULL,
        day TEXT,
        bank TEXT,
        question TEXT,
        generation INTEGER,
        target TEXT,
        body TEXT NOT NULL,
        sum TEXT NOT NULL
    )
    """,
    "CREATE INDEX attempts_by_card ON events (bank, question, generation, id) WHERE kind = 'attempt'",
    "CREATE INDEX attempts_by_day ON events (day, id) WHERE kind = 'attempt'",
    "CREATE INDEX events_by_target ON events (target) WHERE target IS NOT NULL",
    "CREATE INDEX events_by_kind ON events (kind, id)",
    """
    CREATE TRIGGER events_are_not_updated BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are appended and never changed'); END
    """,
    """
    CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are appended and never deleted'); END
    """,
    """
    CREATE TRIGGER events_are_not_replaced BEFORE INSERT ON events
    WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id OR seq = NEW.seq)
    BEGIN SELECT RAISE(ABORT, 'events are appended and never replaced'); END
    """,
    """
    CREATE TABLE cards (
        bank TEXT NOT NULL,
        question TEXT NOT NULL,
        generation INTEGER NOT NULL,
        last_event TEXT NOT NULL,
        state TEXT NOT NULL,
        due TEXT NOT NULL,
        due_day TEXT NOT NULL,
        body TEXT NOT NULL,
        sum TEXT NOT NULL,
        PRIMARY KEY (bank, question, generation)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX cards_by_day ON cards (bank, due_day)",
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)

#: The steps: entry n leads from schema n to n + 1. Entries are added, never changed.
MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (_FIRST,)

#: The schema of this program.
SCHEMA: Final = len(MIGRATIONS)


def stamp() -> tuple[str, str]:
    """Return the statements that mark a file as ours, at this program's schema."""
    return f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {SCHEMA}"
