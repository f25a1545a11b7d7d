"""A history of each released schema is brought up to date, after a backup of it."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

import pytest

from quiz.session.events import Retraction, canonical, checksum
from quiz.session.wire import instant_text
from quiz.store import Damaged, Store, StoreError
from quiz.store.places import backups
from quiz.store.restore import restore
from quiz.store.salvage import events as salvaged
from quiz.store.schema import SCHEMA
from tests.unit.session.made import START, identity, series

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.session.attempt import Attempt

# The first schema, as the release wrote it.
FIRST = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, version INTEGER NOT NULL, time TEXT NOT NULL,
    day TEXT, bank TEXT, question TEXT, generation INTEGER, target TEXT, body TEXT NOT NULL, sum TEXT NOT NULL
);
CREATE INDEX attempts_by_card ON events (bank, question, generation, id) WHERE kind = 'attempt';
CREATE INDEX attempts_by_day ON events (day, id) WHERE kind = 'attempt';
CREATE INDEX events_by_target ON events (target) WHERE target IS NOT NULL;
CREATE INDEX events_by_kind ON events (kind, id);
CREATE TRIGGER events_are_not_updated BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are appended and never changed'); END;
CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are appended and never deleted'); END;
CREATE TRIGGER events_are_not_replaced BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id OR seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'events are appended and never replaced'); END;
CREATE TABLE cards (
    bank TEXT NOT NULL, question TEXT NOT NULL, generation INTEGER NOT NULL, last_event TEXT NOT NULL,
    state TEXT NOT NULL, due TEXT NOT NULL, due_day TEXT NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL,
    PRIMARY KEY (bank, question, generation)
) WITHOUT ROWID;
CREATE INDEX cards_by_day ON cards (bank, due_day);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA application_id = 1399355236;
PRAGMA user_version = 1;
PRAGMA journal_mode = WAL;
"""

# What the second schema had beside what it shares with this one.
SECOND = """
DROP TABLE cards; DROP TABLE days; DROP TABLE mistakes; DROP TABLE loads;
CREATE TABLE cards (
    bank TEXT NOT NULL, question TEXT NOT NULL, generation INTEGER NOT NULL, last_event TEXT NOT NULL,
    state TEXT NOT NULL, due TEXT NOT NULL, due_day TEXT NOT NULL, last TEXT NOT NULL, last_day TEXT NOT NULL,
    stability REAL NOT NULL, difficulty REAL NOT NULL, step INTEGER, reps INTEGER NOT NULL, lapses INTEGER NOT NULL,
    sum BLOB NOT NULL, PRIMARY KEY (bank, question, generation)
) WITHOUT ROWID;
CREATE INDEX cards_by_day ON cards (bank, due_day, substr(last_event, 11)) WHERE state = 'review';
CREATE INDEX cards_by_time ON cards (bank, due) WHERE state <> 'review';
CREATE TABLE tallies (
    bank TEXT NOT NULL, question TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (bank, name, question, key)
) WITHOUT ROWID;
CREATE TABLE loads (
    bank TEXT NOT NULL, day TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (bank, day)
) WITHOUT ROWID;
INSERT INTO cards
VALUES ('core', 'q0', 0, 'x', 'review', 'x', '2026-03-01', 'x', '2026-02-01', 1, 1, NULL, 1, 0, x'00');
INSERT INTO tallies VALUES ('core', '', 'day 2026-02-01', 'answers', 3);
INSERT INTO loads VALUES ('core', '2026-03-01', 1);
UPDATE meta SET value = '1' WHERE name = 'derivation';
PRAGMA user_version = 2;
"""

# What the third schema had otherwise than this one.
THIRD = """
DROP INDEX cards_by_day;
CREATE INDEX cards_by_day ON cards (bank, due_day, substr(last_event, 11)) WHERE state = 'review';
PRAGMA user_version = 3;
"""

ANSWERS = series(12)


def first_schema(path: Path, answers: list[Attempt] = ANSWERS) -> Path:
    """A file of the first release with answers, the last one taken back, and one that was damaged."""
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path)
    connection.executescript(FIRST)
    back = Retraction(identity(START.replace(year=2027)), START, 60, answers[-1].id)
    stored: list[Attempt | Retraction] = [*answers, back]
    for event in stored:
        text = canonical(event)
        if isinstance(event, Retraction):
            columns: tuple[object, ...] = (None, None, None, None, event.target)
        else:
            columns = (event.day.isoformat(), *event.card, None)
        row = (event.id, event.kind, 1, instant_text(event.time), *columns, text, checksum(text))
        connection.execute(
            "INSERT INTO events (id, kind, version, time, day, bank, question, generation, target, body, sum)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )
    connection.execute("DROP TRIGGER events_are_not_updated")
    connection.execute("UPDATE events SET body = replace(body, '21500', '21501') WHERE seq = 3")
    connection.commit()
    connection.close()
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return first_schema(tmp_path / "data" / "history.db")


def wanted(folder: Path) -> Store:
    """The same whole answers, stored by this program."""
    store = Store.open(folder / "anew" / "history.db")
    for one in (*ANSWERS[:2], *ANSWERS[3:-1]):
        store.append(one)
    return store


def test_a_history_of_the_first_schema_is_brought_up_to_date_and_loses_nothing(old: Path, tmp_path: Path) -> None:
    with Store.open(old) as store, wanted(tmp_path) as anew:
        events = list(store.events())
        assert [event.id for event in events] == [*(one.id for one in ANSWERS), identity(START.replace(year=2027))]
        assert [event.id for event in events if isinstance(event, Damaged)] == [ANSWERS[2].id]
        assert [event for event in events if event in ANSWERS] == [*ANSWERS[:2], *ANSWERS[3:]]
        assert store.cards("core") == anew.cards("core")
        assert store.tallies("core") == anew.tallies("core")
        assert store.stale() == (0, 0)
    with sqlite3.connect(old) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
        assert raw.execute("PRAGMA freelist_count").fetchone() == (0,)
    raw.close()


def test_a_history_of_the_second_schema_is_brought_up_to_date_and_loses_nothing(tmp_path: Path) -> None:
    """Its caches are derived anew, whatever they held; its events stay as they are."""
    path = tmp_path / "data" / "history.db"
    with Store.open(path) as store:
        store.merge(ANSWERS)
        events, cards, tallies = list(store.events()), store.cards("core"), store.tallies("core")
    with sqlite3.connect(path) as raw:
        raw.executescript(SECOND)
    raw.close()
    with Store.open(path) as store:
        assert list(store.events()) == events
        assert store.cards("core") == cards
        assert store.tallies("core") == tallies
        assert store.stale() == (0, 0)
    with sqlite3.connect(path) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
        found = {name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert "tallies" not in found
    raw.close()
    assert [one.schema for one in backups(path)] == [None, 2]


def test_a_history_of_the_third_schema_keeps_its_caches_and_has_what_is_due_in_an_index(tmp_path: Path) -> None:
    path = tmp_path / "data" / "history.db"
    with Store.open(path) as store:
        store.merge(ANSWERS)
        events, cards = list(store.events()), store.cards("core")
    with sqlite3.connect(path) as raw:
        raw.executescript(THIRD)
    raw.close()
    with Store.open(path) as store:
        assert (list(store.events()), store.cards("core"), store.stale()) == (events, cards, (0, 0))
        last = max(card.due_day for card in cards.values())
        due = store.foremost("core", last, cards, seed=1, room=99)
        assert due == {key: card.due_day for key, card in cards.items() if not card.is_learning}
    with sqlite3.connect(path) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
        asked = (
            "SELECT question, generation FROM cards WHERE bank = '' AND state = 'review' AND due_day = 0 AND sum > ''"
        )
        (plan,) = raw.execute(f"EXPLAIN QUERY PLAN {asked} ORDER BY sum").fetchall()
        assert "COVERING INDEX cards_by_day" in plan[3]
    raw.close()
    assert [one.schema for one in backups(path)] == [None, 3]


def test_a_second_schema_can_be_read_without_being_written(tmp_path: Path) -> None:
    path = tmp_path / "data" / "history.db"
    with Store.open(path) as store:
        store.merge(ANSWERS)
        cards = store.cards("core")
    with sqlite3.connect(path) as raw:
        raw.executescript(SECOND)
    raw.close()
    with Store.open(path, read_only=True) as store:
        assert store.cards("core") == cards
    with sqlite3.connect(path) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (2,)
    raw.close()


def test_a_backup_is_made_before_a_history_leaves_its_schema(old: Path) -> None:
    Store.open(old).close()
    (daily, before) = backups(old)
    assert (daily.schema, before.schema) == (None, 1)
    with sqlite3.connect(before.path) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (1,)
        assert raw.execute("SELECT count(*) FROM events").fetchone() == (len(ANSWERS) + 1,)
    raw.close()
    assert before.path.stat().st_mode & 0o077 == 0


def test_a_backup_of_an_older_schema_can_be_restored(old: Path) -> None:
    Store.open(old).close()
    (_, before) = backups(old)
    old.write_bytes(b"gone")
    assert restore(old, before.path).events == len(ANSWERS)  # the damaged one is left out; the backup keeps it
    with Store.open(old) as store:
        assert store.stale() == (0, 0)
        assert len(store.recent()) == len(ANSWERS) - 2


def test_an_older_schema_can_be_read_without_being_written(old: Path, tmp_path: Path) -> None:
    content = old.read_bytes()
    with Store.open(old, read_only=True) as store, wanted(tmp_path) as anew:
        assert store.cards("core") == anew.cards("core")
        assert store.counts().answers == len(ANSWERS)
    assert old.read_bytes() == content


def test_answers_are_saved_out_of_a_damaged_file_of_the_first_schema(tmp_path: Path) -> None:
    path = first_schema(tmp_path / "data" / "history.db", series(60))
    os.truncate(path, path.stat().st_size - 8_192)
    whole = {one.id for one in series(60)}
    assert 10 < len({event.id for event in salvaged(path)} & whole) < 60


def test_a_history_that_cannot_be_backed_up_does_not_leave_its_schema(old: Path) -> None:
    (old.parent / "backups").write_text("a file where the folder should be")
    with pytest.raises(StoreError) as refused:
        Store.open(old)
    assert "backups" in str(refused.value)
    with sqlite3.connect(old) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (1,)
    raw.close()
