"""What the solver expects of a run: figures that were measured before, and what torch does otherwise, by name."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from quiz.drills import tensors
from quiz.drills.expect import expected
from quiz.drills.legs import PLANS, by_name
from quiz.drills.plan import LARGER, SMALL
from quiz.drills.records import Expected, Leg, Shape
from quiz.drills.scenario import shape_of

LARGE = shape_of("llama-3-70b", 4096)


def of(leg: Leg, key: str, tier: str = "ranks") -> Expected:
    """What is expected of one thing of a leg."""
    shape = LARGE if tier == "fake" else SMALL
    found = {one.key: one for one in expected(shape, (leg,), 1 if tier == "fake" else 2, tier)}  # type: ignore[arg-type]
    return found[f"{key}@{leg.name}"]


@pytest.mark.parametrize(("shard", "measured"), [(8, 141.107), (16, 70.554), (64, 17.638), (1024, 1.103)])
def test_70b_on_so_many_ranks_holds_what_was_measured(shard: int, measured: float) -> None:
    """GB at rest of FSDP2 on fake tensors, to the last digit that was written down."""
    leg = Leg(name="fsdp", strategy="fsdp", shard=shard, checkpoint="full", param_dtype="bf16")
    value = of(leg, "rest.state", "fake").value
    assert value is not None
    assert round(value / 1e9, 3) == measured


def test_70b_with_tensor_ranks_holds_its_norms_everywhere() -> None:
    """An even division gives 141.107 and 17.638 GB; TP alone keeps the embedding's whole gradient, 3.678 GB more."""
    tp = Leg(name="tp", strategy="tp", tp=8)
    both = Leg(name="both", strategy="fsdp", shard=8, tp=8, sequence_parallel=True)
    for leg, measured, exception in (
        (tp, 144.803, "full-size-embedding-gradient"),
        (both, 17.641, "norms-on-every-rank"),
    ):
        found = of(leg, "rest.state", "fake")
        assert found.value is not None
        assert round(found.value / 1e9, 3) == measured
        assert found.exception == exception
    assert of(tp, "rest.parameters", "fake").exception == "norms-on-every-rank"


def test_one_replica_stands_for_ddp_at_true_size() -> None:
    """1,128.859 GB at rest, and no buckets."""
    found = of(Leg(name="ddp", strategy="ddp", replicate=8), "rest.state", "fake")
    assert found.value == 16 * LARGE.parameters


@pytest.mark.parametrize("name", ["ddp", "fsdp", "fsdp-keep", "fsdp-bf16", "hsdp", "fsdp-last", "single"])
def test_where_everything_divides_the_solver_needs_no_exception(name: str) -> None:
    """The bytes by tensor and the solver's relation agree to the byte."""
    leg = by_name(name, 4)
    for one in expected(SMALL, (leg,), 2, "ranks"):
        assert one.exception == "", one.key
        assert one.exact is not one.key.startswith("peak")


def test_zero1_divides_the_optimizer_by_whole_parameters() -> None:
    """The fullest rank has more than its share, and the rest of the state is whole."""
    leg = by_name("zero1", 4)
    state = of(leg, "rest.optimizer")
    assert state.exception == "whole-parameters"
    assert state.value is not None
    assert 8 * SMALL.parameters / 4 < state.value < 8 * SMALL.parameters / 3
    assert of(leg, "rest.parameters").value == 4 * SMALL.parameters


def test_no_tensor_is_lost_between_the_stages_of_a_pipeline() -> None:
    """The ends are on the first and the last rank; the fullest rank is told."""
    leg = by_name("1f1b", 4)
    shares = [sum(one.parameters for one in tensors._stages(SMALL, leg, rank)) for rank in range(4)]
    assert sum(shares) == SMALL.parameters
    assert of(leg, "rest.parameters").value == 4 * max(shares)
    assert of(leg, "rest.parameters").exception == "ends-of-the-pipeline"


def test_rows_that_do_not_divide_are_padded() -> None:
    """Three ranks: the first shard is the larger one, and a gather carries the padding."""
    leg = Leg(name="fsdp", strategy="fsdp", shard=3)
    found = of(leg, "rest.parameters")
    assert found.exception == "uneven-rows"
    assert found.value is not None
    assert found.value > 4 * SMALL.parameters / 3
    assert of(leg, "traffic.payload").value == 3 * 3 * found.value


@pytest.mark.parametrize(
    ("name", "psi"),
    [("ddp", 1), ("zero1", 2), ("fsdp", 3), ("fsdp-keep", 2), ("fsdp-bf16", 2), ("fsdp-checkpoint", 3), ("hsdp", 3.5)],
)
def test_payload_is_so_many_times_the_gradients(name: str, psi: float) -> None:
    """Whole buffers in units of 4 B a parameter, as they were counted on real ranks."""
    assert of(by_name(name, 4), "traffic.payload").value == psi * 4 * SMALL.parameters


def test_accumulation_repeats_gathers_and_reduces_as_the_leg_says() -> None:
    """Each of four micro-batches gathers twice; gradients are reduced each time, or once."""
    psi = 4 * SMALL.parameters
    assert of(by_name("fsdp-each", 4), "traffic.payload").value == (8 + 4) * psi
    assert of(by_name("fsdp-last", 4), "traffic.payload").value == (8 + 1) * psi
    assert of(by_name("fsdp-last", 4), "rest.gradients").value == psi / 4


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_has_a_peak(name: str) -> None:
    """The solver knows all three phases of each, and which of them binds."""
    leg = by_name(name, 4)
    shape = replace(SMALL, layers=8)
    found = {one.key: one for one in expected(shape, (leg,), 2, "ranks")}
    peaks = {phase: found[f"peak.{phase}@{name}"].value or 0 for phase in ("forward", "backward", "optimizer")}
    assert found[f"peak.total@{name}"].value == max(peaks.values())
    assert peaks[str(found[f"peak.phase@{name}"].choice)] == max(peaks.values())


def test_the_tensors_are_the_model() -> None:
    """They add up to the parameters of the shape, tied or not."""
    for shape in (SMALL, LARGE, replace(SMALL, tied=True)):
        assert sum(one.parameters for one in tensors.tensors(shape)) == shape.parameters


@pytest.mark.parametrize(
    ("shape", "accumulation", "name", "measured"),
    [(LARGER, 1, "zero1", 675_662_168), (SMALL, 1, "zero1", 65_602_136), (SMALL, 2, "single", 82_387_624)],
    ids=["larger-zero1", "zero1", "single"],
)
def test_a_gradient_that_is_added_to_another_is_whole_for_a_moment(
    shape: Shape, accumulation: int, name: str, measured: int
) -> None:
    """Bytes that two real ranks held in backward: the head's gradient beside the one that it is added to."""
    leg = replace(by_name(name, 2), accumulation=accumulation)
    (found,) = [one for one in expected(shape, (leg,), 2, "ranks") if one.key == f"peak.backward@{name}"]
    assert found.value == pytest.approx(measured, rel=1e-4)
