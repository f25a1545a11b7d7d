"""`shardwise prove` for tests: on a machine that has torch, with ranks that need none."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quiz.cli.entry import main
from quiz.drills import launch, machine
from quiz.drills.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Callable

    Prove = Callable[..., int]

CHILD = Path(__file__).parents[1] / "unit" / "drills" / "fake_child.py"
HERE = Machine(memory=20_000_000_000, cores=2, torch="2.13.0+cpu", gpus=0)


@pytest.fixture
def prove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prove:
    """The command on a machine that has torch, where a run takes a moment."""
    monkeypatch.setenv("SHARDWISE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(machine, "look", lambda: HERE)
    monkeypatch.setattr(launch, "command_of", lambda _spec: [sys.executable, str(CHILD)])

    def run(*args: str, fault: str = "") -> int:
        monkeypatch.setenv("FAULT", fault)
        return main(["prove", *args])

    return run
