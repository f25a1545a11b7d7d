"""The page that builds one question from nothing to its drill is true at every step."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quiz.bank.library import open_bank
from quiz.cli.entry import main
from quiz.drills.machine import Machine
from quiz.drills.plan import Options, plan
from tests.house import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = (ROOT / "docs" / "authors.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(yaml|console|sh)\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
KEY = re.compile(r"^(?=[a-z_]+:)", re.MULTILINE)


def by_key(text: str) -> dict[str, str]:
    """The top-level entries of a YAML file as they are written."""
    return {part.partition(":")[0]: part for part in KEY.split(text) if part.strip()}


def write(block: str) -> None:
    """Do what the first line of a block says: a new file, entries in place of others, or one line for another."""
    head, _, body = block.partition("\n")
    name, _, how = head.removeprefix("# ").partition(": ")
    path = Path(name)
    if how == "change":
        old, new = body.split("\n")
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")
        return
    if how == "in place":
        entries = by_key(path.read_text(encoding="utf-8")) | by_key(body + "\n")
        body = "".join(f"{entry.rstrip()}\n" for entry in entries.values())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{body.rstrip()}\n", encoding="utf-8")


def commands(block: str) -> Iterator[tuple[list[str], list[str]]]:
    """Each command of a block, and the lines that are shown below it."""
    for part in block.split("$ ")[1:]:
        line, *shown = part.rstrip().split("\n")
        yield shlex.split(line), shown


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("COLUMNS", "300")
    return tmp_path


def follow(capsys: pytest.CaptureFixture[str]) -> int:
    """Write every file and type every command of the page, in order; tell how many commands there were."""
    typed = 0
    for language, block in BLOCK.findall(PAGE):
        if language == "yaml":
            write(block)
        if language == "console":
            for (program, *words), shown in commands(block):
                assert program == "shardwise"
                main(words)
                printed = " ".join("".join(capsys.readouterr()).split())
                for line in shown:
                    assert " ".join(line.split()) in printed, (words, line, printed)
                typed += 1
    return typed


def test_every_step_of_the_page_does_what_it_says(empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its last line runs torch; without it, what it would run is as the page says."""
    assert follow(capsys) == PAGE.count("\n$ shardwise")
    assert sorted(path.name for path in (empty / "my-bank").rglob("*.yaml")) == [
        "bank.yaml",
        "least-stage.yaml",
        "sources.yaml",
    ]
    assert PAGE.count("```sh\nshardwise prove least-stage --bank my-bank/\n```") == 1
    question = open_bank(empty / "my-bank", None).question("least-stage")
    spec = plan(question, Options(ranks=2), Machine(torch="2.13.0", cores=2, memory=16 * 10**9, gpus=0))
    assert [leg.name for leg in spec.legs] == ["single", "ddp", "zero1", "zero3"]
