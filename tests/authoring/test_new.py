"""`shardwise author new`: what it writes is whole and clean, and nothing that is there is ever lost."""

from __future__ import annotations

import io
import json
import os
import pty
import shlex
import sys
from datetime import date
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.begin import as_name, is_name
from quiz.authoring.editor import NoEditorError, command
from quiz.authoring.examine import examine
from quiz.authoring.lint import lint
from quiz.authoring.scaffold import KINDS, Wanted, question_text
from quiz.bank.bench import Context
from quiz.bank.compile import read_manifest, read_sources
from quiz.bank.yaml_reader import read_yaml
from quiz.cli import author_new
from quiz.cli.entry import main
from quiz.cli.outcome import Failure
from tests.house import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SOURCES = read_sources(b"zero-2019:\n  title: ZeRO\n  address: arXiv:1910.02054\n", "sources.yaml")
TODAY = date(2026, 11, 30)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    return tmp_path


def new(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["author", "new", *words, "--no-input"])
    shown, said = capsys.readouterr()
    return code, shown, said


def numeric(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    return new(capsys, "numeric", "--id", "state", "--topic", "memory", *words)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_clean_with_every_combination_of_answers(kind: str) -> None:
    """No error and no warning: with and without the typed part, the comments, a title that YAML could misread.

    What is linted with comments need not be linted without, since these change nothing of what is read.
    """
    for then in (True, False) if kind in ("strategy", "claim", "ordering") else (True,):
        title = 'Yes: "why" # not — {x}' if then else ""
        taught, bare = (
            question_text(Wanted(kind, "a-question", "a-topic", title, 5, then, taught), "zero-2019", 1)
            for taught in (True, False)
        )
        assert read_yaml(taught, "a.yaml").data == read_yaml(bare, "a.yaml").data
        sheet = examine(taught.encode(), "a.yaml", "", Context("bank", SOURCES))
        assert [one.render(taught) for one in sheet.findings] == []
        assert (sheet.id, sheet.row is not None and sheet.row.kind) == ("a-question", kind)
        assert ("\nthen:\n" in taught) == (then and kind not in ("numeric", "open"))
        for text in (taught, bare):
            assert text.startswith("# yaml-language-server: $schema=../question.schema.json\n")
            assert "#+then" not in text
        assert taught.count("#") > 5 > bare.count("#")


@pytest.mark.parametrize("name", ["1", "70e9", "null", "true"])
def test_what_a_bank_file_would_not_read_as_a_text_is_no_id(
    name: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, shown, said = new(capsys, "open", "--id", name, "--topic", "memory", "--bank", "my-bank")
    assert (code, shown) == (2, "")
    assert f"--id {name}: it takes" in said
    assert "Did you mean" not in said
    assert not (home / "my-bank").exists()


def test_no_bank_is_made_within_a_bank(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert numeric(capsys, "--bank", "my-bank")[0] == 0
    code, shown, said = numeric(capsys, "--bank", "my-bank/memory")
    assert (code, shown) == (2, "")
    assert "a bank holds no other. Give --bank" in said
    assert not (home / "my-bank" / "memory" / "bank.yaml").exists()


def test_all_kinds_together_make_a_clean_bank_from_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind in KINDS:
        code, shown, said = new(capsys, kind, "--id", f"my-{kind}", "--topic", "memory", "--bank", "my-bank")
        assert (code, shown) == (0, f"my-bank/memory/my-{kind}.yaml\n")
        assert f"shardwise author preview my-bank/memory/my-{kind}.yaml" in said
        assert ("made my-bank/bank.yaml" in said) == (kind == "strategy")
    found = lint(home / "my-bank", TODAY, workers=1)
    assert found.diagnostics == ()
    assert len(found.rows) == len(KINDS)
    schema = json.loads((home / "my-bank" / "question.schema.json").read_text(encoding="utf-8"))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "open"])
def test_a_second_one_of_a_kind_is_clean_too_and_told_from_the_first_once_it_is_changed_in_part(
    kind: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new(capsys, kind, "--bank", "mine", "--topic", "memory", "--id", "first")
    assert lint(home / "mine", TODAY, workers=1).diagnostics == ()
    new(capsys, kind, "--bank", "mine", "--topic", "memory", "--id", "second")
    assert lint(home / "mine", TODAY, workers=1).diagnostics == ()
    path = home / "mine" / "memory" / "second.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("trained", "being trained", 1), encoding="utf-8")
    found = lint(home / "mine", TODAY, workers=1).diagnostics
    assert [(one.place.file, one.code, one.severity) for one in found] == [
        ("memory/second.yaml", "near-duplicate", "warning")
    ]


def test_nothing_is_overwritten_and_no_id_is_given_twice(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert numeric(capsys, "--bank", "b")[0] == 0
    path = home / "b" / "memory" / "state.yaml"
    path.write_text("id: state\n# mine\n", encoding="utf-8")
    code, shown, said = numeric(capsys, "--bank", "b")
    assert (code, shown) == (2, "")
    assert "exists already" in said
    code, _, said = numeric(capsys, "--to", "b/memory/other.yaml")
    assert code == 2
    assert "that of memory/state.yaml" in said
    assert path.read_text(encoding="utf-8") == "id: state\n# mine\n"
    assert not (home / "b" / "memory" / "other.yaml").exists()


def test_a_source_is_added_to_the_sources_that_are_there(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Comments and entries stay byte for byte; a source that is there already, under any key, is used."""
    bank = home / "b"
    bank.mkdir()
    manifest = "id: mine\ntitle: Mine\nlicence: MIT\n"
    (bank / "bank.yaml").write_text(manifest, encoding="utf-8")
    (bank / "sources.yaml").write_text("# ours\nmemo: {title: A memo}", encoding="utf-8")
    code, _, said = numeric(capsys, "--bank", "b")
    assert code == 0
    assert "added a source to b/sources.yaml" in said
    sources = (bank / "sources.yaml").read_text(encoding="utf-8")
    assert sources.startswith("# ours\nmemo: {title: A memo}\nzero-2019:\n")
    assert (bank / "bank.yaml").read_text(encoding="utf-8") == manifest
    (bank / "sources.yaml").write_text("rajbhandari: {title: Z, address: 'arXiv:1910.02054'}\n", encoding="utf-8")
    assert new(capsys, "open", "--id", "say", "--topic", "memory", "--bank", "b")[0] == 0
    assert "source: rajbhandari" in (bank / "memory" / "say.yaml").read_text(encoding="utf-8")


def test_a_broken_bank_is_not_written_into(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "b").mkdir()
    (home / "b" / "bank.yaml").write_text("id: [\n", encoding="utf-8")
    code, _, said = numeric(capsys, "--bank", "b")
    assert code == 2
    assert "has to be mended first" in said
    assert [path.name for path in (home / "b").iterdir()] == ["bank.yaml"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--id", "Two Words", "--topic", "t", "--bank", "b"), "Did you mean two-words?"),
        (("--topic", "t", "--bank", "b"), "--id is missing"),
        (("--id", "x", "--topic", "t"), "--bank FOLDER"),
        (("--id", "x", "--topic", "t", "--bank", "b", "--title", "70B on 8 GPUs"), "'70B' is a figure typed in prose"),
        (("--id", "x", "--topic", "t", "--bank", "b", "--difficulty", "6"), "from 1 to 5"),
        (("--id", "x", "--topic", "t", "--to", "b/x.txt"), "end in .yaml"),
        (("--id", "x", "--topic", "t", "--to", "b/bank.yaml"), "needs for itself"),
        (("--id", "x", "--topic", "t", "--to", "b/x.yaml", "--bank", "b"), "Give one of them"),
    ],
)
def test_what_cannot_be_used_is_said_and_nothing_is_written(
    home: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str
) -> None:
    code, shown, said = new(capsys, "open", *words)
    assert (code, shown) == (2, "")
    assert told in said
    assert list(home.iterdir()) == []


def test_a_file_names_its_bank_by_the_folder_above_its_topic(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(capsys, "open", "--topic", "memory", "--to", "b/memory/aloud.yaml")[0] == 0
    assert (home / "b" / "bank.yaml").is_file()
    assert "id: aloud\n" in (home / "b" / "memory" / "aloud.yaml").read_text(encoding="utf-8")


def test_on_a_terminal_it_asks_for_what_is_missing(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enter takes what is proposed; what cannot be used is asked for again; the end of the input writes nothing."""
    controller, terminal = pty.openpty()
    with os.fdopen(terminal) as typed, os.fdopen(controller, "wb") as keys:
        monkeypatch.setattr(sys, "stdin", typed)
        keys.write(b"course\nMemory Budget\n\nThe state of a stage\n\nhard\n6\n4\n")
        keys.flush()
        assert main(["author", "new", "claim"]) == 0
    shown, said = capsys.readouterr()
    assert shown == "course/memory-budget/the-state-of-a-stage.yaml\n"
    assert "Id: histories know the question by it [the-state-of-a-stage]: " in said
    text = (home / "course" / "memory-budget" / "the-state-of-a-stage.yaml").read_text(encoding="utf-8")
    assert 'title: "The state of a stage"\n' in text
    assert "difficulty: 4\n" in text
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    with pytest.raises(Failure, match="nothing is written"):
        author_new._ask("Topic", "")


def test_the_editor_opens_what_was_written(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor that is not there is said before anything is written."""
    code, _, said = numeric(capsys, "--bank", "b", "--edit")
    assert code == 3
    assert "export EDITOR=" in said
    assert list(home.iterdir()) == []
    seen = home / "seen"
    monkeypatch.setenv("EDITOR", f'{sys.executable} -c \'import sys; open("{seen}", "w").write(sys.argv[-1])\'')
    assert numeric(capsys, "--bank", "b", "--edit")[0] == 0
    assert seen.read_text(encoding="utf-8") == str(home / "b" / "memory" / "state.yaml")


def test_each_editor_is_told_the_line_in_its_own_way(tmp_path: Path) -> None:
    for name in ("vim", "code", "hx"):
        (tmp_path / name).touch(mode=0o755)
    file = tmp_path / "-q.yaml"
    on_path = {"PATH": str(tmp_path)}
    assert command(file, 7, {**on_path, "EDITOR": "vim -n"}) == ["vim", "-n", "+7", str(file)]
    assert command(file, 7, {**on_path, "VISUAL": "code", "EDITOR": "vim"}) == ["code", "--wait", "--goto", f"{file}:7"]
    assert command(file, 0, {**on_path, "EDITOR": "hx"}) == ["hx", str(file)]
    for wrong in ({}, {"EDITOR": " "}, {"EDITOR": "vim '"}, {"EDITOR": "nowhere"}):
        with pytest.raises(NoEditorError):
            command(file, 1, {**on_path, **wrong})


def test_a_name_is_made_of_any_text() -> None:
    assert as_name("  What's new: ZeRO-3?  ") == "what-s-new-zero-3"
    assert as_name("…") == ""
    assert is_name(as_name("x" * 70))
    assert is_name(as_name(f"{'x' * 59}-y"))


def test_banks_and_titles_of_every_script_have_ids_of_their_own(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two folders whose names cannot be spelled are two banks to a history."""
    ids = set()
    for folder in ("\u9898\u5e93", "\u8bd5\u9898"):
        words = ["--bank", folder, "--topic", "t", "--title", f"{folder}?", "--no-input"]
        assert main(["author", "new", "open", *words]) == 0
        ids.add(read_manifest((home / folder / "bank.yaml").read_bytes(), "bank.yaml").id)
        (question,) = (home / folder / "t").iterdir()
        ids.add(question.stem)
    capsys.readouterr()
    assert len(ids) == 4
    assert all(is_name(one) for one in ids)


def test_the_way_from_nothing_to_a_question_is_as_the_page_says(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every line of the page's first example, typed as it stands, in an empty folder."""
    page = (ROOT / "docs" / "instructors" / "writing-questions.md").read_text(encoding="utf-8")
    example = page.partition("## From nothing to a question")[2].split("```")[1]
    lines = [line for line in example.splitlines() if line]
    assert [line.split()[2] for line in lines] == ["new", "preview", "lint"]
    for line in lines:
        words = shlex.split(line)[1:]
        assert main([*words, *(["--no-input"] if words[1] == "new" else [])]) == 0
    shown = capsys.readouterr().out
    assert "0 errors, 0 warnings" in shown
    assert "Which plan fits?" in shown
    assert (home / "my-bank" / "memory" / "which-fits.yaml").is_file()
