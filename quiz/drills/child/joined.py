"""A rank that is a process of its own: one of those that the runner starts, or one of torchrun's on any node."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.drills import folder
from quiz.drills.child import guard
from quiz.drills.child.crews import alone, meeting_place, processes
from quiz.drills.child.ledger import Emitter, Ledger, LedgerError, log_to, origin_of
from quiz.drills.child.perform import outcome
from quiz.drills.events import Done, Started
from quiz.drills.records import Measured, Ranked

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from quiz.drills.records import Leg, Spec

_LEGS: Final = msgspec.json.Decoder(tuple[Measured, ...])


def spawned(where: Path, spec: Spec, rank: int) -> int:
    """Be a rank of this machine that the runner started; return the exit code."""
    guard.end_with_stdin()
    world = processes(spec)

    def work(emit: Emitter) -> None:
        from quiz.drills.child import group

        if rank == 0:
            folder.write(where / folder.ENV, group.environment(spec, "spawn"))
        for number, leg in enumerate(spec.legs):
            if rank < _needed(spec, leg, world):
                group.body(alone(spec, leg), rank, _needed(spec, leg, world), emit, meeting_place(where, number))

    return _as_rank(work, where, spec, rank)


def by_torchrun(where: Path, spec: Spec) -> int:
    """Be a rank that torchrun started, on this or another node; return the exit code.

    All nodes together have the ranks of the drill. Each node writes a folder of its own, and the first rank of each
    node also writes down what the ranks of other nodes measured.
    """
    guard.end_with_stdin()
    guard.die_with(os.getppid())
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    local, here = int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"])

    def work(emit: Emitter) -> None:
        from quiz.drills.child import group

        if world != spec.world:
            raise ValueError(f"the drill is for {spec.world} ranks, and torchrun started {world} on all nodes together")
        emit(Started(pid=os.getpid(), world=world, launch="torchrun", device=spec.device))
        if local == 0:
            folder.write(where / folder.ENV, group.environment(spec, "torchrun"))
        group.set_up(spec, local, here)
        with group.joined(spec, rank, world):
            _agree(spec)
            for leg in spec.legs:
                _one_leg(spec, leg, rank, world, emit)
            theirs = _share(emit.measured)
            if local == 0:
                for other in range(world):
                    if not rank <= other < rank + here:
                        folder.write(where / f"rank{other}.json", Ranked(rank=other, legs=theirs[other]))
        if local == 0:
            emit(Done(rank=rank))

    return _as_rank(work, where, spec, rank)


def _one_leg(spec: Spec, leg: Leg, rank: int, world: int, emit: Emitter) -> None:
    import torch.distributed as dist

    from quiz.drills.child import group

    needed = _needed(spec, leg, world)
    if rank < needed:
        group.perform(alone(spec, leg), rank, needed, emit)
    dist.barrier()


def _needed(spec: Spec, leg: Leg, world: int) -> int:
    return 1 if leg.strategy == "single" or spec.tier == "fake" else world


def _as_rank(work: Callable[[Emitter], None], where: Path, spec: Spec, rank: int) -> int:
    try:
        ledger = Ledger(where, origin_of(spec))
        guard.dump_stacks_into(log_to(where, rank))
    except LedgerError as full:
        guard.note(full)  # nobody else says it
        return guard.DISK
    return outcome(work, Emitter(ledger, rank), where)


def _agree(spec: Spec) -> None:
    """See that every node runs the same drill. Raises ValueError."""
    from quiz.drills.child import group

    told = (spec.tier, spec.shape, spec.legs, spec.steps, spec.batch, spec.seed, spec.world, spec.device)
    mine = hashlib.sha256(msgspec.json.encode(told)).digest()
    other = next((rank for rank, one in enumerate(group.gathered(mine)) if one != mine), None)
    if other is not None:
        raise ValueError(
            f"rank {other} was given another drill than this one: start every node with the same command line"
        )


def _share(mine: tuple[Measured, ...]) -> list[tuple[Measured, ...]]:
    """What every rank measured, in their order."""
    from quiz.drills.child import group

    return [_LEGS.decode(one) for one in group.gathered(msgspec.json.encode(mine))]
