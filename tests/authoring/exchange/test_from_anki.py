from __future__ import annotations

import stat
import zipfile
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.exchange import package as package_module
from quiz.authoring.exchange.as_anki import as_anki
from quiz.authoring.exchange.draft import UnreadableError
from quiz.authoring.exchange.from_anki import read_anki
from quiz.authoring.exchange.package import MissingZstandardError
from tests.authoring.exchange.made_apkg import OLD, database, new_collection, old_collection, package

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.authoring.exchange.drawn import Sheet


def written(folder: Path, members: dict[str, bytes]) -> Path:
    path = folder / "deck.apkg"
    path.write_bytes(package(members))
    return path


def current(content: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(content)


@pytest.mark.parametrize("form", ["anki2", "anki21", "anki21b"])
def test_each_form_of_a_collection_gives_the_same_drafts(tmp_path: Path, form: str) -> None:
    content = current(new_collection()) if form == "anki21b" else old_collection()
    found = read_anki(written(tmp_path, {f"collection.{form}": content, "media": b"{}"}))
    plain, cloze = found.drafts
    assert (plain.line, plain.stem, plain.sketch, plain.topic) == (1, "Why 5 < 6?", "Because\nit is", "Waves")
    assert (cloze.stem, cloze.sketch) == ("____ (a liquid) is ____", "- Water\n- wet")
    assert [lost.what for lost in found.lost] == [
        "the formatting of 1 note is not taken over",
        "the tags of 2 notes are not taken over",
    ]


def test_a_reversed_side_and_answers_given_in_anki_are_told(tmp_path: Path) -> None:
    """The parts that a cloze hides are one question here, so its second card is no loss."""
    script = OLD.replace("did integer);", "did integer, reps integer);")
    content = database(
        script,
        ("INSERT INTO col VALUES (1, '{}', '{}')", ()),
        ("INSERT INTO notes VALUES (1, 'a', 7, 'What?' || char(31) || 'That.', '')", ()),
        ("INSERT INTO notes VALUES (2, 'b', 7, '{{c1::One}} and {{c2::two}}', '')", ()),
        *(("INSERT INTO cards VALUES (?, ?, 3, ?)", (at, note, reps)) for at, note, reps in
          ((1, 1, 4), (2, 1, 0), (3, 2, 1), (4, 2, 0))),
    )  # fmt: skip
    found = read_anki(written(tmp_path, {"collection.anki2": content}))
    assert [lost.what for lost in found.lost] == [
        "1 note has further cards; only the first is taken over",
        "how 2 cards were answered in Anki is not taken over",
    ]


def test_the_current_form_is_read_and_not_the_note_that_says_update(tmp_path: Path) -> None:
    """A package of today holds an old collection too, for programs that cannot read the new one."""
    stub = old_collection([("Please update", "")])
    found = read_anki(written(tmp_path, {"collection.anki2": stub, "collection.anki21b": current(new_collection())}))
    assert [draft.stem for draft in found.drafts] == ["Why 5 < 6?", "____ (a liquid) is ____"]


def test_without_zstandard_the_stub_is_not_taken_for_the_deck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, {"collection.anki2": old_collection(), "collection.anki21b": current(new_collection())})
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(MissingZstandardError):
        read_anki(path)


def test_our_own_deck_comes_back_with_its_ids(sheet: Sheet, tmp_path: Path) -> None:
    path = tmp_path / "ours.apkg"
    path.write_bytes(as_anki(sheet, {}))
    found = read_anki(path)
    assert {draft.id for draft in found.drafts} == {drawn.question.id for drawn in sheet.questions}
    fits = next(draft for draft in found.drafts if draft.id == "which-fits")
    assert "Derivation" in fits.sketch
    assert fits.topic == "memory-budget"


def test_pictures_sounds_and_scripts_are_told_and_dropped(tmp_path: Path) -> None:
    fields = ('A <img src="x.png" alt="graph"> <script>alert(1)</script>', "[sound:a.mp3] <style>p{}</style>yes")
    members = {"collection.anki2": old_collection([fields]), "0": b"png", "1": b"mp3"}
    found = read_anki(written(tmp_path, members))
    assert (found.drafts[0].stem, found.drafts[0].sketch) == ("A [graph]", "yes")
    assert [one.what for one in found.lost] == [
        "a picture in the field 'Front' is not taken over",
        "a script in the field 'Front' is not taken over",
        "a sound in the field 'Back' is not taken over",
        "the tags of 1 note are not taken over",
        "2 pictures or sounds are in the package and not taken over",
    ]


TRAP = "CREATE VIEW notes AS SELECT 1 AS id, 'g' AS guid, 7 AS mid, load_extension('x') AS flds, '' AS tags;"
ENDLESS = (
    "CREATE VIEW cards AS WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) "
    "SELECT n AS nid, n AS did FROM t;"
)

HOSTILE = {
    "no archive": (b"not a zip", "no Anki package"),
    "an empty file": (b"", "no Anki package"),
    "an archive cut short": (package({"collection.anki2": old_collection()})[:-30], "no Anki package"),
    "no collection": (package({"readme.txt": b"x"}), "no collection is in this archive"),
    "a collection that is none": (package({"collection.anki2": b"hello"}), "no SQLite file"),
    "a path upwards": (package({"../collection.anki2": old_collection()}), "no collection is in this archive"),
    "an absolute path": (package({"/collection.anki2": old_collection()}), "no collection is in this archive"),
    "a nested package": (package({"deck.apkg": package({"collection.anki2": old_collection()})}), "no collection"),
    "another database": (package({"collection.anki2": database("CREATE TABLE x (a);")}), "no table of notes"),
    "no notes": (package({"collection.anki2": old_collection([])}), "no note in this package"),
    "notes as a view": (
        package({"collection.anki2": database(OLD.replace("CREATE TABLE notes", "CREATE TABLE other") + TRAP)}),
        "no table of notes",
    ),
    "a torn database": (
        package({"collection.anki2": old_collection()[:4096] + b"\xff" * 8192}),
        "cannot be read|no note|no table",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_package_is_refused_with_its_reason(tmp_path: Path, name: str) -> None:
    content, why = HOSTILE[name]
    path = tmp_path / "deck.apkg"
    path.write_bytes(content)
    with pytest.raises(UnreadableError, match=why):
        read_anki(path)
    assert [one.name for one in tmp_path.iterdir()] == ["deck.apkg"]


def test_a_view_in_the_place_of_a_table_is_never_asked(tmp_path: Path) -> None:
    """Neither for decks: a view that never ends is passed over, and the notes are read."""
    script = OLD.replace("CREATE TABLE cards (id integer primary key, nid integer, did integer);", ENDLESS)
    content = database(
        script,
        ("INSERT INTO col VALUES (1, '', '')", ()),
        ("INSERT INTO notes VALUES (1, 'g', 7, 'front' || char(31) || 'back', '')", ()),
    )
    (draft,) = read_anki(written(tmp_path, {"collection.anki2": content})).drafts
    assert (draft.stem, draft.sketch, draft.topic) == ("front", "back", "")


def test_a_link_in_the_archive_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(old_collection())
    path = tmp_path / "deck.apkg"
    with zipfile.ZipFile(path, "w") as made:
        entry = zipfile.ZipInfo("collection.anki2")
        entry.create_system = 3
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(entry, str(secret))
    with pytest.raises(UnreadableError, match="is a link"):
        read_anki(path)


@pytest.mark.parametrize("form", ["anki2", "anki21b"])
def test_a_bomb_is_unpacked_no_further_than_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Forty megabytes of nothing take forty kilobytes in an archive, and forty times that in an archive in it."""
    monkeypatch.setattr(package_module, "MAX_COLLECTION", 1_000_000)
    content = bytes(40_000_000)
    path = written(tmp_path, {f"collection.{form}": current(content) if form == "anki21b" else content})
    assert path.stat().st_size < 100_000
    with pytest.raises(UnreadableError, match="larger than 1 MB when it is unpacked"):
        read_anki(path)


def test_what_a_member_claims_of_its_size_is_not_believed(tmp_path: Path) -> None:
    """A claim of 10 GB, or of nothing, changes neither what is read nor how much memory is taken."""
    for claim in (b"\xff\xff\xff\x7f", b"\0\0\0\0"):
        raw = bytearray(package({"collection.anki2": old_collection()}))
        at = raw.index(b"PK\x01\x02")
        raw[at + 24 : at + 28] = claim
        path = tmp_path / "deck.apkg"
        path.write_bytes(raw)
        try:
            assert len(read_anki(path).drafts) == 2
        except UnreadableError as error:
            assert "no Anki package" in error.what or "no SQLite file" in error.what  # noqa: PT017 - either is right


def test_a_file_in_a_strange_place_is_no_package(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="no ordinary file"):
        read_anki(tmp_path)
    with pytest.raises(OSError, match="No such file"):
        read_anki(tmp_path / "nowhere.apkg")


def test_a_damaged_note_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    content = database(
        OLD,
        ("INSERT INTO col VALUES (1, '{', '[1]')", ()),
        ("INSERT INTO notes VALUES (1, 'g', 7, x'00ff', '')", ()),
        ("INSERT INTO notes VALUES (2, 'h', 7, 'front' || char(31) || 'back', '')", ()),
        ("INSERT INTO notes VALUES (3, 'i', 7, '', '')", ()),
    )
    found = read_anki(written(tmp_path, {"collection.anki2": content}))
    assert [draft.stem for draft in found.drafts] == ["front"]
    assert [one.what for one in found.lost] == [
        "1 note is damaged and left out",
        "no text is left of this question, so it is left out",
    ]
