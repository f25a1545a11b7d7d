"""Anki packages made for tests, sound and hostile ones."""

from __future__ import annotations

import io
import json
import sqlite3
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

OLD = """
CREATE TABLE col (id integer, models text, decks text);
CREATE TABLE notes (id integer primary key, guid text, mid integer, flds text, tags text);
CREATE TABLE cards (id integer primary key, nid integer, did integer);
"""
NEW = """
CREATE TABLE col (id integer, models text, decks text);
CREATE TABLE notes (id integer primary key, guid text, mid integer, flds text, tags text);
CREATE TABLE cards (id integer primary key, nid integer, did integer);
CREATE TABLE notetypes (id integer primary key, name text COLLATE unicase, config blob);
CREATE TABLE fields (
  ntid integer, ord integer, name text COLLATE unicase, config blob, primary key (ntid, ord)
) without rowid;
CREATE TABLE decks (id integer primary key, name text COLLATE unicase);
"""
NOTES = [("Why <b>5 &lt; 6</b>?", "Because<br>it is"), ("{{c1::Water::a liquid}} is {{c2::wet}}", "")]


def database(script: str, *more: tuple[str, tuple[object, ...]]) -> bytes:
    """A SQLite file made by statements; a function of the name `unicase` compares as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "db"
        connection = sqlite3.connect(path)
        connection.create_collation("unicase", lambda one, other: (one > other) - (one < other))
        connection.executescript(script)
        for statement, values in more:
            connection.execute(statement, values)
        connection.commit()
        connection.close()
        return path.read_bytes()


def old_collection(notes: Sequence[tuple[str, ...]] | None = None) -> bytes:
    """The form of Anki until 2.1.49: kinds of notes and decks are JSON in one row."""
    models = {"7": {"name": "Basic", "flds": [{"name": "Front"}, {"name": "Back"}]}}
    decks = {"3": {"name": "Physics::Waves"}}
    return database(
        OLD,
        ("INSERT INTO col VALUES (1, ?, ?)", (json.dumps(models), json.dumps(decks))),
        *_rows(NOTES if notes is None else notes),
    )


def new_collection() -> bytes:
    """The form of today: tables of their own, names of decks parted by a separator."""
    return database(
        NEW,
        ("INSERT INTO col VALUES (1, '', '')", ()),
        ("INSERT INTO notetypes VALUES (7, 'Basic', x'')", ()),
        ("INSERT INTO fields VALUES (7, 0, 'Front', x'')", ()),
        ("INSERT INTO fields VALUES (7, 1, 'Back', x'')", ()),
        ("INSERT INTO decks VALUES (3, 'Physics' || char(31) || 'Waves')", ()),
        *_rows(NOTES),
    )


def _rows(notes: Sequence[tuple[str, ...]]) -> list[tuple[str, tuple[object, ...]]]:
    found: list[tuple[str, tuple[object, ...]]] = []
    for number, fields in enumerate(notes, start=1):
        found.append(("INSERT INTO notes VALUES (?, ?, 7, ?, ' tag ')", (number, f"g{number}", "\x1f".join(fields))))
        found.append(("INSERT INTO cards VALUES (?, ?, 3)", (number, number)))
    return found


def package(members: dict[str, bytes], *, compressed: bool = True) -> bytes:
    """A zip archive of these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return out.getvalue()
