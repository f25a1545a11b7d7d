"""The lint against deliberately bad questions: each has its fault and no other, and no code is without a specimen."""

from __future__ import annotations

import re
import shutil
import textwrap
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from quiz.authoring.codes import codes
from quiz.authoring.lint import lint
from quiz.bank import files
from quiz.bank.diagnostics import BankError, Diagnostic

BAD = Path(__file__).resolve().parents[1] / "bad"
TODAY = date(2026, 11, 30)
EXPECTED = re.compile(rb"# expect: ([^\r\n]+)")
SHARED = ("bank.yaml", "sources.yaml")
SPECIMENS = sorted(path.name for path in BAD.iterdir() if path.suffix == ".yaml" and path.name not in SHARED)
BANKS = sorted(path.name for path in BAD.iterdir() if path.is_dir())
MADE_HERE = {"id-changed", "id-lost"}  # their specimens are two commits, in test_former_ids.py


def expected(path: Path) -> set[tuple[str, int]]:
    """What the comment in a file says that must be found, as codes and lines."""
    found = EXPECTED.search(path.read_bytes())
    if found is None:
        return set()
    pairs = (entry.split(" at ") for entry in found[1].decode().split(", "))
    return {(code, int(line)) for code, line in pairs}


def found_in(content: bytes, tmp_path: Path) -> tuple[Diagnostic, ...]:
    """What the lint finds in one file of a bank."""
    for name in SHARED:
        shutil.copy(BAD / name, tmp_path)
    (tmp_path / "specimen.yaml").write_bytes(content)
    return lint(tmp_path, TODAY, workers=1).diagnostics


@pytest.mark.parametrize("name", SPECIMENS)
def test_a_bad_question_has_the_fault_that_it_names_on_that_line_and_no_other(name: str, tmp_path: Path) -> None:
    found = found_in((BAD / name).read_bytes(), tmp_path)
    assert {(one.code, one.place.line) for one in found} == expected(BAD / name) != set()
    assert all(one.severity == codes()[one.code].severity for one in found)
    assert all(one.what and one.next for one in found)


@pytest.mark.parametrize("name", BANKS)
def test_a_bad_bank_has_the_fault_that_its_files_name_and_no_other(name: str) -> None:
    found = lint(BAD / name, TODAY, workers=1).diagnostics
    files = sorted((BAD / name).rglob("*.yaml"))
    wanted = {(path.relative_to(BAD / name).as_posix(), *pair) for path in files for pair in expected(path)}
    assert {(one.place.file, one.code, one.place.line) for one in found} == wanted != set()


@cache
def specimens() -> dict[str, str]:
    """The text of a specimen of each code: the one that is named after it, where there is one."""
    texts: dict[str, str] = {}
    for name in sorted(SPECIMENS, key=lambda name: name.removesuffix(".yaml") not in codes()):
        for code, _ in expected(BAD / name):
            texts.setdefault(code, (BAD / name).read_bytes().decode("utf-8", "replace"))
    return texts


def indented(piece: str, text: str) -> str | None:
    """A piece of a question with the indentation that it has in a file; None where it is not in it."""
    tried = (textwrap.indent(piece, " " * width) for width in range(9))
    return next((one for one in tried if one in text), None)


EXECUTED = [
    name for name, code in codes().items() if name in specimens() and indented(code.bad, specimens()[name]) is not None
]


def mended(name: str) -> str:
    """The specimen of a code with the good example in the place of the bad one."""
    text, code = specimens()[name], codes()[name]
    bad = indented(code.bad, text)
    assert bad is not None
    width = len(bad) - len(bad.lstrip(" ")) - (len(code.bad) - len(code.bad.lstrip(" ")))
    return text.replace(bad, textwrap.indent(code.good, " " * width), 1)


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """What is found in each mended specimen; one bank holds them all."""
    folder = tmp_path_factory.mktemp("mended")
    for name in SHARED:
        shutil.copy(BAD / name, folder)
    for name in EXECUTED:
        (folder / f"{name}.yaml").write_text(mended(name), encoding="utf-8")
    found = lint(folder, TODAY, workers=1).diagnostics
    return {name: {one.code for one in found if one.place.file == f"{name}.yaml"} for name in EXECUTED}


@pytest.mark.parametrize("name", EXECUTED)
def test_the_good_example_of_an_explanation_mends_the_bad_one(name: str, left: dict[str, set[str]]) -> None:
    """The bad example stands in the specimen as it is explained; with the good one in its place the fault is gone."""
    assert name not in left[name]


def made_banks(tmp_path: Path) -> dict[str, Path]:
    """Banks too large or too strange to lie in a repository, by the code that they have."""
    found = {}
    for name in ("no-manifest", "no-questions", "file-name", "unreadable", "file-too-large", "text-too-long"):
        found[name] = tmp_path / name
    for name in ("too-many-values", "too-many", "too-large"):
        found[name] = tmp_path / name
    good = (BAD / "near-duplicate" / "a-first.yaml").read_text()
    for name, folder in found.items():
        folder.mkdir()
        if name != "no-manifest":
            for shared in SHARED:
                shutil.copy(BAD / shared, folder)
        if name != "no-questions":
            (folder / "good.yaml").write_text(good)
    (found["file-name"] / "other.yml").write_text(good)
    (found["unreadable"] / "other.yaml").symlink_to("nowhere")
    (found["file-too-large"] / "other.yaml").write_text("a" * (2 * 2**20 + 1))
    (found["text-too-long"] / "other.yaml").write_text(good.replace("It holds", "It holds " * 9000))
    (found["too-many-values"] / "other.yaml").write_text(f"a: [{'1, ' * 20_001}]")
    (found["too-many"] / "other.yaml").write_text("\n".join(f"a{number}: &x 1" for number in range(101)))
    return {"no-bank": tmp_path / "nowhere", **found}


def test_banks_that_cannot_lie_in_a_repository_have_their_codes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the specimens and the renamed questions these are all codes that there are."""
    made = made_banks(tmp_path)
    for code, folder in made.items():
        with monkeypatch.context() as patch:
            if code == "too-large":
                patch.setattr(files, "_MOST_ENTRIES", 2)
            try:
                found = lint(folder, TODAY, workers=1).diagnostics
            except BankError as error:
                found = error.diagnostics
        assert code in {one.code for one in found}
    named = {pair[0] for name in SPECIMENS for pair in expected(BAD / name)}
    named |= {pair[0] for name in BANKS for path in (BAD / name).rglob("*.yaml") for pair in expected(path)}
    assert named | made.keys() | MADE_HERE == codes().keys()


def test_there_are_enough_of_them() -> None:
    assert len(SPECIMENS) + len(BANKS) >= 60
    assert len(EXECUTED) >= 80
