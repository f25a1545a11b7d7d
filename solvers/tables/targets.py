"""Which matrices low-rank adapters sit on."""

from __future__ import annotations

from typing import Final

from solvers.expr.tree import number
from solvers.sources import LORA, PEFT
from solvers.tables.preset import Preset, Table

MATRICES: Final = ("q", "k", "v", "o", "gate", "up", "down", "router")
_ATTENTION, _BLOCK = ("q", "k", "v", "o"), ("gate", "up", "down")
_ROWS: Final = {
    "q": (("q",), "queries"),
    "q,v": (("q", "v"), "queries and values"),
    "q,k": (("q", "k"), "queries and keys"),
    "q,k,v": (("q", "k", "v"), "queries, keys and values"),
    "q,k,v,o": (_ATTENTION, "all of attention"),
    "attention": (_ATTENTION, "all of attention"),
    "mlp": (_BLOCK, "the feed-forward block"),
    "all-linear": ((*_ATTENTION, *_BLOCK), "every matrix of the layers but the router; not the head"),
}


def _targets(name: str) -> Preset:
    on, meaning = _ROWS[name]
    return Preset(name, meaning, {f"adapter.on_{matrix}": number(int(matrix in on)) for matrix in MATRICES},
                  PEFT if name == "all-linear" else LORA)  # fmt: skip


TARGETS: Final = Table(_ROWS, _targets)
