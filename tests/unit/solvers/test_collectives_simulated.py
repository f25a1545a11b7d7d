"""A second path for the collectives: chunks that are passed on, trees that are built, heads that change hands."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from solvers import LawError, ScenarioError, Solver, scenario_of

if TYPE_CHECKING:
    from solvers.inputs import Raw

MESSAGE = 10_080  # bytes: divisible by every number of ranks below


def quantity(name: str, inputs: dict[str, Raw]) -> Fraction:
    return Solver(scenario_of(inputs)).quantity(name).value


def collective(kind: str, ranks: int, **more: Raw) -> dict[str, Raw]:
    return {"collective.kind": kind, "collective.ranks": ranks, "collective.message": f"{MESSAGE} B",
            **{name.replace("__", "."): value for name, value in more.items()}}


def ring_pass(held: list[list[set[int]]], ranks: int, sent: Counter[int], *, reduce: bool) -> int:
    """Once round the ring: `held[rank][chunk]` are the ranks whose part of the chunk is there. Returns the rounds."""
    for turn in range(ranks - 1):
        moving = []
        for rank in range(ranks):
            # A reduce-scatter begins with the chunk behind its own, an all-gather with the chunk that is complete.
            chunk = (rank - turn - (1 if reduce else 0)) % ranks
            moving.append((rank, chunk, set(held[rank][chunk])))
        for rank, chunk, parts in moving:
            held[(rank + 1) % ranks][chunk] |= parts
            sent[rank] += MESSAGE // ranks
    return ranks - 1


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("kind", ["all-gather", "reduce-scatter", "all-reduce"])
def test_a_ring_of_chunks_sends_and_takes_the_rounds_that_are_said(kind: str, ranks: int) -> None:
    sent: Counter[int] = Counter()
    rounds = 0
    everyone = set(range(ranks))
    if kind == "all-gather":
        held = [[everyone if chunk == rank else set() for chunk in range(ranks)] for rank in range(ranks)]
    else:
        held = [[{rank} for _ in range(ranks)] for rank in range(ranks)]
        rounds += ring_pass(held, ranks, sent, reduce=True)
        assert all(held[rank][rank] == everyone for rank in range(ranks))
    if kind != "reduce-scatter":
        rounds += ring_pass(held, ranks, sent, reduce=False)
        assert all(held[rank][chunk] == everyone for rank in range(ranks) for chunk in range(ranks))
    inputs = collective(kind, ranks)
    assert {quantity("collective.sent", inputs)} == {sent[rank] for rank in range(ranks)}
    assert quantity("collective.rounds", inputs) == rounds


@pytest.mark.parametrize("ranks", [2, 4, 5, 8])
def test_an_all_to_all_sends_a_part_to_each_other_rank(ranks: int) -> None:
    sent = sum(MESSAGE // ranks for other in range(ranks) if other != 0)
    assert quantity("collective.sent", collective("all-to-all", ranks)) == sent


def tree(ranks: int) -> dict[int, int]:
    """The parent of each rank of a binary tree in which every odd rank is a leaf; rank 0 is the root."""
    parents = {}
    for rank in range(1, ranks):
        bit = rank & -rank
        parent = (rank ^ bit) | (bit << 1)
        parents[rank] = rank ^ bit if parent >= ranks else parent
    return parents


@pytest.mark.parametrize("ranks", [2, 4, 8, 16, 64, 6, 12])
def test_two_trees_send_the_ring_s_bytes_on_average_and_at_most_twice_the_message(ranks: int) -> None:
    sent: Counter[int] = Counter()
    for shift in (0, 1):  # the second tree is the first, one rank on: its leaves are the inner ranks of the first
        for child, parent in tree(ranks).items():
            sent[(child + shift) % ranks] += MESSAGE // 2
            sent[(parent + shift) % ranks] += MESSAGE // 2
    inputs = collective("all-reduce", ranks, collective__algorithm="tree")
    assert quantity("collective.sent", inputs) == Fraction(sum(sent.values()), ranks)
    assert max(sent.values()) <= 2 * MESSAGE


@pytest.mark.parametrize(("ranks", "depth"), [(1, 0), (2, 1), (3, 2), (4, 2), (8, 3), (9, 4), (1024, 10), (2**20, 20)])
def test_a_tree_is_as_deep_as_the_logarithm(ranks: int, depth: int) -> None:
    inputs = collective("all-reduce", ranks, collective__algorithm="tree")
    assert quantity("collective.rounds", inputs) == 2 * depth


def test_latency_makes_the_tree_faster_for_small_messages_and_not_for_large_ones() -> None:
    def time(algorithm: str, size: str) -> Fraction:
        return quantity("collective.time", collective(
            "all-reduce", 1024, collective__algorithm=algorithm, link__latency="5 µs", link__bandwidth="50 GB/s")
            | {"collective.message": size})

    assert time("tree", "1 MB") < time("ring", "1 MB") / 50
    assert time("ring", "100 GB") < time("tree", "100 GB") * Fraction(101, 100)


def test_bus_bandwidth_is_the_link_s_when_latency_is_nothing() -> None:
    for kind in ("all-reduce", "all-gather", "all-to-all", "broadcast"):
        inputs = collective(kind, 16, link__bandwidth="450 GB/s")
        assert quantity("collective.bus_bandwidth", inputs) == 450 * 10**9


@pytest.mark.parametrize(("nodes", "group"), [(2, 4), (3, 2), (4, 8), (1, 8), (8, 1)])
@pytest.mark.parametrize("kind", ["all-gather", "reduce-scatter", "all-reduce", "all-to-all"])
def test_a_hierarchical_collective_counts_its_phases(kind: str, nodes: int, group: int) -> None:
    """Inside the node over the whole message, between nodes over what one rank of a node carries."""
    inner = Fraction((group - 1) * MESSAGE, group)
    rail = MESSAGE if kind == "all-to-all" else Fraction(MESSAGE, group)
    outer = Fraction(nodes - 1, nodes) * rail
    twice = 2 if kind == "all-reduce" else 1
    inputs = collective(kind, nodes * group, collective__group=group)
    assert quantity("collective.inner_sent", inputs) == twice * inner
    assert quantity("collective.outer_sent", inputs) == twice * outer


def test_a_hierarchical_all_gather_moves_every_shard_to_every_rank() -> None:
    """Shards first go along the rail between nodes, then round the node; each rank ends with all of them."""
    nodes, group = 3, 4
    ranks = nodes * group
    held = {rank: {rank} for rank in range(ranks)}
    outer: Counter[int] = Counter()
    inner: Counter[int] = Counter()
    rails = {rank: {rank % group + group * node for node in range(nodes)} for rank in range(ranks)}
    for rank in range(ranks):
        outer[rank] += (nodes - 1) * MESSAGE // ranks
        held[rank] = set(rails[rank])
    for rank in range(ranks):
        mates = range(rank // group * group, rank // group * group + group)
        inner[rank] += (group - 1) * len(rails[rank]) * MESSAGE // ranks
        held[rank] = set().union(*(rails[mate] for mate in mates))
    assert all(held[rank] == set(range(ranks)) for rank in range(ranks))
    inputs = collective("all-gather", ranks, collective__group=group)
    assert set(outer.values()) == {quantity("collective.outer_sent", inputs)}
    assert set(inner.values()) == {quantity("collective.inner_sent", inputs)}


def test_a_tree_for_another_collective_and_ranks_that_are_no_whole_nodes_are_refused() -> None:
    with pytest.raises((LawError, ScenarioError), match="the tree is for an all-reduce"):
        quantity("collective.sent", collective("all-gather", 8, collective__algorithm="tree")
                 | {"collective.message": "1 GB"})
    with pytest.raises(Exception, match="whole number"):
        quantity("collective.outer_sent", collective("all-reduce", 10, collective__group=8))


@pytest.mark.parametrize(("queries", "keys", "ranks", "tp"), [(8, 8, 4, 1), (8, 2, 4, 1), (16, 4, 4, 2), (8, 1, 8, 1),
                                                            (12, 6, 3, 1), (8, 8, 1, 1)])
@pytest.mark.parametrize("recompute", ["none", "full"])
def test_ulysses_sends_the_tokens_of_heads_that_live_elsewhere(queries: int, keys: int, ranks: int, tp: int,
                                                              recompute: str) -> None:
    """Each rank holds its tokens of all heads, and must hold all tokens of its heads."""
    tokens, head, layers, size, batches = 24, 16, 3, 2, 5
    local_queries, local_keys = queries // tp, -(-keys // tp)
    mine = tokens // ranks
    per_layer = 0
    for other in range(1, ranks):  # what rank 0 sends
        wanted = range(other * local_queries // ranks, (other + 1) * local_queries // ranks)
        if local_keys >= ranks:
            serving = range(other * local_keys // ranks, (other + 1) * local_keys // ranks)
        else:
            serving = range(other * local_keys // ranks, other * local_keys // ranks + 1)
        per_layer += mine * head * size * (len(wanted) + 2 * len(serving))  # queries, keys, values
        per_layer += mine * head * size * (local_queries // ranks)  # the output goes back
    passes = 3 if recompute == "full" else 2
    inputs: dict[str, Raw] = {
        "model.layers": layers, "model.query_heads": queries, "model.kv_heads": keys, "model.head_dim": head,
        "batch.sequence": tokens, "batch.accumulation": batches, "layout.cp": ranks, "layout.tp": tp,
        "compute.recompute": recompute,
    }
    assert quantity("traffic.ulysses_sent", inputs) == passes * layers * batches * per_layer


def test_sequence_parallelism_sends_what_tensor_parallelism_does_and_two_gathers_more() -> None:
    inputs: dict[str, Raw] = {"model.layers": 4, "model.hidden": 64, "batch.sequence": 32, "layout.tp": 4}
    plain = quantity("traffic.tensor_parallel_sent", inputs)
    kept = quantity("traffic.sequence_parallel_sent", inputs | {"traffic.repeated_gather": "false"})
    again = quantity("traffic.sequence_parallel_sent", inputs)
    message = 32 * 64 * 2
    assert kept == plain
    assert again - kept == 4 * 2 * Fraction(3, 4) * message
