"""A first step of a tiny model: what torch loads and starts once is then there before anything is measured."""

from __future__ import annotations

from typing import Final

import torch

from quiz.drills.child import model
from quiz.drills.records import Shape

_TINY: Final = Shape(layers=1, hidden=32, heads=2, kv_heads=1, head_dim=16, ffn=64, vocab=64, sequence=16)


def warm_up(device: str) -> None:
    """Train a tiny model for two steps and forget it."""
    tiny = model.Decoder(_TINY).to(device)
    model.initialise(tiny, 0)
    optimizer = torch.optim.AdamW(tiny.parameters(), foreach=False)
    tokens = torch.zeros(1, _TINY.sequence, dtype=torch.long, device=device)
    for _ in range(2):
        model.loss(tiny(tokens), tokens).backward()
        optimizer.step()
        optimizer.zero_grad()
