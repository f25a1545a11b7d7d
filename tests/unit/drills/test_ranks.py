"""Real ranks: every way of dividing the work is trained, and what it holds, sends and learns is as predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from quiz.drills import legs as known
from quiz.drills.events import LegEvent, PhaseEvent
from quiz.drills.plan import on_same_tokens
from tests.unit.drills.runs import TINY, Ran, run, spec_of

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.drills.records import Leg

pytestmark = pytest.mark.torch

TWO = (
    "single", "ddp", "ddp-view", "zero1", "fsdp", "fsdp-keep", "fsdp-bf16", "fsdp-checkpoint", "fsdp-offload", "tp",
    "tp-sp",
)  # fmt: skip
MICRO = ("single", "ddp-each", "ddp-last", "fsdp-each", "fsdp-last", "gpipe", "1f1b", "interleaved")
FOUR = ("single", "zero1", "hsdp", "fsdp-tp")
# Four micro-batches a step take as long as everything else together: by name only.
RUNS = ("two", pytest.param("micro", marks=pytest.mark.long), "four")
MORE = (*RUNS, pytest.param("others", marks=pytest.mark.long))
WITHIN, BEYOND = 0.02, 0.05
ALLOWANCE = 24_000_000
"""What torch, gloo and the allocator may be resident with beside what is tracked."""


def plans(names: tuple[str, ...], world: int) -> tuple[Leg, ...]:
    return tuple(on_same_tokens([known.by_name(name, 1 if name == "single" else world) for name in names]))


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """What two ranks can do with one micro-batch a rank."""
    return run(tmp_path_factory.mktemp("two"), spec_of(plans(TWO, 2), steps=5))


@pytest.fixture(scope="module")
def micro(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """What two ranks can do with several micro-batches: accumulation and pipelines."""
    return run(tmp_path_factory.mktemp("micro"), spec_of(plans(MICRO, 2), steps=3))


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """What needs four ranks, and what differs there."""
    return run(tmp_path_factory.mktemp("four"), spec_of(plans(FOUR, 4), world=4, steps=3))


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """Every plan on four ranks, each with its own micro-batches."""
    shape = msgspec.structs.replace(TINY, layers=8, heads=8, kv_heads=4, head_dim=8)
    legs = tuple(known.by_name(name, 4) for name in known.PLANS if name != "single")
    spec = msgspec.structs.replace(spec_of(legs, world=4, steps=3, shape=shape), timeout_s=3600.0)
    return run(tmp_path_factory.mktemp("others"), spec)


def test_every_plan_is_tried() -> None:
    """No way of dividing the work is left out of these runs."""
    assert {*TWO, *MICRO, *FOUR} == set(known.PLANS)


@pytest.mark.parametrize("where", MORE)
def test_what_is_said_to_be_exact_is_equal_to_the_byte(where: str, request: pytest.FixtureRequest) -> None:
    """Parameters, gradients, optimizer state and payload of every strategy are what the solver says, to the byte."""
    ran: Ran = request.getfixturevalue(where)
    exact = {one.key: one.value for one in ran.spec.expected if one.exact}
    assert len(exact) >= 4 * len(ran.spec.legs)
    assert {key: ran.found(key) for key in exact} == exact


@pytest.mark.parametrize("where", MORE)
def test_every_plan_holds_in_each_phase_what_the_solver_says(where: str, request: pytest.FixtureRequest) -> None:
    """Tracked peaks are within 2 %, in forward, backward and the step."""
    ran: Ran = request.getfixturevalue(where)
    off, told = {}, 0
    for one in ran.spec.expected:
        if one.key.startswith("peak.") and one.value is not None:
            told += 1
            found = ran.found(one.key)
            assert found is not None
            if abs(one.value / found - 1) > WITHIN:
                off[one.key] = f"{one.value / found - 1:+.2%}"
    assert told == 4 * len(ran.spec.legs)
    assert off == {}


@pytest.mark.parametrize("where", MORE)
def test_what_is_resident_is_what_is_tracked_and_an_allowance(where: str, request: pytest.FixtureRequest) -> None:
    """In each phase of each plan at most 5 % and the allowance more."""
    ran: Ran = request.getfixturevalue(where)
    peaks = {
        f"{one.leg} {peak.phase} on {one.rank}": (peak.resident, peak.held.total)
        for one in ran.result.measured
        for peak in one.peaks
        if peak.resident is not None
    }
    assert len(peaks) >= 2 * len(ran.spec.legs)
    most = 1 + BEYOND
    assert {name: both for name, both in peaks.items() if both[0] > both[1] * most + ALLOWANCE} == {}


@pytest.mark.parametrize("where", RUNS)
def test_every_strategy_learns_what_one_process_learns(where: str, request: pytest.FixtureRequest) -> None:
    """In fp32 losses are those of one process within 5e-6 for five steps; bf16 rounds, and stays within 1e-2."""
    ran: Ran = request.getfixturevalue(where)
    apart = {leg.name: ran.apart(leg.name, 5) for leg in ran.spec.legs}
    within = {leg.name: 1e-2 if leg.param_dtype == "bf16" else 5e-6 for leg in ran.spec.legs}
    assert {name: size for name, size in apart.items() if size > within[name]} == {}


def test_twenty_steps_later_the_losses_are_still_together(tmp_path: Path) -> None:
    """After 20 steps DDP and FSDP2 are within 5e-4 of one process, and all have learned something."""
    ran = run(tmp_path, spec_of(plans(("single", "ddp", "fsdp"), 2), steps=20))
    for leg in ("ddp", "fsdp"):
        assert ran.apart(leg, 20) <= 5e-4
    assert ran.losses("single")[-1] < ran.losses("single")[0] - 0.1


def test_tensor_parallelism_makes_four_collectives_a_layer(two: Ran) -> None:
    """Two all-reduces forward and two backward, or a gather and a reduction for each of them, and the model's ends."""
    leg = two.spec.leg("tp")
    sent = {(one.op, one.phase): one for one in two.of("tp")[0].traffic}
    for phase in ("forward", "backward"):
        assert sent["all-reduce", phase].count == leg.accumulation * (2 * TINY.layers + 1)
    sent = {(one.op, one.phase): one for one in two.of("tp-sp")[0].traffic}
    for phase in ("forward", "backward"):
        assert sent["reduce-scatter", phase].count == leg.accumulation * (2 * TINY.layers + 1)


def test_sharing_out_reduces_payload_as_the_books_say(two: Ran) -> None:
    """FSDP2 sends 3 times the model with resharding and twice without; DDP once; bf16 halves gathers alone."""
    whole = 4 * TINY.parameters
    for leg, gathered, scattered in (("fsdp", 2.0, 1.0), ("fsdp-keep", 1.0, 1.0), ("fsdp-bf16", 1.0, 1.0)):
        times = two.spec.leg(leg).accumulation
        sent = two.of(leg)[0].traffic
        assert sum(one.bytes for one in sent if one.op == "all-gather") == gathered * whole * times
        assert sum(one.bytes for one in sent if one.op == "reduce-scatter") == scattered * whole
    assert two.found("traffic.payload@ddp") == whole


@pytest.mark.long
def test_gradients_are_reduced_after_each_micro_batch_or_once(micro: Ran) -> None:
    """With `each` the reduction is as many times larger as there are micro-batches."""
    for strategy, op in (("ddp", "all-reduce"), ("fsdp", "reduce-scatter")):
        each, last = (
            sum(one.bytes for one in micro.of(f"{strategy}-{sync}")[0].traffic if one.op == op)
            for sync in ("each", "last")
        )
        assert each == 4 * last


def test_checkpointing_adds_no_gather(two: Ran) -> None:
    """A unit that is computed again has been gathered for its backward pass anyway."""
    assert two.found("traffic.payload@fsdp-checkpoint") == two.found("traffic.payload@fsdp")


@pytest.mark.long
def test_a_pipeline_that_goes_back_early_holds_less(micro: Ran) -> None:
    """1F1B and interleaving hold fewer activations than GPipe; of 1F1B's ranks the first holds most."""
    most = {
        leg: [max(peak.held.activations - peak.named.get("logits", 0) for peak in one.peaks) for one in micro.of(leg)]
        for leg in ("gpipe", "1f1b", "interleaved")
    }
    assert most["1f1b"][0] < most["interleaved"][0] < most["gpipe"][0]
    assert most["1f1b"][0] > most["1f1b"][1]


def test_overheads_are_named_and_counted(two: Ran) -> None:
    """DDP's buckets are a second copy of the gradients unless they are views; FSDP2's gathers are told."""
    whole = 4 * TINY.parameters
    assert all(peak.named["bucket"] == whole for peak in two.of("ddp")[0].peaks)
    assert all("bucket" not in peak.named for peak in two.of("ddp-view")[0].peaks)
    backward = next(peak for peak in two.of("fsdp")[0].peaks if peak.phase == "backward")
    assert backward.named["gathered"] > 0
    assert {"all-gather buffer", "reduce-scatter buffer"} & set(backward.named)
    step = next(peak for peak in two.of("single")[0].peaks if peak.phase == "optimizer")
    assert step.named["optimizer temporaries"] > 0
    forward = next(peak for peak in two.of("single")[0].peaks if peak.phase == "forward")
    assert forward.named["logits"] == 2 * 4 * TINY.sequence * TINY.vocab


def test_steps_are_timed_without_the_tracker(two: Ran) -> None:
    """Two steps carry the tracker and the others do not; each rank tells each phase of each step once."""
    for leg in two.spec.legs:
        assert [step.tracked for step in two.of(leg.name)[0].steps] == [False, True, True, False, False]
    told = [event for event in two.events if isinstance(event, PhaseEvent) and event.leg == "fsdp" and event.rank == 0]
    expected = ["build"] + ["forward", "backward", "optimizer"] * 5
    assert [event.phase for event in told] == expected


def test_every_leg_begins_and_ends(two: Ran) -> None:
    """On each of its ranks a leg begins once and is done once."""
    for leg in two.spec.legs:
        ranks = range(leg.world)
        for rank in ranks:
            states = [
                event.state
                for event in two.events
                if isinstance(event, LegEvent) and event.leg == leg.name and event.rank == rank
            ]
            assert states == ["begin", "done"]
