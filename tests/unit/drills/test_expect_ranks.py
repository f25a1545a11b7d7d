"""What PyTorch holds and sends beside the solver's relations: each relation by hand on one small layout."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from quiz.drills.expect import expected
from quiz.drills.expect_ranks import (
    full_embedding,
    kept_embedding,
    kept_logits,
    norm_reductions,
    pipeline_peaks,
    received,
)
from quiz.drills.records import Leg, Shape

SMALL = Shape(layers=4, hidden=128, heads=4, kv_heads=2, head_dim=32, ffn=384, vocab=512, sequence=64)
MESSAGE = 2 * 64 * 128 * 4
LOGITS = 2 * 64 * 512 * 4


def test_tensor_ranks_hold_the_embedding_s_gradient_whole() -> None:
    """Of 512 rows a rank of two has 256, and makes gradients for 256 more; FSDP2 divides what is left of them."""
    assert full_embedding(SMALL, Leg(name="", strategy="tp", tp=2)) == 4 * 256 * 128
    assert full_embedding(SMALL, Leg(name="", strategy="fsdp", shard=2, tp=2)) == 0
    assert full_embedding(SMALL, Leg(name="", strategy="ddp", replicate=2)) == 0
    both = Leg(name="", strategy="fsdp", shard=2, tp=2, accumulation=2)
    assert kept_embedding(SMALL, both) == 4 * 256 * 128
    assert kept_embedding(SMALL, msgspec.structs.replace(both, sync="each")) == 0


def test_norms_are_summed_three_times_in_adam_s_step_or_once_by_fsdp() -> None:
    """Two norms a layer and the last one, of 128 scales each."""
    norms = 9 * 128
    assert norm_reductions(SMALL, Leg(name="", strategy="tp", tp=2, sequence_parallel=True)) == 3 * 4 * norms
    both = Leg(name="", strategy="fsdp", shard=2, tp=2, sequence_parallel=True, accumulation=4)
    assert norm_reductions(SMALL, both) == 4 * norms
    assert norm_reductions(SMALL, Leg(name="", strategy="tp", tp=2)) == 0


def test_a_stage_keeps_a_buffer_for_each_message_and_the_last_one_its_logits() -> None:
    """Of two stages each receives once a micro-batch; with two chunks a rank has three neighbours."""
    plain = Leg(name="", strategy="pp", pp=2, microbatches=8)
    chunked = Leg(name="", strategy="pp", pp=2, chunks=2, schedule="interleaved", microbatches=8)
    assert [received(SMALL, plain, 2, rank) for rank in (0, 1)] == [8 * MESSAGE, 8 * MESSAGE]
    assert [received(SMALL, chunked, 2, rank) for rank in (0, 1)] == [24 * MESSAGE, 24 * MESSAGE]
    assert [kept_logits(SMALL, plain, 2, rank) for rank in (0, 1)] == [0, 8 * LOGITS]


def test_the_peaks_of_pipelines_are_those_that_were_measured() -> None:
    """Tracked on two real ranks with eight micro-batches of two sequences, in bytes: within 2 %."""
    for schedule, chunks, measured in (
        ("gpipe", 1, {"forward": 34_541_204, "backward": 35_065_488, "optimizer": 10_561_620}),
        ("1f1b", 1, {"forward": 13_955_148, "backward": 14_282_828, "optimizer": 10_561_620}),
        ("interleaved", 2, {"forward": 17_611_852, "backward": 17_939_532, "optimizer": 11_610_196}),
    ):
        leg = Leg(name="", strategy="pp", pp=2, schedule=schedule, chunks=chunks, microbatches=8)  # type: ignore[arg-type]
        for phase, size in pipeline_peaks(SMALL, leg, 2).items():
            assert abs(size / measured[phase] - 1) < 0.02, (schedule, phase)


def test_ddp_that_reduces_each_micro_batch_sends_as_many_times_the_model() -> None:
    """Four micro-batches, four all-reduces of everything; once where all but the last are told not to."""
    whole = 4 * SMALL.parameters
    for sync, times, exception in (("each", 4, "reduced-each-micro-batch"), ("last", 1, "")):
        leg = Leg(name="ddp", strategy="ddp", replicate=2, accumulation=4, sync=sync)  # type: ignore[arg-type]
        payload = next(one for one in expected(SMALL, (leg,), 2, "ranks") if one.key == "traffic.payload@ddp")
        assert (payload.value, payload.exception) == (times * whole, exception)


def test_offload_on_a_cpu_takes_nothing_off() -> None:
    """The host's memory is the device's there; on a GPU the state goes, and the peak with it."""
    plain, off = Leg(name="leg", strategy="fsdp", shard=2), Leg(name="leg", strategy="fsdp", shard=2, offload=True)
    totals = {
        (leg.offload, device): next(
            one.value for one in expected(SMALL, (leg,), 2, "ranks", device) if one.key == "peak.total@leg"
        )
        for leg in (plain, off)
        for device in ("cpu", "cuda")
    }
    assert totals[True, "cpu"] == totals[False, "cpu"]
    assert (totals[True, "cuda"] or 0) < (totals[False, "cuda"] or 0)


@pytest.mark.parametrize(("parallel", "measured"), [("tensor", 23_068_672), ("sequence", 42_053_632)])
def test_tensor_ranks_alone_send_in_fp32_whatever_fsdp_would_compute_in(parallel: str, measured: int) -> None:
    """As torch 2.13 sent on fake tensors on eight ranks: mixed precision is FSDP's."""
    shape = Shape(layers=4, hidden=1024, heads=8, kv_heads=8, head_dim=128, ffn=2048, vocab=4096, sequence=256)
    leg = Leg(name="tp", strategy="tp", tp=8, sequence_parallel=parallel == "sequence", param_dtype="bf16")
    found = {one.key: one.value for one in expected(shape, (leg,), 1, "fake")}
    assert found["traffic.payload@tp"] == measured


@pytest.mark.parametrize(
    ("replicas", "shard", "checkpoint", "measured"),
    [
        (2, 4, "none", 310_049_956),
        (2, 4, "full", 299_553_956),
        (4, 8, "none", 222_485_668),
        (4, 8, "full", 208_310_948),
    ],
)
def test_hsdp_keeps_what_it_all_reduced_in_another_precision_beside_the_gradients(
    replicas: int, shard: int, checkpoint: Any, measured: int
) -> None:
    """As torch 2.13 held on fake tensors: BF16 sums stay until the pass is over, beside the shares made of them."""
    shape = Shape(layers=4, hidden=1024, heads=8, kv_heads=8, head_dim=128, ffn=2048, vocab=4096, sequence=256)
    half: dict[str, Any] = {"param_dtype": "bf16", "reduce_dtype": "bf16"}
    leg = Leg(name="hsdp", strategy="fsdp", replicate=replicas, shard=shard, checkpoint=checkpoint, **half)
    backward = {one.key: one.value for one in expected(shape, (leg,), 1, "fake")}["peak.backward@hsdp"]
    assert backward == pytest.approx(measured, rel=0.001)
