"""Collectives and what FSDP sends: rings, rates one way, buses, hierarchies."""

from __future__ import annotations

from tests.bank.second.plain import GB, Found, all_reduce, only, ring, second

NVLINK = {"nvlink3": 600 * GB, "nvlink4": 900 * GB, "nvlink5": 1_800 * GB}
"""Both directions of a GPU together, as NVIDIA prints them for A100, H100 and B200."""


@second(
    "coll-bits-bytes",
    {"collective.message": "reduced", "link.kind": "link", "cluster.nic_rate": "card"},
)
def two_sheets(
    reduced: float = 14 * GB,
    ranks: float = 8,
    link: str = "nvlink4",
    sent: float = 35 * GB,
    card: float = 50 * GB,
) -> Found:
    printed = NVLINK[link]
    one_way = printed / 2
    inside, point = all_reduce(reduced, ranks) / one_way, sent / card
    inside_fast, point_fast = all_reduce(reduced, ranks) / printed, point / 8
    said = {
        "ring_wrong": (inside, point_fast),
        "card_wrong": (inside_fast, point),
        "neither": (inside_fast, point_fast),
        "both_wrong": (inside, point),
    }
    return Found(
        only({name: pair == (inside, point) for name, pair in said.items()}),
        {name: ((inside, a), (point, b)) for name, (a, b) in said.items()},
        (card,),
        named=said,
    )


@second(
    "coll-busbw",
    {"collective.kind": "kind", "collective.ranks": "ranks", "collective.algorithm_bandwidth": "algorithm"},
)
def bus(
    kind: str = "all-reduce", ranks: float = 8, algorithm: float = 200 * GB, link_both_ways: float = 900 * GB
) -> Found:
    passes = 2 if kind == "all-reduce" else 1
    rate = algorithm * passes * (ranks - 1) / ranks
    return Found(numbers=(rate, rate / (link_both_ways / 2)))


@second("coll-hier", {"collective.message": "reduced", "collective.ranks": "ranks"})
def across_nodes(
    reduced: float = 14 * GB, ranks: float = 64, local: float = 8, link: float = 450 * GB, card: float = 50 * GB
) -> Found:
    nodes = ranks / local
    flat = all_reduce(reduced, ranks) / card
    part = all_reduce(reduced / local, nodes) / card
    claims = {"flat": flat, "half": flat / 2, "own_part": part, "all_cards": part / nodes}
    inside = all_reduce(reduced, local) / link
    return Found(
        only({name: value == part for name, value in claims.items()}),
        {name: ((part, value),) for name, value in claims.items()},
        (inside,),
        named={name: (value,) for name, value in claims.items()},
    )


@second(
    "zero3-grad-accum",
    {"model.parameters": "parameters", "layout.dp": "ranks", "batch.accumulation": "micro_batches"},
)
def accumulated(parameters: float = 7e9, ranks: float = 8, micro_batches: float = 16) -> Found:
    message = 2 * parameters
    fsdp = micro_batches * 3 * ring(message, ranks)
    last_only = (2 * micro_batches + 1) * ring(message, ranks)
    return Found(numbers=(fsdp / all_reduce(message, ranks), last_only))


@second("zero3-traffic", {"model.parameters": "parameters", "layout.dp": "ranks"})
def full_sharding(parameters: float = 7e9, ranks: float = 8) -> Found:
    return Found(numbers=(3 * ring(2 * parameters, ranks),))
