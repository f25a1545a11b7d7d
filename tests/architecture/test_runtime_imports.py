"""What a command has loaded, seen in a process of its own: start-up pays only for what it uses."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from quiz.cli import commands
from tests.house import ROOT

HEAVY = {"textual", "rich", "sympy", "torch", "pydantic", "yaml", "fsrs", "msgspec", "platformdirs", "sqlite3"}
PARSING = {"argparse", "click", "gettext"}

PROBE = """
import json, sys
before = set(sys.modules)
from quiz.cli.entry import main
try:
    code = main(sys.argv[1:])
except SystemExit as leaving:
    code = leaving.code
print(json.dumps([code, sorted(set(sys.modules) - before)]), file=sys.stderr)
"""


def loaded_by(*arguments: str) -> set[str]:
    """Every module that a run of the program adds to a bare interpreter's."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    return set(modules)


def roots(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_version_loads_two_files_of_ours_and_nothing_else_that_counts() -> None:
    modules = loaded_by("--version")
    assert {name for name in modules if roots({name}) <= {"quiz", "solvers"}} == {
        "quiz",
        "quiz._version",
        "quiz.cli",
        "quiz.cli.entry",
    }
    assert not roots(modules) & (HEAVY | PARSING | {"typing", "dataclasses", "pathlib", "re"})


def test_help_loads_no_command_and_no_parser() -> None:
    modules = loaded_by("--help")
    assert not roots(modules) & (HEAVY | PARSING)
    assert not modules & {command.module for command in commands.COMMANDS}


@pytest.mark.parametrize("name", commands.NAMES)
def test_the_help_of_a_command_loads_neither_torch_nor_the_screen(name: str) -> None:
    modules = loaded_by(name, "--help")
    assert not roots(modules) & {"torch", "textual", "sympy", "pydantic"}
