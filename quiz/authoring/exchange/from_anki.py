"""Drafts from an Anki package: what the front of a note's first card shows asks, its other fields answer.

A cloze asks for what it hides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.authoring.exchange.card_front import front_of
from quiz.authoring.exchange.cloze import hidden_in, is_picture
from quiz.authoring.exchange.collection import Note, read_collection
from quiz.authoring.exchange.draft import Draft, Imported, UnreadableError
from quiz.authoring.exchange.html_text import plain_text, tags_in
from quiz.authoring.exchange.package import collection_of
from quiz.nouns import count, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_OURS: Final = ("Id", "Topic", "Question", "Solution")


def read_anki(path: Path) -> Imported:
    """The notes of a package as drafts. Raises what `collection_of` raises."""
    content, others = collection_of(path)
    notes, damaged = read_collection(content)
    found = Imported(unit="note")
    if damaged:
        found.lose(0, f"{count(damaged, 'note')} {plural(damaged, 'is', 'are')} damaged and left out")
    for number, note in enumerate(notes, start=1):
        _take(found, number, note)
    for what in _left(notes):
        found.lose(0, what)
    if others:
        files = "a picture or sound is" if others == 1 else f"{others:,} pictures or sounds are"
        found.lose(0, f"{files} in the package and not taken over")
    if not notes:
        raise UnreadableError("there is no note in this package")
    return found


def _left(notes: Sequence[Note]) -> Iterator[str]:
    """What no draft holds, whatever the note, each with how many notes have it; our own decks have it by making."""
    others = [note for note in notes if tuple(name for name, _ in note.fields) != _OURS]
    formatted = sum(any(tags_in(source) for _, source in note.fields) for note in others)
    tagged = sum(bool(note.tags) for note in others)
    # The parts that a note hides are one question here, and a card each in Anki.
    turned = sum(note.cards > 1 and not any("{{c" in source for _, source in note.fields) for note in others)
    seen = sum(note.seen for note in notes)
    if formatted:
        yield f"the formatting of {count(formatted, 'note')} is not taken over"
    if tagged:
        yield f"the tags of {count(tagged, 'note')} are not taken over"
    if turned:
        yield f"{count(turned, 'note')} {plural(turned, 'has', 'have')} further cards; only the first is taken over"
    if seen:
        yield f"how {count(seen, 'card')} {plural(seen, 'was', 'were')} answered in Anki is not taken over"


def _take(found: Imported, number: int, note: Note) -> None:
    values: list[tuple[str, str]] = []
    for name, source in note.fields:
        text, lost = plain_text(source)
        for what in lost:
            found.lose(number, f"{what} in the field {name!r} is not taken over")
        values.append((name, text))
    if not values:
        found.lose(number, "this note has no fields")
        return
    topic = note.deck.rpartition("::")[2]
    if tuple(name for name, _ in values) == _OURS:
        by_name = dict(values)
        found.add(
            Draft(number, by_name["Question"], sketch=by_name["Solution"], id=by_name["Id"], topic=by_name["Topic"])
        )
        return
    asked, shown = _asked(note, values)
    rest = [(name, text) for name, text in values if text and name not in shown]
    asked, hidden = hidden_in(asked)
    if is_picture(hidden):
        found.lose(number, "this note hides parts of a picture, so it is left out")
        return
    if hidden:
        rest = [("", "\n".join(f"- {text}" for text in hidden)), *rest]
    sketch = rest[0][1] if len(rest) == 1 else "\n\n".join(f"{name}: {text}" if name else text for name, text in rest)
    found.add(Draft(number, asked, sketch=sketch, topic=topic))


def _asked(note: Note, values: list[tuple[str, str]]) -> tuple[str, frozenset[str]]:
    """What a note asks, as text, and the names of the fields that ask it: those of the front, else the first field."""
    source, names = front_of(note.front, dict(note.fields))
    text, _ = plain_text(source)
    shown = frozenset(name for name, field in values if name in names and field and field in text)
    return (text, shown) if shown else (values[0][1], frozenset((values[0][0],)))
