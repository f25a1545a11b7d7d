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

LISTS = {"Inputs", "Quantities", "Axes", "Waivers"}
"""Definitions whose keys are names of the catalogue and codes of the lint, described there."""
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
        STRATEGY.replace("  recipe: zero-paper", "  recipe: zero-paper\n  nope: 3"),
        STRATEGY.replace("  recipe: zero-paper", "  recipe: zero-paper\n  memory.state_total: 3 GB"),
        STRATEGY.replace("  memory.activations_per_gpu: 15 GB", "  memory.activation_per_gpu: 15 GB"),
        STRATEGY.replace("layout.zero: 1}", "layout.zer: 1}"),
        STRATEGY.replace("    model.parameters: [34e9", "    model.parameter: [34e9"),
        OPEN + "waive: {nope: Why not.}\n",
        OPEN + "waive: {no-source: An error is not waived.}\n",
    ],
)
def test_a_broken_question_is_not(broken: str) -> None:
    assert errors(broken) != []


def test_every_key_is_described_once() -> None:
    """An editor shows the description of the key under the cursor; none is left over."""
    used: set[str] = set()
    models = {name: model for name, model in question_schema()["$defs"].items() if name not in LISTS}
    for name, model in models.items():
        for key, field in model.get("properties", {}).items():
            assert field["description"]
            used.add(f"{name}.{key}" if f"{name}.{key}" in DESCRIPTIONS else key)
    assert used == DESCRIPTIONS.keys()


@pytest.mark.parametrize("text", [OPEN + "waive: {negative-stem: It is asked so.}\n", STRATEGY])
def test_names_of_the_lists_are_valid(text: str) -> None:
    assert errors(text) == []


def test_each_name_of_a_list_says_what_it_is() -> None:
    """An editor shows it beside the completion."""
    definitions = question_schema()["$defs"]
    for name in LISTS:
        assert definitions[name]["properties"]
        assert all(field["description"].endswith(".") for field in definitions[name]["properties"].values())
    assert definitions["Inputs"]["properties"].keys() < definitions["Quantities"]["properties"].keys()


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["author", "schema"]) == 0
    shown, said = capsys.readouterr()
    assert json.loads(shown) == question_schema()
    assert said == ""
