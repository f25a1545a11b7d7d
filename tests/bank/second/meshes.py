"""Meshes of several dimensions: what lies on a GPU, what travels, and the two plans told aloud."""

from __future__ import annotations

from tests.bank.second.plain import (
    ADAM,
    GB,
    TB,
    TERA,
    Found,
    all_reduce,
    least,
    ordered,
    ring,
    second,
    single,
    zero_state,
)


@second("mesh-405b-state", {"model.parameters": "parameters", "layout.dp": "ranks"})
def three_dimensions(parameters: float = 405e9, tensor: float = 8, stages: float = 16, ranks: float = 128) -> Found:
    mine = parameters / tensor / stages
    return Found(numbers=(ADAM * mine / ranks + 2 * mine,))


@second("mesh-order", {"batch.accumulation": "micro_batches", "layout.dp": "ranks", "batch.sequence": "sequence"})
def three_kinds(
    parameters: float = 70e9,
    layers: float = 80,
    width: float = 8_192,
    tensor: float = 8,
    stages: float = 8,
    ranks: float = 16,
    micro_batches: float = 32,
    sequence: float = 8_192,
) -> Found:
    activation = 2 * sequence * width
    # Two gathers and two scatters of the activation in forward, as many in backward.
    tensor_sent = 8 * ring(activation, tensor) * layers / stages * micro_batches
    data_sent = all_reduce(2 * parameters / tensor / stages, ranks)
    # With sequence parallelism a rank holds, and hands on, its own part of the sequence.
    edge_sent = 2 * activation / tensor * micro_batches
    sent = {"tp": tensor_sent, "dp": data_sent, "pp": edge_sent}
    return Found(ordered(sent, most_first=True), single(sent))


@second("pp-zero3-conflict", {"layout.dp": "ranks", "batch.accumulation": "micro_batches"})
def behind_a_pipeline(
    parameters: float = 70e9,
    ranks: float = 16,
    stages: float = 8,
    micro_batches: float = 32,
    activations: float = 25 * GB,
    room: float = 80 * GB,
) -> Found:
    mine = parameters / stages
    once = ring(2 * mine, ranks)
    plans = {"none": 0, "zero2": 2, "zero1": 1, "zero3": 3}
    held = {name: zero_state(mine, ranks, stage) + activations for name, stage in plans.items()}
    sent = {
        "none": 2 * once,  # gradients, reduced and handed back
        "zero1": 2 * once,  # gradients reduced to their shard, new weights gathered
        "zero2": (micro_batches + 1) * once,
        "zero3": 3 * micro_batches * once,
    }
    key = least({name: sent[name] for name in plans if held[name] <= room})
    return Found(key, {name: (held[name], sent[name]) for name in plans}, (sent["zero3"] / sent["zero1"],))


@second("mesh-aloud")
def large_mesh(
    parameters: float = 412e9,
    layers: float = 128,
    width: float = 16_384,
    gpus: float = 16_384,
    tokens: float = 16_777_216,
    sequence: float = 8_192,
    card: float = 50 * GB,
    peak: float = 989 * TERA,  # dense BF16, NVIDIA's data sheet of the H100 SXM
) -> Found:
    """The plan that the sketch takes: TP=8 in the node, PP=16, the rest data-parallel, 40 % MFU."""
    tensor, stages, mfu, chunks = 8, 16, 0.4, 8
    ranks = gpus / tensor / stages
    mine, depth = parameters / tensor / stages, layers / stages
    micro_batches = tokens / sequence / ranks
    bubble = (stages - 1) / micro_batches
    once = ring(2 * mine, ranks)
    state = zero_state(mine, ranks, 1)
    # Five collectives of the activation each way and layer, with the gather that backward repeats.
    tensor_sent = 10 * ring(2 * sequence * width, tensor) * depth * micro_batches
    # A gated block of Llama's proportions, per token in units of the width: inputs of both norms, of the queries and
    # of the MLP, queries, output of attention, keys and values of 8 of 128 heads, four tensors of the MLP's width.
    kept = 2 * (6 + 2 * 8 / 128 + 4 * 53_248 / 16_384) * sequence * width / tensor * depth
    everything = kept * min(micro_batches, stages)
    inputs = 2 * sequence * width / tensor * depth * min(micro_batches, stages)
    half = (everything + inputs) / 2
    step = 6 * parameters * tokens / (gpus * peak * mfu)
    return Found(
        said=(
            f"{ADAM * parameters / TB:.1f} TB of state",
            f"PP={stages} gives {depth:.0f} layers",
            f"{mine / 1e9:.2f} billion parameters to a GPU",
            f"{2 * mine / GB:.1f} GB of BF16 weights",
            f"{ranks:.0f} replicas",
            f"{tokens / sequence:,.0f} sequences",
            f"{micro_batches:.0f} micro-batches",
            f"idle {bubble:.0%}".replace("%", " %"),
            f"{chunks} chunks, {bubble / chunks * 100:.1f} %",
            f"{state / GB:.1f} GB per GPU",
            f"sends {2 * once / GB:.1f} GB a step",
            f"{2 * once / card:.2f} s",
            f"about {step:.1f} s",
            f"per micro-batch instead of per step, {3 * micro_batches * once / GB:.0f} GB",
            f"sends {tensor_sent / GB:.0f} GB per GPU and step, and",
            f"hold {4 * parameters / tensor / GB:.0f} GB of weights and gradients",
            f"send {3 * ring(2 * parameters / tensor, gpus / tensor) / GB:.0f} GB a step over one NIC",
            f"{tensor_sent / GB:.0f} GB per GPU and step here, with the gather that backward repeats",
            f"{everything / GB:.0f} GB, too much",
            f"it is {half / GB:.0f} GB, {(half + state) / GB:.0f} GB with the state",
            f"costs {100 / 2 / 3:.0f} % more FLOPs",
        )
    )


@second("plan-aloud")
def two_minutes(parameters: float = 70e9, gpus: float = 64, room: float = 80 * GB) -> Found:
    state = ADAM * parameters
    sent = 3 * ring(2 * parameters, gpus)
    return Found(
        said=(
            f"{state / GB:,.0f} GB of state",
            f"keeps {4 * parameters / GB:.0f} GB whole",
            f"{state / gpus / GB:.1f} GB each",
            f"leaves {(room - state / gpus) / GB:.1f} GB",
            f"sends {sent / GB:.1f} GB a step, {sent / all_reduce(2 * parameters, gpus):.1f} times",
        )
    )
