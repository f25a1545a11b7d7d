"""True size, seen from the solver: what cannot run so, and the peaks that stand beside those of fake tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.drills.expect import expected
from quiz.drills.records import PHASES

if TYPE_CHECKING:
    from quiz.drills.records import Leg, Shape


def peaks(shape: Shape, leg: Leg, batch: int = 1) -> dict[str, float]:
    """The peak of each phase of a leg in bytes, as the solver has it; empty where it does not know."""
    said = {one.key: one.value for one in expected(shape, (leg,), batch, "fake")}
    sizes = {phase: said.get(f"peak.{phase}@{leg.name}") for phase in PHASES}
    return {phase: size for phase, size in sizes.items() if size is not None}


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
