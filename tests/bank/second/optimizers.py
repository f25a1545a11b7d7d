"""Optimizers and number formats: what they keep, what they compute, what rounding does."""

from __future__ import annotations

import math

from tests.bank.second.plain import GB, Found, only, ordered, second, single

EIGHT = 1 + 4 / 256
"""Bytes of a moment in 8 bits: one, and an fp32 scale for each block of 256."""


@second("opt-8bit", {"model.parameters": "parameters", "memory.activations_per_gpu": "activations"})
def two_cards(parameters: float = 13e9, gpus: float = 2, activations: float = 8 * GB, room: float = 80 * GB) -> Found:
    state = {
        "quantised": (2 + 2 + 4 + 2 * EIGHT) * parameters / gpus,
        "zero2": 2 * parameters + (2 + 4 + 2 * EIGHT) * parameters / gpus,
        "no_master": (2 + 2 + 8) * parameters / gpus,
        "lion": (2 + 2 + 4 + 4) * parameters / gpus,
    }
    key = only({name: size + activations <= room for name, size in state.items()})
    return Found(key, {name: (size + activations,) for name, size in state.items()}, (state[key[0]],), state)


@second("opt-muon", {"model.hidden": "narrow", "batch.tokens_per_step": "tokens"})
def orthogonal(narrow: float = 16_384, tokens: float = 16e6, iterations: float = 5) -> Found:
    wide = 2 * narrow  # cancels
    return Found(numbers=(iterations * 6 * narrow**2 * wide / (6 * narrow * wide * tokens),))


@second("opt-state-order", {"matrix.rows": "rows", "matrix.columns": "columns"})
def kept_of_one_matrix(rows: float = 8_192, columns: float = 28_672) -> Found:
    size = rows * columns
    state = {
        "adam8": 2 * (EIGHT * size + 4 * 256),  # bitsandbytes keeps a map of 256 fp32 values with each moment
        "muon": 4 * size,
        "adam": 8 * size,
        "adafactor": 4 * (rows + columns),
        "shampoo": 4 * (rows**2 + columns**2),
    }
    return Found(ordered(state, most_first=False), single(state))


@second("pr-bf16-update")
def too_small(weight: float = 1, update: float = 1e-4, bits: int = 7) -> Found:
    def stored(value: float) -> float:
        spacing = math.ldexp(1, math.floor(math.log2(value)) - bits)
        return round(value / spacing) * spacing  # halves go to the even neighbour

    after = weight
    for _ in range(1_000):
        after = stored(after + update)
    gained = after - weight
    step = math.ldexp(1, math.floor(math.log2(weight)) - bits)
    half = step / 2
    return Found(
        only(
            {
                "waits": gained >= step,
                "exact": update >= step,
                "rounded_up": update > half,
                "lost": gained == 0,
            }
        ),
        {
            "waits": ((gained, step),),
            "exact": ((update, step),),
            "rounded_up": ((update, half),),
            "lost": ((update, half), (gained, 0)),
        },
        (half,),
        named={"waits": (step,), "exact": (update,), "rounded_up": (step,), "lost": (half, weight)},
    )


@second("pr-fp16-scale")
def scale(gradient: float = 2, largest: float = 65_504) -> Found:
    return Found(numbers=(2.0 ** math.floor(math.log2(largest / gradient)),))


@second("pr-fp8-memory")
def half_the_state(parameters: float = 671e9) -> Found:
    # An fp32 scale for each tile of 128 by 128 FP8 weights is lost in the rounding of the options.
    before = 2 + 4 + 4 + 4 + 4
    after = {
        "gradients": 1 + 2 + 4 + 2 + 2,
        "weight": 1 + 4 + 4 + 4 + 4,
        "all": before / 2,
        "both": 1 + 4 + 4 + 2 + 2,
    }
    truth = after["both"]
    return Found(
        only({name: size == truth for name, size in after.items()}),
        {name: ((truth, size),) for name, size in after.items()},
        ((truth + 4 / (128 * 128)) * parameters,),
        named={name: (1 - size / before, before, size) for name, size in after.items()},
    )
