"""Data parallelism, FSDP and HSDP: buckets, fits, gathers, settings, traffic."""

from __future__ import annotations

import math

from tests.bank.second.plain import ADAM, GB, MB, MS, TERA, Found, all_reduce, least, only, ring, second, zero_state
from tests.bank.second.shapes import MODELS

PEAK = {"a100-80gb": 312 * TERA, "h100-80gb": 989 * TERA, "b200-180gb": 2_250 * TERA}
"""Dense BF16 peaks, from NVIDIA's data sheets."""
CARD_BITS = {"dgx-a100": 200e9, "dgx-h100": 400e9, "dgx-b300": 800e9}
"""Bits a second and direction of one of the eight cards of a node, from NVIDIA's data sheets."""


@second("ddp-bucket-latency", {"collective.message": "gradients", "collective.ranks": "ranks"})
def buckets(gradients: float = 14 * GB, ranks: float = 32, backward: float = 300 * MS) -> Found:
    # Bucket, and bus bandwidth of all-reduce at that payload: as measured in the stem.
    sizes = {
        "single": (gradients, 360 * GB),
        "tiny": (MB, 5 * GB),
        "large": (250 * MB, 230 * GB),
        "small": (25 * MB, 80 * GB),
    }
    end: dict[str, float] = {}
    alone: dict[str, float] = {}
    for name, (size, rate) in sizes.items():
        one = all_reduce(size, ranks) / rate
        made = backward * size / gradients
        alone[name] = one * gradients / size
        # Either the reductions keep pace and the last bucket remains, or they queue behind the first one.
        end[name] = max(backward + one, made + alone[name])
    key = least(end)
    return Found(key, {name: (end[name],) for name in sizes}, (alone[key[0]],), alone)


@second(
    "ddp-small-model",
    {
        "model.parameters": "parameters",
        "model.hidden": "width",
        "cluster.nodes": "nodes",
        "memory.activations_per_gpu": "activations",
    },
)
def small_model(
    parameters: float = 1.3e9,
    layers: float = 24,
    width: float = 2_048,
    nodes: float = 8,
    activations: float = 10 * GB,
    room: float = 80 * GB,
    sequence: float = 2_048,
    micro: float = 4,
) -> Found:
    gpus = 8 * nodes
    sequences = 4 * gpus  # 256 for 64 GPUs, as each stem says
    weights = 2 * parameters
    activation = 2 * micro * sequence * width
    tensor, replicas = 8, gpus / 8
    rounds = sequences / replicas / micro
    tensor_sent = 4 * all_reduce(activation, tensor) * layers * rounds + all_reduce(weights / tensor, replicas)
    stages = 4
    in_flight = sequences / (gpus / stages) / micro
    edge = 2 * activation * in_flight + all_reduce(weights / stages, gpus / stages)
    held = {
        "tp8": ADAM * parameters / tensor + activations,
        "pp4": ADAM * parameters / stages + activations,
        "ddp": ADAM * parameters + activations,
        "fsdp": zero_state(parameters, gpus, 3) + activations,
    }
    idle = {"tp8": 0.0, "pp4": (stages - 1) / (in_flight + stages - 1), "ddp": 0.0, "fsdp": 0.0}
    sent = {"tp8": tensor_sent, "pp4": edge, "ddp": all_reduce(weights, gpus), "fsdp": 3 * ring(weights, gpus)}
    key = least({name: sent[name] for name in sent if held[name] <= room and not idle[name]})
    return Found(key, {name: (held[name], idle[name], sent[name]) for name in sent})


@second("fsdp-min-gpus", {"model": "model"})
def whole_nodes(
    model: str = "llama-3-70b",
    capacity: float = 80 * GB,
    activations: float = 15 * GB,
    kept: float = 15 * GB,
    node: float = 8,
) -> Found:
    gpus = ADAM * MODELS[model].parameters() / (capacity - activations - kept)
    return Found(numbers=(math.ceil(gpus / node) * node,))


@second("fsdp-overlap-tokens", {"cluster.gpu": "gpu", "cluster.network": "network"})
def hidden_gather(gpu: str = "h100-80gb", network: str = "dgx-h100", cards: float = 8) -> Found:
    # A block of P parameters: 2 P bytes into the node, 2 P FLOP per token.
    return Found(numbers=(PEAK[gpu] / (cards * CARD_BITS[network] / 8),))


@second(
    "fsdp-root-wrap",
    {"model": "model", "cluster.nodes": "nodes", "memory.activations_per_gpu": "activations"},
)
def one_unit(
    model: str = "llama-3-70b",
    nodes: float = 4,
    more: float = 128,
    activations: float = 15 * GB,
    fewer: float = 3 * GB,
    room: float = 80 * GB,
) -> Found:
    shape = MODELS[model]
    parameters, block, gpus = shape.parameters(), shape.block(), 8 * nodes
    state, whole = ADAM * parameters / gpus, 2 * parameters
    rest = 2 * (parameters - shape.layers * block)
    held = {
        "checkpointing": state + fewer + whole,
        "blocks": state + activations + rest + 2 * (2 * block),  # one block computes, the next one is on its way
        "offload": activations + whole,
        "more_gpus": ADAM * parameters / more + activations + whole,
    }
    return Found(
        only({name: size <= room for name, size in held.items()}),
        {name: (size,) for name, size in held.items()},
        (2 * block,),
        {"more_gpus": whole, "checkpointing": whole, "offload": whole},
    )


@second("fsdp2-mapping", {"model.parameters": "parameters", "layout.dp": "ranks"})
def settings(parameters: float = 8.03e9, ranks: float = 8, shards: float = 4) -> Found:
    message = 2 * parameters
    replicas = ranks / shards
    sent = {
        "keep": 2 * ring(message, ranks),
        "reshard": 3 * ring(message, ranks),
        "replicate": all_reduce(message, ranks),
        "hsdp": 3 * ring(message, shards) + all_reduce(message / shards, replicas),
    }
    part = {"keep": 1 / ranks, "reshard": 1 / ranks, "replicate": 1.0, "hsdp": 1 / shards}
    key = least({name: sent[name] for name in sent if part[name] <= 1 / 2})
    # Gradients and both moments in fp32, 12 bytes; the fp32 shard is the weight itself.
    return Found(key, {name: (12 * parameters * part[name], sent[name]) for name in sent}, (sent[key[0]],), sent)


@second(
    "hsdp-shard-size",
    {"model.parameters": "parameters", "memory.activations_per_gpu": "activations", "cluster.nodes": "nodes"},
)
def shard_group(
    parameters: float = 70e9, activations: float = 15 * GB, nodes: float = 32, room: float = 80 * GB
) -> Found:
    groups = {"one_node": 8.0, "four_nodes": 32.0, "two_nodes": 16.0, "all": 8 * nodes}
    held = {name: ADAM * parameters / size + activations for name, size in groups.items()}
    key = least({name: groups[name] for name in groups if held[name] <= room})
    return Found(key, {name: (held[name], groups[name]) for name in groups}, (held[key[0]],), held)


@second(
    "hsdp-traffic",
    {"model.parameters": "parameters", "cluster.nodes": "nodes", "batch.accumulation": "micro_batches"},
)
def out_of_a_node(parameters: float = 13e9, nodes: float = 32, micro_batches: float = 4) -> Found:
    message = 2 * parameters
    fsdp = 3 * micro_batches * ring(message, nodes)
    hsdp = all_reduce(message, nodes)
    return Found(numbers=(fsdp, hsdp))
