"""The model that drills train: a decoder of Llama's form, small and real or as large as a question's own."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quiz.drills.records import Shape

ROPE_BASE = 500_000.0
NORM_EPS = 1e-5
INIT_STD = 0.02


class Attention(nn.Module):
    """Causal attention with grouped keys and values, which are copied out to every query head as Llama code does.

    Heads are counted from the width of the projections, so that a tensor-parallel rank runs its own share.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.head_dim = shape.head_dim
        queries, keys = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
        self.wq = nn.Linear(shape.hidden, queries, bias=False)
        self.wk = nn.Linear(shape.hidden, keys, bias=False)
        self.wv = nn.Linear(shape.hidden, keys, bias=False)
        self.wo = nn.Linear(queries, shape.hidden, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Hidden states [batch, sequence, hidden] to the same shape; `cos` and `sin` are [sequence, head_dim]."""
        queries = rotate(self._heads(self.wq(x)), cos, sin)
        keys = rotate(self._heads(self.wk(x)), cos, sin)
        values = self._heads(self.wv(x))
        keys, values = (each.repeat_interleave(queries.shape[1] // each.shape[1], dim=1) for each in (keys, values))
        mixed = functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        out: Tensor = self.wo(mixed.transpose(1, 2).flatten(2))
        return out

    def _heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)


class FeedForward(nn.Module):
    """A gated block (SwiGLU): three matrices."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.w1 = nn.Linear(shape.hidden, shape.ffn, bias=False)
        self.w2 = nn.Linear(shape.ffn, shape.hidden, bias=False)
        self.w3 = nn.Linear(shape.hidden, shape.ffn, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Hidden states to hidden states."""
        out: Tensor = self.w2(functional.silu(self.w1(x)) * self.w3(x))
        return out


class Block(nn.Module):
    """One layer: the unit that is wrapped, checkpointed and divided."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.attention_norm = nn.RMSNorm(shape.hidden, eps=NORM_EPS)
        self.attention = Attention(shape)
        self.ffn_norm = nn.RMSNorm(shape.hidden, eps=NORM_EPS)
        self.ffn = FeedForward(shape)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Hidden states [batch, sequence, hidden] to the same shape."""
        x = x + self.attention(self.attention_norm(x), cos, sin)
        out: Tensor = x + self.ffn(self.ffn_norm(x))
        return out


class Decoder(nn.Module):
    """The whole model, or the part of it that a pipeline stage holds.

    `layers` are the numbers of its layers in the whole model (all of them unless said); `first` and `last` say
    whether it has the embedding, and the last norm with the head. Parameters keep the names that they have in the
    whole model. Build it under `torch.device("meta")` to take no memory.
    """

    def __init__(
        self, shape: Shape, layers: Sequence[int] | None = None, *, first: bool = True, last: bool = True
    ) -> None:
        super().__init__()
        if shape.tied and not (first and last):
            raise ValueError("A model whose head shares the embedding cannot be divided into pipeline stages here.")
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocab, shape.hidden) if first else None
        numbers = range(shape.layers) if layers is None else layers
        self.layers = nn.ModuleDict({str(number): Block(shape) for number in numbers})
        self.norm = nn.RMSNorm(shape.hidden, eps=NORM_EPS) if last else None
        self.head = nn.Linear(shape.hidden, shape.vocab, bias=False) if last else None
        if shape.tied and self.head is not None and self.embedding is not None:
            self.head.weight = self.embedding.weight

    def forward(self, x: Tensor) -> Tensor:
        """Tokens [batch, sequence], or the hidden states of the stage before, to logits or hidden states."""
        if self.embedding is not None:
            x = self.embedding(x)
        cos, sin = rope(self.shape, x)
        for layer in self.layers.values():
            x = layer(x, cos, sin)
        if self.norm is not None and self.head is not None:
            x = self.head(self.norm(x))
        return x


def rope(shape: Shape, like: Tensor) -> tuple[Tensor, Tensor]:
    """Cosines and sines of the rotary positions, each [sequence, head_dim], on the device and in the type of `like`."""
    half = torch.arange(0, shape.head_dim, 2, device=like.device, dtype=torch.float32) / shape.head_dim
    angles = torch.outer(torch.arange(shape.sequence, device=like.device, dtype=torch.float32), ROPE_BASE**-half)
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos().to(like.dtype), angles.sin().to(like.dtype)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Queries or keys [batch, heads, sequence, head_dim] turned by their positions."""
    left, right = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-right, left), dim=-1) * sin


def loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean cross entropy, in fp32, of logits [batch, sequence, vocab] against tokens [batch, sequence]."""
    return functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


def initialise(model: nn.Module, seed: int) -> None:
    """Fill the parameters in place, each from its own name and the seed, so that every layout starts alike.

    Call it before the model is divided or wrapped. Norms start at one, matrices normally distributed.
    """
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.fill_(1.0)
                continue
            generator = torch.Generator().manual_seed(zlib.crc32(f"{seed}:{name}".encode()))
            # Drawn on the CPU whatever the device, since generators of different devices differ.
            values = torch.empty(parameter.shape).normal_(0.0, INIT_STD, generator=generator)
            parameter.copy_(values)
            del values
