from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.exchange.as_anki import as_anki
from quiz.authoring.exchange.drawn import draw
from quiz.bank.library import open_bank
from quiz.cli.author_export import changed_in
from quiz.paths import bundled_bank
from tests.trial_bank import OPEN, STRATEGY

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.authoring.exchange.drawn import Sheet
    from tests.trial_bank import Trial

#: Names an interpreter in whose environment the package `anki` is installed.
INTERPRETER = "SHARDWISE_ANKI_PYTHON"

# Imports packages one after the other into a new collection, as Anki's own dialog does by default, and prints after
# each: notes added, updated, left as they were; notes and cards then; at last whether the collection is whole.
DRIVER = """
import os, sys
from anki.collection import Collection
from anki.import_export_pb2 import ImportAnkiPackageOptions, ImportAnkiPackageRequest
collection = Collection(os.path.join(sys.argv[1], "collection.anki2"))
for path in sys.argv[2:]:
    request = ImportAnkiPackageRequest(package_path=path, options=ImportAnkiPackageOptions())
    log = collection.import_anki_package(request).log
    print(len(log.new), len(log.updated), len(log.duplicate), collection.note_count(), collection.card_count())
card = collection.get_card(collection.find_cards("id:QUESTION")[0])
print("OPTION" in card.question(), "Derivation" in card.answer(), "Derivation" in card.question())
print(collection.fix_integrity()[1], [note.name for note in collection.models.all_names_and_ids()].count("Shardwise"))
collection.close()
"""


@pytest.fixture
def interpreter() -> str:
    """The interpreter that has anki; without one the test is left out."""
    named = os.environ.get(INTERPRETER)
    if not named:
        pytest.skip(f"{INTERPRETER} names no interpreter that has anki")
    return named


def imported(interpreter: str, folder: Path, packages: list[Path], question: str, option: str) -> list[str]:
    """What Anki says of packages that are imported one after the other, and of the card of `question`."""
    driver = DRIVER.replace("QUESTION", question).replace("OPTION", option)
    (folder / "collection").mkdir()
    done = subprocess.run(
        [interpreter, "-c", driver, str(folder / "collection"), *map(str, packages)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_same_bank_gives_the_same_bytes(sheet: Sheet) -> None:
    """Whatever the time and the machine: nothing in a package tells when or where it was made."""
    changed = dict.fromkeys((one.question.id for one in sheet.questions), 1_790_000_000)
    assert as_anki(sheet, changed) == as_anki(sheet, changed)
    with zipfile.ZipFile(io.BytesIO(as_anki(sheet, changed))) as package:
        assert {one.date_time for one in package.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert package.namelist() == ["collection.anki2", "media"]


def test_a_note_is_known_by_bank_and_question_and_not_by_its_text(trial: Trial) -> None:
    from quiz.authoring.exchange.collection import read_collection

    def guids(text: str) -> dict[str, str]:
        trial.write(text)
        bank = trial.open()
        package = as_anki(draw(bank, [bank.index[0].id]), {})
        with zipfile.ZipFile(io.BytesIO(package)) as opened:
            notes, _ = read_collection(opened.read("collection.anki2"))
        return {note.guid: note.fields[0][1] for note in notes}

    first = guids(STRATEGY)
    assert guids(STRATEGY.replace("Which plan fits?", "Which of them fits?")) == first
    assert guids(OPEN).keys() != first.keys()


def test_a_question_is_as_new_as_its_file_and_as_what_its_figures_rest_on(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anki leaves a note alone that is not newer than its own."""
    path = trial.write(OPEN)
    bank = trial.open()
    now = changed_in(bank, ["say-it"])["say-it"]
    os.utime(path, (now + 100, now + 100))
    assert changed_in(bank, ["say-it"]) == {"say-it": now + 100}
    os.utime(trial.folder / "bank.yaml", (now + 200, now + 200))
    assert changed_in(bank, ["say-it"]) == {"say-it": now + 200}
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "12345")
    assert changed_in(bank, ["say-it"]) == {"say-it": 12345}


@pytest.mark.anki
def test_anki_opens_a_deck_updates_it_and_makes_no_doubles(interpreter: str, trial: Trial, tmp_path: Path) -> None:
    """Imported twice: nothing new. Changed and imported again: updated, in place."""
    trial.write(STRATEGY)
    trial.write(OPEN, "topic/two.yaml")
    first, second = tmp_path / "first.apkg", tmp_path / "second.apkg"
    for path, when in ((first, 1_790_000_000), (second, 1_790_000_100)):
        bank = trial.open()
        path.write_bytes(as_anki(draw(bank, ["which-fits", "say-it"]), {"which-fits": when, "say-it": 1_790_000_000}))
        trial.write(STRATEGY.replace("Which plan fits?", "Which of these fits?"))
    said = imported(interpreter, tmp_path, [first, first, second], "which-fits", "Everything sharded")
    assert said == ["2 0 0 2 2", "0 0 2 2 2", "0 1 1 2 2", "True True False", "True 1"]


@pytest.mark.anki
def test_anki_opens_the_whole_bundled_bank(interpreter: str, tmp_path: Path) -> None:
    bank = open_bank(bundled_bank(), tmp_path / "cache", bundled=True)
    ids = [entry.id for entry in bank.index]
    path = tmp_path / "bank.apkg"
    path.write_bytes(as_anki(draw(bank, ids), changed_in(bank, ids)))
    count = len(ids)
    assert imported(interpreter, tmp_path, [path, path], "mb-70b-4nodes", "FSDP") == [
        f"{count} 0 0 {count} {count}",
        f"0 0 {count} {count} {count}",
        "True True False",
        "True 1",
    ]


def test_without_genanki_the_command_says_how_to_get_it(trial: Trial, capsys: pytest.CaptureFixture[str],
                                                        monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    from quiz.cli.entry import main

    trial.write(OPEN)
    monkeypatch.setitem(sys.modules, "genanki", None)
    code = main(["author", "export", "anki", str(trial.folder), "-o", str(trial.folder.parent / "x.apkg")])
    assert code == 3
    assert "pip install 'shardwise[exchange]'" in capsys.readouterr().err
