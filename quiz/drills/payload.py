"""Why the ratio of two payloads is what it is: which collectives were handed what, and in which precision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.drills.sizes import size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quiz.drills.records import Leg, Measured, Sent

_PRECISIONS: Final = {"float32": "FP32", "fp32": "FP32", "bfloat16": "BF16", "bf16": "BF16"}
_TWICE: Final = "all-reduce"
"""The collective whose bytes are moved twice, as a reduce-scatter and an all-gather."""


def why(leg: Leg, other: Leg, measured: Sequence[Measured]) -> str:
    """What the payload of `leg` over that of `other` is made of, and how it goes with the textbook's; "" if unknown."""
    over, under = _of(leg, measured), _of(other, measured)
    if not over or not under:
        return ""
    said = [f"{leg.name} hands over {_listed(over)}; {other.name} {_listed(under)}."]
    if any((one.op == _TWICE) for one in (*over, *under)):
        moved = _moved(over) / _moved(under)
        said.append(
            "An all-reduce counts once, as handed over; on the wire it moves its bytes twice, as a reduce-scatter and "
            f"an all-gather. By what moves the ratio is {moved:.3g}{_against(leg, other, moved)}."
        )
    return " ".join(said)


def _of(leg: Leg, measured: Sequence[Measured]) -> tuple[Sent, ...]:
    """What the rank of a leg that hands over most does; what one receives another has sent."""
    ranks = [[sent for sent in one.traffic if sent.op != "receive"] for one in measured if one.leg == leg.name]
    return tuple(max(ranks, key=lambda sent: sum(one.bytes for one in sent), default=[]))


def _listed(some: Sequence[Sent]) -> str:
    sums: dict[tuple[str, str], int] = {}
    for one in some:
        key = (one.op, _PRECISIONS.get(one.dtype, one.dtype))
        sums[key] = sums.get(key, 0) + one.bytes
    return ", ".join(f"{size(of)} to {op} in {dtype}" for (op, dtype), of in sums.items())


def _moved(some: Sequence[Sent]) -> int:
    return sum(one.bytes * (2 if one.op == _TWICE else 1) for one in some)


def _against(leg: Leg, other: Leg, moved: float) -> str:
    """The textbook's ratio of the same pair, and what makes the difference."""
    book = _textbook(leg, other)
    if book is None or abs(moved - book) < 0.005:  # noqa: PLR2004 - as good as equal
        return "" if book is None else f", the textbook's {book:g}"
    because = ""
    if leg.strategy == "zero1":
        because = ", which reduces gradients to their owners only: torch's ZeRO-1 all-reduces them whole"
    elif leg.computes_in != other.computes_in:
        halves = leg.name if leg.computes_in == "bf16" else other.name
        because = (
            f", which has everything in one precision: {halves} computes in BF16, so its gathers are half as large"
        )
    return f", and not the textbook's {book:g}{because}"


def _textbook(leg: Leg, other: Leg) -> float | None:
    """What is moved against DDP in one precision, with one pass of each a step; None where no textbook says so."""
    plain = other.strategy == "ddp" and leg.accumulation == other.accumulation == 1 and leg.replicate * leg.tp == 1
    if leg.strategy == "zero1" and other.strategy == "ddp" and leg.accumulation == other.accumulation == 1:
        return 1.0
    if leg.strategy == "fsdp" and plain and isinstance(leg.reshard, bool):
        return 1.5 if leg.reshard else 1.0
    return None
