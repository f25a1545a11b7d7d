"""The relations by subject. Importing this package declares every symbol and registers every relation."""

from __future__ import annotations

from solvers.relations import state

__all__ = ["state"]
