"""The parent of a drill and its child are two programs: one knows the other by its folder only."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.house import ROOT, python_files, relative

if TYPE_CHECKING:
    from pathlib import Path

CHILD = "quiz.drills.child"

PROBE = """
import json, sys
from pathlib import Path
from quiz.drills.finish import finish
from quiz.drills.folder import create
from quiz.drills.launch import Running
from quiz.drills.machine import Machine
from quiz.drills.plan import Options, plan
from quiz.drills.predictions import asked
from quiz.cli import prove, prove_ask, prove_told
spec = plan(None, Options(steps=2), Machine(None, 2, "2.13.0+cpu", 0))
asked(spec)
where = create(Path(sys.argv[1]), spec)
running = Running(where, spec, command=sys.argv[2:])
ended = running.wait()
prove_told.table(spec, finish(where, ended))
print(json.dumps([ended.code, sorted(sys.modules)]), file=sys.stderr)
"""


def imports(source: str) -> set[str]:
    """Every module that a source imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module), names=names):
                found |= {module, *(f"{module}.{alias.name}" for alias in names)}
    return found


def is_of_child(module: str) -> bool:
    """Whether a module is the child or a part of it."""
    return module == CHILD or module.startswith(f"{CHILD}.")


def test_nobody_but_the_child_imports_the_child() -> None:
    """The parent starts it as a program of its own."""
    for path in python_files():
        name = relative(path)
        if name.startswith("quiz/") and not name.startswith("quiz/drills/child/"):
            assert not [one for one in imports(path.read_text(encoding="utf-8")) if is_of_child(one)], name


@pytest.mark.parametrize(
    "source", ["import quiz.drills.child", "def late():\n    from quiz.drills.child import runner"]
)
def test_an_import_of_the_child_is_found(source: str) -> None:
    """Wherever it stands."""
    assert any(is_of_child(one) for one in imports(source))


@pytest.mark.parametrize("name", ["runner", "crews", "guard", "ledger", "perform", "joined"])
def test_what_watches_over_ranks_needs_no_torch_of_its_own(name: str) -> None:
    """So that launching and faults are tested without it."""
    source = (ROOT / "quiz" / "drills" / "child" / f"{name}.py").read_text(encoding="utf-8")
    top = [node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)]
    found = {one for node in top for one in imports(ast.unparse(node))}
    assert not {one for one in found if one.partition(".")[0] == "torch"}


@pytest.mark.skipif(sys.platform != "linux", reason="the fake child forks ranks")
def test_planning_running_and_comparing_load_neither_torch_nor_the_child(tmp_path: Path) -> None:
    """Seen in a process that does all of it."""
    child = ROOT / "tests" / "unit" / "drills" / "fake_child.py"
    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(tmp_path), sys.executable, str(child)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    assert not {name for name in modules if is_of_child(name) or name.partition(".")[0] in ("torch", "textual", "yaml")}
