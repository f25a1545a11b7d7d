"""`shardwise author import` and `export` from the shell, and the page that explains them."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.exchange import filing
from quiz.authoring.exchange.draft import Choice, Draft, Value
from quiz.authoring.lint import lint
from quiz.bank.yaml_reader import read_yaml
from quiz.cli.entry import main
from tests.authoring.exchange.made_apkg import old_collection, package
from tests.house import ROOT
from tests.trial_bank import NUMERIC, STRATEGY

if TYPE_CHECKING:
    from pathlib import Path

    from tests.trial_bank import Trial

PAGE = (ROOT / "docs" / "instructors" / "exchange.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def author(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["author", *(str(word) for word in words)])
    shown, said = capsys.readouterr()
    return code, shown, said


def test_each_example_of_the_page_runs(
    trial: Trial, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a folder with a bank and the files that the examples name; an example that lists losses ends with 1."""
    folder = trial.folder.parent
    trial.write(STRATEGY)
    trial.write(NUMERIC, "topic/two.yaml")
    trial.folder.rename(folder / "my-bank")
    (folder / "deck.apkg").write_bytes(package({"collection.anki2": old_collection()}))
    for kind, text in BLOCKS:
        if kind == "gift":
            (folder / "physics.gift").write_text(text, encoding="utf-8")
        if kind == "csv":
            (folder / "questions.csv").write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    commands = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines() if "shardwise" in line]
    ran = [line for line in commands if "export" in line or "import" in line]
    assert len(ran) >= 8
    for line in ran:
        code, _, said = author(capsys, *line.partition("#")[0].split()[2:])
        assert code == (1 if any(one in line for one in ("physics.gift", "deck.apkg")) else 0), (line, said)
    expected = next(text for kind, text in BLOCKS if kind == "yaml")
    assert (folder / "drafts" / "waves" / "sum.yaml").read_text(encoding="utf-8") == expected


def test_a_draft_is_read_by_the_lint_which_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "physics.gift"
    source.write_text("::Which::Pick {=80 GB ~b}\n\nHow much?{#3.5:0.1}\n\nWhy?{}\n", encoding="utf-8")
    code, shown, said = author(capsys, "import", source, "--to", tmp_path / "drafts")
    assert (code, len(shown.splitlines())) == (0, 3)
    assert "next: shardwise author lint" in said
    found = lint(tmp_path / "drafts", today=date(2026, 11, 30))
    errors = {(one.place.file.rpartition("/")[2], one.code) for one in found.diagnostics if one.severity == "error"}
    assert errors == {
        ("which.yaml", "missing-key"),
        ("which.yaml", "invalid"),
        ("which.yaml", "literal-figure"),
        ("how-much.yaml", "missing-key"),
        ("how-much.yaml", "no-convention"),
        ("why.yaml", "missing-key"),
        *((file, "no-source") for file in ("which.yaml", "how-much.yaml", "why.yaml")),
    }


def test_no_file_is_replaced_and_ids_stay_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.gift"
    source.write_text("Why?{}\n\nWhy?{}\n", encoding="utf-8")
    for _ in range(2):
        assert author(capsys, "import", source, "--to", tmp_path / "drafts")[0] == 0
    names = sorted(path.name for path in (tmp_path / "drafts").rglob("*.yaml"))
    assert names == ["bank.yaml", "why-2.yaml", "why-3.yaml", "why-4.yaml", "why.yaml"]


def test_names_from_a_file_never_leave_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.csv"
    source.write_text('question,id,topic\nx,../../evil,/etc\ny,"a\x1b[2J",..\nz,CON,\n', encoding="utf-8")
    code, _, _ = author(capsys, "import", source, "--to", tmp_path / "in" / "drafts")
    assert code == 0
    found = sorted(
        path.relative_to(tmp_path / "in" / "drafts").as_posix() for path in (tmp_path / "in").rglob("*.yaml")
    )
    assert found == ["bank.yaml", "etc/evil.yaml", "imported/a-2j.yaml", "imported/con.yaml"]


def test_a_folder_that_leads_elsewhere_is_not_written_through(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "drafts" / "imported").mkdir(parents=True)
    (tmp_path / "drafts" / "imported" / "why.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    source = tmp_path / "a.gift"
    source.write_text("Why?{}\n", encoding="utf-8")
    author(capsys, "import", source, "--to", tmp_path / "drafts")
    assert not (tmp_path / "elsewhere.yaml").exists()


def test_nothing_found_is_an_error_with_the_reason_and_the_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "a.gift"
    source.write_text("\n\nOnly a description.\n", encoding="utf-8")
    code, shown, said = author(capsys, "import", source, "--to", tmp_path / "drafts")
    assert (code, shown) == (2, "")
    assert f"{source}:3: a description without {{ }}" in said
    assert not (tmp_path / "drafts").exists()
    for name, text in (("b.gift", ""), ("c.csv", "a,b\n"), ("d.apkg", "x")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        code, _, said = author(capsys, "import", tmp_path / name, "--to", tmp_path / "drafts")
        assert (code, said.startswith(f"shardwise: {tmp_path / name}")) == (2, True)
    assert author(capsys, "import", tmp_path / "e.docx", "--to", tmp_path)[0] == 2


def test_what_is_no_file_and_what_is_no_folder_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.gift"
    source.write_text("Why?{}\n", encoding="utf-8")
    for file, to, told in (
        (tmp_path, tmp_path / "drafts", "is a folder; name a file"),
        (tmp_path / "b.gift", tmp_path / "drafts", "b.gift is not there"),
        (source, source, "is a file and no folder"),
    ):
        code, shown, said = author(capsys, "import", file, "--to", to)
        assert (code, shown) == (2, "")
        assert told in said


def test_json_lists_files_and_losses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.gift"
    source.write_text("Why?{}\n\nA description.\n", encoding="utf-8")
    code, shown, _ = author(capsys, "import", source, "--to", tmp_path / "drafts", "--json")
    data = json.loads(shown)
    assert code == 1
    assert [path.rpartition("/")[2] for path in data["questions"]] == ["why.yaml"]
    assert (data["lost"][0]["at"], data["lost"][0]["number"]) == ("line", 3)


HOSTILE_TEXTS = [
    "key: value", "- a\n- b", "# c", "{{ state }}", "{{{x}}}", "a\n  b\n\n\tc", "'\"\\", "--- x", "&a *b !!c", "| >",
    "\x1b[0m", "\u202e", "  lead", "trail  ", "%", "@", "`", "é" * 10,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_no_text_can_be_read_as_yaml(text: str) -> None:
    """Whatever a foreign text holds, it is the value of its key, and a name in braces is not looked up."""
    for draft in (
        Draft(1, text, (Choice(text, right=True, why=text), Choice("b", right=False)), why=text, title=text),
        Draft(1, text, value=Value("1.5", "0.1", "GB"), why=text),
        Draft(1, text, sketch=text),
    ):
        data = read_yaml(filing.written("topic", "id", draft, text), "x.yaml").data
        assert isinstance(data, dict)
        assert set(data) <= {"id", "kind", "topic", "title", "stem", "options", "answer", "why", "sketch"}
        named = re.sub(r'\{\{ "(\{\{|\}\})" \}\}', "", str(data["stem"]))
        assert "{{" not in named
        if text.isascii() and text.isprintable() and "{" not in text:
            assert data["stem"].strip() == text.strip()


@pytest.mark.parametrize("kind", ["html", "markdown", "csv", "gift", "anki"])
def test_a_file_that_exists_is_not_replaced_unasked(
    trial: Trial, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    trial.write(NUMERIC)
    target = trial.folder.parent / "out"
    assert author(capsys, "export", kind, trial.folder, "-o", target)[0] == 0
    before = target.read_bytes()
    code, _, said = author(capsys, "export", kind, trial.folder, "-o", target)
    assert (code, "exists already" in said) == (2, True)
    assert author(capsys, "export", kind, trial.folder, "-o", target, "--force")[0] == 0
    assert target.read_bytes() == before


def test_export_refuses_what_does_not_go_together(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    trial.write(NUMERIC)
    for words in (
        ("csv", "--sheet", "exam"),
        ("html", "--raw"),
        ("gift", "--topic", "nowhere"),
        ("html", "--question", "x"),
    ):
        code, shown, said = author(capsys, "export", words[0], trial.folder, *words[1:])
        assert (code, shown) == (2, "")
        assert said.startswith("shardwise: ")


def test_a_part_of_a_bank_is_exported_with_the_numbers_of_its_seed(
    trial: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    trial.write(STRATEGY)
    trial.write(NUMERIC, "topic/two.yaml")
    pages = {
        seed: author(capsys, "export", "markdown", trial.folder, "--topic", "memory-budget", "--seed", seed)[1]
        for seed in ("a", "b", "c")
    }
    assert all("Which plan fits?" in page and "How often?" not in page for page in pages.values())
    assert len(set(pages.values())) == 3


def test_drafts_in_a_folder_of_a_bank_belong_to_that_bank(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    """No bank.yaml is made within a bank, and no id of the bank is given again."""
    trial.write(NUMERIC)
    source = trial.folder.parent / "a.gift"
    source.write_text("::How often::Why?{}\n", encoding="utf-8")
    assert author(capsys, "import", source, "--to", trial.folder / "drafts")[0] == 0
    made = [path.relative_to(trial.folder).as_posix() for path in (trial.folder / "drafts").rglob("*.yaml")]
    assert made == ["drafts/imported/how-often-2.yaml"]
    found = lint(trial.folder, today=date(2026, 11, 30))
    assert {one.code for one in found.diagnostics if one.severity == "error"} == {"missing-key", "no-source"}
