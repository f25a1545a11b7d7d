"""Packages that Anki itself writes, in the form of today and in its old one, give the same drafts."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.exchange.from_anki import read_anki
from tests.authoring.exchange.test_as_anki import interpreter

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["interpreter"]

# Makes a collection with Anki's own kinds of notes and one of an author's, with files and HTML, and exports it twice.
DRIVER = """
import os, sys
from anki.collection import Collection, ExportAnkiPackageOptions
folder = sys.argv[1]
collection = Collection(os.path.join(folder, "collection.anki2"))
deck = collection.decks.id("Physics::Waves")
picture, sound = collection.media.write_data("a.png", b"png"), collection.media.write_data("b c.mp3", b"mp3")
own = collection.models.new("Vocabulary")
for name in ("Number", "Word", "Meaning"):
    collection.models.add_field(own, collection.models.new_field(name))
for name, front in (("first", "<h1>What is {{Word}}?</h1>"), ("second", "{{Meaning}}")):
    card = collection.models.new_template(name)
    card["qfmt"], card["afmt"] = front, "{{FrontSide}}<hr id=answer>{{Number}}"
    collection.models.add_template(own, card)
collection.models.add(own)
for kind, *fields in (
    ("Basic", f"What is <b>this</b>?<br><img src={picture}>", f"A wave [sound:{sound}]"),
    ("Basic (and reversed card)", "front &lt;5&gt;", "<ul><li>one</li><li>two</li></ul>"),
    ("Basic (type in the answer)", "Type it", "four"),
    ("Cloze", "The {{c1::speed::of what}} of {{c2::light {{c1::in vacuum}} }}", "more"),
    ("Cloze", "{{c1,2::both}} of <div>{{c3::them}}</div>", ""),
    ("Image Occlusion", "{{c1::image-occlusion:rect:left=.1:top=.1:oi=1}}", f"<img src={picture}>", "", "", ""),
    ("Vocabulary", "07", "a ripple", "a small wave"),
):
    note = collection.new_note(collection.models.by_name(kind))
    note.fields[: len(fields)] = fields
    collection.add_note(note, deck)
for name, legacy in (("today", False), ("old", True)):
    options = ExportAnkiPackageOptions(with_media=True, legacy=legacy)
    collection.export_anki_package(out_path=os.path.join(folder, f"{name}.apkg"), limit=None, options=options)
collection.close()
"""


@pytest.mark.anki
def test_what_anki_exports_is_read_in_both_of_its_forms(interpreter: str, tmp_path: Path) -> None:
    done = subprocess.run([interpreter, "-c", DRIVER, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    today, old = (read_anki(tmp_path / f"{name}.apkg") for name in ("today", "old"))
    assert today == old
    assert {draft.topic for draft in today.drafts} == {"Waves"}
    assert [(draft.stem, draft.sketch) for draft in today.drafts] == [
        ("What is this?", "A wave"),
        ("front <5>", "- one\n- two"),
        ("Type it", "four"),
        ("The ____ (of what) of ____", "- speed\n- light in vacuum\n\nBack Extra: more"),
        ("____ of\n____", "- both\n- them"),
        ("What is a ripple?", "Number: 07\n\nMeaning: a small wave"),
    ]
    assert [(one.line, one.what) for one in today.lost] == [
        (1, "a picture in the field 'Front' is not taken over"),
        (1, "a sound in the field 'Back' is not taken over"),
        (6, "a picture in the field 'Image' is not taken over"),
        (6, "this note hides parts of a picture, so it is left out"),
        (0, "2 pictures or sounds are in the package and not taken over"),
    ]
