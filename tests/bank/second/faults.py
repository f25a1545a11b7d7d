"""Out of memory and out of time: messages, units, second steps, the optimizer on the host."""

from __future__ import annotations

from tests.bank.second.plain import ADAM, GB, TERA, Found, only, second
from tests.bank.second.shapes import MODELS

GIB = 2**30
MIB = 2**20


@second("off-cpu-adam", {"batch.accumulation": "micro_batches", "compute.model_rate": "achieved"})
def on_the_host(
    parameters: float = 70e9,
    gpus: float = 8,
    pcie: float = 55 * GB,
    host: float = 400 * GB,
    touched: float = 28,
    micro_batches: float = 1,
    achieved: float = 400 * TERA,
) -> Found:
    tokens = 32_768 * micro_batches  # as each stem says
    # What passes a link comes from or goes to the same host memory, which all of them share.
    move = 2 * parameters / gpus / min(pcie, host / gpus)
    extra = move + touched * parameters / host + move
    return Found(numbers=(extra / (6 * parameters * tokens / (gpus * achieved)),))


@second("oom-frag")
def a_message(
    wanted: float = 6.0 * GIB,
    total: float = 79.10 * GIB,
    free: float = 3.75 * GIB,
    allocated: float = 60.50 * GIB,
    unused: float = 14.25 * GIB,
) -> Found:
    reserved = allocated + unused
    others = total - free - reserved
    return Found(
        only(
            {
                "tensors": total - allocated < wanted,
                "holes": free < wanted < unused,
                "others": free < wanted <= free + others,
                "exhausted": unused < wanted,
            }
        ),
        {
            "tensors": ((total - allocated, wanted),),
            "holes": ((unused, wanted), (free, wanted)),
            "others": ((free + others, wanted),),
            "exhausted": ((unused, wanted),),
        },
        (reserved,),
    )


@second("oom-gib", {"cluster.memory_reported": "shown"})
def decimal(shown: float = 81_559 * MIB) -> Found:
    return Found(numbers=(shown,))


@second("oom-step2", {"model.parameters": "parameters"})
def second_step(parameters: float = 14.5e9, gpus: float = 8, peak: float = 72 * GB, room: float = 80 * GB) -> Found:
    adds = {
        "nccl": 2 * GB,
        "moments": 8 * parameters / gpus,
        "gradients": 2 * parameters / gpus,
        "fragmentation": 3 * GB,
    }
    return Found(
        only({name: peak + size > room for name, size in adds.items()}),
        {name: ((peak + size, room),) for name, size in adds.items()},
        (8 * parameters / gpus,),
    )


@second("oom-triage")
def after_a_thousand_steps(
    gpus: float = 32,
    sequences: float = 2,
    sequence: float = 8_192,
    free: float = 1.30 * GIB,
    allocated: float = 76.60 * GIB,
    unused: float = 0.70 * GIB,
) -> Found:
    shape = MODELS["codellama-34b"]
    tokens = sequences * sequence
    state = ADAM * shape.parameters() / gpus
    inputs = 2 * tokens * shape.width * shape.layers
    gathered = 2 * 2 * shape.block()  # two layers in BF16: one at work, one on its way
    # A gated block of this shape, per token: inputs of both norms, of the queries and of the MLP, queries, output of
    # attention, keys and values, four tensors of the MLP's width; two bytes each.
    layer = 2 * tokens * (6 * shape.width + 2 * shape.keys * shape.head + 4 * shape.middle)
    logits = 3 * 4 * tokens * shape.words  # three copies in fp32
    expected = state + inputs + gathered + max(layer, logits)
    grows = inputs + max(layer, logits)
    gap = allocated - expected
    return Found(
        said=(
            f"Unused and free are {(free + unused) / GIB:.1f} GiB together",
            f"state {state / GB:.1f} GB",
            f"checkpoints {inputs / GB:.1f} GB",
            f"two gathered layers {gathered / GB:.1f} GB",
            f"a live layer, {layer / GB:.1f} GB",
            f"the logits, {logits / GB:.1f} GB",
            f"about {expected / GB:.0f} GB; the rank held {allocated / GB:.0f} GB",
            f"{gap / GB:.0f} GB are unaccounted for",
            f"{grows / GB:.1f} GB at {tokens:,.0f} tokens",
            f"about {(grows + gap) / grows:.1f} times",
        )
    )
