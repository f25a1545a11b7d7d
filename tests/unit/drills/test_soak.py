"""Random faults, one run after the other: nothing of any of them is left on the machine."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.unit.drills.test_launch import left_of, outcome_of, started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")

FAULTS = ("", "crash 0", "crash 1", "kill 0", "kill 1", "exit 1", "hang 0", "stop 1", "echo 1", "slow", "late")
BLOWS = ("", "cancel", "kill runner", "stop runner", "kill rank", "close")


def listening() -> set[str]:
    """The inodes of all sockets of this machine that listen."""
    found = set()
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A":
                found.add(fields[9])
    return found


def sockets(pids: list[int]) -> set[str]:
    """The inodes of the sockets that processes have open; one that ends meanwhile has none."""
    found = set()
    for pid in pids:
        try:
            names = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
        except OSError:
            continue
        found |= {name[8:-1] for name in names if name.startswith("socket:[")}
    return found


def soak(tmp_path: Path, times: int, seed: int) -> None:
    """So many runs, each with a fault of its own and a blow from outside at some moment.

    What is left of one is looked at by `outcome_of`: processes of its session, temporary files, its lock, half a line.
    """
    chance = random.Random(seed)  # noqa: S311 - of a test
    ours: set[str] = set()
    for number in range(times):
        fault, blow = chance.choice(FAULTS), chance.choice(BLOWS)
        where = tmp_path / str(number)
        limits = {"steps": 40, "stall_s": 1.0, "timeout_s": 6.0, "group_timeout_s": 1.0}
        with started(where, fault, 2.0, **limits) as running:
            time.sleep(chance.uniform(0.05, 0.8))
            pids = left_of(running)
            ours |= sockets(pids)
            ranks = [pid for pid in pids if pid != running.pid]
            match blow:
                case "cancel":
                    running.cancel()
                case "kill runner":
                    os.kill(running.pid, signal.SIGKILL)
                case "stop runner":
                    os.kill(running.pid, signal.SIGSTOP)
                    running.cancel()
                case "kill rank" if ranks:
                    with suppress(ProcessLookupError):  # it may have ended by itself meanwhile
                        os.kill(ranks[-1], signal.SIGKILL)
                case "close":
                    running.close()
            found = outcome_of(running)
            assert found.outcome == "done" or found.cause, (fault, blow)
            assert running.seconds < 60
        assert sorted(path.name for path in where.iterdir()) == ["drills"]
    assert not ours & listening()


def test_a_few_runs_with_random_faults_leave_nothing(tmp_path: Path) -> None:
    """No process, no temporary file, no listening port; each has an end and a cause."""
    soak(tmp_path, 4, seed=7)


@pytest.mark.long
def test_thirty_runs_with_random_faults_leave_nothing(tmp_path: Path) -> None:
    """The same, thirty times."""
    soak(tmp_path, 30, seed=30)
