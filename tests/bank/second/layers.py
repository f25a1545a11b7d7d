"""Inside a layer: what it keeps, what is recomputed, what tensor parallelism sends."""

from __future__ import annotations

from tests.bank.second.plain import GB, Found, all_reduce, least, only, ordered, ring, second, single
from tests.bank.second.shapes import MODELS
from tests.bank.second.sharded import PEAK

LINK = {"a100-80gb": 300 * GB, "h100-80gb": 450 * GB, "b200-180gb": 900 * GB}
"""NVLink one way: half of the 600, 900 and 1,800 GB/s that NVIDIA's data sheets print for both."""


@second("rc-every-k", {"model.layers": "layers", "batch.sequence": "sequence"})
def runs(layers: float = 80, width: float = 8_192, sequence: float = 8_192, tensor: float = 8) -> Found:
    channel = sequence * width / tensor  # divided with the sequence
    lengths = {"eight": 8, "one": 1, "two": 2, "four": 4}
    held = {name: (2 * layers / length + 34 * length) * channel for name, length in lengths.items()}
    key = least(held)
    return Found(key, single(held), (held[key[0]],), held)


@second("rc-selective", {"batch.sequence": "sequence", "model.query_heads": "heads"})
def scores(width: float = 12_288, heads: float = 96, sequence: float = 2_048) -> Found:
    each = 5 * heads * sequence / width
    return Found(numbers=(each / (34 + each),))


@second("tp-cross-node", {"batch.sequence": "sequence", "cluster.gpu": "gpu"})
def group(
    parameters: float = 70e9,
    layers: float = 80,
    width: float = 8_192,
    sequence: float = 8_192,
    room: float = 30 * GB,
    gpu: str = "h100-80gb",
    card: float = 50 * GB,
) -> Found:
    degrees = {"tp8": 8, "tp16": 16, "tp1": 1, "tp4": 4}
    speed, link = PEAK[gpu] / 2, LINK[gpu]
    message = 2 * sequence * width
    kept: dict[str, float] = {}
    share: dict[str, float] = {}
    for name, degree in degrees.items():
        kept[name] = 34 * sequence * width * layers / degree
        local = min(degree, 8)
        nodes = degree / local
        # Across first: each card fetches the parts of the ranks of its own number; then the node shares all.
        one = ring(message / local, nodes) / card + ring(message, local) / link
        exchange = 10 * layers * one
        compute = 6 * parameters * sequence / degree / speed
        share[name] = exchange / (exchange + compute)
    key = least({name: share[name] for name in degrees if kept[name] <= room})
    sent = {name: 10 * layers * ring(message, degree) for name, degree in degrees.items()}
    return Found(key, {name: (kept[name], share[name]) for name in degrees}, (sent[key[0]],), sent)


@second("tp-kv-heads")
def beyond_the_keys(before: float = 8, after: float = 16) -> Found:
    shape = MODELS["llama-3-70b"]

    def cached(degree: float) -> float:
        return 2 * 2 * shape.layers * max(shape.keys / degree, 1) * shape.head

    def weights(degree: float) -> float:
        return 2 * shape.parameters() / degree

    said = {
        "halves": (cached(before) / 2, weights(before) / 2),
        "stays": (cached(before), weights(before) / 2),
        "both_stop": (cached(before), weights(before)),
        "cache_only": (cached(before) / 2, weights(before)),
    }
    truth = (cached(after), weights(after))
    return Found(
        only({name: pair == truth for name, pair in said.items()}),
        {name: ((truth[0], cache), (truth[1], weight)) for name, (cache, weight) in said.items()},
        (cached(after),),
        named={name: (cache,) for name, (cache, _) in said.items() if name != "halves"},
    )


@second("tp-sp-acts", {"layout.tp": "tensor", "batch.sequence": "sequence", "model.hidden": "width"})
def with_sequence_parallelism(
    width: float = 8_192, tensor: float = 8, sequence: float = 8_192, layers: float = 80
) -> Found:
    # Korthikanti et al., table 2: 10 + 24/t without, 34/t with; scores are never written.
    without, beside = 10 + 24 / tensor, 34 / tensor
    return Found(numbers=(without / beside, without * sequence * width * layers))


@second("tp-vs-fsdp-bytes", {"model": "model", "batch.sequence": "sequence"})
def five_plans(
    model: str = "llama-3-70b",
    gpus: float = 8,
    sequences: float = 8,
    sequence: float = 8_192,
) -> Found:
    shape = MODELS[model]
    layers = shape.layers
    weights = 2 * shape.parameters()
    activation = 2 * sequence * shape.width
    pair = 2 * 2 * shape.keys * shape.head * sequence / gpus  # keys and values of a rank's tokens
    sent = {
        # Four gathers and four scatters a layer, and two gathers again, since only shares of the inputs are kept.
        "tp_sp": 10 * ring(activation, gpus) * layers * sequences,
        "tp": 4 * all_reduce(activation, gpus) * layers * sequences,
        "ddp": all_reduce(weights, gpus),
        "fsdp": 3 * ring(weights, gpus),
        "cp_fsdp": (3 * ring(weights, gpus) + 3 * (gpus - 1) * pair * layers) * sequences,
    }
    return Found(ordered(sent, most_first=True), single(sent))
