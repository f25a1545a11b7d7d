"""Pipelines: bubbles, activations in flight, uneven stages, what stages divide."""

from __future__ import annotations

from tests.bank.second.plain import ADAM, GB, MS, Found, least, only, ordered, second, single
from tests.bank.second.shapes import MODELS


@second("pp-1f1b-memory", {"batch.accumulation": "micro_batches", "layout.pp": "stages"})
def which_schedule(
    tensor: float = 8,
    stages: float = 8,
    micro_batches: float = 32,
    whole: float = 3.4 * GB,
    inputs: float = 0.17 * GB,
    flush: float = 8,
    room: float = 80 * GB,
) -> Found:
    state = ADAM * MODELS["llama-3-70b"].parameters() / tensor / stages
    kept = {
        "gpipe_recompute": micro_batches * inputs,
        "flushes": flush * whole,
        "gpipe": micro_batches * whole,
        "f1b": min(stages, micro_batches) * whole,
    }
    # In units of the step without any bubble; a recomputed forward adds a third.
    idle = (stages - 1) / micro_batches
    time = {
        "gpipe_recompute": (1 + idle) * 4 / 3,
        "flushes": 1 + (stages - 1) / flush,
        "gpipe": 1 + idle,
        "f1b": 1 + idle,
    }
    held = {name: state + size for name, size in kept.items()}
    key = least({name: time[name] for name in held if held[name] <= room})
    return Found(key, {name: (held[name], time[name]) for name in held}, (held[key[0]],), held)


@second("pp-bubble", {"layout.pp": "stages", "batch.accumulation": "micro_batches"})
def bubble(stages: float = 8, micro_batches: float = 32) -> Found:
    return Found(numbers=((stages - 1) / (micro_batches + stages - 1),))


@second("pp-head-imbalance", {"model.vocabulary": "words", "pipeline.stages": "stages"})
def head(layers: float = 80, words: float = 128_256, width: float = 8_192, stages: float = 8) -> Found:
    block = 855_600_000
    amount = words * width / block
    mean = (layers + amount) / stages
    return Found(numbers=(amount, (layers / stages + amount) / mean - 1))


@second("pp-llama3-bubble", {"layout.pp": "stages", "layout.dp": "ranks"})
def starved(tokens: float = 16_777_216, sequence: float = 8_192, ranks: float = 128, stages: float = 16) -> Found:
    return Found(numbers=((stages - 1) / (tokens / sequence / ranks),))


@second("pp-order-activations", {"layout.pp": "stages", "batch.accumulation": "micro_batches"})
def in_flight(stages: float = 8, micro_batches: float = 32, chunks: float = 2) -> Found:
    held = {
        "gpipe": micro_batches,
        "dualpipe": stages + 1,
        "zb_h2": 2 * stages - 1,
        "f1b": stages,
        "interleaved": stages * (1 + (stages - 1) / (stages * chunks)),
    }
    return Found(ordered(held, most_first=True), single(held), (held["zb_h2"],), held)


@second("pp-state-redflag", {"model.parameters": "parameters"})
def what_stages_divide(parameters: float = 70e9, stages: float = 8, room: float = 80 * GB) -> Found:
    state = ADAM * parameters / stages
    return Found(
        only(
            {
                "adam_whole": 12 * parameters / stages == 12 * parameters,
                "divides": state > room,
                "floored": state >= 4 * parameters,
                "fits": state <= room,
            }
        ),
        {
            "adam_whole": ((12 * parameters / stages, 12 * parameters),),
            "divides": ((state * stages, ADAM * parameters), (state, room)),
            "floored": ((state, 4 * parameters),),
            "fits": ((state, room),),
        },
        (state / 2,),
        named={"adam_whole": (12 * parameters,), "divides": (state, stages), "floored": (4 * parameters,)},
    )


@second("pp-zb-dualpipe", {"layout.pp": "stages", "pipeline.forward_time": "forward"})
def dual(stages: float = 16, forward: float = 10 * MS, weights: float = 10 * MS) -> Found:
    # DeepSeek-V3 report, table 2: (PP/2 - 1)(F&B + B - 3W), where B is the whole backward pass.
    # The gradient of the inputs takes as long as the forward pass in each stem.
    backward = forward + weights
    return Found(numbers=((stages / 2 - 1) * (forward + backward + backward - 3 * weights),))
