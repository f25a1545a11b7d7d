"""A model written out tensor by tensor, as a checkpoint lists it: the count that shares no formula with the solver."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

from solvers.tables.families import PARTS
from solvers.tables.models import ROWS, SHAPE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEFAULTS: Mapping[str, str | int] = {
    "attention": "grouped",
    "qk_norm": "none",
    "head_bias": "false",
    "shared_gate": "false",
    "router_bias": "false",
    "norms_per_layer": 2,
    "outer_norms": 1,
    "q_rank": 0,
    "experts": 0,
    "shared_experts": 0,
    "dense_layers": 0,
    "other_parameters": 0,
}


def sizes_of(name: str) -> dict[str, str | int]:
    """The architecture of a published model in words and whole numbers."""
    row = ROWS[name]
    sizes = {**DEFAULTS, **dict(zip(SHAPE, row.shape, strict=True)), **PARTS[row.family], **row.more}
    sizes.setdefault("ffn", 4 * int(sizes["hidden"]))
    sizes.setdefault("shared_ffn", int(sizes["shared_experts"]) * int(sizes.get("expert_ffn", 0)))
    return sizes


@dataclass
class Ledger:
    """Tensors with their shapes, one entry for each tensor of a model."""

    sizes: Mapping[str, str | int]
    tensors: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tensors = list(self._model())

    @property
    def total(self) -> int:
        return sum(prod(shape) for _, shape in self.tensors)

    def of(self, *words: str) -> int:
        """Parameters of the tensors whose name has all of `words`."""
        return sum(prod(shape) for name, shape in self.tensors if all(word in name for word in words))

    def _n(self, name: str) -> int:
        return int(self.sizes[name])

    def _is(self, name: str, value: str = "true") -> bool:
        return self.sizes[name] == value

    def _norm(self, name: str, width: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        if not self._is("norm", "none"):
            yield f"{name}.norm.weight", (width,)
        if self._is("norm", "layernorm"):
            yield f"{name}.norm.bias", (width,)

    @staticmethod
    def _linear(name: str, out: int, into: int, *, bias: bool) -> Iterator[tuple[str, tuple[int, ...]]]:
        yield f"{name}.weight", (out, into)
        if bias:
            yield f"{name}.bias", (out,)

    def _attention(self, at: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        width, heads = self._n("hidden"), self._n("query_heads")
        if self._is("attention", "latent"):
            rank, rope, nope = self._n("kv_rank"), self._n("rope_head_dim"), self._n("nope_head_dim")
            values = self._n("value_head_dim")
            if self._n("q_rank"):
                yield from self._linear(f"{at}.q_a", self._n("q_rank"), width, bias=False)
                yield f"{at}.q_a.norm.weight", (self._n("q_rank"),)
                yield from self._linear(f"{at}.q_b", heads * (nope + rope), self._n("q_rank"), bias=False)
            else:
                yield from self._linear(f"{at}.q", heads * (nope + rope), width, bias=False)
            yield from self._linear(f"{at}.kv_a", rank + rope, width, bias=False)
            yield f"{at}.kv_a.norm.weight", (rank,)
            yield from self._linear(f"{at}.kv_b", heads * (nope + values), rank, bias=False)
            yield from self._linear(f"{at}.o", width, heads * values, bias=False)
            return
        size, groups = self._n("head_dim"), self._n("kv_heads")
        into = not self._is("attention_bias", "none")
        yield from self._linear(f"{at}.q", heads * size, width, bias=into)
        yield from self._linear(f"{at}.k", groups * size, width, bias=into)
        yield from self._linear(f"{at}.v", groups * size, width, bias=into)
        yield from self._linear(f"{at}.o", width, heads * size, bias=self._is("attention_bias", "all"))
        if not self._is("qk_norm", "none"):
            one = self._is("qk_norm", "per-head")
            yield f"{at}.q.norm.weight", (size if one else heads * size,)
            yield f"{at}.k.norm.weight", (size if one else groups * size,)

    def _mlp(self, at: str, inner: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        width, bias = self._n("hidden"), self._is("mlp_bias")
        if self._is("mlp", "gated"):
            yield from self._linear(f"{at}.gate", inner, width, bias=bias)
        yield from self._linear(f"{at}.up", inner, width, bias=bias)
        yield from self._linear(f"{at}.down", width, inner, bias=bias)

    def _layer(self, number: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        at = f"layer{number}"
        for norm in range(self._n("norms_per_layer")):
            yield from self._norm(f"{at}.{norm}", self._n("hidden"))
        yield from self._attention(f"{at}.attention")
        if not self._n("experts") or number < self._n("dense_layers"):
            yield from self._mlp(f"{at}.mlp", self._n("ffn"))
            return
        yield f"{at}.router.weight", (self._n("experts"), self._n("hidden"))
        if self._is("router_bias"):
            yield f"{at}.router.bias", (self._n("experts"),)
        for expert in range(self._n("experts")):
            yield from self._mlp(f"{at}.expert{expert}.", self._n("expert_ffn"))
        if self._n("shared_ffn"):
            yield from self._mlp(f"{at}.shared", self._n("shared_ffn"))
            if self._is("shared_gate"):
                yield f"{at}.shared_gate.weight", (1, self._n("hidden"))

    def _model(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        width, rows = self._n("hidden"), self._n("vocabulary")
        yield "embedding.weight", (rows, width)
        if self._n("positions"):
            yield "positions.weight", (self._n("positions"), width)
        for number in range(self._n("layers")):
            yield from self._layer(number)
        for norm in range(self._n("outer_norms")):
            yield from self._norm(f"outer{norm}", width)
        if not self._is("tied"):
            yield "head.weight", (rows, width)
        if self._is("head_bias"):
            yield "head.bias", (rows,)
        if self._n("other_parameters"):
            yield "other", (self._n("other_parameters"),)
