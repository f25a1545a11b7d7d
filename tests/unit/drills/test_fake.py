"""True size on fake tensors: what is at rest, what is sent, and what cannot run so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from quiz.drills.events import LegEvent, Log, Peak, Rest, Traffic
from quiz.drills.records import Held, Leg, Shape, Spec
from quiz.drills.unfit import unfit

if TYPE_CHECKING:
    from quiz.drills.events import AnyEvent

SMALL = Shape(layers=2, hidden=256, heads=8, kv_heads=8, head_dim=32, ffn=512, vocab=1024, sequence=64)


def measured(*legs: dict[str, Any], shape: Shape = SMALL) -> list[AnyEvent]:
    from quiz.drills.child.fake import run

    events: list[AnyEvent] = []
    named = tuple(Leg(name=str(number), **leg) for number, leg in enumerate(legs))
    run(Spec(run="", tier="fake", world=1, steps=2, shape=shape, legs=named), events.append)
    return events


def rests(events: list[AnyEvent]) -> dict[str, Held]:
    return {str(event.leg): event.held for event in events if isinstance(event, Rest)}


@pytest.mark.torch
def test_the_state_at_rest_is_divided_exactly() -> None:
    """FSDP2 holds a share of 16 bytes a parameter, on 64 ranks as on 8; HSDP's replicas divide nothing further."""
    found = rests(
        measured(
            {"strategy": "fsdp", "shard": 8},
            {"strategy": "fsdp", "shard": 64, "reshard": False, "checkpoint": "full", "param_dtype": "bf16"},
            {"strategy": "fsdp", "shard": 8, "replicate": 4, "foreach": True},
            {"strategy": "ddp", "replicate": 8},
        )
    )
    for name, ranks in (("0", 8), ("1", 64), ("2", 8), ("3", 1)):
        share = SMALL.parameters * 4 // ranks
        assert found[name] == Held(parameters=share, gradients=share, optimizer=2 * share)


@pytest.mark.torch
def test_what_is_sent_is_two_gathers_and_one_reduction_of_the_whole_model() -> None:
    """Without resharding one gather; HSDP's replicas all-reduce the shard; a gather in bf16 is half as large."""
    plain = {"strategy": "fsdp", "shard": 4, "replicate": 2, "param_dtype": "bf16"}
    sent = {
        (event.leg, one.op, one.group): one
        for event in measured(plain, {**plain, "reshard": False})
        if isinstance(event, Traffic)
        for one in event.sent
        if one.phase != "optimizer"
    }
    whole = 4 * SMALL.parameters
    assert sent["0", "all-gather", "shard"].bytes == whole // 2  # that of the backward pass
    assert ("0", "all-gather", "shard") in sent
    assert {name: one.bytes for (leg, name, _), one in sent.items() if leg == "1"} == {
        "all-gather": whole // 2,
        "reduce-scatter": whole,
        "all-reduce": whole // 4,
    }


@pytest.mark.torch
def test_tensor_ranks_hold_their_share_and_the_whole_gradient_of_the_embedding() -> None:
    """With sequence parallelism and FSDP2 a rank holds 1/16 of all but the norms, which only FSDP2 divides."""
    both = {"strategy": "fsdp", "shard": 2, "tp": 8, "sequence_parallel": True, "checkpoint": "full"}
    found = rests(measured(both, {"strategy": "tp", "tp": 8}))
    norms = (2 * SMALL.layers + 1) * SMALL.hidden
    share = 4 * ((SMALL.parameters - norms) // 16 + norms // 2)
    assert found["0"] == Held(parameters=share, gradients=share, optimizer=2 * share)
    alone = 4 * ((SMALL.parameters - norms) // 8 + norms)
    whole = 4 * SMALL.vocab * SMALL.hidden
    assert found["1"] == Held(parameters=alone, gradients=alone + whole - whole // 8, optimizer=2 * alone)


@pytest.mark.torch
def test_a_leg_that_cannot_run_dies_at_once_and_the_next_one_runs() -> None:
    """A pipeline is refused with the way to measure it; a whole replica says that it stands for DDP."""
    events = measured({"strategy": "pp", "pp": 2}, {"strategy": "ddp", "replicate": 2})
    died = [event for event in events if isinstance(event, LegEvent) and event.state == "died"]
    assert [event.leg for event in died] == ["0"]
    assert "--tier ranks" in str(died[0].cause)
    assert any(isinstance(event, Log) and event.leg == "1" and "DDP" in event.text for event in events)
    assert {event.high.phase for event in events if isinstance(event, Peak)} == {"forward", "backward", "optimizer"}


def test_pipelines_and_zero1_are_refused_before_anything_is_started() -> None:
    """The parent can say it without torch."""
    assert unfit(Leg(name="a", strategy="pp", pp=4)) is not None
    assert unfit(Leg(name="b", strategy="zero1", replicate=4)) is not None
    assert unfit(Leg(name="c", strategy="fsdp", shard=4)) is None
