"""Questions as an Anki package (.apkg), by genanki.

What identifies a card rests on bank and question alone: a second import updates it and makes no double. The bytes are
the same for the same bank: no clock goes into them. Anki takes a note over only where it is newer than its own, so each
note bears the time at which its question was last changed, as `changed` gives it.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from typing import TYPE_CHECKING, Any, Final

from quiz.authoring.exchange.as_html import blocks_html
from quiz.authoring.exchange.marks import printable
from quiz.authoring.exchange.page import asked, solved
from quiz.authoring.exchange.style import CARD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.authoring.exchange.drawn import Drawn, Sheet

#: When the templates of the cards last changed; raise it with them, or Anki keeps its own.
_TEMPLATES_CHANGED: Final = 1_796_000_000
_FIRST_ID: Final = 1_500_000_000_000
_IDS: Final = 100_000_000_000
_MODEL: Final = "Shardwise"
FIELDS: Final = ("Id", "Topic", "Question", "Solution")
FRONT: Final = '<div class="topic">{{Topic}}</div>{{Question}}'
BACK: Final = '{{FrontSide}}<hr id="answer">{{Solution}}'
_DATE: Final = (1980, 1, 1, 0, 0, 0)
_SQLITE_VERSION: Final = slice(96, 100)


class MissingGenankiError(Exception):
    """The library that writes packages is not installed."""


def as_anki(sheet: Sheet, changed: Mapping[str, int]) -> bytes:
    """The sheet as a package: a deck for the bank and one in it for each topic.

    Args:
        sheet: the questions.
        changed: by question id, seconds since 1970 at which it last changed; Anki updates what is newer.

    Raises:
        MissingGenankiError: genanki is not installed (the extra `exchange`).
    """
    try:
        import genanki
    except ModuleNotFoundError as error:
        raise MissingGenankiError("genanki") from error
    model = _model(genanki)
    decks: dict[str, Any] = {}
    for drawn in sheet.questions:
        topic = drawn.question.topic
        if topic not in decks:
            name = f"{_deck_name(sheet.title)}::{topic}"
            decks[topic] = genanki.Deck(
                _number("deck", sheet.bank, topic), name, printable(f"Licence: {sheet.licence}")
            )
        decks[topic].add_note(_note(genanki, model, sheet.bank, drawn, changed.get(drawn.question.id, 0)))
    written = io.BytesIO()
    first = _number("ids", sheet.bank) / 1000
    genanki.Package(list(decks.values())).write_to_file(written, timestamp=first)
    return _stable(written.getvalue())


def _model(genanki: Any) -> Any:  # noqa: ANN401 - it ships no types
    class Model(genanki.Model):  # type: ignore[misc] # it ships no types
        """Bears the time of the templates, not that of the export."""

        def to_json(self, _timestamp: float, deck_id: int) -> Any:  # noqa: ANN401
            return super().to_json(_TEMPLATES_CHANGED, deck_id)

    return Model(
        _number("model", _MODEL),
        _MODEL,
        fields=[{"name": name} for name in FIELDS],
        templates=[{"name": "Card", "qfmt": FRONT, "afmt": BACK}],
        css=CARD,
    )


def _note(genanki: Any, model: Any, bank: str, drawn: Drawn, changed: int) -> Any:  # noqa: ANN401
    class Note(genanki.Note):  # type: ignore[misc] # it ships no types
        """Bears the time at which its question changed."""

        def write_to_db(self, cursor: Any, _timestamp: float, deck_id: int, id_gen: Any) -> None:  # noqa: ANN401
            super().write_to_db(cursor, changed, deck_id, id_gen)

    question = drawn.question
    fields = [
        question.id,
        question.topic,
        blocks_html(asked(drawn)),
        blocks_html(solved(drawn)),
    ]
    return Note(model=model, fields=fields, guid=genanki.guid_for(bank, question.id), tags=_tags(drawn))


def _tags(drawn: Drawn) -> list[str]:
    question = drawn.question
    return ["shardwise", f"topic::{question.topic}", f"kind::{question.kind}", f"difficulty::{question.difficulty}"]


def _deck_name(title: str) -> str:
    """The title as the name of a deck, in which two colons would begin a deck within it."""
    return " ".join(printable(title).replace("::", ":").split())


def _number(*parts: str) -> int:
    """A number of 13 digits that stands for the parts, as Anki's ids are."""
    digest = hashlib.blake2b("\x1f".join(parts).encode(), digest_size=8).digest()
    return _FIRST_ID + int.from_bytes(digest) % _IDS


def _stable(package: bytes) -> bytes:
    """The package without what depends on the day and on the machine: dates of the archive, SQLite's version."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as given, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as made:
        for name in sorted(given.namelist()):
            content = bytearray(given.read(name))
            if name.startswith("collection."):
                content[_SQLITE_VERSION] = bytes(4)
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            made.writestr(entry, bytes(content))
    return out.getvalue()
