"""The ZeRO stages: what they leave on a GPU, what they send, and why one is slower."""

from __future__ import annotations

from tests.bank.second.plain import (
    ADAM,
    GB,
    TERA,
    Found,
    all_reduce,
    least,
    only,
    ordered,
    ring,
    second,
    single,
    zero_state,
)


@second("zero-gather-aloud")
def slower(
    parameters: float = 7e9,
    gpus: float = 32,
    micro_batches: float = 8,
    sequence: float = 4_096,
    card: float = 50 * GB,
    achieved: float = 400 * TERA,
) -> Found:
    once = ring(2 * parameters, gpus)
    compute = 6 * parameters * sequence * micro_batches / achieved
    three, one = 3 * micro_batches * once, 2 * once
    return Found(
        said=(
            f"ZeRO-1 holds {zero_state(parameters, gpus, 1) / GB:.1f} GB of state per GPU",
            f"ZeRO-3 {zero_state(parameters, gpus, 3) / GB:.1f} GB",
            f"new weights once: {one / GB:.1f} GB per GPU and step",
            f"{three / GB:.0f} GB, {three / one:.0f} times as much",
            f"{card / GB:.0f} GB/s to the others",
            f"{three / card:.1f} s of network against {compute:.1f} s of compute",
            f"ZeRO-1 needs {one / card:.2f} s",
            f"could not be shorter than {max(three / card, compute):.1f} s",
            f"halve the gathers, to {three / 2 / card:.1f} s",
            f"weights and gradients, {4 * parameters / GB:.0f} GB here",
        )
    )


@second("zero-least-sharding", {"model.parameters": "parameters", "memory.activations_per_gpu": "activations"})
def as_little(parameters: float = 16e9, nodes: float = 2, activations: float = 12 * GB, room: float = 80 * GB) -> Found:
    gpus = 8 * nodes
    stages = {"zero1": 1, "ddp": 0, "zero3": 3, "zero2": 2}
    held = {name: zero_state(parameters, gpus, stage) + activations for name, stage in stages.items()}
    weights = 2 * parameters
    sent = {
        name: 3 * ring(weights, gpus) if stage == 3 else all_reduce(weights, gpus) for name, stage in stages.items()
    }
    key = least({name: sent[name] for name in held if held[name] <= room})
    return Found(key, {name: (held[name], sent[name]) for name in held}, (sent[key[0]],), sent)


@second("zero-order", {"model.parameters": "parameters", "layout.dp": "gpus"})
def by_state(parameters: float = 30e9, gpus: float = 8) -> Found:
    stages = {"ddp": 0, "zero3": 3, "zero1": 1, "zero2": 2}
    state = {name: zero_state(parameters, gpus, stage) for name, stage in stages.items()}
    return Found(ordered(state, most_first=True), single(state))


@second("zero1-floor", {"model.parameters": "parameters", "layout.dp": "gpus"})
def rescue(parameters: float = 70e9, before: float = 64, gpus: float = 1_024) -> Found:
    truth = zero_state(parameters, gpus, 1)
    said = {
        "shrinks": ADAM * parameters / before,
        "floored": truth,
        "everything": ADAM * parameters / gpus,
        "weights": zero_state(parameters, gpus, 2),
    }
    return Found(
        only({name: size == truth for name, size in said.items()}),
        {name: ((truth, size),) for name, size in said.items()},
        (4 * parameters,),
        named={name: (size,) for name, size in said.items()},
    )
