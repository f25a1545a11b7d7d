"""A second path for traffic: collectives that move real chunks round a ring, and the bytes that leave each rank."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from solvers import Solver, scenario_of

if TYPE_CHECKING:
    from solvers.inputs import Raw

WEIGHT, GRADIENT = 2, 4  # bytes on the wire of `megatron-bf16`


class Ring:
    """Ranks that hold vectors of integers and pass chunks to their right; counts what each sends."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.sent: Counter[int] = Counter()

    def _chunk(self, length: int, index: int) -> slice:
        size = length // self.ranks
        return slice(index % self.ranks * size, (index % self.ranks + 1) * size)

    def reduce_scatter(self, vectors: list[list[int]], width: int) -> list[list[int]]:
        """Each rank ends with the sum of one chunk; sends a partial sum in each of n-1 rounds."""
        length = len(vectors[0])
        work = [list(vector) for vector in vectors]
        for step in range(self.ranks - 1):
            passed = [(rank, work[rank][self._chunk(length, rank - step - 1)]) for rank in range(self.ranks)]
            for rank, chunk in passed:
                self.sent[rank] += len(chunk) * width
                right, place = (rank + 1) % self.ranks, self._chunk(length, rank - step - 1)
                work[right][place] = [a + b for a, b in zip(work[right][place], chunk, strict=True)]
        return [work[rank][self._chunk(length, rank)] for rank in range(self.ranks)]

    def all_gather(self, chunks: list[list[int]], width: int) -> list[list[int]]:
        """Each rank ends with all chunks in order; passes on what it got last in each of n-1 rounds."""
        held = [{rank: chunk} for rank, chunk in enumerate(chunks)]
        for step in range(self.ranks - 1):
            passed = [(rank, (rank - step) % self.ranks) for rank in range(self.ranks)]
            for rank, index in passed:
                self.sent[rank] += len(held[rank][index]) * width
                held[(rank + 1) % self.ranks][index] = held[rank][index]
        return [[value for index in range(self.ranks) for value in chunk[index]] for chunk in held]

    def all_reduce(self, vectors: list[list[int]], width: int) -> list[list[int]]:
        return self.all_gather(self.reduce_scatter(vectors, width), width)


def gradients(ranks: int, length: int, seed: int) -> list[list[int]]:
    return [[(rank + 1) * (index + seed) % 17 for index in range(length)] for rank in range(ranks)]


def total(vectors: list[list[int]]) -> list[int]:
    return [sum(column) for column in zip(*vectors, strict=True)]


def simulated(zero: int, ranks: int, length: int, micro_batches: int, *, reshard: bool, each: bool) -> set[int]:
    """The bytes that ranks send in a step of data parallelism, done with real sums; each result is checked."""
    ring = Ring(ranks)
    weights = list(range(length))
    shards = [weights[rank * length // ranks : (rank + 1) * length // ranks] for rank in range(ranks)]
    pending = [[0] * length for _ in range(ranks)]
    for batch in range(micro_batches):
        if zero == 3:
            for _ in range(2 if reshard else 1):
                assert all(held == weights for held in ring.all_gather(shards, WEIGHT))
        fresh = gradients(ranks, length, batch)
        pending = [[a + b for a, b in zip(old, new, strict=True)] for old, new in zip(pending, fresh, strict=True)]
        if zero >= 2 and each:
            reduced = ring.reduce_scatter(fresh, GRADIENT)
            assert [value for chunk in reduced for value in chunk] == total(fresh)
    if zero == 0:
        assert ring.all_reduce(pending, GRADIENT)[0] == total(pending)
    elif zero == 1 or not each:
        ring.reduce_scatter(pending, GRADIENT)
    if zero in (1, 2):
        assert all(held == weights for held in ring.all_gather(shards, WEIGHT))
    return set(ring.sent.values())


@pytest.mark.parametrize("zero", [0, 1, 2, 3])
@pytest.mark.parametrize("ranks", [2, 3, 8])
@pytest.mark.parametrize("micro_batches", [1, 4])
@pytest.mark.parametrize(("reshard", "each"), [(True, True), (False, True), (True, False)])
def test_the_closed_form_is_what_a_ring_that_moves_chunks_sends(
    zero: int, ranks: int, micro_batches: int, reshard: bool, each: bool  # noqa: FBT001 - a table of cases
) -> None:
    if not reshard and zero != 3:
        return
    length = 24 * ranks
    plan: dict[str, Raw] = {
        "model.parameters": length, "recipe": "megatron-bf16", "layout.zero": zero, "layout.dp": ranks,
        "batch.accumulation": micro_batches, "layout.reshard": str(reshard).lower(),
        "layout.sync": "each-micro-batch" if each else "each-step"}
    formula = Solver(scenario_of(plan)).quantity("traffic.data_parallel_sent").value
    assert simulated(zero, ranks, length, micro_batches, reshard=reshard, each=each) == {formula}


@pytest.mark.parametrize("each", [True, False])
def test_hsdp_adds_an_all_reduce_of_the_shard_between_replicas(each: bool) -> None:  # noqa: FBT001 - two cases
    shard, replicas, length, micro_batches = 4, 3, 240, 5
    inside, between = Ring(shard), Ring(replicas)
    for _ in range(micro_batches):
        for _ in range(2):
            inside.all_gather([[1] * (length // shard)] * shard, WEIGHT)
        inside.reduce_scatter([[1] * length] * shard, GRADIENT)
        if each:
            between.all_reduce([[1] * (length // shard)] * replicas, GRADIENT)
    if not each:
        between.all_reduce([[1] * (length // shard)] * replicas, GRADIENT)
    plan: dict[str, Raw] = {
        "model.parameters": length, "recipe": "megatron-bf16", "layout.zero": 3, "layout.dp": shard * replicas,
        "layout.shard": shard, "batch.accumulation": micro_batches,
        "layout.replica_sync": "each-micro-batch" if each else "each-step"}
    formula = Solver(scenario_of(plan)).quantity("traffic.data_parallel_sent").value
    assert {inside.sent[0] + between.sent[0]} == {formula}


@pytest.mark.parametrize(("recompute", "times"), [("none", 4), ("full", 6)])
def test_tensor_parallel_ranks_all_reduce_each_layers_activations(recompute: str, times: int) -> None:
    ranks, layers, micro_batches, sequence, hidden = 4, 3, 2, 8, 16
    ring = Ring(ranks)
    for _ in range(layers * micro_batches * times):
        ring.all_reduce([[1] * (sequence * hidden)] * ranks, 2)
    plan: dict[str, Raw] = {
        "model.layers": layers, "model.hidden": hidden, "batch.sequence": sequence, "layout.tp": ranks,
        "batch.accumulation": micro_batches, "compute.recompute": recompute}
    assert Solver(scenario_of(plan)).quantity("traffic.tensor_parallel_sent").value == ring.sent[0]


@pytest.mark.parametrize("recompute", ["none", "full"])
def test_one_layer_sends_its_share_of_the_step(recompute: str) -> None:
    plan: dict[str, Raw] = {
        "model.layers": 6, "model.hidden": 16, "batch.sequence": 8, "layout.tp": 4, "layout.pp": 2,
        "batch.accumulation": 3, "compute.recompute": recompute}
    solver = Solver(scenario_of(plan))
    for kind in ("tensor", "sequence"):
        one = solver.quantity(f"traffic.{kind}_parallel_per_layer").value
        assert solver.quantity(f"traffic.{kind}_parallel_sent").value == 3 * 3 * one > 0


@pytest.mark.parametrize("which", ["forward", "backward", "both"])
def test_the_overlap_of_hsdp_moves_what_its_groups_and_its_replicas_send(which: str) -> None:
    """One micro-batch: the traffic of a step, each part at its own rate; forward only the first gather."""
    shard, replicas, length = 4, 3, 240
    inside, between = Ring(shard), Ring(replicas)
    for _ in range({"forward": 1, "backward": 1, "both": 2}[which]):
        inside.all_gather([[1] * (length // shard)] * shard, WEIGHT)
    if which != "forward":
        inside.reduce_scatter([[1] * length] * shard, GRADIENT)
        between.all_reduce([[1] * (length // shard)] * replicas, GRADIENT)
    plan: dict[str, Raw] = {
        "model.parameters": length, "recipe": "megatron-bf16", "layout.zero": 3, "layout.dp": shard * replicas,
        "layout.shard": shard, "overlap.bandwidth": "400 GB/s", "overlap.replica_bandwidth": "50 GB/s",
        "overlap.pass": which, "overlap.rate": "400 TFLOP/s", "batch.sequence": 1024}
    solver = Solver(scenario_of(plan))
    sent = Fraction(inside.sent[0], 400 * 10**9) + Fraction(between.sent[0], 50 * 10**9)
    assert solver.quantity("overlap.communication_time").value == sent
    per_token = solver.quantity("overlap.compute_time").value / 1024
    assert solver.quantity("overlap.tokens_to_hide").value * per_token == sent
    del plan["layout.shard"]
    by_replicas = Solver(scenario_of({**plan, "layout.replicas": replicas}))
    assert by_replicas.quantity("overlap.communication_time").value == sent


def pipeline_sends(stages: int, chunks: int, micro_batches: int) -> Counter[int]:
    """Messages that each stage sends: forward to the next chunk, backward to the one before, on another stage."""
    sent: Counter[int] = Counter()
    virtual = stages * chunks
    for _ in range(micro_batches):
        for chunk in range(virtual - 1):
            here, there = chunk % stages, (chunk + 1) % stages
            if here != there:
                sent[here] += 1
                sent[there] += 1
    return sent


@pytest.mark.parametrize(("stages", "chunks"), [(1, 1), (2, 1), (3, 1), (4, 1), (2, 2), (4, 2), (4, 3)])
def test_the_busiest_pipeline_stage_sends_what_the_relation_says(stages: int, chunks: int) -> None:
    micro_batches = 4 * stages
    plan: dict[str, Raw] = {"model.hidden": 8, "batch.sequence": 4, "layout.pp": stages, "layout.interleave": chunks,
            "batch.accumulation": micro_batches}
    busiest = max(pipeline_sends(stages, chunks, micro_batches).values(), default=0)
    assert Solver(scenario_of(plan)).quantity("traffic.pipeline_sent").value == busiest * 4 * 8 * 2


def test_ring_attention_passes_keys_and_values_round_and_gradients_back() -> None:
    ranks, layers, micro_batches, sequence, kv_heads, head = 4, 2, 3, 32, 2, 8
    block = 2 * sequence // ranks * kv_heads * head * 2
    sent = 0
    for _ in range(layers * micro_batches):
        for _ in range(ranks - 1):
            sent += block  # forward
        for _ in range(ranks - 1):
            sent += block + block  # backward: keys and values, and their gradients
    plan: dict[str, Raw] = {
        "model.layers": layers, "model.kv_heads": kv_heads, "model.head_dim": head, "batch.sequence": sequence,
        "layout.cp": ranks, "batch.accumulation": micro_batches}
    assert Solver(scenario_of(plan)).quantity("traffic.context_parallel_sent").value == sent


def test_the_parts_of_the_traffic_add_up() -> None:
    plan: dict[str, Raw] = {
        "model": "llama-3-70b", "recipe": "zero-paper", "batch.sequence": 8192, "batch.accumulation": 32,
        "layout.tp": 8, "layout.pp": 8, "layout.cp": 2, "layout.dp": 8, "layout.zero": 1}
    solver = Solver(scenario_of(plan))
    parts = [solver.quantity(f"traffic.{kind}_sent").value
             for kind in ("data_parallel", "tensor_parallel", "pipeline", "context_parallel")]
    assert all(part > 0 for part in parts)
    assert solver.quantity("traffic.sent_per_step").value == sum(parts, Fraction(0))


def test_a_rank_alone_sends_nothing_and_needs_no_shape() -> None:
    plan: dict[str, Raw] = {"model.parameters": "7e9", "recipe": "zero-paper", "layout.dp": 1, "layout.zero": 3}
    assert Solver(scenario_of(plan)).quantity("traffic.sent_per_step").value == 0
