"""What cannot run: on fake tensors, or because a model does not divide so; and what to do instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quiz.drills.records import Leg, Shape


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


def undivided(shape: Shape, leg: Leg) -> str | None:
    """Why a model cannot be divided as a leg says, to go on after "cannot be run:"; None if it can."""
    tp, stages = leg.tp, leg.pp * leg.chunks
    if shape.heads % tp or shape.kv_heads % tp:
        return f"{shape.heads} heads with {shape.kv_heads} for keys and values do not divide among {tp} tensor ranks"
    if shape.ffn % tp or shape.vocab % tp or shape.sequence % tp:
        sizes = f"width {shape.ffn}, {shape.vocab} tokens and sequence {shape.sequence}"
        return f"{sizes} do not divide among {tp} tensor ranks"
    if shape.layers % stages:
        return f"{shape.layers} layers do not divide among {stages} stages"
    return None
