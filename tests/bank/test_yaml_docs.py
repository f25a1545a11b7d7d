"""The instructors' page on YAML is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quiz.bank.diagnostics import BankError
from quiz.bank.yaml_reader import read_yaml

PAGE = (Path(__file__).parents[2] / "docs" / "instructors" / "yaml.md").read_text(encoding="utf-8")


def test_the_example_is_read_without_a_warning() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 1
    document = read_yaml(blocks[0], "example.yaml")
    assert document.warnings == ()
    assert document.data["scenario"] == {"model.parameters": 70_000_000_000}  # type: ignore[index]


def test_the_message_is_the_one_that_is_shown() -> None:
    shown = re.findall(r"```\n(questions/.*?)```", PAGE, re.DOTALL)
    text = "\n" * 13 + "why: this: that\n"
    with pytest.raises(BankError) as caught:
        read_yaml(text, "questions/memory/a.yaml")
    assert [diagnostic.render(text) + "\n" for diagnostic in caught.value.diagnostics] == shown
