"""A child in place of the real one: the real runner and guards around ranks that need no torch.

The variable FAULT says what goes wrong: `crash 1`, `kill 1`, `hang 1`, `echo 1`, `stop 1`, `slow`, `exit 1`, `late`,
`idle`, `cap 1`.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from quiz.drills.child.crews import Forks
from quiz.drills.child.ledger import LedgerError
from quiz.drills.child.runner import Runner
from quiz.drills.events import LegEvent, Peak, PhaseEvent, Rest, Step, Traffic
from quiz.drills.folder import spec_of
from quiz.drills.records import Env, Held, High, Sent, Stepped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.drills.child.ledger import Emitter
    from quiz.drills.records import Spec

_FAULT, _, _RANK = os.environ.get("FAULT", "").partition(" ")


def prepare(spec: Spec) -> Env:
    """Take the time of an import where that is the fault."""
    if _FAULT == "late":
        time.sleep(300)
    return Env(python=sys.version.split()[0], device=spec.device, launch="fork")


def body(spec: Spec, rank: int, world: int, emit: Emitter, meeting: Path) -> None:
    """Measure what the solver says, and go wrong where the fault wants it."""
    with _there(meeting, str(rank)):
        _measure(spec, rank, world, emit, meeting)


def _measure(spec: Spec, rank: int, world: int, emit: Emitter, meeting: Path) -> None:
    for leg in spec.legs:
        meeting.touch()
        state = 16 * spec.shape.parameters // (leg.shard if leg.strategy == "fsdp" else 1)
        held = Held(parameters=state // 4, gradients=state // 4, optimizer=state // 2)
        emit(LegEvent(leg=leg.name, state="begin"))
        for step in range(spec.steps):
            for phase in ("forward", "backward", "optimizer"):
                emit(PhaseEvent(leg=leg.name, phase=phase, step=step))
            if step == 1 and world > 1:
                _go_wrong(rank, meeting)
            while _FAULT == "idle" and step == 1:
                emit(PhaseEvent(leg=leg.name, phase="forward", step=step))
                time.sleep(0.05)
            time.sleep(0.5 if _FAULT == "slow" else 0.001)
            emit(Step(leg=leg.name, done=Stepped(step=step, loss=2.0 / (step + 1), seconds=0.001)))
        psi = {"ddp": 1, "fsdp": 3}.get(leg.strategy, 0) * 4 * spec.shape.parameters
        emit(Traffic(leg=leg.name, step=1, sent=(Sent(op="all-reduce", dtype="fp32", size=world, count=1, bytes=psi),)))
        emit(Rest(leg=leg.name, held=held))
        emit(Peak(leg=leg.name, high=High(phase="backward", held=held)))
        emit(LegEvent(leg=leg.name, state="done"))


@contextmanager
def _there(meeting: Path, rank: str) -> Iterator[None]:
    """Be there for the others: the lock goes with the process, as a connection does."""
    place = meeting.with_name(f"{meeting.name}-{rank}")
    with place.with_suffix(".new").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        Path(lock.name).rename(place)
        yield


def _until_gone(meeting: Path, rank: str) -> None:
    """Wait for the end of another rank's process."""
    place = meeting.with_name(f"{meeting.name}-{rank}")
    _until(place)
    with place.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


def _until(place: Path) -> None:
    while not place.exists():
        time.sleep(0.01)


def _go_wrong(rank: int, meeting: Path) -> None:
    mine = str(rank) == _RANK
    hangs = meeting.with_name(f"{meeting.name}-hangs")
    if _FAULT in ("crash", "kill", "exit") and not mine:
        _until_gone(meeting, _RANK)
        raise RuntimeError("[gloo/transport/tcp/pair.cc:543] Connection closed by peer [127.0.0.1]:4242")
    if _FAULT == "echo" and not mine:
        _until(hangs)
        time.sleep(0.2)
        raise RuntimeError("Timed out waiting 1000ms for recv operation to complete")
    if not mine:
        return
    match _FAULT:
        case "crash":
            raise ValueError("the loss is not a number\nException raised from deep inside")
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit":
            os._exit(5)
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "hang" | "echo":
            hangs.touch()
            while True:
                time.sleep(1)


def main() -> int:
    """Run the folder that the command line names."""
    where = Path(sys.argv[1])
    try:
        return Runner(where, spec_of(where), Forks(prepare, body)).run()
    except LedgerError as full:
        sys.stderr.write(f"{full}\n")
        return 74


if __name__ == "__main__":
    sys.exit(main())
