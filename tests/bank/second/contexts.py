"""Long sequences: attention's own work, its balance, and what context parallelism sends."""

from __future__ import annotations

from tests.bank.second.plain import Found, ordered, second, single


@second("cp-attn-flops", {"batch.sequence": "sequence", "model.parameters": "parameters"})
def beside_six_n(
    parameters: float = 70e9, layers: float = 80, width: float = 8_192, sequence: float = 131_072
) -> Found:
    # Scores and weighted values: two products of 2 * sequence * width each per token, half of it under the mask.
    forward = 2 * (2 * sequence * width) / 2 * layers
    return Found(numbers=(3 * forward / (6 * parameters),))


@second("cp-causal-balance", {"layout.cp": "pieces"})
def contiguous(pieces: float = 4, share: float = 0.3) -> Found:
    # Rank i of c: i whole squares and the half square of its own piece; all of them are c * c / 2 squares.
    busiest = (pieces - 1) + 0.5
    mean = pieces * pieces / 2 / pieces
    return Found(numbers=(busiest / mean, share * (busiest / mean - 1)))


@second("cp-ring-vs-ulysses", {"batch.sequence": "sequence", "layout.cp": "context"})
def exchanges(
    width: float = 8_192,
    queries: float = 64,
    keys: float = 8,
    head: float = 128,
    sequence: float = 131_072,
    tensor: float = 8,
    context: float = 8,
) -> Found:
    tokens = sequence / context
    my_queries, my_keys = queries / tensor, keys / tensor
    query = 2 * tokens * my_queries * head
    key = 2 * tokens * my_keys * head
    others = context - 1
    copied = max(my_keys, context)  # at least one head for each rank
    sent = {
        "inputs": others * 2 * tokens * width,
        "queries": others * (query + query),
        "ulysses": (query + query + 2 * 2 * tokens * copied * head) * others / context,
        "ring": others * (key + key),
    }
    return Found(ordered(sent, most_first=False), single(sent))
