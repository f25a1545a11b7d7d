"""Every subject is loaded, everything declared is listed, and every headline relation has its second path."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import solvers.relations
from quiz.cli.entry import main
from solvers import CATALOGUE
from tests.house import ROOT

SUBJECTS = sorted(path.stem for path in Path(solvers.relations.__file__).parent.glob("*.py") if path.stem != "__init__")
ROWS = re.findall(r"^\| `([\w.]+)` \| .+? \| (.+) \|$", (ROOT / "docs/contributors/relations.md").read_text("utf-8"),
                  re.MULTILINE)  # fmt: skip


def test_every_subject_is_loaded_by_whoever_asks_for_anything() -> None:
    code = "import sys, solvers; solvers.CATALOGUE; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {f"solvers.relations.{name}" for name in SUBJECTS} <= set(loaded.split())


@pytest.mark.parametrize("subject", SUBJECTS)
def test_what_a_subject_declares_is_in_the_catalogue(subject: str) -> None:
    """Read from the text of the module, so that one that is never imported is found too."""
    tree = ast.parse((ROOT / "solvers/relations" / f"{subject}.py").read_text("utf-8"))
    named = [
        call.args[0].value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and call.args and getattr(call.func, "id", "") == "_declare"
        and isinstance(call.args[0], ast.Constant)
    ]  # fmt: skip
    assert all(name in CATALOGUE for name in named)


def test_the_list_names_every_quantity_with_its_unit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--list", "--json"]) == 0
    listed = {item["quantity"]: item["unit"] for item in json.loads(capsys.readouterr().out)}
    assert listed == {info.name: info.unit.name for info in CATALOGUE}
    assert main(["solve", "--list"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {info.name} " in shown for info in CATALOGUE)


def test_the_headline_relations_are_listed() -> None:
    assert len(ROWS) >= 30


@pytest.mark.parametrize(("quantity", "tests"), ROWS, ids=[row[0] for row in ROWS])
def test_a_headline_relation_names_a_second_path_that_exists(quantity: str, tests: str) -> None:
    assert quantity in CATALOGUE
    for file, function in re.findall(r"`([\w/.]+)::(\w+)`", tests):
        assert f"def {function}(" in (ROOT / file).read_text("utf-8")
    assert "::" in tests
