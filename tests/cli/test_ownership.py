"""Figures come from our own `solvers` or from nowhere: an unrelated package of that name exists."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import solvers
from quiz.cli.outcome import Failure
from quiz.cli.ownership import require_own_solvers, solvers_problem
from tests.house import ROOT

if TYPE_CHECKING:
    from pathlib import Path

RUN = "import sys; from quiz.cli.entry import main; sys.exit(main(sys.argv[1:]))"


def test_our_own_solvers_pass() -> None:
    assert solvers_problem() is None
    require_own_solvers()


def test_solvers_say_whose_they_are() -> None:
    assert solvers.PART_OF == "shardwise"


def test_another_package_installed_over_ours_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(solvers, "PART_OF")
    with pytest.raises(Failure, match="has been installed over") as caught:
        require_own_solvers()
    assert caught.value.code == 3
    assert "pip uninstall solvers" in caught.value.message


def _run(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{path}{os.pathsep}{ROOT}"}
    return subprocess.run(
        [sys.executable, "-c", RUN, *words],
        env=environment,
        cwd=path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_another_package_ahead_on_the_path_stops_the_program_with_3(tmp_path: Path) -> None:
    (tmp_path / "solvers").mkdir()
    (tmp_path / "solvers" / "__init__.py").write_text("PART_OF = 'shardwise'\n", encoding="utf-8")
    done = _run(tmp_path, "solve")
    assert done.returncode == 3
    assert f"another package named 'solvers' in {tmp_path / 'solvers'}" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_doctor_runs_even_then_and_names_the_problem(tmp_path: Path) -> None:
    (tmp_path / "solvers.py").touch()
    done = _run(tmp_path, "doctor")
    assert done.returncode == 3
    assert "PROBLEM solvers" in done.stdout


WITHOUT_THIS_CHECKOUT = """
import sys
here, checkout = sys.argv[1:3]
sys.path[:] = [here, *(entry for entry in sys.path if entry not in ("", checkout))]
from quiz.cli.entry import main
sys.exit(main(["solve"]))
"""


def test_missing_solvers_are_named_with_their_place(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "quiz", tmp_path / "quiz", ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_THIS_CHECKOUT, str(tmp_path), str(ROOT)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 3
    assert f"is missing; it belongs in {tmp_path / 'solvers'}" in done.stderr
