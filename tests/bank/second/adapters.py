"""Adapters and caches: what LoRA and QLoRA leave on a GPU, and what a served model leaves for its cache."""

from __future__ import annotations

import math

from tests.bank.second.plain import ADAM, GB, Found, only, ordered, second, single
from tests.bank.second.shapes import MODELS


def nf4(block: float = 64) -> float:
    """Bytes per weight in NF4: 4 bits, an 8-bit constant for each block, an fp32 constant for 256 of those."""
    return (4 + 8 / block + 32 / (block * 256)) / 8


@second("inf-kv", {"serving.context": "sequence", "serving.memory_share": "share"})
def cached(
    gpus: float = 8,
    capacity: float = 80 * GB,
    share: float = 0.9,
    layers: float = 80,
    keys: float = 8,
    head: float = 128,
    sequence: float = 8_192,
) -> Found:
    left = gpus * capacity * share - 2 * MODELS["llama-3-70b"].parameters()
    one = 2 * 2 * layers * keys * head * sequence  # keys and values, two bytes each
    return Found(numbers=(math.floor(left / one),))


@second("lora-70b-one-gpu", {"adapter.rank": "rank", "memory.activations_per_gpu": "activations"})
def on_one_card(rank: float = 16, activations: float = 15 * GB, room: float = 80 * GB) -> Found:
    shape = MODELS["llama-3-70b"]
    adapters = ADAM * shape.adapters(rank)
    # int8 as the LLM.int8 paper and bitsandbytes store it: an fp32 scale for each row of a matrix.
    rows = sum(out for _, out in shape.matrices().values())
    rest = shape.embedding_and_head() + shape.norms()
    kept = 2 * rest
    held = {
        "nf4": nf4() * shape.in_matrices() + kept + adapters,
        "head": nf4() * shape.in_matrices() + ADAM * rest + adapters,
        "int8": shape.in_matrices() + 4 * shape.layers * rows + kept + adapters,
        "bf16": 2 * shape.in_matrices() + kept + adapters,
    }
    key = only({name: size + activations <= room for name, size in held.items()})
    return Found(key, {name: (size + activations,) for name, size in held.items()}, (held[key[0]],), held)


@second("lora-adapter-state", {"model": "model", "recipe": "recipe"})
def sets_of_adapters(model: str = "llama-3-70b", recipe: str = "zero-paper") -> Found:
    shape = MODELS[model]
    each = {"zero-paper": ADAM, "no-master": ADAM - 4}[recipe]
    state = {
        "all_linear": each * shape.adapters(16),
        "wide": each * shape.adapters(64, "q v"),
        "mlp": each * shape.adapters(16, "gate up down"),
        "attention": each * shape.adapters(16, "q k v o"),
        "queries_values": each * shape.adapters(16, "q v"),
    }
    return Found(ordered(state, most_first=False), single(state))


@second("lora-floor", {"model": "model", "adapter.rank": "rank"})
def really_saved(model: str = "llama-2-7b", rank: float = 16) -> Found:
    shape = MODELS[model]
    full = ADAM * shape.parameters()
    adapters = ADAM * shape.adapters(rank)
    # What stays of each frozen weight, in bytes.
    frozen = {"with_gradients": 2 + 2, "with_moments": 2 + 8, "with_master": 2 + 4, "alone": 2}
    factor = {name: full / (each * shape.parameters() + adapters) for name, each in frozen.items()}
    truth = factor["alone"]
    return Found(
        only({name: value == truth for name, value in factor.items()}),
        {name: ((truth, value),) for name, value in factor.items()},
        (full / truth,),
        named={name: (value,) for name, value in factor.items()},
    )


@second("lora-nf4-bits", {"model": "model", "quant.block": "block"})
def in_nf4(model: str = "llama-3-70b", block: float = 64) -> Found:
    # The stem prints both counts rounded: 68.45B and 2.103B.
    matrices = MODELS[model].in_matrices()
    return Found(numbers=(nf4(block) * matrices + 2 * (MODELS[model].parameters() - matrices),))
