"""A long lint can be stopped: no process stays behind, and what was done is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quiz.drills.child.patience import processor_time
from tests.bounds import slower
from tests.house import ROOT
from tests.trial_bank import MANIFEST, SOURCES, STRATEGY


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
def test_an_interrupt_ends_every_process_and_keeps_what_was_examined(tmp_path: Path) -> None:
    bank = tmp_path / "bank"
    bank.mkdir()
    (bank / "bank.yaml").write_text(MANIFEST)
    (bank / "sources.yaml").write_text(SOURCES)
    for number in range(200):
        (bank / f"{number}.yaml").write_text(STRATEGY.replace("which-fits", f"question-{number}"))
    command = [sys.executable, "-m", "quiz", "author", "lint", "--jobs", "2", str(bank)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    children = _wait_for_children(running.pid)
    _wait_until_some_is_done(children)
    running.send_signal(signal.SIGINT)
    shown, _ = running.communicate(timeout=300)
    assert running.returncode == 130
    assert shown == b""
    assert _ended(children)
    (book,) = (Path(environment["SHARDWISE_CACHE"]) / "lint").iterdir()
    assert book.stat().st_size > 0


def _wait_for_children(parent: int) -> list[int]:
    """The processes that a lint started, once there are two."""
    path = Path(f"/proc/{parent}/task/{parent}/children")
    for _ in range(6000):
        found = [int(pid) for pid in path.read_text().split()] if path.exists() else []
        if len(found) >= 2:
            return found
        time.sleep(0.05)
    pytest.fail("the lint started no processes")


def _wait_until_some_is_done(pids: list[int]) -> None:
    """Until what they have computed is enough for some questions, however slow the machine is; all take far longer."""
    enough = 4 * slower()
    for _ in range(6000):
        if (processor_time(pids) or 0) > enough:
            return
        time.sleep(0.05)
    pytest.fail("the lint computed nothing")


def _ended(pids: list[int]) -> bool:
    """Whether the processes are gone soon; one that nobody has reaped is gone as well."""
    for _ in range(1200):
        if not any(_runs(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
