"""What the solver says of a drill under a cap: which plan exceeds it, and in which phase.

A plan needs its peak, and beside it what torch and its allocator take beyond the tensors (`BESIDE`). The first step
has no optimizer state until its last phase makes it; from the second on it is there all the time. So the phase of a
death is the first one, of the first two steps, in which the need exceeds the cap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.drills.records import Expected
from quiz.drills.things import NOBODY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quiz.drills.records import Leg

BESIDE: Final = 40_000_000
"""What a process takes beyond the tracked peak before the system refuses (35 to 45 MB were measured)."""
_PHASES: Final = ("forward", "backward", "optimizer")
_QUANTITY: Final = "memory.peak_per_gpu"
_RELATION: Final = "a plan dies in the first phase in which its tensors and what torch takes beside them exceed the cap"


def deaths(legs: Sequence[Leg], cap: int, solved: Sequence[Expected], steps: int) -> tuple[Expected, ...]:
    """Which leg dies and where, from what is expected of their peaks; nothing where the solver knows no peak of one."""
    values = {one.key: one.value for one in solved if one.value is not None}
    if any(f"peak.total@{leg.name}" not in values for leg in legs):
        return ()
    ends = [(leg.name, _phase(leg.name, cap, values, steps)) for leg in legs]
    dead, phase = next(((name, phase) for name, phase in ends if phase is not None), (NOBODY, NOBODY))
    return tuple(
        Expected(key=key, choice=choice, unit="", quantity=_QUANTITY, relation=_RELATION)
        for key, choice in (("died", dead), ("died.phase", phase))
    )


def _phase(name: str, cap: int, values: Mapping[str, float], steps: int) -> str | None:
    room = cap - BESIDE
    peaks = {phase: values[f"peak.{phase}@{name}"] for phase in _PHASES}
    state = values.get(f"rest.optimizer@{name}", 0.0)
    first = {phase: peak - (0.0 if phase == "optimizer" else state) for phase, peak in peaks.items()}
    for needs in (first, peaks)[: max(1, steps)]:
        for phase in _PHASES:
            if needs[phase] > room:
                return phase
    return None
