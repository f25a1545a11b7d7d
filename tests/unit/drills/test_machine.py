"""What a machine offers is read, and not guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from quiz.drills.machine import free_memory, gpus, is_too_old, look

if TYPE_CHECKING:
    from pathlib import Path


def groups(folder: Path, limit: str, used: int) -> Path:
    """A control group."""
    folder.mkdir(exist_ok=True)
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    return folder


@pytest.mark.parametrize(
    ("limit", "free"), [("max", 8_000_000 * 1024), ("4000000000", 3_000_000_000), ("500000000", 0)]
)
def test_free_memory_is_what_system_and_container_both_give(tmp_path: Path, limit: str, free: int) -> None:
    """The smaller of the two, never below nothing."""
    info = tmp_path / "meminfo"
    info.write_text("MemTotal:  16000000 kB\nMemFree: 1 kB\nMemAvailable:  8000000 kB\n")
    assert free_memory(info, groups(tmp_path / "group", limit, 1_000_000_000)) == free


def test_gpus_are_those_that_are_left_visible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver lists them, CUDA_VISIBLE_DEVICES hides some."""
    for name in ("0000:01:00.0", "0000:02:00.0"):
        (tmp_path / name).mkdir()
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert gpus(tmp_path) == 2
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert gpus(tmp_path) == 1
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    assert gpus(tmp_path) == 0
    assert gpus(tmp_path / "none") == 0


@pytest.mark.parametrize(
    ("version", "old"), [("2.5.1", True), ("2.6.0", False), ("2.13.0+cpu", False), ("3.0", False), ("unknown", False)]
)
def test_versions_are_compared_as_numbers(version: str, old: bool) -> None:  # noqa: FBT001 - of the table
    """2.13 is later than 2.6."""
    assert is_too_old(version) is old


def test_this_machine_has_cores() -> None:
    """Whatever else it has."""
    assert look().cores >= 1
