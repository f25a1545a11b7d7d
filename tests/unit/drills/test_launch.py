"""A run is started, followed and ended: the real runner and guards, around ranks that need no torch."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from quiz.drills import folder
from quiz.drills.events import Cancelled, Done, Failed
from quiz.drills.fold import Fold
from quiz.drills.launch import Running
from quiz.drills.outcome import Outcome, conclude
from quiz.drills.records import Leg, Shape, Spec
from tests.house import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

CHILD = (sys.executable, str(Path(__file__).with_name("fake_child.py")))
SPEC = Spec(
    run="20261130T061500Z-trial-0000",
    tier="ranks",
    world=2,
    steps=3,
    shape=Shape(layers=1, hidden=8, heads=2, kv_heads=1, head_dim=4, ffn=16, vocab=32, sequence=4),
    legs=(Leg(name="ddp", strategy="ddp", replicate=2), Leg(name="fsdp", strategy="fsdp", shard=2)),
    timeout_s=300,
    stall_s=60,
)

#: How long a run may take to obey, in seconds, and how soon it has to: a slow machine lies in between, and whoever
#: waits for the end of a step, of an import or of the time of grace does not.
GRACE, SOON = 60.0, 20.0

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks ranks, and looks at /proc")


@contextmanager
def started(tmp_path: Path, fault: str = "", grace: float = GRACE, **changes: object) -> Iterator[Running]:
    """A run of the fake child with a fault, ended in any case."""
    spec = msgspec.structs.replace(SPEC, **changes)
    where = folder.create(tmp_path / "drills", spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAULT", fault)
        running = Running(where, spec, command=CHILD, grace=grace)
    try:
        yield running
    finally:
        running.close()


def outcome_of(running: Running) -> Outcome:
    """Wait for the end and say how it was; nothing may be left of it."""
    ended = running.wait()
    folder.settle(running.where)
    nothing_is_left_of(running)
    assert not list(running.where.glob(".*"))
    assert not (running.where / folder.SCRATCH).exists()
    until(lambda: not folder.live(running.where))
    tail = folder.Tail(running.where)
    events = tail.read()
    assert tail.damaged == 0
    return conclude(events, ended, str(running.where))


def nothing_is_left_of(running: Running) -> None:
    """What was killed takes a moment to die, which nobody waits for."""
    until(lambda: left_of(running) == [])


def left_of(running: Running) -> list[int]:
    """The processes that are still in the session of a run; zombies wait for init and hold nothing."""
    return [pid for pid, session, state in processes() if session == running.pid and state != "Z"]


def processes() -> Iterator[tuple[int, int, str]]:
    """Number, session and state of every process."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        yield int(path.parent.name), int(fields[3]), fields[0]


def until(condition: object, seconds: float = 60.0) -> None:
    """Wait for something that takes a moment."""
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.02)


def test_a_run_comes_to_its_end_and_leaves_its_files(tmp_path: Path) -> None:
    """Every leg runs on every rank; each rank keeps all that it measured in a file of its own."""
    with started(tmp_path) as running:
        assert outcome_of(running) == Outcome("done")
        names = {path.name for path in running.where.iterdir()}
        logs = {"rank0.log", "rank1.log", "runner.log"}
        assert names == {"spec.json", "events.jsonl", "env.json", "rank0.json", "rank1.json"} | logs
        ranked = folder.ranked(running.where)
        # FSDP2 has a twin on fake tensors, which is one process.
        assert [[leg.leg for leg in one.legs] for one in ranked] == [["ddp", "fsdp", "fsdp (fake)"], ["ddp", "fsdp"]]
        assert Fold(folder.replay(running.where)).get("fsdp", 1) == ranked[1].legs[1]
        assert [step.step for step in ranked[0].legs[0].steps] == [0, 1, 2]


def test_the_folder_of_a_run_is_private(tmp_path: Path) -> None:
    """Nobody but the owner reads what was predicted and measured."""
    with started(tmp_path) as running:
        running.wait()
        assert running.where.stat().st_mode & 0o777 == 0o700
        assert all(path.stat().st_mode & 0o077 == 0 for path in running.where.iterdir())


def test_events_come_in_order_while_it_runs(tmp_path: Path) -> None:
    """Polling gives each event once; times rise for each rank; the last says that it is done."""
    with started(tmp_path) as running:
        heard = []
        while running.ended is None:
            heard += running.poll()
            time.sleep(0.01)
        heard += running.poll()
        assert heard == list(folder.replay(running.where))
        assert isinstance(heard[-1], Done)
        for rank in (None, 0, 1):
            times = [event.t for event in heard if event.rank == rank]
            assert times == sorted(times)
            assert times[0] >= 0


def test_cancel_ends_it_at_once(tmp_path: Path) -> None:
    """The learner's word is written down as the cause."""
    with started(tmp_path, "slow", steps=1000) as running:
        until(lambda: (running.poll(), (running.where / "rank1.log").exists())[1])
        begun = time.monotonic()
        running.cancel()
        assert outcome_of(running) == Outcome("cancelled", "you cancelled it")
        assert time.monotonic() - begun < SOON


def test_cancel_is_heard_while_libraries_are_imported(tmp_path: Path) -> None:
    """A long import does not delay the end."""
    with started(tmp_path, "late") as running:
        until(lambda: any(running.poll()))
        begun = time.monotonic()
        running.cancel()
        assert outcome_of(running).outcome == "cancelled"
        assert time.monotonic() - begun < SOON


def test_a_runner_that_does_not_obey_is_killed(tmp_path: Path) -> None:
    """A stopped runner cannot read its orders: the system ends it and its ranks after its time of grace."""
    with started(tmp_path, "slow", grace=0.3, steps=1000) as running:
        until(lambda: (running.poll(), (running.where / "rank1.log").exists())[1])
        os.kill(running.pid, signal.SIGSTOP)
        running.cancel()
        assert outcome_of(running) == Outcome("cancelled", "you cancelled it")


def test_the_cause_is_the_error_of_the_rank_that_failed(tmp_path: Path) -> None:
    """Neither the neighbours' lost connections nor the library's inner workings are."""
    with started(tmp_path, "crash 1") as running:
        found = outcome_of(running)
        assert found == Outcome("failed", "the loss is not a number", "optimizer", "ddp", 1)
        assert "Traceback" in (running.where / "rank1.log").read_text()


def test_a_rank_that_was_killed_is_named_though_it_said_nothing(tmp_path: Path) -> None:
    """Its neighbours' echo comes first, and is not the cause."""
    with started(tmp_path, "kill 0") as running:
        found = outcome_of(running)
        assert (found.outcome, found.rank) == ("failed", 0)
        assert "ended by signal 9, SIGKILL" in found.cause
        assert "in optimizer of ddp" in found.cause


def test_a_rank_that_leaves_without_a_word_is_named(tmp_path: Path) -> None:
    """An exit code that no failure explains is told with the log to look at."""
    with started(tmp_path, "exit 1") as running:
        found = outcome_of(running)
        assert found.rank == 1
        assert "code 5" in found.cause


def test_the_rank_that_hangs_is_named_and_not_those_that_waited(tmp_path: Path) -> None:
    """All who spoke had only waited: the cause is the one that is still there, and its stack is kept."""
    with started(tmp_path, "echo 0", group_timeout_s=1) as running:
        found = outcome_of(running)
        assert (found.outcome, found.rank) == ("failed", 0)
        assert found.cause.startswith("rank 0 hangs, in optimizer of ddp")
        assert "_go_wrong" in (running.where / "rank0.log").read_text()


@pytest.mark.parametrize("fault", ["hang 1", "stop 1"])
def test_a_stall_ends_the_run(tmp_path: Path, fault: str) -> None:
    """Where nothing moves for too long, the first rank that fell silent is named."""
    with started(tmp_path, fault, stall_s=1) as running:
        found = outcome_of(running)
        assert found.outcome == "failed"
        assert "nothing has moved for 1 s; rank 1 was the first to fall silent" in found.cause


def test_a_run_that_does_no_step_is_ended_however_much_it_says(tmp_path: Path) -> None:
    """It is heard of all the time, and does not get on."""
    with started(tmp_path, "idle", timeout_s=1) as running:
        found = outcome_of(running)
        assert found.outcome == "failed"
        assert found.cause == "no step was done for 1 s, though its ranks were heard of, in forward of ddp"


def test_a_run_that_gets_on_may_take_as_long_as_it_takes(tmp_path: Path) -> None:
    """Each step is done in time, and all of them together take longer than the limit."""
    with started(tmp_path, "slow", steps=10, legs=SPEC.legs[:1], timeout_s=4) as running:
        begun = time.monotonic()
        assert outcome_of(running) == Outcome("done")
        assert time.monotonic() - begun > 4


def test_what_a_machine_slept_is_not_counted(tmp_path: Path) -> None:
    """Its clock goes on by hours while nobody can do a step: the run goes on too."""
    skipped = 0.0
    spec = msgspec.structs.replace(SPEC, steps=1000, timeout_s=30, stall_s=2)
    where = folder.create(tmp_path / "drills", spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAULT", "slow")
        running = Running(where, spec, command=CHILD, clock=lambda: time.monotonic() + skipped)
    try:
        until(lambda: any(running.poll()))
        skipped = 36_000.0
        for _ in range(3):
            running.poll()
        assert running.ended is None
        running.cancel()
        assert outcome_of(running) == Outcome("cancelled", "you cancelled it")
    finally:
        running.close()


def test_no_rank_outlives_its_runner(tmp_path: Path) -> None:
    """Kill -9 of the runner takes its ranks along."""
    with started(tmp_path, "slow", steps=1000) as running:
        until(lambda: (running.poll(), (running.where / "rank1.log").exists())[1])
        os.kill(running.pid, signal.SIGKILL)
        assert outcome_of(running) == Outcome("failed", "its runner was ended by signal 9 (SIGKILL)")


def test_no_process_outlives_the_program_that_started_it(tmp_path: Path) -> None:
    """Kill -9 of the parent ends runner and ranks within seconds; the folder says why, and has no temporary file."""
    spec = msgspec.structs.replace(SPEC, steps=1000)
    where = folder.create(tmp_path / "drills", spec)
    program = (
        "import sys, time; from pathlib import Path; from quiz.drills.launch import Running;"
        "from quiz.drills.folder import spec_of; where = Path(sys.argv[1]);"
        "running = Running(where, spec_of(where), command=sys.argv[2:]); print(running.pid, flush=True); time.sleep(99)"
    )
    command = [sys.executable, "-c", program, str(where), *CHILD]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"FAULT": "slow"}) as parent:
        assert parent.stdout is not None
        runner = int(parent.stdout.readline())
        until((where / "rank1.log").exists)
        parent.kill()
    until(lambda: not any(session == runner and state != "Z" for _, session, state in processes()), SOON)
    until(lambda: not folder.live(where))
    assert not (where / folder.SCRATCH).exists()
    folder.settle(where)
    events = list(folder.replay(where))
    assert isinstance(events[-1], Cancelled)
    assert conclude(events, None) == Outcome("cancelled", "the program that had started it went away")


@pytest.mark.parametrize("full", [(folder.EVENTS,), (folder.EVENTS, folder.LOG)])
def test_a_full_disk_is_the_cause(tmp_path: Path, full: tuple[str, ...]) -> None:
    """What cannot be written ends the run, and says so; that its log is full as well changes nothing."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    spec = SPEC
    where = folder.create(tmp_path / "drills", spec)
    for name in full:
        (where / name).unlink(missing_ok=True)
        (where / name).symlink_to("/dev/full")
    running = Running(where, spec, command=CHILD)
    ended = running.wait()
    nothing_is_left_of(running)
    assert "is the disk of" in conclude([], ended, str(where)).cause
    if folder.LOG not in full:
        assert "No space left on device" in (where / folder.LOG).read_text()


def test_a_folder_is_run_by_one_process_only(tmp_path: Path) -> None:
    """A second runner of the same folder refuses."""
    with started(tmp_path, "slow", steps=1000) as running:
        until(lambda: any(running.poll()))
        assert folder.live(running.where)
        second = subprocess.run(
            [*CHILD, str(running.where)],
            capture_output=True,
            check=False,
            timeout=300,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert second.returncode != 0
        assert b"is being run by another process" in second.stderr


def test_a_failure_says_the_earliest_real_error() -> None:
    """Of all failures the earliest that is no echo; where all are echoes, the earliest."""
    echo = Failed(t=1.0, rank=0, cause="Connection closed by peer", echo=True)
    real = Failed(t=1.5, rank=1, cause="out of memory")
    later = Failed(t=1.7, rank=2, cause="something else")
    assert conclude([echo, later, real], None).cause == "out of memory"
    assert conclude([echo], None).cause == "Connection closed by peer"


def test_a_disk_that_is_full_where_ranks_meet_is_named_too() -> None:
    """Torch says only that no space is left: the run says of what, as where an event could not be written."""
    failed = Failed(t=1.0, rank=0, cause="No space left on device", error="DistStoreError")
    found = conclude([failed], None, "/data/drills/a-run").cause
    assert found.startswith("what it measured could not be written: is the disk of /data/drills/a-run full?")
