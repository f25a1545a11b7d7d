"""Batch size: more data parallelism, accumulation."""

from __future__ import annotations

from tests.bank.second.plain import GB, Found, all_reduce, least, ring, second, zero_state


@second("cbs-speedup", {"batch.tokens_per_step": "batch", "batch.critical": "critical"})
def twice_the_batch(batch: float = 8_000_000, critical: float = 2_000_000, least_steps: float = 100_000) -> Found:
    def steps(size: float) -> float:
        return 1 + critical / size

    def tokens(size: float) -> float:
        return 1 + size / critical

    saved = 1 - steps(2 * batch) / steps(batch)
    extra = tokens(2 * batch) / tokens(batch) - 1
    needed = least_steps * steps(2 * batch)
    return Found(
        ("diminishing",),
        {
            "nothing": (saved,),
            "diminishing": ((saved, 1 / 100), (saved, 1 / 4)),
            "linear": ((saved, 1 / 2),),
            "at_critical": ((saved, 1 / 4),),
        },
        (needed,),
        named={"nothing": (), "diminishing": (saved, extra), "linear": (1 / 2,), "at_critical": (1 / 4, 1 / 2)},
    )


@second("ga-steps", {"cluster.nodes": "nodes", "batch.sequence": "sequence", "layout.tp": "tensor"})
def micro_batches(
    nodes: float = 16, tensor: float = 4, tokens: float = 10_485_760, sequence: float = 8_192, micro: float = 1
) -> Found:
    replicas = 8 * nodes / tensor
    return Found(numbers=(tokens / sequence / replicas / micro,))


@second("ga-under-zero", {"model.parameters": "parameters", "cluster.nodes": "nodes"})
def four_ways(
    parameters: float = 13e9, nodes: float = 8, sequences: float = 4, each: float = 15 * GB, room: float = 80 * GB
) -> Found:
    ranks = 8 * nodes
    weights = 2 * parameters
    held = {
        "zero3_whole": zero_state(parameters, ranks, 3) + sequences * each,
        "zero3_split": zero_state(parameters, ranks, 3) + each,
        "zero1_split": zero_state(parameters, ranks, 1) + each,
        "zero1_whole": zero_state(parameters, ranks, 1) + sequences * each,
    }
    once = 3 * ring(weights, ranks)  # two gathers of the weights, one reduce-scatter of the gradients
    sent = {
        "zero3_whole": once,
        "zero3_split": sequences * once,
        "zero1_split": all_reduce(weights, ranks),
        "zero1_whole": all_reduce(weights, ranks),
    }
    key = least({name: sent[name] for name in held if held[name] <= room})
    return Found(key, {name: (held[name], sent[name]) for name in held}, (sent[key[0]],), sent)
