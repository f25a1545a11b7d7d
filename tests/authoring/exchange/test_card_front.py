"""What a note asks is what the front of its first card shows, in the old form of a collection and in that of today."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.authoring.exchange.card_front import front_of, template_in
from quiz.authoring.exchange.cloze import hidden_in
from quiz.authoring.exchange.from_anki import read_anki
from tests.authoring.exchange.made_apkg import NEW, OLD, database, package

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.authoring.exchange.draft import Imported

FIELDS = {"Number": "07", "Word": "ripple", "Empty": " "}


@pytest.mark.parametrize(
    ("template", "front", "shown"),
    [
        ("{{Word}}", "ripple", {"Word"}),
        ("What is {{ Word }}?", "What is ripple?", {"Word"}),
        ("{{cloze:text:Word}} {{type:Number}}{{hint:Number}}", "ripple ", {"Word"}),
        ("{{#Word}}a{{/Word}}{{^Word}}b{{/Word}}{{#Empty}}c{{/Empty}}{{^Empty}}d{{/Empty}}", "ad", set()),
        ("{{#Empty}}{{#Word}}{{Number}}{{/Word}}{{/Empty}}!", "!", set()),
        ("{{Tags}}{{FrontSide}}x", "x", set()),
        ("{{=<% %>=}}<%Word%>", "", set()),
        ("{{#Word}}" * 30 + "{{Word}}", "", set()),
        ("{{Word}}" * 20_000, "", set()),
    ],
)
def test_a_template_is_filled_and_not_executed(template: str, front: str, shown: set[str]) -> None:
    """What cannot be read, or would grow without end, gives nothing, and the first field asks."""
    assert front_of(template, FIELDS) == (front, frozenset(shown))


@given(st.binary(max_size=60))
def test_no_settings_of_a_template_are_a_fault_of_the_reader(config: bytes) -> None:
    assert isinstance(template_in(config), str)


@pytest.mark.parametrize(
    ("text", "asked", "hidden"),
    [
        ("{{c1::a::hint}} b", "____ (hint) b", ["a"]),
        ("{{c1::outer {{c2::inner::hint}} end}} done", "____ done", ["outer inner end"]),
        ("{{c1,2::both}}", "____", ["both"]),
        ("{{c1::a::b::c}}", "____ (b::c)", ["a"]),
        ("{{c1::a {{c2::b", "{{c1::a {{c2::b", []),
        ("x :: y }} z", "x :: y }} z", []),
    ],
)
def test_a_cloze_hides_what_stands_in_it(text: str, asked: str, hidden: list[str]) -> None:
    assert hidden_in(text) == (asked, hidden)


def vocabulary(tmp_path: Path, form: str, front: str, *notes: tuple[str, ...]) -> Imported:
    """A package of notes with a number, a word and a meaning, whose card shows `front`."""
    names = ("Number", "Word", "Meaning")
    rows = [
        ("INSERT INTO notes VALUES (?, ?, 7, ?, '')", (number, f"g{number}", "\x1f".join(fields)))
        for number, fields in enumerate(notes, start=1)
    ]
    if form == "anki2":
        kind = {"name": "Vocabulary", "flds": [{"name": name} for name in names], "tmpls": [{"qfmt": front}]}
        content = database(OLD, ("INSERT INTO col VALUES (1, ?, '{}')", (json.dumps({"7": kind}),)), *rows)
    else:
        import zstandard

        config = b"\x10\x01" + b"\x0a" + bytes([len(front)]) + front.encode() + b"\x12\x01x"
        content = database(
            f"{NEW}CREATE TABLE templates (ntid integer, ord integer, name text, config blob);",
            ("INSERT INTO col VALUES (1, '', '')", ()),
            ("INSERT INTO notetypes VALUES (7, 'Vocabulary', x'')", ()),
            *(("INSERT INTO fields VALUES (7, ?, ?, x'')", (at, name)) for at, name in enumerate(names)),
            ("INSERT INTO templates VALUES (7, 1, 'other', ?)", (b"\x0a\x01x",)),
            ("INSERT INTO templates VALUES (7, 0, 'first', ?)", (config,)),
            *rows,
        )
        content = zstandard.ZstdCompressor().compress(content)
    path = tmp_path / "deck.apkg"
    path.write_bytes(package({f"collection.{form}": content}))
    return read_anki(path)


@pytest.mark.parametrize("form", ["anki2", "anki21b"])
def test_the_front_of_the_first_card_asks_and_the_other_fields_answer(tmp_path: Path, form: str) -> None:
    front = "<style>p{}</style>What is a <b>{{Word}}</b>?"
    (draft,) = vocabulary(tmp_path, form, front, ("07", "ripple", "a small wave")).drafts
    assert (draft.stem, draft.sketch) == ("What is a ripple?", "Number: 07\n\nMeaning: a small wave")


@pytest.mark.parametrize("front", ["", "{{Meaning}}", "no field", "<img src='{{Word}}'>", "<!-- {{Word}}"])
def test_where_the_front_shows_no_text_of_the_note_its_first_field_asks(tmp_path: Path, front: str) -> None:
    (draft,) = vocabulary(tmp_path, "anki2", front, ("why", "because", "")).drafts
    assert (draft.stem, draft.sketch) == ("why", "because")


def test_a_note_that_hides_parts_of_a_picture_is_left_out_and_told(tmp_path: Path) -> None:
    notes = (("{{c1::image-occlusion:rect:left=.1}}", "<img src=a.png>", ""), ("why", "so", ""))
    found = vocabulary(tmp_path, "anki2", "{{cloze:Number}}", *notes)
    assert [draft.stem for draft in found.drafts] == ["why"]
    assert "this note hides parts of a picture, so it is left out" in [one.what for one in found.lost]
