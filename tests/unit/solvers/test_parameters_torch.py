"""Parameters and optimizer states of real modules: built on the meta device, stepped on one matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from solvers import Solver, scenario_of
from tests.module_ledger import sizes_of

if TYPE_CHECKING:
    from solvers.inputs import Raw

pytestmark = pytest.mark.torch


def value(quantity: str, inputs: dict[str, Raw]) -> float:
    return float(Solver(scenario_of(inputs)).quantity(quantity).value)


class Builder:
    """Modules of a model as `torch.nn` has them; nothing is allocated on the meta device."""

    def __init__(self, name: str) -> None:
        import torch

        self.nn: Any = torch.nn
        self.sizes = sizes_of(name)

    def size(self, name: str) -> int:
        return int(self.sizes[name])

    def says(self, name: str, word: str = "true") -> bool:
        return self.sizes[name] == word

    def norm(self, width: int | None = None, *, scale_only: bool = False) -> Any:
        width = width or self.size("hidden")
        if scale_only or self.says("norm", "rmsnorm"):
            return self.nn.RMSNorm(width)
        if self.says("norm", "none"):
            return self.nn.LayerNorm(width, elementwise_affine=False)
        return self.nn.LayerNorm(width, bias=self.says("norm", "layernorm"))

    def block(self, inner: int) -> Any:
        width, bias = self.size("hidden"), self.says("mlp_bias")
        into = [self.nn.Linear(width, inner, bias=bias) for _ in range(2 if self.says("mlp", "gated") else 1)]
        return self.nn.ModuleList([*into, self.nn.Linear(inner, width, bias=bias)])

    def attention(self) -> Any:
        width, heads, linear = self.size("hidden"), self.size("query_heads"), self.nn.Linear
        if self.says("attention", "latent"):
            rope, nope, rank = self.size("rope_head_dim"), self.size("nope_head_dim"), self.size("kv_rank")
            low, values = self.size("q_rank"), self.size("value_head_dim")
            queries = ([linear(width, low, bias=False), self.norm(low), linear(low, heads * (nope + rope), bias=False)]
                       if low else [linear(width, heads * (nope + rope), bias=False)])  # fmt: skip
            return self.nn.ModuleList([
                *queries, linear(width, rank + rope, bias=False), self.norm(rank),
                linear(rank, heads * (nope + values), bias=False), linear(heads * values, width, bias=False),
            ])  # fmt: skip
        head, groups = self.size("head_dim"), self.size("kv_heads")
        into, out = not self.says("attention_bias", "none"), self.says("attention_bias", "all")
        parts = [linear(width, heads * head, bias=into), linear(width, groups * head, bias=into),
                 linear(width, groups * head, bias=into), linear(heads * head, width, bias=out)]  # fmt: skip
        if not self.says("qk_norm", "none"):
            full = self.says("qk_norm", "full")
            parts += [self.norm(head * (heads if full else 1), scale_only=True),
                      self.norm(head * (groups if full else 1), scale_only=True)]  # fmt: skip
        return self.nn.ModuleList(parts)

    def layer(self, number: int) -> Any:
        norms = [self.norm() for _ in range(self.size("norms_per_layer"))]
        if not self.size("experts") or number < self.size("dense_layers"):
            return self.nn.ModuleList([*norms, self.attention(), self.block(self.size("ffn"))])
        experts = [self.block(self.size("expert_ffn")) for _ in range(self.size("experts"))]
        router = [self.nn.Linear(self.size("hidden"), self.size("experts"), bias=self.says("router_bias"))]
        shared = [self.block(self.size("shared_ffn"))] if self.size("shared_ffn") else []
        gate = [self.nn.Linear(self.size("hidden"), 1, bias=False)] if self.says("shared_gate") else []
        return self.nn.ModuleList([*norms, self.attention(), *experts, *router, *shared, *gate])

    def model(self) -> Any:
        width, rows = self.size("hidden"), self.size("vocabulary")
        embedding = self.nn.Embedding(rows, width)
        head = self.nn.Linear(width, rows, bias=self.says("head_bias"))
        if self.says("tied"):
            head.weight = embedding.weight
        positions = [self.nn.Embedding(self.size("positions"), width)] if self.size("positions") else []
        outer = [self.norm() for _ in range(self.size("outer_norms"))]
        layers = [self.layer(number) for number in range(self.size("layers"))]
        return self.nn.ModuleList([embedding, *positions, *layers, *outer, head])


@pytest.mark.parametrize(
    "name",
    ["gpt2-xl", "gpt-3-175b", "bloom-176b", "llama-2-7b", "llama-3-70b", "llama-3.2-1b", "mistral-7b", "qwen2.5-7b",
     "gemma-2-9b", "olmo-7b", "olmo-2-13b", "phi-2", "falcon-7b", "mixtral-8x7b", "qwen1.5-moe-a2.7b",
     "deepseek-v2-lite"],
)  # fmt: skip
def test_a_model_has_the_parameters_of_its_modules(name: str) -> None:
    import torch

    with torch.device("meta"):
        model = Builder(name).model()
    built = sum(parameter.numel() for parameter in model.parameters())
    assert value("model.parameters", {"model": name, "model.other_parameters": 0}) == built


@pytest.mark.parametrize(
    ("optimizer", "kind", "options"),
    [
        ("adamw", "AdamW", {}), ("amsgrad", "AdamW", {"amsgrad": True}), ("sgd", "SGD", {}),
        ("sgd-momentum", "SGD", {"momentum": 0.9}), ("adagrad", "Adagrad", {}), ("rmsprop", "RMSprop", {}),
        ("adadelta", "Adadelta", {}), ("adamax", "Adamax", {}), ("radam", "RAdam", {}), ("nadam", "NAdam", {}),
        ("adafactor", "Adafactor", {}), ("muon", "Muon", {}),
    ],
)  # fmt: skip
def test_an_optimizer_keeps_of_a_matrix_what_its_row_says(optimizer: str, kind: str, options: dict[str, Any]) -> None:
    """States with more than one element, after a step on a matrix of 96 by 160."""
    import torch

    matrix = torch.nn.Parameter(torch.zeros(96, 160))
    matrix.grad = torch.ones_like(matrix)
    stepped = getattr(torch.optim, kind)([matrix], lr=0.1, **options)
    stepped.step()
    kept = sum(state.numel() * state.element_size() for state in stepped.state[matrix].values()
               if isinstance(state, torch.Tensor) and state.numel() > 1)  # fmt: skip
    inputs: dict[str, Raw] = {"matrix.optimizer": optimizer, "matrix.rows": 96, "matrix.columns": 160}
    assert value("matrix.state", inputs) == kept
