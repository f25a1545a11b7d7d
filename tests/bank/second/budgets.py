"""Memory budgets: what fits, what a table got wrong, activations, the loss."""

from __future__ import annotations

from tests.bank.second.plain import ADAM, GB, Found, only, second, zero_state


@second("mb-70b-1node", {"model.parameters": "parameters", "memory.activations_per_gpu": "activations"})
def one_node(parameters: float = 70e9, gpus: float = 8, activations: float = 15 * GB, room: float = 80 * GB) -> Found:
    state = {
        "offload": 4 * parameters / gpus,
        "fsdp": zero_state(parameters, gpus, 3),
        "tp8": ADAM * parameters / gpus,
        "zero2": zero_state(parameters, gpus, 2),
    }
    key = only({name: size + activations <= room for name, size in state.items()})
    return Found(key, {name: (size + activations,) for name, size in state.items()}, (state[key[0]],), state)


@second(
    "mb-70b-4nodes",
    {"model.parameters": "parameters", "cluster.nodes": "nodes", "memory.activations_per_gpu": "activations"},
)
def four_nodes(
    parameters: float = 70e9, nodes: float = 4, stages: float = 8, activations: float = 15 * GB, room: float = 80 * GB
) -> Found:
    gpus = 8 * nodes
    state = {
        "pp8": ADAM * parameters / stages,
        "ddp": ADAM * parameters,
        "zero1": zero_state(parameters, gpus, 1),
        "fsdp": zero_state(parameters, gpus, 3),
    }
    key = only({name: size + activations <= room for name, size in state.items()})
    return Found(key, {name: (size + activations,) for name, size in state.items()}, (state[key[0]],), state)


@second("mb-84gb-redflag")
def wrong_table(parameters: float = 70e9, gpus: float = 8, small: float = 7e9) -> Found:
    return Found(
        ("small_model",),
        {
            "small_model": ((2 * small, 14 * GB), ((2 + 2 + 8) * small, 84 * GB), ((2 + 2) * small, 28 * GB)),
            "divided": ((ADAM * parameters / gpus, 84 * GB),),
            "gradients": ((ADAM * parameters, 98 * GB),),
            "undivided": ((12 * parameters / gpus, 84 * GB),),
        },
        (ADAM * parameters,),
    )


@second("mb-acts-70b", {"model.layers": "layers", "batch.sequence": "sequence"})
def long_sequence(layers: float = 80, width: float = 8_192, sequence: float = 8_192, each: float = 34) -> Found:
    return Found(numbers=(each * layers * width * sequence,))


@second("mb-largest-on-80", {"cluster.memory_nominal": "capacity", "memory.reserve_per_gpu": "kept"})
def largest(capacity: float = 80 * GB, kept: float = 10 * GB) -> Found:
    return Found(numbers=((capacity - kept) / ADAM,))


@second("mb-logits", {"memory.activations_per_gpu": "held", "batch.micro": "sequences"})
def at_the_loss(
    parameters: float = 8_030_261_248,  # Llama 3 8B, counted from its published shape
    gpus: float = 8,
    more: float = 64,
    sequences: float = 4,
    sequence: float = 8_192,
    words: float = 128_256,
    held: float = 36 * GB,
    chunk: float = 4_096,
    room: float = 80 * GB,
) -> Found:
    copy = 4 * sequences * sequence * words
    state = ADAM * parameters / gpus
    total = {
        "offload": 4 * parameters / gpus + held + 3 * copy,
        "chunked": state + held + 3 * copy * chunk / (sequences * sequence),
        "inplace": state + held + 2 * copy,
        "wider": ADAM * parameters / more + held + 3 * copy,
    }
    return Found(
        only({name: size <= room for name, size in total.items()}),
        {name: (size,) for name, size in total.items()},
        (copy,),
    )


@second("mb-megatron-18", {"layout.tp": "tensor", "layout.pp": "stages", "layout.dp": "ranks"})
def megatron(parameters: float = 70e9, tensor: float = 8, stages: float = 4, ranks: float = 8) -> Found:
    return Found(numbers=((2 + 4 + 12 / ranks) * parameters / tensor / stages,))
