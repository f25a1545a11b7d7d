"""The tier `oom`: every leg under the same cap on memory, under which one really dies and another finishes.

On a CPU the cap is a limit on the data segment (RLIMIT_DATA) above what the process has when its group is ready; what
fails is torch's own allocator. On CUDA it is a share of the card for torch's caching allocator, which isolates nothing:
what other processes take is not counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import torch
from torch import distributed

from quiz.drills.causes import asked_of
from quiz.drills.child import perform, resident
from quiz.drills.child.ranks import Phases, run_leg, together
from quiz.drills.child.warm import warm_up
from quiz.drills.events import LegEvent
from quiz.drills.records import Death

if TYPE_CHECKING:
    from quiz.drills.child.ranks import Emit
    from quiz.drills.records import Leg, Spec

_FULL: Final = ("can't allocate memory", "CUDA out of memory", "DefaultCPUAllocator: not enough memory")
"""What torch says when there is no memory. On a CPU it is a RuntimeError, never a MemoryError."""
_LEFT: Final = ("Connection closed by peer", "Connection reset by peer", "Broken pipe", "Socket closed")
"""What gloo says when a neighbour has gone."""
_GONE: Final = "a neighbour ran out of memory and left"


def rank_main(spec: Spec, rank: int, world: int, emit: Emit) -> None:
    """Run the legs under the cap; a death is told as the leg's end and is no failure.

    Raises:
        ValueError: there is no cap, or a leg cannot be built.
        RuntimeError: the cap cannot be set here, or torch failed for another reason.
    """
    if spec.cap is None:
        raise ValueError("a drill of the tier oom needs a cap")
    warm_up(spec.device)
    for number, leg in enumerate(spec.legs, start=1):
        survives = True
        if leg.strategy != "single" or rank == 0:
            # What the leg before left behind is given back, so that each is capped from the same size.
            release(spec.device)
            bound = limit(spec.device, spec.cap)
            survives = _survives(spec, leg, rank, emit, bound)
        if world > 1 and number < len(spec.legs):
            release(spec.device)
            together(spec.group_timeout_s)
        elif world > 1 and not survives:
            # Peers that wait for this rank are let go by its end.
            distributed.destroy_process_group()


def release(device: str) -> None:
    """Give back what is free."""
    resident.settle()
    if device == "cuda":
        torch.cuda.empty_cache()


def limit(device: str, cap: int) -> int:
    """Let this process take `cap` bytes more than it has; return how many it may have then, as `taken` counts them.

    Raises RuntimeError where that cannot be had.
    """
    if device == "cuda":
        whole, bound = int(torch.cuda.mem_get_info()[1]), int(torch.cuda.memory_reserved()) + cap
        torch.cuda.set_per_process_memory_fraction(min(1.0, bound / whole))
        return min(whole, bound)
    try:
        import resource
    except ImportError as missing:
        raise RuntimeError("this system has no limit on memory that a process can set for itself") from missing
    now = resident.data_segment()
    if now is None:
        raise RuntimeError("this system does not say how much memory the process has, so that it cannot be capped")
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    wanted = now + cap
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise RuntimeError(f"a limit of {hard} bytes on this session's processes is below the cap of this drill")
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    return wanted


def taken(device: str) -> int | None:
    """What counts towards the limit now."""
    return torch.cuda.memory_reserved() if device == "cuda" else resident.data_segment()


def lift(device: str) -> None:
    """Take the limit away again, as far as it is ours."""
    if device == "cuda":
        torch.cuda.set_per_process_memory_fraction(1.0)
        return
    import resource

    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def _survives(spec: Spec, leg: Leg, rank: int, emit: Emit, bound: int) -> bool:
    phases = Phases(leg, emit)
    try:
        run_leg(spec, leg, rank, emit, phases)
    except RuntimeError as error:  # torch.OutOfMemoryError is one
        phase, now = phases.phase, taken(spec.device)
        lift(spec.device)
        cause = cause_of(str(error))
        if cause is None:
            raise
        death = Death(
            step=phases.step,
            held=phases.held_at_error,
            asked=asked_of(cause),
            left=None if now is None else max(0, bound - now),
            echo=cause == _GONE,
        )
        emit(LegEvent(leg=leg.name, state="died", phase=phase, cause=cause, death=death))
        return False
    lift(spec.device)
    return True


def cause_of(message: str) -> str | None:
    """What torch's error says of a death, in its own words; None if it tells of no death by memory."""
    if any(sign in message for sign in _FULL):
        return perform.cause_of(message.strip().splitlines()[0])
    if any(sign in message for sign in _LEFT):
        return _GONE
    return None
