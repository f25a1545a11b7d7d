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
_EVEN: Final = 0.005
"""What is as good as equal."""


def why(leg: Leg, other: Leg, measured: Sequence[Measured]) -> str:
    """What the payload of `leg` over that of `other` is made of, and how it goes with the textbook's; "" if unknown."""
    over, under = _of(leg, measured), _of(other, measured)
    if not over or not under:
        return ""
    said = [f"{leg.name} hands its collectives {_listed(over)}; {other.name} hands them {_listed(under)}."]
    if any(one.op == _TWICE for one in (*over, *under)):
        moved = _moved(over) / _moved(under)
        said += [
            "An all-reduce counts once, though it moves its bytes twice, as a reduce-scatter and an all-gather.",
            f"Counted by what moves, the ratio is {moved:.3g}.",
            _against(leg, other, moved),
        ]
    return " ".join(said).rstrip()


def _of(leg: Leg, measured: Sequence[Measured]) -> tuple[Sent, ...]:
    """What the rank of a leg that hands over most does; what one receives another has sent."""
    ranks = [[sent for sent in one.traffic if sent.op != "receive"] for one in measured if one.leg == leg.name]
    return tuple(max(ranks, key=lambda sent: sum(one.bytes for one in sent), default=[]))


def _listed(some: Sequence[Sent]) -> str:
    sums: dict[tuple[str, str], int] = {}
    for one in some:
        key = (one.op, _PRECISIONS.get(one.dtype, one.dtype))
        sums[key] = sums.get(key, 0) + one.bytes
    return " and ".join(f"{size(of)} of {op} in {dtype}" for (op, dtype), of in sums.items())


def _moved(some: Sequence[Sent]) -> int:
    return sum(one.bytes * (2 if one.op == _TWICE else 1) for one in some)


def _against(leg: Leg, other: Leg, moved: float) -> str:
    """The textbook's ratio of the same pair, and what makes the difference."""
    book = _textbook(leg, other)
    if book is None:
        return ""
    if abs(moved - book) < _EVEN:
        return "That is the textbook's, which counts so."
    if leg.strategy == "zero1":
        return (
            f"The textbook's {book:g} is of a ZeRO-1 that reduces each gradient to its owner alone; torch's "
            "all-reduces it, and broadcasts the weights."
        )
    if leg.computes_in == "bf16":
        return (
            f"The textbook's {book:g} is of plans in one precision; here {leg.name} computes in BF16, and its gathers "
            "are half as large."
        )
    return f"The textbook's is {book:g}."


def _textbook(leg: Leg, other: Leg) -> float | None:
    """What is moved against DDP in one precision, with one pass of each a step; None where no textbook says so."""
    if other.strategy != "ddp" or leg.accumulation != 1 or other.accumulation != 1 or leg.checkpoint == "full":
        return None
    if leg.strategy == "zero1":
        return 1.0
    if leg.strategy == "fsdp" and leg.replicate * leg.tp == 1 and isinstance(leg.reshard, bool):
        return 1.5 if leg.reshard else 1.0
    return None
