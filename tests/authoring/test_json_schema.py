"""The JSON Schema takes what the bank takes, refuses what it refuses, and describes every key."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from quiz.authoring.json_schema import DESCRIPTIONS, question_schema
from quiz.bank.yaml_reader import read_yaml
from quiz.cli.entry import main
from tests.house import ROOT
from tests.trial_bank import CLAIM, NUMERIC, OPEN, ORDERING, STRATEGY

BUNDLED = sorted((ROOT / "questions").glob("*/*.yaml"))


@cache
def validator() -> Draft202012Validator:
    Draft202012Validator.check_schema(question_schema())
    return Draft202012Validator(question_schema())


def as_json(value: object) -> object:
    """The data of a file as an editor's YAML parser hands it on: plain numbers."""
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_json(item) for item in value]
    return float(value) if isinstance(value, Fraction) else value


def errors(text: str) -> list[Any]:
    return list(validator().iter_errors(as_json(read_yaml(text, "q.yaml").data)))


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_every_bundled_question_is_valid(path: Any) -> None:
    assert errors(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("text", [STRATEGY, NUMERIC, CLAIM, ORDERING, OPEN])
def test_every_kind_is_valid(text: str) -> None:
    assert errors(text) == []


@pytest.mark.parametrize(
    "broken",
    [
        OPEN.replace("difficulty: 3", "dificulty: 3"),
        OPEN.replace("difficulty: 3", "difficulty: 9"),
        OPEN.replace("kind: open", "kind: opne"),
        OPEN.replace("id: say-it", "id: Say it"),
        CLAIM.replace("asserted: false", "asserted: no"),
        NUMERIC.replace("within: 3 %", "wthin: 3 %"),
        STRATEGY.replace("decide:", "decides:"),
    ],
)
def test_a_broken_question_is_not(broken: str) -> None:
    assert errors(broken) != []


def test_every_key_is_described_once() -> None:
    """An editor shows the description of the key under the cursor; none is left over."""
    used: set[str] = set()
    for name, model in question_schema()["$defs"].items():
        for key, field in model.get("properties", {}).items():
            assert field["description"]
            used.add(f"{name}.{key}" if f"{name}.{key}" in DESCRIPTIONS else key)
    assert used == DESCRIPTIONS.keys()


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["author", "schema"]) == 0
    shown, said = capsys.readouterr()
    assert json.loads(shown) == question_schema()
    assert said == ""
