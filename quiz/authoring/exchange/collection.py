"""The notes of an Anki collection, which is a SQLite file: the one place outside the store that opens one.

The file is a stranger's. It is opened as a copy that cannot be changed, by a connection that may do nothing but read a
few tables: no function, view, trigger or virtual table of the file can run, and a query that does not end is ended.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quiz.authoring.exchange.card_front import template_in
from quiz.authoring.exchange.draft import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER: Final = b"SQLite format 3\0"
_TABLES: Final = frozenset(("notes", "cards", "col", "notetypes", "fields", "templates", "decks", "sqlite_master"))
_MAX_NOTES: Final = 100_000
_LONGEST: Final = 20_000_000
_SECONDS: Final = 60.0
_STEPS: Final = 100_000
_BETWEEN_FIELDS: Final = "\x1f"
_BETWEEN_DECKS: Final = "\x1f"


@dataclass(frozen=True, slots=True)
class Note:
    """One note: its fields by name in their order, as HTML; the deck of its first card; its tags.

    `front` is the template of the front of its first kind of card, empty where there is none; `cards` are how many
    it has, and `seen` how many of them have been answered.
    """

    guid: str
    kind: str
    fields: tuple[tuple[str, str], ...]
    deck: str
    tags: tuple[str, ...]
    front: str = ""
    cards: int = 0
    seen: int = 0


def read_collection(content: bytes) -> tuple[list[Note], int]:
    """The notes of a collection in the order of their ids, and how many are damaged. Raises `UnreadableError`."""
    if not content.startswith(_HEADER):
        raise UnreadableError("the collection in this package is no SQLite file")
    with tempfile.TemporaryDirectory(prefix="shardwise-") as folder:
        path = Path(folder) / "collection"
        path.write_bytes(content)
        try:
            connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
            try:
                return _notes(_bounded(connection))
            finally:
                connection.close()
        except (sqlite3.Error, OverflowError) as error:
            raise UnreadableError(f"the collection in this package cannot be read ({error})") from error


def _bounded(connection: sqlite3.Connection) -> sqlite3.Connection:
    """A connection that can read some tables, for a while."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.create_collation("unicase", lambda one, other: (one > other) - (one < other))
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    end = time.monotonic() + _SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.set_authorizer(_may)
    return connection


def _may(action: int, first: str | None, _second: str | None, _database: str | None, inner: str | None) -> int:
    """Select from the tables that are meant; nothing that a view or a trigger (`inner`) asks for."""
    if action == sqlite3.SQLITE_SELECT and inner is None:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_READ and first in _TABLES and inner is None:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _notes(connection: sqlite3.Connection) -> tuple[list[Note], int]:
    there = {
        name
        for name, root in connection.execute("SELECT name, rootpage FROM sqlite_master WHERE type = 'table'")
        if root
    }
    if not {"notes", "col"} <= there:
        raise UnreadableError("the file in this package is no collection of Anki's: it has no table of notes")
    kinds, decks = _kinds_and_decks(connection, there)
    homes = _cards(connection) if "cards" in there else {}
    notes: list[Note] = []
    damaged = 0
    for id_, guid, kind, fields, tags in connection.execute("SELECT id, guid, mid, flds, tags FROM notes ORDER BY id"):
        if len(notes) >= _MAX_NOTES:
            raise UnreadableError(f"there are more than {_MAX_NOTES:,} notes in this package")
        if not isinstance(fields, str) or not isinstance(tags, str):
            damaged += 1
            continue
        name, names, front = kinds.get(str(kind), ("", (), ""))
        values = fields.split(_BETWEEN_FIELDS)
        named = tuple((names[at] if at < len(names) else f"Field {at + 1}", value) for at, value in enumerate(values))
        home = homes.get(id_, _NO_CARDS)
        deck = decks.get(str(home.deck), "")
        notes.append(Note(str(guid), name, named, deck, tuple(tags.split()), front, home.cards, home.seen))
    return notes, damaged


class _Home(NamedTuple):
    """Where the first card of a note lies, how many cards it has, and how many of them have been answered."""

    deck: object
    cards: int
    seen: int


_NO_CARDS: Final = _Home(None, 0, 0)


def _cards(connection: sqlite3.Connection) -> dict[Any, _Home]:
    """The cards of each note, by its id."""
    names = {column[0] for column in connection.execute("SELECT * FROM cards LIMIT 0").description}
    answered = "reps" if "reps" in names else "0"
    found: dict[Any, _Home] = {}
    for note, deck, reps in connection.execute(f"SELECT nid, did, {answered} FROM cards ORDER BY id DESC"):  # noqa: S608
        before = found.get(note, _NO_CARDS)
        found[note] = _Home(deck, before.cards + 1, before.seen + (isinstance(reps, int) and reps > 0))
    return found


_Kinds = dict[str, tuple[str, tuple[str, ...], str]]


def _kinds_and_decks(connection: sqlite3.Connection, there: set[str]) -> tuple[_Kinds, dict[str, str]]:
    """By id, each kind of note: its name, the names of its fields, its front; the names of decks, parted by ::."""
    if {"notetypes", "fields", "decks"} <= there:
        names: dict[str, list[str]] = {}
        for kind, field in connection.execute("SELECT ntid, name FROM fields ORDER BY ntid, ord"):
            names.setdefault(str(kind), []).append(str(field))
        fronts: dict[str, str] = {}
        if "templates" in there:
            for kind, config in connection.execute("SELECT ntid, config FROM templates WHERE ord = 0"):
                fronts[str(kind)] = template_in(config)
        kinds = {
            str(id_): (str(name), tuple(names.get(str(id_), ())), fronts.get(str(id_), ""))
            for id_, name in connection.execute("SELECT id, name FROM notetypes")
        }
        decks = {
            str(id_): str(name).replace(_BETWEEN_DECKS, "::")
            for id_, name in connection.execute("SELECT id, name FROM decks")
        }
        return kinds, decks
    row = connection.execute("SELECT models, decks FROM col LIMIT 1").fetchone() or ("", "")
    models, decks_json = (_object(text) for text in row)
    return (
        {id_: (_text(model, "name"), tuple(_fields(model)), _front(model)) for id_, model in models.items()},
        {id_: _text(deck, "name") for id_, deck in decks_json.items()},
    )


def _object(text: object) -> dict[str, Any]:
    try:
        found = json.loads(text) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        found = {}  # the names are lost then, and the notes are not
    return found if isinstance(found, dict) else {}


def _fields(model: object) -> Iterator[str]:
    fields = model.get("flds") if isinstance(model, dict) else None
    yield from (_text(field, "name") for field in fields) if isinstance(fields, list) else ()


def _front(model: object) -> str:
    templates = model.get("tmpls") if isinstance(model, dict) else None
    return _text(templates[0], "qfmt") if isinstance(templates, list) and templates else ""


def _text(mapping: object, name: str) -> str:
    value = mapping.get(name) if isinstance(mapping, dict) else None
    return value if isinstance(value, str) else ""
