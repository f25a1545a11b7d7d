"""`make` finds a Python by itself, and where it cannot go on it says why and what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.house import ROOT

if TYPE_CHECKING:
    from pathlib import Path

# Plays an interpreter of a version, with or without the modules that make an environment.
FAKE = """#!/bin/sh
case "$2" in
  *'version_info[:2]'*) echo {version} ;;
  *'version_info < '*) exit {too_old} ;;
  *ensurepip*) exit {no_venv} ;;
esac
"""


def fake_python(folder: Path, version: str, *, too_old: bool = False, no_venv: bool = False) -> str:
    file = folder / f"python{version}"
    file.write_text(FAKE.format(version=version, too_old=int(too_old), no_venv=int(no_venv)), encoding="utf-8")
    file.chmod(0o755)
    return str(file)


def make_environment(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the script as the Makefile does, with the environment in `folder`."""
    environment = {**os.environ, "VENV": str(folder / "env"), **variables}
    return subprocess.run(
        [str(ROOT / "tools" / "venv.sh"), ""],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_a_python_that_is_too_old_is_named_with_its_version(tmp_path: Path) -> None:
    old = fake_python(tmp_path, "3.9", too_old=True)
    done = make_environment(tmp_path, PYTHON=old)
    assert done.returncode == 3
    assert "Python 3.11 or later is needed" in done.stderr
    assert f"{old} is 3.9" in done.stderr
    assert not (tmp_path / "env").exists()


def test_a_missing_ensurepip_names_the_package_that_brings_it(tmp_path: Path) -> None:
    bare = fake_python(tmp_path, "3.12", no_venv=True)
    done = make_environment(tmp_path, PYTHON=bare)
    assert done.returncode == 3
    assert "venv or ensurepip module is missing" in done.stderr
    assert "python3.12-venv" in done.stderr


def test_no_python_at_all_is_said(tmp_path: Path) -> None:
    done = make_environment(tmp_path, PYTHON="no-such-python-here")
    assert done.returncode == 3
    assert "no Python was found (tried: no-such-python-here)" in done.stderr


@pytest.mark.e2e
def test_a_failed_installation_shows_the_words_of_pip_and_is_tried_again(tmp_path: Path) -> None:
    nowhere = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "PYTHON": sys.executable}
    for _ in range(2):
        done = make_environment(tmp_path, **nowhere)
        assert done.returncode == 3
        assert "No matching distribution found" in done.stderr
        assert "the installation failed" in done.stderr
