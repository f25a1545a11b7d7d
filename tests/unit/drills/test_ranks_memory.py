"""Memory of real ranks: the tracked peak against the solver, the resident one against the tracked, and a real end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from quiz.drills import legs as known
from quiz.drills.events import LegEvent
from tests.unit.drills.runs import TINY, Ran, run, spec_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.torch

DEEP = msgspec.structs.replace(
    TINY, layers=12, hidden=256, heads=8, kv_heads=4, head_dim=32, ffn=768, vocab=1024, sequence=64
)
"""10M parameters: what strategies hold stands out from what torch takes for itself."""
SMALLER = msgspec.structs.replace(
    TINY, layers=6, hidden=192, heads=6, kv_heads=2, head_dim=32, ffn=576, vocab=1024, sequence=48
)
"""3M parameters, for what is held by the tracker."""
WITHIN = 0.02
ALLOWANCE = 24_000_000
"""What torch, gloo and the allocator may be resident with beside what is tracked."""
LEGS = ("single", "ddp", "ddp-view", "zero1", "fsdp", "fsdp-keep")


@pytest.fixture(scope="module")
def deeper(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The strategies of data parallelism on a deeper model than the tiny one."""
    legs = [known.by_name(name, 1 if name == "single" else 2) for name in LEGS]
    return run(tmp_path_factory.mktemp("deeper"), spec_of(legs, shape=SMALLER))


def test_the_tracked_peak_is_within_two_per_cent(deeper: Ran) -> None:
    """The most that a step holds is what the solver says, within 2 %."""
    off = {}
    for one in deeper.spec.expected:
        if one.key.startswith("peak.total"):
            measured = deeper.found(one.key)
            assert measured is not None
            assert one.value is not None
            off[one.key] = one.value / measured - 1
    assert len(off) == len(LEGS)
    assert {key: value for key, value in off.items() if abs(value) > WITHIN} == {}


def test_the_resident_peak_is_within_five_per_cent_and_an_allowance(deeper: Ran) -> None:
    """What the system counts is what the tracker counts, and at most 5 % and the allowance more."""
    for leg in deeper.spec.legs:
        for one in deeper.of(leg.name):
            for peak in one.peaks:
                assert peak.resident is not None
                assert peak.held.total * 0.98 <= peak.resident <= peak.held.total * 1.05 + ALLOWANCE


def test_under_a_cap_one_dies_and_the_other_finishes(tmp_path: Path) -> None:
    """Half way between the two needs DDP dies in the optimizer's step, with torch's own words, and FSDP2 finishes."""
    legs = [known.by_name(name, 2) for name in ("ddp", "fsdp")]
    spec = spec_of(legs, shape=DEEP, tier="oom", steps=3)
    peaks = {one.key: one.value or 0.0 for one in spec.expected}
    cap = int((peaks["peak.total@ddp"] + peaks["peak.total@fsdp"]) / 2) + ALLOWANCE
    ran = run(tmp_path, msgspec.structs.replace(spec, cap=cap))
    ends = [event for event in ran.events if isinstance(event, LegEvent) and event.state != "begin"]
    assert {(end.leg, end.rank, end.state) for end in ends} == {
        ("ddp", 0, "died"), ("ddp", 1, "died"), ("fsdp", 0, "done"), ("fsdp", 1, "done"),
    }  # fmt: skip
    dead = [end for end in ends if end.state == "died"]
    assert {end.phase for end in dead} == {"optimizer"}
    assert any("can't allocate memory" in str(end.cause) for end in dead)
    # What it held and what it asked for exceed the cap together; the allocator and libraries took the rest.
    (death,) = {end.death for end in dead if end.death is not None and not end.death.echo and end.rank == 0} or {
        next(end.death for end in dead if end.death is not None and not end.death.echo)
    }
    assert death is not None
    assert death.held is not None
    assert death.asked is not None
    assert death.left is not None
    assert death.step == 0
    assert death.left < death.asked
    assert cap - ALLOWANCE * 2 < death.held + death.asked < cap + death.asked
