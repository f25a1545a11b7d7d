"""What cannot run on fake tensors, and what to do instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quiz.drills.records import Leg


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
