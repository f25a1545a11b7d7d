"""The script for one GPU, as far as a CPU can try it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import gpu_drill

ROOT = Path(__file__).resolve().parents[3]


def test_the_parts_together_take_eight_minutes() -> None:
    """The limits of the parts add up to no more."""
    assert sum(gpu_drill.LIMITS.values()) <= 480
    assert set(gpu_drill.LIMITS) == set(gpu_drill.PARTS)


@pytest.mark.torch
@pytest.mark.long
def test_on_a_cpu_real_tensors_take_what_fake_ones_foretold(tmp_path: Path) -> None:
    """The part that measures the card's memory runs on a small model, and every phase is as foretold."""
    into = tmp_path / "lines.json"
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.gpu_drill", "--device", "cpu", "--part", "allocated", "--json", str(into)],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = json.loads(into.read_text())
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(lines) == 3
    assert all(line["measured"] == pytest.approx(line["foretold"], rel=0.001) for line in lines)
