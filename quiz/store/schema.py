"""The tables, and the forward steps from each released schema to the next.

`events` is the history: rows are inserted and never changed or deleted, which triggers hold. The columns
beside `body` and `sum` repeat what the body says, for indexes; they are compared when a row is read.
`cards`, `days`, `mistakes` and `loads` are caches that are written in the same transaction and can be derived again
from the events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.store.packing import pack

if TYPE_CHECKING:
    import sqlite3

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

# Schema 2: texts packed, indexes that hold no more than is asked of them, cards in columns, tallies. The cards and the
# tallies are empty after the step: `quiz.store.derive` fills them, since the store sees that they are not derived.
_SECOND: Final = (
    "DROP TRIGGER IF EXISTS events_are_not_updated",
    "DROP TRIGGER IF EXISTS events_are_not_deleted",
    "DROP TRIGGER IF EXISTS events_are_not_replaced",
    "DROP INDEX IF EXISTS attempts_by_card",
    "DROP INDEX IF EXISTS attempts_by_day",
    "DROP INDEX IF EXISTS events_by_target",
    "DROP INDEX IF EXISTS events_by_kind",
    "DROP TABLE IF EXISTS cards",
    "ALTER TABLE events RENAME TO events_before",
    """
    CREATE TABLE events (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        version INTEGER NOT NULL,
        day TEXT,
        bank TEXT,
        question TEXT,
        generation INTEGER,
        target TEXT,
        body BLOB NOT NULL,
        sum BLOB NOT NULL
    )
    """,
    """
    INSERT INTO events (seq, id, kind, version, day, bank, question, generation, target, body, sum)
    SELECT seq, id, kind, version, day, bank, question, generation, target, packed_body(body), packed_sum(sum)
    FROM events_before ORDER BY seq
    """,
    "DROP TABLE events_before",
    "CREATE INDEX attempts_by_card ON events (question, bank, generation) WHERE kind = 'attempt'",
    "CREATE INDEX events_by_target ON events (target) WHERE target IS NOT NULL",
    "CREATE INDEX events_by_kind ON events (kind, id) WHERE kind <> 'attempt'",
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
        last TEXT NOT NULL,
        last_day TEXT NOT NULL,
        stability REAL NOT NULL,
        difficulty REAL NOT NULL,
        step INTEGER,
        reps INTEGER NOT NULL,
        lapses INTEGER NOT NULL,
        sum BLOB NOT NULL,
        PRIMARY KEY (bank, question, generation)
    ) WITHOUT ROWID
    """,
    # Within a day by the random part of the last answer's id: what a session takes of a day is drawn by it.
    "CREATE INDEX cards_by_day ON cards (bank, due_day, substr(last_event, 11)) WHERE state = 'review'",
    "CREATE INDEX cards_by_time ON cards (bank, due) WHERE state <> 'review'",
    """
    CREATE TABLE tallies (
        bank TEXT NOT NULL,
        question TEXT NOT NULL,
        name TEXT NOT NULL,
        key TEXT NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (bank, name, question, key)
    ) WITHOUT ROWID
    """,
    # How many reviews come due on each day.
    """
    CREATE TABLE loads (
        bank TEXT NOT NULL,
        day TEXT NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (bank, day)
    ) WITHOUT ROWID
    """,
    # Which questions of a bank, as it stood when it was looked at, were never answered, in the order for asking them.
    "CREATE TABLE shelves (bank TEXT PRIMARY KEY, mark TEXT NOT NULL) WITHOUT ROWID",
    """
    CREATE TABLE unseen (
        bank TEXT NOT NULL,
        question TEXT NOT NULL,
        generation INTEGER NOT NULL,
        place INTEGER NOT NULL,
        PRIMARY KEY (bank, question, generation)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX unseen_by_place ON unseen (bank, place)",
)

# Schema 3: what an answer writes lies on fewer pages. A card holds its own counters, a day all of its own in one text,
# the load of 64 days stands in one row; days are numbers, as `date.toordinal` counts them. The caches are empty after
# the step, as after the one before.
_THIRD: Final = (
    "DROP TABLE IF EXISTS cards",
    "DROP TABLE IF EXISTS tallies",
    "DROP TABLE IF EXISTS loads",
    """
    CREATE TABLE cards (
        bank TEXT NOT NULL,
        question TEXT NOT NULL,
        generation INTEGER NOT NULL,
        last_event TEXT NOT NULL,
        state TEXT NOT NULL,
        due TEXT NOT NULL,
        due_day INTEGER NOT NULL,
        last TEXT NOT NULL,
        last_day INTEGER NOT NULL,
        stability REAL NOT NULL,
        difficulty REAL NOT NULL,
        step INTEGER,
        reps INTEGER NOT NULL,
        lapses INTEGER NOT NULL,
        ms INTEGER NOT NULL,
        quarter INTEGER NOT NULL,
        passed INTEGER NOT NULL,
        failed INTEGER NOT NULL,
        passed_before INTEGER NOT NULL,
        failed_before INTEGER NOT NULL,
        sum BLOB NOT NULL,
        PRIMARY KEY (bank, question, generation)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX cards_by_day ON cards (bank, due_day, substr(last_event, 11)) WHERE state = 'review'",
    "CREATE INDEX cards_by_time ON cards (bank, due) WHERE state <> 'review'",
    # Of few cards; the number is that of `quiz.scheduling.leeches`.
    "CREATE INDEX cards_by_lapses ON cards (bank, lapses) WHERE lapses >= 8",
    # With a rowid: a day's text is longer than what such a table without one keeps on its pages.
    "CREATE TABLE days (bank TEXT NOT NULL, day INTEGER NOT NULL, cells TEXT NOT NULL, PRIMARY KEY (bank, day))",
    """
    CREATE TABLE mistakes (
        bank TEXT NOT NULL,
        what TEXT NOT NULL,
        key TEXT NOT NULL,
        question TEXT NOT NULL,
        quarter TEXT NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (bank, what, key, question, quarter)
    ) WITHOUT ROWID
    """,
    # How many reviews come due on each of the days of a block, as numbers of four bytes.
    """
    CREATE TABLE loads (
        bank TEXT NOT NULL,
        block INTEGER NOT NULL,
        counts BLOB NOT NULL,
        PRIMARY KEY (bank, block)
    ) WITHOUT ROWID
    """,
)

# Schema 4: what a session asks of the reviews that are due stands in their index, and no card is read for it.
_FOURTH: Final = (
    "DROP INDEX IF EXISTS cards_by_day",
    "CREATE INDEX cards_by_day ON cards (bank, state, due_day, sum)",
)

#: The steps: entry n leads from schema n to n + 1. Entries are added, never changed.
MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (_FIRST, _SECOND, _THIRD, _FOURTH)

#: The schema of this program.
SCHEMA: Final = len(MIGRATIONS)

#: What the caches are derived by. Raised where the fold, the memory model or the tallies give other figures than
#: before: then the next opening derives them again.
DERIVATION: Final = "3"


def is_derived(connection: sqlite3.Connection) -> bool:
    """Tell whether the caches were derived as this program does it."""
    row = connection.execute("SELECT value FROM meta WHERE name = 'derivation'").fetchone()
    return row is not None and row[0] == DERIVATION


def mark_derived(connection: sqlite3.Connection) -> None:
    """Say that the caches are derived as this program does it."""
    connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES ('derivation', ?)", (DERIVATION,))


def stamp() -> tuple[str, str]:
    """Return the statements that mark a file as ours, at this program's schema."""
    return f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {SCHEMA}"


def teach(connection: sqlite3.Connection) -> None:
    """Give a connection the functions that the steps use."""
    connection.create_function("packed_body", 1, _packed_body, deterministic=True)
    connection.create_function("packed_sum", 1, _packed_sum, deterministic=True)


def packed(body: object, stated: object) -> tuple[bytes, bytes]:
    """Return text and checksum of a row of the first schema as the second holds them."""
    return _packed_body(body), _packed_sum(stated)


def _packed_body(body: object) -> bytes:
    """What is no text was damaged before: it is kept as it is, and no reader takes it for an event."""
    if isinstance(body, str):
        return pack(body.encode("utf-8", "surrogatepass"))
    return body if isinstance(body, bytes) else b""


def _packed_sum(stated: object) -> bytes:
    try:
        return bytes.fromhex(stated) if isinstance(stated, str) else b""
    except ValueError:
        return b""
