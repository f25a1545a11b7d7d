"""With torch: runs end, faults have their cause, nothing listens beyond loopback, nodes find each other."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from quiz.drills import folder
from quiz.drills.events import Cancelled, Rest, Started, Step
from quiz.drills.expect import expected
from quiz.drills.finish import finish
from quiz.drills.launch import Running
from quiz.drills.machine import Machine
from quiz.drills.plan import Options, plan
from quiz.drills.records import Shape
from quiz.drills.things import found
from tests.unit.drills.test_launch import SOON, nothing_is_left_of, processes, until
from tests.unit.drills.test_soak import sockets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quiz.drills.records import Spec

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc"),
]

HERE = Machine(memory=None, cores=2, torch="2.13.0+cpu", gpus=0)
LOOPBACK = {"0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F"}


TINY = Shape(layers=2, hidden=64, heads=4, kv_heads=2, head_dim=16, ffn=128, vocab=256, sequence=16, name="tiny")


def spec_of(*plans: str, steps: int, ranks: int = 2) -> Spec:
    """A run of a tiny model, with one process to compare losses with."""
    spec = plan(None, Options(plans=plans, steps=steps, ranks=ranks), HERE)
    patient = replace(spec, timeout_s=900.0, stall_s=200.0, group_timeout_s=120.0)
    return replace(patient, shape=TINY, expected=expected(TINY, spec.legs, spec.batch, "ranks"))


def endless(name: str) -> Spec:
    """A run of one plan that goes on until something happens to it."""
    spec = spec_of(name, steps=10_000)
    return replace(spec, legs=spec.legs[1:])


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[Spec], Running]]:
    """Starts runs, and ends those that are left."""
    begun: list[Running] = []

    def run(spec: Spec) -> Running:
        begun.append(Running(folder.create(tmp_path / str(len(begun)), spec), spec))
        return begun[-1]

    yield run
    for running in begun:
        running.close()
        nothing_is_left_of(running)


def ranks_of(running: Running, leg: str, count: int) -> list[int]:
    """The processes of a leg's ranks, when all of them are there."""
    pids: dict[int, int] = {}

    def there() -> bool:
        for event in running.poll():
            if isinstance(event, Started) and event.leg == leg and event.rank is not None:
                pids[event.rank] = event.pid
        return len(pids) == count

    until(there, 300)
    return [pids[rank] for rank in range(count)]


def under_way(running: Running) -> None:
    """Wait until a step is done: the ranks have met, and are in the midst of it."""
    until(lambda: any(isinstance(event, Step) for event in running.poll()), 300)


def listening(pids: list[int]) -> list[str]:
    """The addresses on which processes listen, as the system writes them; one that has ended listens on none."""
    inodes = sockets(pids)
    lines = [
        line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
    ]
    return [fields[1] for fields in lines if fields[3] == "0A" and fields[9] in inodes]


def test_a_run_agrees_with_the_solver_and_listens_on_loopback_only(start: Callable[[Spec], Running]) -> None:
    """State at rest and payload to the byte; no port is fixed, and none is open to others."""
    running = start(spec_of("ddp", "fsdp", steps=6))
    addresses = listening(ranks_of(running, "ddp", 2))
    assert {address.partition(":")[0] for address in addresses} <= LOOPBACK
    assert "29500" not in {str(int(address.rpartition(":")[2], 16)) for address in addresses}
    result = finish(running.where, running.wait())
    assert result.outcome == "done", result.cause
    exact = {row.key: row.holds for row in result.rows if row.exact}
    assert exact
    assert all(exact.values()), exact
    for leg in ("ddp", "fsdp"):
        parity = found(f"loss.parity@{leg}", result.measured).value
        assert parity is not None
        assert parity < 5e-6
    assert {path.name for path in running.where.iterdir()} == {
        *("spec.json", "events.jsonl", "env.json", "result.json", "runner.log"),
        *(f"rank{rank}.{kind}" for rank in (0, 1) for kind in ("json", "log")),
    }


def test_a_rank_that_is_killed_ends_the_run_with_its_name(start: Callable[[Spec], Running]) -> None:
    """Its peer's lost connection is not the cause."""
    running = start(endless("fsdp"))
    pids = ranks_of(running, "fsdp", 2)
    under_way(running)
    begun = time.monotonic()
    os.kill(pids[1], signal.SIGKILL)
    result = finish(running.where, running.wait())
    assert time.monotonic() - begun < SOON
    assert (result.outcome, result.rank) == ("failed", 1)
    assert "signal 9" in result.cause


def test_cancel_ends_a_real_group_within_seconds_and_keeps_its_figures(start: Callable[[Spec], Running]) -> None:
    """Though its ranks are in the midst of a collective; what was known by then is in the result, to the byte."""
    running = start(endless("ddp"))
    told: set[int | None] = set()

    def at_rest() -> bool:
        told.update(event.rank for event in running.poll() if isinstance(event, Rest))
        return len(told) == 2

    until(at_rest, 300)
    begun = time.monotonic()
    running.cancel()
    running.wait()
    assert time.monotonic() - begun < SOON
    assert any(isinstance(event, Cancelled) for event in folder.replay(running.where))
    result = finish(running.where, running.ended)
    assert (result.outcome, result.score, result.lesson) == ("cancelled", None, "")
    assert {row.key: row.holds for row in result.rows if row.exact} == {
        f"{what}@ddp": True
        for what in ("rest.parameters", "rest.gradients", "rest.optimizer", "rest.state", "traffic.payload")
    } | {f"rest.{part}@single": None for part in ("parameters", "gradients", "optimizer", "state")}
    assert {row.key for row in result.rows if row.measured is not None} >= {"peak.total@ddp", "peak.backward@ddp"}


def test_a_rank_that_stops_is_named(start: Callable[[Spec], Running]) -> None:
    """The others wait for it in vain until the group's timeout, and it is what hangs."""
    running = start(replace(endless("ddp"), group_timeout_s=15.0))
    pids = ranks_of(running, "ddp", 2)
    under_way(running)
    os.kill(pids[0], signal.SIGSTOP)
    result = finish(running.where, running.wait())
    assert (result.outcome, result.rank) == ("failed", 0), result.cause
    assert result.cause.startswith("rank 0 hangs")


SPAWNING = (
    "import sys; from pathlib import Path; from quiz.drills.folder import spec_of;"
    "from quiz.drills.child.crews import Spawns; from quiz.drills.child.runner import Runner;"
    "where = Path(sys.argv[1]); sys.exit(Runner(where, spec_of(where), Spawns()).run())"
)


def test_ranks_may_be_processes_of_their_own(tmp_path: Path) -> None:
    """As on a GPU and on macOS, where forking is not safe; they find each other anew for each leg."""
    spec = spec_of("ddp", "fsdp", steps=4)
    where = folder.create(tmp_path, spec)
    running = Running(where, spec, command=[sys.executable, "-c", SPAWNING])
    result = finish(where, running.wait())
    assert result.outcome == "done", result.cause
    assert all(row.holds for row in result.rows if row.exact)
    env = folder.env_of(where)
    assert env is not None
    assert env.launch == "spawn"


def test_ranks_of_their_own_end_with_their_runner(tmp_path: Path) -> None:
    """Kill -9 of the runner closes their input."""
    spec = endless("ddp")
    where = folder.create(tmp_path, spec)
    running = Running(where, spec, command=[sys.executable, "-c", SPAWNING])
    pids = ranks_of(running, "ddp", 2)
    os.kill(running.pid, signal.SIGKILL)
    until(lambda: not any(pid in pids and state != "Z" for pid, _, state in processes()))
    assert running.wait().code == -signal.SIGKILL


def free_port() -> int:
    """A port on which nothing listens, and which the system gives to nobody who asks for any: those are higher."""
    for port in range(20_000 + os.getpid() % 10_000, 32_000):
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    pytest.fail("no port is free")


def test_two_nodes_of_two_ranks_measure_together(start: Callable[[Spec], Running]) -> None:
    """Each node's folder has what all four ranks measured; torchrun brings them together."""
    port = free_port()
    spec = replace(spec_of("ddp", "hsdp", steps=4, ranks=4), nodes=2, rdzv=f"127.0.0.1:{port}")
    nodes = [start(spec), start(spec)]
    for node in nodes:
        result = finish(node.where, node.wait())
        assert result.outcome == "done", result.cause
        assert {(one.leg, one.rank) for one in result.measured} >= {
            (leg, rank) for leg in ("ddp", "hsdp") for rank in range(4)
        }
        assert all(row.holds for row in result.rows if row.exact)


def test_nodes_that_were_given_different_drills_say_so(start: Callable[[Spec], Running]) -> None:
    """Before anything is measured."""
    port = free_port()
    spec = replace(spec_of("ddp", steps=4), nodes=2, rdzv=f"127.0.0.1:{port}")
    nodes = [start(spec), start(replace(spec, seed=1))]
    causes = [finish(node.where, node.wait()).cause for node in nodes]
    assert any("another drill" in cause for cause in causes), causes
