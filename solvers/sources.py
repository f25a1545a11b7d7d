"""The published sources of relations and facts, by key."""

from __future__ import annotations

from typing import Final

from solvers.relation import Source

ZERO: Final = Source("zero-2019", "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models",
                     "section 3 and figure 1", "arXiv:1910.02054")
