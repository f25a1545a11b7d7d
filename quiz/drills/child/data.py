"""What the models are trained on: made-up text, the same tokens for every way of dividing the work.

A sequence depends on the seed, the step and its number within the step alone. Common tokens are much commoner than rare
ones, so that the loss falls at once and a run of some twenty steps shows a curve.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final, NamedTuple

import torch

if TYPE_CHECKING:
    from torch import Tensor

    from quiz.drills.records import Leg, Spec

_SKEW: Final = 3.0
"""A uniform number in [0, 1) to this power, times the vocabulary, is a token."""


class Micro(NamedTuple):
    """A micro-batch: tokens and the tokens that follow them, both [sequences, sequence]."""

    tokens: Tensor
    targets: Tensor


def data_ranks(leg: Leg) -> int:
    """How many ranks work on different data."""
    return leg.replicate * leg.shard


def sequences(spec: Spec, leg: Leg) -> int:
    """Sequences of a step over all ranks: legs of which it is equal train on the same tokens."""
    return data_ranks(leg) * leg.accumulation * leg.microbatches * spec.batch


def micro_batches(spec: Spec, leg: Leg, rank: int, step: int) -> list[Micro]:
    """The micro-batches of one rank in one step.

    Data ranks come before tensor ranks from the outermost, as in the mesh. A pipeline's stages all get the same.
    """
    count = leg.accumulation * leg.microbatches
    place = rank // leg.tp % data_ranks(leg)
    first = place * count * spec.batch
    return [_micro(spec, step, first + number * spec.batch) for number in range(count)]


def _micro(spec: Spec, step: int, first: int) -> Micro:
    texts = torch.stack([_sequence(spec, step, first + number) for number in range(spec.batch)]).to(spec.device)
    return Micro(texts[:, :-1].contiguous(), texts[:, 1:].contiguous())


def _sequence(spec: Spec, step: int, number: int) -> Tensor:
    generator = torch.Generator().manual_seed(zlib.crc32(f"{spec.seed}:{step}:{number}".encode()))
    uniform = torch.rand(spec.shape.sequence + 1, generator=generator, dtype=torch.float64)
    return (uniform**_SKEW * spec.shape.vocab).long()
