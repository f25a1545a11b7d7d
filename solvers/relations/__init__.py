"""The relations by subject. Importing this package declares every symbol and registers every relation."""

# ruff: noqa: I001 - what is trained first, then where, then what it costs: the order of `solve --list`
from __future__ import annotations

from solvers.relations import (
    model,
    shape,
    architecture,
    layout,
    cluster,
    state,
    memory,
    traffic,
    pipeline,
    reliability,
    serving,
    compute,
)

__all__ = [
    "architecture", "cluster", "compute", "layout", "memory", "model", "pipeline", "reliability", "serving", "shape",
    "state", "traffic",
]
