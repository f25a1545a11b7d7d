"""The wheel is the whole program: installed into an empty environment, far from the source, it runs."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from quiz._version import __version__
from quiz.authoring.codes import SUBJECTS
from tests.house import ROOT, relative
from tests.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.e2e

SECONDS = 300
"""For pip, which may have to fetch; with its cache filled the whole file takes about half a minute."""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an empty environment. It gets a pip of its own only where ours has none to lend."""
    folder = tmp_path_factory.mktemp("elsewhere") / "env"
    bare = ["--without-pip"] if find_spec("pip") else []
    run([sys.executable, "-m", "venv", *bare, str(folder)], cwd=folder.parent)
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def wheel(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    run([*pip(python), "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)], cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(python: Path, wheel: Path) -> Path:
    """The `bin` folder of that environment after the wheel has been installed into it."""
    # Not compiled: nine of ten modules are never imported here, and compiling them takes longer than all the rest.
    run([*pip(python), "install", "--quiet", "--no-compile", str(wheel)], cwd=wheel.parent)
    return python.parent


def pip(python: Path) -> list[str]:
    """Its pip, or ours at work on that environment."""
    quiet = ["--disable-pip-version-check"]
    if find_spec("pip"):
        return [sys.executable, "-m", "pip", "--python", str(python), *quiet]
    return [str(python), "-m", "pip", *quiet]


def run(command: list[str], *, cwd: Path, code: int = 0) -> str:
    """What a command prints, run without this checkout on its path."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_the_program_the_types_and_the_bank(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    questions = {relative(path) for path in (ROOT / "questions").rglob("*.yaml")}
    assert {f"quiz/authoring/explanations/{subject}.toml" for subject in SUBJECTS} <= names
    assert {name.replace("questions/", "quiz/_bank/", 1) for name in questions} <= names
    assert {"quiz/py.typed", "solvers/py.typed", "quiz/cli/entry.py"} <= names


def test_the_wheel_puts_nothing_beside_its_two_packages(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {"quiz", "solvers", f"shardwise-{__version__}.dist-info"}


def test_the_installed_command_says_its_version(installed: Path, tmp_path: Path) -> None:
    assert run([str(installed / "shardwise"), "--version"], cwd=tmp_path) == f"shardwise {__version__}\n"


def test_the_installed_program_finds_all_it_needs(installed: Path, tmp_path: Path) -> None:
    found = run([str(installed / "shardwise"), "doctor"], cwd=tmp_path)
    assert "PROBLEM" not in found
    (bank,) = (line for line in found.splitlines() if "bundled bank" in line)
    assert str(installed.parent) in bank


def test_a_question_is_practised_with_the_installed_program(installed: Path, tmp_path: Path) -> None:
    """From the command to the reveal and out again, in a terminal, with the bank out of the wheel."""
    command = [str(installed / "shardwise"), "practice", "--question", "ddp-small-model"]
    environment = {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "SHARDWISE_DATA": str(tmp_path / "data"),
        "SHARDWISE_CACHE": str(tmp_path / "cache"),
    }
    with Terminal(command, env=environment, cwd=tmp_path, columns=120, rows=40) as terminal:
        terminal.wait_for("I don't know")
        terminal.send("1")
        terminal.wait_for("How sure are you?")
        terminal.send("3")
        terminal.wait_for("you said confident (75 %)")
        assert any(file.stat().st_size for file in (tmp_path / "data").rglob("*"))
        terminal.send("q")
        terminal.wait_for(lambda shown: "you said" not in shown)
        terminal.send("q")
        assert terminal.wait_for_end() == 0
        assert b"\x1b[?1049l" in terminal.raw
