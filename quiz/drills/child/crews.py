"""The two ways in which the ranks of one machine are made: forked from one import, or each a process of its own."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.drills import folder
from quiz.drills.child import guard
from quiz.drills.child.perform import in_fork
from quiz.drills.things import FAKE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from quiz.drills.child.ledger import Emitter, Ledger
    from quiz.drills.child.perform import Body
    from quiz.drills.child.runner import Member
    from quiz.drills.records import Env, Leg, Spec

RANK_OPTION: Final = "--rank"


def processes(spec: Spec) -> int:
    """How many processes the legs of a spec need: one for a true size or a single process, else one a rank."""
    if spec.tier == "fake" or all(leg.strategy == "single" for leg in spec.legs):
        return 1
    return spec.world


class Forked:
    """A rank that was forked."""

    def __init__(self, rank: int, pid: int) -> None:
        self.rank = rank
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """The exit code if it has ended."""
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def kill(self) -> None:
        """End it and take its exit code."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            _, status = os.waitpid(self.pid, 0)
            self._code = os.waitstatus_to_exitcode(status)


class Forks:
    """Forks every rank of every leg from this process, which has imported what they need.

    Each leg has fresh processes: what one leg held or broke does not colour the next.
    """

    launch = "fork"

    def __init__(self, prepare: Callable[[Spec], Env], body: Body) -> None:
        self._prepare = prepare
        self._body = body
        self._met = 0

    def prepare(self, spec: Spec) -> Env:
        """Import what ranks need."""
        env = self._prepare(spec)
        # What was imported is never collected, so that its pages stay shared with the ranks.
        gc.collect()
        gc.freeze()
        return env

    def groups(self, spec: Spec) -> Sequence[tuple[Leg, ...]]:
        """Each leg by itself, and behind it its twin on fake tensors where it has one."""
        return [(one,) for leg in spec.legs for one in (leg, *twins(spec, leg))]

    def start(self, where: Path, spec: Spec, ledger: Ledger) -> list[Member]:
        """Fork the ranks."""
        if spec.legs[0].name.endswith(FAKE):
            spec = msgspec.structs.replace(spec, tier="fake")
        world = processes(spec)
        meeting = meeting_place(where, self._met)
        self._met += 1
        parent = os.getpid()
        members: list[Member] = []
        for rank in range(world):
            pid = os.fork()
            if pid == 0:

                def work(emit: Emitter, rank: int = rank) -> None:
                    self._body(spec, rank, world, emit, meeting)

                in_fork(work, where, ledger, rank, parent)
            members.append(Forked(rank, pid))
        return members


class Spawned:
    """A rank that is a process of its own; the pipe to it closes when this process dies, and it with it."""

    def __init__(self, rank: int, process: subprocess.Popen[bytes]) -> None:
        self.rank = rank
        self.pid = process.pid
        self._process = process

    def poll(self) -> int | None:
        """The exit code if it has ended."""
        return self._process.poll()

    def kill(self) -> None:
        """End it and take its exit code."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()


class Spawns:
    """Starts one process a rank for all legs together: where forking is not safe (CUDA, macOS)."""

    launch = "spawn"

    def prepare(self, spec: Spec) -> None:
        """Nothing: the ranks import for themselves."""

    def groups(self, spec: Spec) -> Sequence[tuple[Leg, ...]]:
        """All legs together."""
        return [spec.legs]

    def start(self, where: Path, spec: Spec, ledger: Ledger) -> list[Member]:  # noqa: ARG002 - each opens its own
        """Start the ranks."""
        environment = os.environ | {guard.STDIN_VARIABLE: "1"}
        members: list[Member] = []
        for rank in range(processes(spec)):
            command = [sys.executable, "-m", "quiz.drills.child", str(where), RANK_OPTION, str(rank)]
            process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)  # noqa: S603 - our own
            members.append(Spawned(rank, process))
        return members


def meeting_place(where: Path, number: int) -> Path:
    """The file by which the ranks of a group find each other; it is gone with the run."""
    scratch = where / folder.SCRATCH
    scratch.mkdir(mode=0o700, exist_ok=True)
    return scratch / f"meeting-{number}"


def twins(spec: Spec, leg: Leg) -> tuple[Leg, ...]:
    """The leg once more for fake tensors, so that both can be compared: FSDP2 over the whole world, really trained."""
    plain = leg.strategy == "fsdp" and leg.tp == leg.replicate == 1 and not leg.offload
    if spec.tier != "ranks" or not plain:
        return ()
    return (msgspec.structs.replace(leg, name=f"{leg.name}{FAKE}"),)


def alone(spec: Spec, leg: Leg) -> Spec:
    """The spec of one leg."""
    return msgspec.structs.replace(spec, legs=(leg,))
