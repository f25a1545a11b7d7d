"""The import law of docs/architecture.md, as contracts in pyproject.toml."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.house import ROOT

if TYPE_CHECKING:
    from pathlib import Path

LINT = "from importlinter.cli import lint_imports_command; lint_imports_command(['--no-cache'])"

# What is planted, and the contract that has to find it.
VIOLATIONS = {
    "Arrows point down only": ("quiz/grading/planted.py", "import quiz.store"),
    "The solvers know nothing of quizzes, files, screens": ("solvers/planted.py", "import sqlite3"),
    "The paths know nothing of the rest": ("quiz/paths.py", "import quiz.cli.outcome"),
    "Only quiz.tui imports textual and rich": ("quiz/cli/planted.py", "def late():\n    import textual.app"),
    "Only quiz.store knows SQL": ("quiz/session/planted.py", "from sqlite3 import connect"),
    "Only quiz.drills.child imports torch": ("quiz/drills/planted.py", "import torch.distributed"),
}
ALLOWED = {
    "quiz/tui/planted.py": "import textual.app",
    "quiz/store/planted.py": "import sqlite3",
    "quiz/drills/child/planted.py": "import torch",
}


def _lint(folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", LINT], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )
    return done.returncode, done.stdout + done.stderr


def _copy(folder: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in ("quiz", "solvers"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "_bank"))
    return folder


def _plant(house: Path, name: str, text: str) -> None:
    file = house / name
    file.parent.mkdir(parents=True, exist_ok=True)
    for folder in (file.parent, file.parent.parent):
        if folder != house:
            (folder / "__init__.py").touch()
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    file.write_text(f"{before}\n{text}\n", encoding="utf-8")


def test_the_house_keeps_every_contract() -> None:
    code, said = _lint(ROOT)
    assert code == 0, said
    assert f"Contracts: {len(VIOLATIONS)} kept, 0 broken." in said


def test_every_contract_finds_a_planted_violation(tmp_path: Path) -> None:
    house = _copy(tmp_path)
    _plant(house, "quiz/store/__init__.py", "")
    for name, text in VIOLATIONS.values():
        _plant(house, name, text)
    code, said = _lint(house)
    assert code == 1, said
    for contract in VIOLATIONS:
        assert f"{contract} BROKEN" in said


def test_the_home_of_a_library_may_import_it(tmp_path: Path) -> None:
    house = _copy(tmp_path)
    for name, text in ALLOWED.items():
        _plant(house, name, text)
    code, said = _lint(house)
    assert code == 0, said
