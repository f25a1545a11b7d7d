"""True size, seen from the solver: what cannot run so, and the peaks that stand beside those of fake tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.drills.scenario import solver_of

if TYPE_CHECKING:
    from quiz.drills.records import Leg, Shape

PHASES: Final = {"forward": "forward", "backward": "backward", "optimizer": "step"}
"""The phases of a run, and what the solver calls them."""


def peaks(shape: Shape, leg: Leg, batch: int = 1) -> dict[str, float]:
    """The peak of each phase of a leg in bytes, as the solver has it. Raises `SolveError`."""
    solver = solver_of(shape, leg, batch)
    return {name: float(solver.quantity(f"memory.{its}_peak_per_gpu").value) for name, its in PHASES.items()}


def unfit(leg: Leg) -> str | None:
    """Why a leg cannot run on fake tensors, in a sentence with what to do instead; None if it can."""
    if leg.strategy == "pp":
        return (
            "A pipeline does not run on fake tensors: its warm-up sends wait for real neighbours. Measure it on real "
            "ranks: `--tier ranks`."
        )
    if leg.strategy == "zero1":
        return "ZeRO-1's optimizer does not run on fake tensors. Measure it on real ranks: `--tier ranks`."
    return None
