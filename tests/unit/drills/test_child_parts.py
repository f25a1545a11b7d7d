"""The parts that measure: storages, payload, tokens, the model's parameters, torch's private names."""

from __future__ import annotations

from itertools import chain

import pytest

from quiz.drills.records import Leg, Shape, Spec
from quiz.drills.scenario import shape_of
from tests.unit.drills.runs import TINY

pytestmark = pytest.mark.torch

KILO = 256
"""Elements of 4 bytes that make 1,024 bytes."""


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("llama-3-8b", 8_030_261_248),
        ("llama-3-70b", 70_553_706_496),
        ("llama-3-405b", 405_853_388_800),
        ("llama-3.2-1b", 1_235_814_400),
    ],
)
def test_the_model_has_the_parameters_of_its_preset(model: str, parameters: int) -> None:
    """Built without memory, to the last one; a tied head is the embedding."""
    import torch

    from quiz.drills.child.model import Decoder

    shape = shape_of(model, 4096)
    with torch.device("meta"):
        built = Decoder(shape)
    assert sum(each.numel() for each in built.parameters()) == parameters == shape.parameters


def test_stages_together_are_the_model() -> None:
    """The parts of a pipeline have the whole model's parameters, by the same names and from the same seed."""
    import torch

    from quiz.drills.child.model import Decoder, initialise

    whole = Decoder(TINY)
    initialise(whole, 7)
    parts = [Decoder(TINY, range(2), last=False), Decoder(TINY, range(2, 4), first=False)]
    for part in parts:
        initialise(part, 7)
    found = dict(chain.from_iterable(part.named_parameters() for part in parts))
    assert found.keys() == dict(whole.named_parameters()).keys()
    assert all(torch.equal(each, found[name]) for name, each in whole.named_parameters())


def test_every_way_of_dividing_sees_the_same_tokens() -> None:
    """Four data ranks, two with two micro-batches, one with four, and a pipeline: together the same sequences."""
    import torch

    from quiz.drills.child.data import micro_batches, sequences

    legs = (
        Leg(name="ddp", strategy="ddp", replicate=4),
        Leg(name="hsdp", strategy="fsdp", replicate=2, shard=2),
        Leg(name="both", strategy="fsdp", shard=2, tp=2, accumulation=2),
        Leg(name="alone", strategy="single", accumulation=4),
        Leg(name="pp", strategy="pp", pp=2, microbatches=4),
    )
    spec = Spec(run="", tier="ranks", world=4, steps=1, seed=3, shape=TINY, batch=2, legs=legs)
    seen = []
    for leg in legs:
        ranks = range(0, leg.world, leg.tp) if leg.pp == 1 else range(1)
        seen.append(torch.cat([each.tokens for rank in ranks for each in micro_batches(spec, leg, rank, 5)]))
        assert sequences(spec, leg) == 8
    assert all(torch.equal(each, seen[0]) for each in seen)
    micro = micro_batches(spec, legs[0], 0, 5)[0]
    assert torch.equal(micro.tokens[:, 1:], micro.targets[:, :-1])


def test_a_peak_is_what_lived_at_once() -> None:
    """Three tensors of which one has gone make a peak of two; what the forward pass keeps is an activation."""
    import torch

    from quiz.drills.child.tracker import FORWARD, PARAMETERS, Tracker
    from quiz.drills.child.watch import Watch

    weight = torch.zeros(KILO)
    tracker = Tracker(lambda: [(PARAMETERS, [weight])])
    with tracker, Watch([tracker]):
        tracker.enter(FORWARD)
        first = torch.ones(KILO)
        del first
        second, third = torch.ones(KILO), torch.ones(KILO)
        fourth = second + third
        del third
        kept = tracker.live()
        tracker.enter("")
    assert kept == {"parameters": 1024, "activations": 2048}
    assert tracker.peaks[FORWARD].total == 4096
    assert tracker.peaks[FORWARD].categories == {"parameters": 1024, "activations": 2048, "temporaries": 1024}
    assert fourth.numel() == KILO


def test_a_storage_that_is_resized_is_counted_at_its_size() -> None:
    """FSDP2 frees gathered weights by resizing their storage, which no operation tells of."""
    import torch

    from quiz.drills.child.tracker import BACKWARD, Tracker
    from quiz.drills.child.watch import Watch

    tracker = Tracker(list)
    with tracker, Watch([tracker]):
        tracker.enter(BACKWARD)
        held = torch.empty(KILO)
        held.untyped_storage().resize_(0)
        assert tracker.total == 0
        held.untyped_storage().resize_(2048)
        assert tracker.total == 2048
        tracker.enter("")
    assert tracker.peaks[BACKWARD].categories == {"gathered": 2048}
    assert torch.UntypedStorage.resize_.__name__ == "resize_"


def test_a_tracker_can_be_used_again() -> None:
    """What a first use met is counted once in the second."""
    import torch

    from quiz.drills.child.tracker import FORWARD, PARAMETERS, Tracker
    from quiz.drills.child.watch import Watch

    weight = torch.zeros(KILO)
    tracker = Tracker(lambda: [(PARAMETERS, [weight])])
    for _ in range(2):
        with tracker, Watch([tracker]):
            tracker.enter(FORWARD)
            tracker.enter("")
    assert tracker.peaks[FORWARD].total == 1024


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        ("c10d.allreduce_", "all-reduce"),
        ("c10d._allgather_base_", "all-gather"),
        ("c10d._reduce_scatter_base_", "reduce-scatter"),
        ("_c10d_functional.all_gather_into_tensor", "all-gather"),
        ("_c10d_functional.reduce_scatter_tensor", "reduce-scatter"),
        ("c10d.broadcast_", "broadcast"),
        ("c10d.send", "send"),
        ("c10d.recv_", "receive"),
        ("_dtensor.shard_dim_alltoall", "all-to-all"),
        ("_c10d_functional.wait_tensor", None),
        ("_c10d_functional._wrap_tensor_autograd", None),
        ("c10d.barrier", None),
        ("aten.scatter", None),
    ],
)
def test_collectives_are_known_by_the_names_of_their_operations(operation: str, kind: str | None) -> None:
    """Both families of torch's collectives have the same kinds; waiting and wrapping send nothing."""
    from quiz.drills.child.traffic import kind_of

    assert kind_of(operation) == kind


def test_the_private_names_of_torch_are_there() -> None:
    """In the release that is tested nothing is missing."""
    from quiz.drills.child.private import probe

    assert probe() == {}


@pytest.mark.parametrize(
    ("leg", "because"),
    [
        (Leg(name="a", strategy="tp", tp=2, foreach=True), "foreach has to be off"),
        (Leg(name="a", strategy="tp", tp=3), "do not divide among 3 tensor ranks"),
        (Leg(name="a", strategy="pp", pp=3), "4 layers do not divide"),
        (Leg(name="a", strategy="ddp", replicate=2, offload=True), "offload is for the strategy fsdp"),
        (Leg(name="a", strategy="ddp", replicate=2, param_dtype="bf16"), "mixed precision is for"),
        (Leg(name="a", strategy="ddp", replicate=2, microbatches=2), "micro-batches of a pipeline"),
    ],
)
def test_a_leg_that_cannot_be_built_is_refused_with_the_reason(leg: Leg, because: str) -> None:
    """Before anything is taken."""
    from quiz.drills.child.strategies import check

    with pytest.raises(ValueError, match=because):
        check(Spec(run="", tier="ranks", world=leg.world, steps=1, shape=TINY, legs=(leg,)), leg)


def test_a_tied_head_is_refused_where_it_cannot_be_divided() -> None:
    """Neither tensor ranks nor stages can share the embedding with the head here."""
    from quiz.drills.child.model import Decoder

    tied = Shape(layers=2, hidden=32, heads=2, kv_heads=1, head_dim=16, ffn=64, vocab=64, sequence=16, tied=True)
    with pytest.raises(ValueError, match="cannot be divided into pipeline stages"):
        Decoder(tied, range(1), last=False)


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        (
            "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: 8 bytes.\nmore",
            "DefaultCPUAllocator: can't allocate memory: 8 bytes.",
        ),
        ("CUDA out of memory. Tried to allocate 2.00 GiB.", "CUDA out of memory. Tried to allocate 2.00 GiB."),
        ("[pair.cc:553] Connection closed by peer [127.0.0.1]:1431.", "a neighbour ran out of memory and left"),
        ("mat1 and mat2 shapes cannot be multiplied", None),
    ],
)
def test_a_death_is_told_from_other_errors(message: str, cause: str | None) -> None:
    """No memory, and a neighbour who had none, end a leg; anything else is a failure of the run."""
    from quiz.drills.child.oom import cause_of

    assert cause_of(message) == cause
