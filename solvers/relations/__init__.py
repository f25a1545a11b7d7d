"""The relations by subject. Importing this package declares every symbol and registers every relation."""

# ruff: noqa: I001 - what is trained first, then where, then what it costs: the order of `solve --list`
from __future__ import annotations

from solvers.relations import (
    model,
    shape,
    architecture,
    layout,
    cluster,
    machine,
    state,
    memory,
    traffic,
    traffic_parts,
    experts,
    collectives,
    pipeline,
    schedules,
    reliability,
    serving,
    compute,
    flops,
    training,
    overlap,
    roofline,
    scaling,
)

__all__ = [
    "architecture",
    "cluster",
    "collectives",
    "compute",
    "experts",
    "flops",
    "layout",
    "machine",
    "memory",
    "model",
    "overlap",
    "pipeline",
    "reliability",
    "roofline",
    "scaling",
    "schedules",
    "serving",
    "shape",
    "state",
    "traffic",
    "traffic_parts",
    "training",
]
