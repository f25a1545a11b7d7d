"""Mixtures of experts: what a token sends, which group fits, what lies on a GPU, and a layout told aloud."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tests.bank.second.plain import ADAM, GB, TB, TERA, Found, least, only, ordered, second, single
from tests.bank.second.shapes import MODELS
from tests.bank.second.sharded import CARD_BITS, PEAK


@dataclass(frozen=True)
class Mixture:
    """Parameters of a mixture, from the publisher's `config.json`.

    Attributes:
        dense: layers with an ordinary MLP, of width `middle`.
        attention: parameters of one layer's attention, with norms inside it.
        shared: experts that every token passes.
        router_bias: numbers beside the router's weights, for each expert.
        expert_bias: the same beside an expert's three matrices.
    """

    layers: int
    dense: int
    width: int
    attention: int
    middle: int
    expert: int
    experts: int
    chosen: int
    shared: int
    words: int
    router_bias: int = 0
    expert_bias: int = 0

    def count(self, experts: int) -> int:
        """All parameters when each layer has so many routed experts."""
        sparse = self.layers - self.dense
        router = self.experts * (self.width + self.router_bias)
        one = 3 * self.width * self.expert + self.expert_bias
        return (
            2 * self.words * self.width
            + self.width
            + self.layers * (self.attention + 2 * self.width)
            + self.dense * 3 * self.width * self.middle
            + sparse * ((experts + self.shared) * one + router)
        )

    def routed(self) -> int:
        """Parameters of all routed experts."""
        return self.count(self.experts) - self.count(0)

    def total(self) -> int:
        return self.count(self.experts)

    def active(self) -> int:
        return self.count(self.chosen)


def grouped(width: int, queries: int, keys: int, head: int, *, normed: bool = False) -> int:
    """Attention with `keys` groups; queries and keys with a norm of their own where `normed`."""
    return 2 * width * head * (queries + keys) + (2 * head if normed else 0)


def latent(width: int, heads: int, queries: int, cache: int, turned: int, plain: int, value: int) -> int:
    """DeepSeek's attention through latents of `queries` and `cache`, each with a norm."""
    return (
        width * queries
        + queries
        + queries * heads * (plain + turned)
        + width * (cache + turned)
        + cache
        + cache * heads * (plain + value)
        + heads * value * width
    )


def sunk(width: int, queries: int, keys: int, head: int) -> int:
    """gpt-oss: biases on all four matrices, and a sink for each head of the queries."""
    return grouped(width, queries, keys, head) + (queries + 2 * keys) * head + width + queries


MIXTURES = {
    "deepseek-v2": Mixture(
        60, 1, 5_120, latent(5_120, 128, 1_536, 512, 64, 128, 128), 12_288, 1_536, 160, 6, 2, 102_400
    ),
    "deepseek-v3": Mixture(
        61, 3, 7_168, latent(7_168, 128, 1_536, 512, 64, 128, 128), 18_432, 2_048, 256, 8, 1, 129_280, 1
    ),
    "kimi-k2": Mixture(61, 1, 7_168, latent(7_168, 64, 1_536, 512, 64, 128, 128), 18_432, 2_048, 384, 8, 1, 163_840, 1),
    "qwen3-30b-a3b": Mixture(48, 0, 2_048, grouped(2_048, 32, 4, 128, normed=True), 0, 768, 128, 8, 0, 151_936),
    "qwen3-235b-a22b": Mixture(94, 0, 4_096, grouped(4_096, 64, 4, 128, normed=True), 0, 1_536, 128, 8, 0, 151_936),
    "mixtral-8x7b": Mixture(32, 0, 4_096, grouped(4_096, 32, 8, 128), 0, 14_336, 8, 2, 0, 32_000),
    "dbrx-132b": Mixture(40, 0, 6_144, grouped(6_144, 48, 8, 128), 0, 10_752, 16, 4, 0, 100_352),
    "gpt-oss-120b": Mixture(36, 0, 2_880, sunk(2_880, 64, 8, 64), 0, 2_880, 128, 4, 0, 201_088, 1, 3 * 2_880),
}


@second("moe-a2a-bytes", {"model": "model", "traffic.nodes_per_token": "most"})
def to_other_nodes(model: str = "deepseek-v3", most: float = 4, tokens: float = 4_096, card: float = 50 * GB) -> Found:
    shape = MIXTURES[model]
    each = (1 + 2) * shape.width * min(shape.chosen, most)  # FP8 there, BF16 back
    return Found(numbers=(each * (shape.layers - shape.dense), tokens * each / card))


@second("moe-ep-degree", {"cluster.nodes": "nodes", "memory.activations_per_gpu": "activations"})
def how_wide(
    nodes: float = 32,
    stages: float = 2,
    activations: float = 10 * GB,
    tokens: float = 4_096,
    link: float = 450 * GB,
    card: float = 50 * GB,
    room: float = 80 * GB,
) -> Found:
    shape = MIXTURES["qwen3-235b-a22b"]  # of this shape are the 235 and 227 billion of the stem
    parameters, routed = shape.total(), shape.routed()
    ranks = 8 * nodes / stages
    groups = {"ep64": 64, "ep8": 8, "ep4": 4, "ep16": 16}
    dense, experts = (parameters - routed) / stages, routed / stages
    message = 2 * tokens * shape.chosen * shape.width
    held: dict[str, float] = {}
    time: dict[str, float] = {}
    for name, size in groups.items():
        copies = ranks / size
        held[name] = (4 + 12 / ranks) * dense + (4 + 12 / copies) * experts / size + activations
        local = min(size, 8)
        away = size / local
        time[name] = message * (local - 1) / local / link + message * (away - 1) / away / card
    key = least({name: time[name] for name in groups if held[name] <= room})
    weights = {name: 2 * experts / size for name, size in groups.items()}
    return Found(
        key,
        {name: (held[name], round(time[name], 4)) for name in groups},  # tenths of a millisecond are shown
        (weights[key[0]],),
        weights,
        {name: (shape.experts / size,) for name, size in groups.items()},
    )


@second("moe-folding", {"cluster.nodes": "nodes", "layout.pp": "stages", "layout.ep": "group"})
def copies(nodes: float = 256, stages: float = 16, group: float = 64) -> Found:
    gpus = 8 * nodes
    attention = gpus / stages
    expert = attention / group
    said = {
        "product": (gpus / stages / group, gpus / stages / group),
        "folded": (attention, expert),
        "untouched": (attention, attention),
        "by_degree": (group, expert),
    }
    return Found(
        only({name: pair == (attention, expert) for name, pair in said.items()}),
        {name: ((attention, a), (expert, e)) for name, (a, e) in said.items()},
        (4 + 12 / expert,),
        named=said,
    )


@second("moe-memory", {"model": "model"})
def state_of_all(model: str = "deepseek-v3", room: float = 80 * GB) -> Found:
    total, active = MIXTURES[model].total(), MIXTURES[model].active()
    said = {
        "optimizer_active": 4 * total + 12 * active,
        "all": ADAM * total,
        "weights": 2 * total + 14 * active,
        "active": ADAM * active,
    }
    truth = ADAM * total
    return Found(
        only({name: size == truth for name, size in said.items()}),
        {name: ((truth, size),) for name, size in said.items()},
        (math.ceil(truth / room),),
        named={name: (size,) for name, size in said.items()},
    )


@second("moe-plan-aloud")
def large_mixture(
    gpus: float = 2_048,
    flights: float = 16,
    each: float = 4 * GB,
    tokens: float = 4_096,
    card: float = 50 * GB,
    achieved: float = 400 * TERA,
) -> Found:
    """The plan that the sketch takes: PP=16, EP=64 folded into the data-parallel ranks, ZeRO-1, four nodes a token."""
    stages, group, small, most = 16, 64, 8, 4
    shape = MIXTURES["deepseek-v3"]
    total, active, routed = shape.total(), shape.active(), shape.routed()
    ranks = gpus / stages
    dense = (4 + 12 / ranks) * (total - routed) / stages

    def experts(size: float) -> float:
        return (4 + 12 / (ranks / size)) * routed / stages / size

    flight = flights * each
    sent = (1 + 2) * shape.width * most
    hide = (2 * total / (8 * card)) / (2 * active / (989 * TERA))  # dense BF16, NVIDIA's data sheet of the H100 SXM
    layer = active / shape.layers  # the mean layer, with its part of embedding and head
    return Found(
        said=(
            f"16 B a parameter {ADAM * total / TB:.1f} TB",
            f"{6 * active / 1e9:.0f} GFLOP a token",
            f"{ADAM * total / gpus / GB:.1f} GB a GPU",
            f"{hide:,.0f} tokens on a GPU",
            f"{ranks:.0f} copies of attention, {ranks / group:.0f} of each expert",
            f"{dense / GB:.1f} GB for the dense part and {experts(group) / GB:.1f} GB for the experts",
            f"with {flight / GB:.0f} GB of activations in flight, {(dense + experts(group) + flight) / GB:.1f} GB",
            f"its experts take {experts(small) / GB:.1f} GB",
            f"comes to {(dense + experts(small) + flight) / GB:.1f} GB",
            f"{sent / 1e3:.0f} kB a layer",
            f"{tokens * sent / card * 1e3:.1f} ms on the card",
            f"beside some {2 * layer * tokens / achieved * 1e3:.1f} ms of products",
        )
    )


@second("moe-tokens-order", {"cluster.gpu": "gpu", "cluster.network": "network"})
def tokens_that_hide(gpu: str = "h100-80gb", network: str = "dgx-h100", cards: float = 8) -> Found:
    peak, node = PEAK[gpu], cards * CARD_BITS[network] / 8
    whole = MODELS["llama-3-70b"].parameters()
    names = {"qwen": "qwen3-30b-a3b", "deepseek": "deepseek-v3", "mixtral": "mixtral-8x7b"}
    counts = {name: (MIXTURES[model].total(), MIXTURES[model].active()) for name, model in names.items()}
    counts["dense"] = (whole, whole)
    needed = {name: (2 * total / node) / (2 * active / peak) for name, (total, active) in counts.items()}
    order = ordered(needed, most_first=True)
    return Found(order, single(needed), (needed[order[0]],), needed)
