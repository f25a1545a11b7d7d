"""The grid of layouts on which the solver's peaks stand beside those of fake tensors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "benchmarks" / "drill_grid.py"
CELL = "llama-3-8b-2/64/tp1/reshard/full/bf16"


def grid(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False, timeout=300
    )


def test_in_every_cell_that_was_measured_the_solver_names_the_phase_that_binds_and_its_peak() -> None:
    """What `benchmarks/drill_grid.jsonl` has was measured once; the solver is asked anew."""
    done = grid("--check")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("cells agree.\n")


def test_a_cell_in_which_the_solver_is_off_is_told(tmp_path: Path) -> None:
    """Another phase, a peak 4 % away, a byte more sent: the cell by name, and exit code 1."""
    rows = [json.loads(line) for line in SCRIPT.with_suffix(".jsonl").read_text().splitlines()][:3]
    rows[0]["peaks"] = {phase: size * 1.04 for phase, size in rows[0]["peaks"].items()}
    rows[1]["peaks"] = dict.fromkeys(rows[1]["peaks"], rows[1]["peaks"]["forward"]) | {
        "forward": rows[1]["peaks"]["backward"]
    }
    path = tmp_path / "off.jsonl"
    rows[2]["sent"] += 1
    path.write_text("\n".join(json.dumps(row) for row in rows))
    done = grid("--check", str(path))
    assert done.returncode == 1
    assert all(row["cell"] in done.stdout for row in rows)
    assert "traffic.payload is" in done.stdout
    assert "forward binds, the solver says backward" in done.stdout


def test_the_page_has_every_cell_that_was_measured() -> None:
    """The table in the docs is the one that the script prints."""
    page = (ROOT / "docs" / "contributors" / "drill-grid.md").read_text(encoding="utf-8")
    lines = grid("--table").stdout.splitlines()
    assert [line for line in lines if line not in page] == []


@pytest.mark.torch
def test_a_cell_is_measured_once_and_agrees(tmp_path: Path) -> None:
    """One small cell through the script, as the whole grid: a line is written, and not a second one."""
    path = tmp_path / "grid.jsonl"
    measure = ("--into", str(path), "--layers", "2", "--only", CELL)
    assert grid(*measure).returncode == 0
    assert [json.loads(line)["cell"] for line in path.read_text().splitlines()] == [CELL]
    assert grid(*measure).stdout == ""
    assert grid("--check", str(path)).stdout == "1 cell agrees.\n"
    assert len(path.read_text().splitlines()) == 1
