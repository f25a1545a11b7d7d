"""Peaks of a backward pass that meets gradients of earlier micro-batches, beside those of torch's own code."""

from __future__ import annotations

from typing import Any

import pytest

from quiz.drills.expect import expected
from quiz.drills.records import Leg, Shape

PLAIN = Shape(layers=3, hidden=256, heads=8, kv_heads=4, head_dim=32, ffn=768, vocab=2048, sequence=64)
WIDE = Shape(layers=3, hidden=128, heads=4, kv_heads=2, head_dim=32, ffn=384, vocab=8192, sequence=64)
LONG = Shape(layers=3, hidden=128, heads=4, kv_heads=2, head_dim=32, ffn=384, vocab=512, sequence=512)
HALF: dict[str, Any] = {"param_dtype": "bf16"}
NARROW: dict[str, Any] = {"reduce_dtype": "bf16"}
AGAIN: dict[str, Any] = {"checkpoint": "full"}
SEQUENCE: dict[str, Any] = {"tp": 2, "sequence_parallel": True}
# torch 2.13 on fake tensors: two micro-batches of two sequences, reduced after each or after the last; bytes.
BACKWARD: list[tuple[Shape, int, dict[str, Any], str, int]] = [
    (PLAIN, 2, HALF, "each", 41_063_556),
    (PLAIN, 2, HALF, "last", 46_444_164),
    (PLAIN, 2, HALF | AGAIN, "each", 39_485_572),
    (PLAIN, 2, HALF | AGAIN, "last", 44_731_012),
    (PLAIN, 2, AGAIN | {"reshard": False}, "each", 47_885_444),
    (PLAIN, 2, {"replicate": 2}, "each", 52_085_892),
    (PLAIN, 2, {"replicate": 2}, "last", 54_580_868),
    (PLAIN, 2, SEQUENCE, "each", 25_603_716),
    (PLAIN, 2, SEQUENCE, "last", 28_883_076),
    (WIDE, 8, AGAIN, "each", 26_758_532),
    (WIDE, 8, AGAIN, "last", 36_166_084),
    (WIDE, 8, HALF | AGAIN, "last", 27_637_188),
    (LONG, 8, HALF | AGAIN, "each", 12_775_812),
    (LONG, 8, HALF | AGAIN, "last", 14_776_772),
    (LONG, 8, {}, "last", 46_646_212),
    # What is kept whole has the precision of the reduction, whatever the gradients are computed in.
    (PLAIN, 2, HALF | NARROW | AGAIN, "last", 36_600_452),
    (PLAIN, 8, HALF | NARROW, "last", 22_970_116),
    (PLAIN, 2, HALF | NARROW | {"reshard": False}, "last", 42_706_052),
    (PLAIN, 2, HALF | NARROW | AGAIN | {"replicate": 2}, "last", 37_387_396),
    (WIDE, 2, HALF | NARROW, "last", 36_823_684),
    (LONG, 8, HALF | NARROW | AGAIN, "last", 13_103_556),
    (PLAIN, 2, NARROW, "last", 50_252_932),
    (PLAIN, 8, NARROW | AGAIN, "last", 29_656_580),
    (WIDE, 2, NARROW, "last", 47_023_748),
]


@pytest.mark.parametrize(("shape", "shard", "more", "sync", "measured"), BACKWARD)
def test_the_backward_pass_beside_earlier_gradients_is_what_was_measured(
    shape: Shape, shard: int, more: dict[str, Any], sync: Any, measured: int
) -> None:
    """Within 0.5 %: what is reduced is added to the share that is there, or waits whole for the last micro-batch."""
    leg = Leg(name="fsdp", strategy="fsdp", shard=shard, accumulation=2, sync=sync, **more)
    found = {one.key: one.value for one in expected(shape, (leg,), 2, "ranks")}
    backward = found["peak.backward@fsdp"]
    assert backward is not None
    assert abs(backward / measured - 1) < 0.005
