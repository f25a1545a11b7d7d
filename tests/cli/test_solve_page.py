"""The page on computing from the shell shows what the program prints."""

from __future__ import annotations

import re
import shlex

import pytest

from quiz.cli.entry import main
from tests.house import ROOT

PAGE = (ROOT / "docs/learners/solve.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n\$ (.*?)\n(?!>)(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("command", "shown"), BLOCKS, ids=[block[0][:50] for block in BLOCKS])
def test_an_example_prints_what_the_page_shows(
    command: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    program, *arguments = shlex.split(command.replace("\\\n> ", " "))
    assert program == "shardwise"
    main(arguments)
    printed, said = capsys.readouterr()
    assert (printed + said).rstrip() == shown


def test_every_example_is_run() -> None:
    assert len(BLOCKS) == PAGE.count("```console") == 7
