"""Opening a bank: what is compiled, what comes from the cache, and what happens when either is broken."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quiz.bank import cache as caches
from quiz.bank import files
from quiz.bank.diagnostics import BankError
from quiz.bank.library import Bank, UnknownQuestionError, open_bank
from tests.trial_bank import CLAIM, NUMERIC, OPEN, ORDERING, STRATEGY, Trial

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def filled(trial: Trial) -> Trial:
    """A bank of one question of each kind, whose files are old enough for their times to be trusted."""
    for name, text in (
        ("a/strategy", STRATEGY),
        ("a/numeric", NUMERIC),
        ("b/claim", CLAIM),
        ("b/ordering", ORDERING),
        ("open", OPEN),
    ):
        trial.write(text, f"{name}.yaml")
    age(trial.folder)
    return trial


def age(folder: Path) -> None:
    then = time.time() - 100
    for path in folder.rglob("*.yaml"):
        os.utime(path, (then, then))


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are compiled, as they are."""
    from quiz.bank.compile import compile_text as real

    names: list[str] = []

    def noted(text: bytes, name: str, context: object) -> object:
        names.append(name)
        return real(text, name, context)  # type: ignore[arg-type]

    monkeypatch.setattr("quiz.bank.loader.compile_text", noted)
    return names


def problem_of(folder: Path) -> str:
    with pytest.raises(BankError) as caught:
        open_bank(folder, None)
    return str(caught.value)


def test_the_index_names_every_question_in_the_order_of_the_files(filled: Trial) -> None:
    bank = filled.open()
    assert (bank.id, bank.title, bank.licence) == ("trial", "A trial", "CC-BY-4.0")
    assert [one.id for one in bank.index] == ["how-often", "which-fits", "which-holds", "in-order", "say-it"]
    assert len(bank.variants("which-fits")) == 9
    assert bank.entry("which-fits").title.startswith("70B parameters on 4 nodes")
    assert bank.source_of("say-it") == filled.folder / "open.yaml"


def test_a_second_start_compiles_nothing(filled: Trial, compiled: list[str]) -> None:
    first = filled.open()
    compiled.clear()
    second = filled.open()
    assert compiled == []
    assert [second.question(one.id) for one in second.index] == [first.question(one.id) for one in first.index]
    assert second.warnings == ()


def test_only_what_changed_is_compiled_again(filled: Trial, compiled: list[str]) -> None:
    filled.open()
    compiled.clear()
    filled.write(OPEN.replace("State first.", "State, then batch."), "open.yaml")
    assert filled.open().question("say-it").sketch == "State, then batch."
    assert compiled == ["open.yaml"]


def test_a_change_that_keeps_size_and_time_is_seen_while_the_file_is_young(trial: Trial) -> None:
    path = trial.write(OPEN)
    trial.open()
    status = path.stat()
    path.write_text(OPEN.replace("State first", "Batch first"), encoding="utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert trial.open().question("say-it").sketch == "Batch first."


def test_a_touched_file_is_not_compiled_again(filled: Trial, compiled: list[str]) -> None:
    filled.open()
    compiled.clear()
    (filled.folder / "open.yaml").touch()
    filled.open()
    assert compiled == []


def test_a_removed_file_takes_its_question_with_it(filled: Trial) -> None:
    filled.open()
    (filled.folder / "open.yaml").unlink()
    assert "say-it" not in {one.id for one in filled.open().index}


def test_a_changed_manifest_or_source_compiles_all_again(filled: Trial, compiled: list[str]) -> None:
    filled.open()
    compiled.clear()
    filled.write((filled.folder / "sources.yaml").read_text().replace("A memo", "The memo"), "sources.yaml")
    assert filled.open().question("how-often").sources[0].text == "The memo"
    assert len(compiled) == 5


def test_other_code_compiles_all_again(filled: Trial, compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    filled.open()
    compiled.clear()
    monkeypatch.setattr(caches, "fingerprint", lambda: "another")
    filled.open()
    assert len(compiled) == 5


def test_the_fingerprint_moves_with_the_solvers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("x = 1\n")
    monkeypatch.setattr(caches, "_package_folder", lambda _name: tmp_path)
    before = caches.fingerprint()
    assert before == caches.fingerprint()
    (tmp_path / "one.py").write_text("x = 12\n")
    assert caches.fingerprint() != before


@pytest.mark.parametrize("damage", [b"", b"{}", b"\x00" * 100, b"not json"])
def test_a_damaged_cache_is_ignored(filled: Trial, damage: bytes) -> None:
    bank = filled.open()
    shown = [bank.question(one.id) for one in bank.index]
    for path in filled.cache.rglob("*.json"):
        path.write_bytes(damage)
    again = filled.open()
    assert [again.question(one.id) for one in again.index] == shown
    assert any("damaged" in one for one in again.warnings)


def test_a_flipped_digit_in_the_cache_is_never_shown(filled: Trial) -> None:
    shown = filled.open().question("which-fits")
    flipped = 0
    for path in filled.cache.rglob("*.json"):
        if path.name != "index.json":
            content = path.read_bytes()
            path.write_bytes(content.replace(b"50.0 GB", b"60.0 GB"))
            flipped += content != path.read_bytes()
    assert flipped
    assert filled.open().question("which-fits") == shown


def test_missing_bodies_are_made_again(filled: Trial) -> None:
    shown = filled.open().question("which-fits")
    for path in filled.cache.rglob("*.json"):
        if path.name != "index.json":
            path.unlink()
    assert filled.open().question("which-fits") == shown


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_cache_that_cannot_be_written_is_a_warning(filled: Trial) -> None:
    filled.cache.mkdir()
    filled.cache.chmod(stat.S_IRUSR | stat.S_IXUSR)
    bank = filled.open()
    filled.cache.chmod(stat.S_IRWXU)
    assert len(bank.index) == 5
    assert any("cannot be written" in one for one in bank.warnings)


def test_a_cache_folder_that_is_a_file_is_a_warning(filled: Trial) -> None:
    filled.cache.write_text("in the way")
    bank = filled.open()
    assert bank.question("say-it").sketch == "State first."
    assert any("cannot be written" in one for one in bank.warnings)


def test_without_a_cache_everything_works(filled: Trial) -> None:
    bank = open_bank(filled.folder, None)
    assert bank.question("which-fits", bank.variants("which-fits")[1]).axes
    assert bank.warnings == ()


def test_two_banks_share_a_cache_without_meeting(filled: Trial, tmp_path: Path) -> None:
    other = Trial(tmp_path / "other", filled.cache)
    other.write("id: other\ntitle: O\nlicence: none\n", "bank.yaml")
    other.write(OPEN.replace("State first.", "Other."), "open.yaml")
    assert filled.open().question("say-it").sketch == "State first."
    assert other.open().question("say-it").sketch == "Other."
    assert filled.open().question("say-it").sketch == "State first."


def test_nothing_is_left_behind_but_the_index_and_its_bodies(filled: Trial) -> None:
    filled.open()
    filled.write(OPEN.replace("State first.", "Then."), "open.yaml")
    filled.open()
    assert len(list(filled.cache.rglob("*.json"))) == 6
    assert len([path for path in filled.cache.rglob("*") if path.is_file()]) == 6


def test_variants_are_tried_once_and_kept(filled: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    variants = filled.open().variants("which-fits")
    monkeypatch.setattr("quiz.bank.loader.survey_text", lambda *_: pytest.fail("tried again"))
    assert filled.open().variants("which-fits") == variants


def test_a_warm_start_loads_neither_yaml_nor_pydantic_nor_the_solvers(filled: Trial) -> None:
    bank = filled.open()
    bank.question("which-fits", bank.variants("which-fits")[1])
    script = (
        "import sys; from pathlib import Path; from quiz.bank.library import open_bank\n"
        f"bank = open_bank(Path({str(filled.folder)!r}), Path({str(filled.cache)!r}))\n"
        "print(bank.question('which-fits', bank.variants('which-fits')[1]).stem[:3], len(bank.index))\n"
        "print([name for name in ('yaml', 'pydantic', 'solvers', 'sympy', 'textual') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["34B 5", "[]"]


def test_a_file_that_changed_since_is_told(filled: Trial) -> None:
    bank = open_bank(filled.folder, None)
    filled.write(STRATEGY.replace("70e9", "71e9"), "a/strategy.yaml")
    with pytest.raises(BankError, match="has changed since the bank was opened"):
        bank.variants("which-fits")
    assert bank.question("which-fits").stem.startswith("70B")


def test_an_unknown_question_is_met_with_the_nearest(filled: Trial) -> None:
    with pytest.raises(UnknownQuestionError, match="did you mean which-fits"):
        filled.open().question("which-fit")


def test_a_named_bank_with_a_broken_question_does_not_open(filled: Trial) -> None:
    filled.write(OPEN.replace("id: say-it\n", ""), "broken.yaml")
    with pytest.raises(BankError, match=r"broken.yaml:1:1: error: "):
        filled.open()


def test_the_bundled_bank_keeps_its_good_questions_and_names_the_broken(filled: Trial, compiled: list[str]) -> None:
    filled.write(OPEN.replace("id: say-it\n", ""), "broken.yaml")
    for _ in range(2):
        bank = filled.open(bundled=True)
        assert len(bank.index) == 5
        assert any("broken.yaml" in one and "author lint" in one for one in bank.warnings)
        age(filled.folder)
    compiled.clear()
    filled.open(bundled=True)
    assert compiled == []


def test_a_bank_without_a_good_question_does_not_open(trial: Trial) -> None:
    trial.write("id: [")
    with pytest.raises(BankError):
        trial.open(bundled=True)


def test_two_files_with_one_id_name_each_other(filled: Trial) -> None:
    filled.write(OPEN, "again.yaml")
    problems = filled.problems()
    assert {(one.place.file, one.place.line) for one in problems if one.code == "duplicate-id"} == {
        ("again.yaml", 1),
        ("open.yaml", 1),
    }
    assert "open.yaml" in problems[0].what
    assert "say-it" not in {one.id for one in filled.open(bundled=True).index}


def test_a_duplicate_that_is_gone_leaves_the_question_usable(filled: Trial) -> None:
    path = filled.write(OPEN, "again.yaml")
    filled.open(bundled=True)
    path.unlink()
    assert "say-it" in {one.id for one in filled.open().index}


@pytest.mark.parametrize("kind", ["related", "prerequisites"])
def test_a_link_to_a_question_that_is_not_there_is_met_with_the_nearest(filled: Trial, kind: str) -> None:
    filled.write(f"{OPEN}{kind}: [which-fits, which-hold]\n", "open.yaml")
    (problem,) = filled.problems()
    assert (problem.place.file, problem.code) == ("open.yaml", "unknown-question")
    assert problem.place.column == len(f"{kind}: [which-fits, ") + 1
    assert problem.next == "Did you mean which-holds?"


def test_a_link_is_whole_again_when_the_question_appears(trial: Trial) -> None:
    trial.write(OPEN + "related: [in-order]\n", "open.yaml")
    trial.open(bundled=True)
    trial.write(ORDERING, "ordering.yaml")
    assert len(trial.open().index) == 2


def test_a_folder_that_is_no_bank_is_told(tmp_path: Path, trial: Trial) -> None:
    assert "does not exist" in problem_of(tmp_path / "nowhere")
    assert "this folder holds no questions" in problem_of(trial.folder)
    file = tmp_path / "file.yaml"
    file.write_text("id: x")
    assert "is a file and not a folder" in problem_of(file)
    assert "no path" in problem_of(Path("a\0b"))
    assert "cannot be opened" in problem_of(file / "below")
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "one.yaml").write_text(OPEN)
    assert "has no bank.yaml" in problem_of(bare)


def test_a_folder_without_a_manifest_is_not_walked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody's home folder is told to be no bank at once, however much lies in it."""
    (tmp_path / "deep").mkdir()
    monkeypatch.setattr(os, "scandir", pytest.fail)
    assert "has no bank.yaml" in problem_of(tmp_path)


def test_a_folder_with_too_much_in_it_is_told(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bank.yaml in a home folder makes no bank of it."""
    trial.write(OPEN)
    monkeypatch.setattr(files, "_MOST_ENTRIES", 3)
    assert "holds more than 3 files and folders" in problem_of(trial.folder)


def test_links_in_a_circle_and_links_to_nowhere_end(trial: Trial) -> None:
    trial.write(OPEN)
    (trial.folder / "topic" / "again").symlink_to(trial.folder, target_is_directory=True)
    (trial.folder / "loop").symlink_to(trial.folder / "loop")
    (trial.folder / "lost.yaml").symlink_to(trial.folder / "nowhere.yaml")
    said = problem_of(trial.folder)
    assert "lost.yaml: error: this file cannot be read" in said
    (trial.folder / "lost.yaml").unlink()
    bank: Bank = trial.open(bundled=True)
    assert [one.id for one in bank.index] == ["say-it"]


@pytest.mark.skipif(sys.platform == "darwin", reason="its file system refuses such names")
def test_a_name_that_is_not_utf8_is_told_and_escaped(trial: Trial) -> None:
    trial.write(OPEN)
    path = os.fsencode(trial.folder) + b"/caf\xe9.yaml"
    with open(path, "wb") as file:  # noqa: PTH123, pathlib has no names in bytes
        file.write(b"id: x\n")
    assert "caf\\udce9.yaml: error: the name of this file is not UTF-8" in problem_of(trial.folder)


def test_what_is_no_ordinary_file_is_told_and_not_read(trial: Trial) -> None:
    trial.write(OPEN)
    os.mkfifo(trial.folder / "pipe.yaml")
    assert "pipe.yaml: error: this is no ordinary file" in problem_of(trial.folder)


def test_a_file_that_ends_in_yml_is_told(trial: Trial) -> None:
    trial.write(OPEN)
    trial.write(OPEN, "two.yml")
    assert "ends in .yml" in problem_of(trial.folder)


def test_hidden_files_and_other_files_are_no_questions(trial: Trial) -> None:
    trial.write(OPEN)
    trial.write("nonsense: [", ".git/x.yaml")
    trial.write("nonsense: [", ".hidden.yaml")
    trial.write("# Read me", "README.md")
    assert len(trial.open().index) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_a_file_that_may_not_be_read_is_told(trial: Trial) -> None:
    trial.write(OPEN)
    trial.write(ORDERING, "two.yaml").chmod(0)
    assert "two.yaml: error: this file cannot be read" in problem_of(trial.folder)


def test_a_file_that_is_not_utf8_inside_is_told(trial: Trial) -> None:
    trial.write(OPEN)
    (trial.folder / "two.yaml").write_bytes(b"id: caf\xe9\n")
    assert "two.yaml" in problem_of(trial.folder)


def test_former_ids_lead_to_those_of_today_and_an_id_in_use_to_itself(trial: Trial) -> None:
    trial.write(OPEN + "renamed_from: [told, tell-it]\n", "a.yaml")
    assert trial.open().renamed == {"told": "say-it", "tell-it": "say-it"}
    trial.write(OPEN.replace("say-it", "told"), "b.yaml")
    assert trial.open().renamed == {"tell-it": "say-it"}
    assert trial.open().renamed == {"tell-it": "say-it"}
