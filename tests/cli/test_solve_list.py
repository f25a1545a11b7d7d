"""`solve --list` and `--explain`: what there is, which presets, how a quantity comes about."""

from __future__ import annotations

import json

import pytest

from quiz.cli.entry import main
from solvers import CATALOGUE, RELATIONS
from solvers.presets import PRESET_SYMBOLS, preset_names


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["solve", *arguments]) == 0
    shown, said = capsys.readouterr()
    assert said == ""
    return shown


def test_a_namespace_is_listed_alone_and_a_text_is_sought_in_names_and_meanings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = printed(capsys, "--list", "pipeline")
    assert shown.splitlines()[0] == "pipeline"
    assert "memory." not in shown
    assert "layout.pp" in printed(capsys, "--list", "pipeline stages")
    sought = [line.split()[0] for line in printed(capsys, "--list", "MOMENT").splitlines() if line.startswith("  ")]
    assert {"recipe.moment1", "recipe.moment2"} <= set(sought)
    assert "recipe.weights" not in sought


@pytest.mark.parametrize("symbol", PRESET_SYMBOLS)
def test_presets_are_listed_with_values_and_source(capsys: pytest.CaptureFixture[str], symbol: str) -> None:
    shown = printed(capsys, "--list", symbol)
    found = json.loads(printed(capsys, "--list", symbol, "--json"))
    assert [item["name"] for item in found] == list(preset_names(symbol))
    assert all(item["source"] and item["source"] in shown for item in found)
    assert all(item["values"] for item in found)


def test_a_recipe_is_listed_with_its_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, "--list", "recipe")
    assert "weights 2 B/param, gradients 4 B/param" in shown
    assert "arXiv:1910.02054" in shown


def test_an_explanation_has_relation_letters_source_assumptions_and_slips(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, "--explain", "pipeline.bubble_of_total")
    for expected in ("bubble_of_total = (p − 1) / (", "layout.pp", "arXiv:1811.06965", "Source", "Letters"):
        assert expected in shown
    assert "Where people slip" in printed(capsys, "--explain", "memory.state_per_gpu")
    assert "Right elsewhere" in printed(capsys, "--explain", "memory.state_per_gpu")


def test_the_cases_of_a_relation_are_lines_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    first, _, _ = printed(capsys, "--explain", "memory.gradients_per_gpu").partition("Relation 2")
    lines = first.splitlines()
    cases = [line for line in lines if line.startswith("  gradients = ")]
    assert len(cases) == 3
    assert cases[0].endswith("where stage ≥ 2 and sync = each-step and m > 1")
    assert cases[-1].endswith("otherwise")


def test_an_input_is_explained_by_what_it_may_be_and_what_must_hold(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, "--explain", "layout.tp")
    assert "default 1; an input, such as 8" in shown
    assert "do not divide" in shown or "does not divide" in shown
    assert "one of none, optimizer" in printed(capsys, "--explain", "layout.offload")


def test_every_quantity_can_be_explained(capsys: pytest.CaptureFixture[str]) -> None:
    for info in CATALOGUE:
        found = json.loads(printed(capsys, "--explain", info.name, "--json"))
        assert len(found["relations"]) == len(RELATIONS.of(info.name))
        assert all(relation["source"] and relation["because"] for relation in found["relations"])
        assert info.meaning in printed(capsys, "--explain", info.name)


def test_an_unknown_quantity_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--explain", "memory.stat_per_gpu"]) == 2
    assert "memory.state_per_gpu" in capsys.readouterr().err
