"""What autograd keeps of latent attention and of experts: modules whose norm and attention save what a kernel saves."""

from __future__ import annotations

from typing import Any

import pytest

from solvers import Solver, scenario_of
from tests.unit.solvers.test_activations_torch import kept_by

pytestmark = pytest.mark.torch

B, S, H, A, T = 2, 64, 128, 4, 128
EXPERTS, CHOSEN, EXPERT_WIDTH, SHARED_WIDTH, WIDTH = 8, 2, 48, 96, 352
NOPE, ROPE, VALUES, Q_RANK, KV_RANK = 24, 8, 16, 32, 48
PLAN: dict[str, Any] = {
    "activation.block": "llama",
    "batch.micro": B,
    "batch.sequence": S,
    "model.hidden": H,
    "model.query_heads": A,
    "model.ffn": WIDTH,
    "model.attention": "latent",
    "model.kv_rank": KV_RANK,
    "model.q_rank": Q_RANK,
    "model.nope_head_dim": NOPE,
    "model.rope_head_dim": ROPE,
    "model.value_head_dim": VALUES,
    "model.experts": EXPERTS,
    "model.experts_per_token": CHOSEN,
    "model.expert_ffn": EXPERT_WIDTH,
    "model.shared_ffn": SHARED_WIDTH,
    "layout.dp": 8,
}


def linear(wide: int, narrow: int) -> Any:
    import torch

    return torch.nn.Linear(wide, narrow, bias=False, dtype=torch.bfloat16)


def norm(hidden: Any, *, scale: bool = True) -> Any:
    """A norm in one kernel: it keeps its input, and a scale for each token where that is counted."""
    import torch

    class Norm(torch.autograd.Function):  # type: ignore[misc] # torch ships no types here
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            spread = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)
            ctx.save_for_backward(x, *([spread] if scale else []))
            return (x * spread).to(x.dtype)

    return Norm.apply(hidden)


def attend(queries: Any, keys: Any, values: Any) -> Any:
    """Attention in one kernel: it keeps queries, keys, values, its output, and a sum for each head and token."""
    import torch

    class Attention(torch.autograd.Function):  # type: ignore[misc] # torch ships no types here
        @staticmethod
        def forward(ctx: Any, q: Any, k: Any, v: Any) -> Any:
            scores = q.float() @ k.float().transpose(-1, -2)
            output = (torch.softmax(scores, -1) @ v.float()).to(v.dtype).transpose(1, 2).contiguous()
            ctx.save_for_backward(q, k, v, output, torch.logsumexp(scores, -1))
            return output

    return Attention.apply(queries, keys, values)


class Latent:
    """Compressed queries, keys and values; a rotary part of each query, and one of the keys for all heads."""

    def __init__(self) -> None:
        self.parts = [linear(H, Q_RANK), linear(Q_RANK, A * (NOPE + ROPE)), linear(H, KV_RANK + ROPE),
                      linear(KV_RANK, A * (NOPE + VALUES)), linear(A * VALUES, H)]  # fmt: skip

    def __call__(self, x: Any) -> Any:
        import torch

        q_a, q_b, kv_a, kv_b, o = self.parts
        inner = norm(x)
        queries = q_b(norm(q_a(inner), scale=False)).view(B, S, A, NOPE + ROPE).transpose(1, 2) + 0
        latent, rotary = kv_a(inner).split([KV_RANK, ROPE], -1)
        written = kv_b(norm(latent.contiguous(), scale=False)).view(B, S, A, NOPE + VALUES).transpose(1, 2)
        plain, values = written.split([NOPE, VALUES], -1)
        keys = torch.cat([plain, rotary.view(B, 1, S, ROPE).expand(B, A, S, ROPE)], -1)
        return o(attend(queries, keys, values.contiguous()).view(B, S, -1))


def block(wide: int) -> Any:
    return [linear(H, wide), linear(H, wide), linear(wide, H)]


def pass_through(parts: Any, x: Any) -> Any:
    import torch

    gate, up, down = parts
    return down(torch.nn.functional.silu(gate(x)) * up(x))


def layer(*, experts: bool) -> Any:
    import torch
    from torch import nn

    class Layer(nn.Module):  # type: ignore[misc] # torch ships no types here
        def __init__(self) -> None:
            super().__init__()
            self.latent = Latent()
            self.router = linear(H, EXPERTS)
            self.experts = [block(EXPERT_WIDTH) for _ in range(EXPERTS)]
            self.plain = block(SHARED_WIDTH if experts else WIDTH)
            routed = [matrix for expert in self.experts for matrix in expert]
            self.all = nn.ModuleList([*self.latent.parts, self.router, *self.plain, *routed])

        def routed(self, x: Any) -> Any:
            weights, chosen = torch.softmax(self.router(x), -1, dtype=torch.float32).topk(CHOSEN)
            order = chosen.flatten().argsort()
            counts = chosen.flatten().bincount(minlength=EXPERTS).tolist()
            pieces = zip(self.experts, x[order // CHOSEN].split(counts), strict=True)
            outputs = torch.cat([pass_through(expert, piece) for expert, piece in pieces])
            weighed = outputs * weights.flatten()[order].to(outputs.dtype).unsqueeze(-1)
            return weighed[order.argsort()].view(T, CHOSEN, H).sum(1)

        def forward(self, x: Any) -> Any:
            x = x + self.latent(x)
            inner = norm(x).view(T, H)
            mixed = pass_through(self.plain, inner) + (self.routed(inner) if experts else 0)
            return x + mixed.view(B, S, H)

    return Layer()


@pytest.mark.parametrize("experts", [True, False])
def test_modules_keep_what_is_counted_of_latent_attention_and_experts(*, experts: bool) -> None:
    """Beside it only what says which copy belongs to whom: a few whole numbers and a weight for each copy."""
    import torch

    torch.manual_seed(1)
    inputs = torch.randn(B, S, H, dtype=torch.bfloat16, requires_grad=True)
    name = "activation.moe_layer" if experts else "activation.layer"
    counted = Solver(scenario_of(PLAN)).quantity(name).value
    over = kept_by(layer(experts=experts), inputs) - counted
    assert 0 <= over <= (6 * 8 + 2) * T * CHOSEN if experts else over == 0
