"""What the solver expects of Llama 3 70B at its true size is what torch's code was measured to hold on fake tensors."""

from __future__ import annotations

import pytest

from quiz.drills.expect import expected
from quiz.drills.records import Leg
from quiz.drills.scenario import shape_of

SHAPE = shape_of("llama-3-70b", 4096)


def fsdp(shard: int, *, tp: int = 1, foreach: bool = False) -> Leg:
    """FSDP2 in bf16 with full checkpointing, over what tensor ranks leave."""
    return Leg(
        name="it",
        strategy="fsdp",
        shard=shard,
        tp=tp,
        sequence_parallel=tp > 1,
        checkpoint="full",
        param_dtype="bf16",
        foreach=foreach,
    )


REPLICA = Leg(name="it", strategy="single", checkpoint="full")
# GB of parameters, gradients and optimizer state at rest, of the peak, how far the peak may be off, and what binds.
MEASURED = [
    (REPLICA, "1128.859", "1137.3", 0.0001, "optimizer"),
    (fsdp(8), "141.107", "155.37", 0.0001, "backward"),
    (fsdp(8, foreach=True), "141.107", "176.38", 0.0001, "optimizer"),
    (fsdp(16), "70.554", "85.77", 0.0001, "backward"),
    (fsdp(64), "17.638", "34.62", 0.0001, "backward"),
    (fsdp(1024), "1.103", "22.19", 0.001, "backward"),
    (fsdp(8, tp=8), "17.641", "21.09", 0.0002, "backward"),
]


@pytest.mark.parametrize(("leg", "rest", "peak", "within", "phase"), MEASURED)
def test_state_and_peak_are_what_was_measured(leg: Leg, rest: str, peak: str, within: float, phase: str) -> None:
    """The state to the digits that were noted, the peak within a thousandth, and the phase that binds."""
    said = {one.key: one for one in expected(SHAPE, (leg,), 1, "fake")}
    assert round((said["rest.state@it"].value or 0.0) / 1e9, 3) == float(rest)
    assert (said["peak.total@it"].value or 0.0) / 1e9 == pytest.approx(float(peak), rel=within)
    assert said["peak.phase@it"].choice == phase
