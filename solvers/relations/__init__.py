"""The relations by subject. Importing this package declares every symbol and registers every relation."""

from __future__ import annotations

from solvers.relations import (
    model,
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

__all__ = ["cluster", "compute", "layout", "memory", "model", "pipeline", "reliability", "serving", "state", "traffic"]
