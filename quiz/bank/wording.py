"""Short names of quantities, for sentences that a person reads under time pressure.

The catalogue says what a quantity is; here stands how people call it. What has no short name is called by the first
words of its meaning.
"""

from __future__ import annotations

import re
from typing import Final

from solvers.catalogue import CATALOGUE

_SHORT: Final = {
    "memory.total_per_gpu": "memory per GPU",
    "memory.state_per_gpu": "state per GPU",
    "memory.state_total": "state in all",
    "memory.weights_per_gpu": "weights per GPU",
    "memory.gradients_per_gpu": "gradients per GPU",
    "memory.master_per_gpu": "master copy per GPU",
    "memory.moments_per_gpu": "moments per GPU",
    "memory.optimizer_per_gpu": "optimizer state per GPU",
    "memory.activations_per_gpu": "activations per GPU",
    "memory.buffers_per_gpu": "buffers per GPU",
    "memory.margin_per_gpu": "room left per GPU",
    "memory.host_total": "host memory in all",
    "memory.host_per_gpu": "host memory per GPU",
    "adapter.total_per_gpu": "frozen weights, adapters and activations per GPU",
    "adapter.state_per_gpu": "frozen weights and adapters per GPU",
    "adapter.trained_state_per_gpu": "training state of the adapters per GPU",
    "activation.kept_per_micro_batch": "activations kept",
    "activation.recomputed_per_gpu": "activations recomputed at a time",
    "cluster.capacity_per_gpu": "capacity",
    "traffic.sent_per_step": "bytes sent per GPU and step",
    "traffic.data_parallel_sent": "data-parallel bytes sent per step",
    "traffic.tensor_parallel_sent": "tensor-parallel bytes sent per step",
    "traffic.pipeline_sent": "pipeline bytes sent per step",
    "traffic.context_parallel_sent": "context-parallel bytes sent per step",
    "pipeline.bubble_of_total": "bubble of the whole step",
    "pipeline.bubble_over_ideal": "bubble over ideal time",
    "layout.shard": "size of the shard group",
    "layout.replicas": "replicas",
    "layout.dp": "data-parallel degree",
    "serving.kv_per_token_per_gpu": "KV cache per token and GPU",
    "serving.kv_per_token": "KV cache per token",
    "serving.kv_per_sequence": "KV cache per sequence",
    "serving.sequences": "sequences that fit",
    "serving.weights": "weights as served",
    "checkpoint.interval_young": "interval by Young",
    "run.mtbf": "mean time between interruptions",
}
_ADDITION: Final = re.compile(r"[:;(,]")


def short_name(name: str) -> str:
    """What a quantity of the catalogue is called in a sentence; any other name stays as it is."""
    if name in _SHORT or name not in CATALOGUE:
        return _SHORT.get(name, name)
    return _ADDITION.split(CATALOGUE[name].meaning, maxsplit=1)[0].strip()


SHORT_NAMES: Final = tuple(_SHORT)
"""The quantities that have a short name."""
