"""What autograd really keeps of a block, found by hooks on saved tensors: each storage once, parameters apart."""

from __future__ import annotations

from typing import Any

import pytest

from solvers import Solver, scenario_of

pytestmark = pytest.mark.torch

B, S, H, A, KV, D, F = 2, 64, 128, 8, 2, 16, 352


def kept_by(module: Any, inputs: Any, spare: tuple[Any, ...] = ()) -> int:
    """Bytes of the storages that the forward pass of `module` saves; those of parameters and `spare` do not count."""
    import torch

    own = module.parameters() if hasattr(module, "parameters") else ()
    apart = {tensor.untyped_storage().data_ptr() for tensor in (*own, *spare)}
    found: dict[int, int] = {}

    def pack(tensor: Any) -> Any:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in apart:
            found[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        output = module(inputs)
    del output
    return sum(found.values())


def norm_with_copies(width: int) -> Any:
    import torch

    class Norm(torch.nn.Module):  # type: ignore[misc] # torch ships no types here
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(width, dtype=torch.bfloat16))

        def forward(self, hidden: Any) -> Any:
            wide = hidden.to(torch.float32)
            deviation = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
            return self.weight * (wide * deviation).to(hidden.dtype)

    return Norm()


def llama_block(*, scores: bool) -> Any:
    import torch
    from torch import nn

    def linear(wide: int, narrow: int) -> Any:
        return nn.Linear(wide, narrow, bias=False, dtype=torch.bfloat16)

    class Block(nn.Module):  # type: ignore[misc] # torch ships no types here
        def __init__(self) -> None:
            super().__init__()
            self.before, self.between = norm_with_copies(H), norm_with_copies(H)
            self.q, self.k, self.v, self.o = linear(H, A * D), linear(H, KV * D), linear(H, KV * D), linear(A * D, H)
            self.gate, self.up, self.down = linear(H, F), linear(H, F), linear(F, H)

        def attend(self, x: Any) -> Any:
            q, k, v = (projection(x).view(B, S, -1, D).transpose(1, 2) for projection in (self.q, self.k, self.v))
            # A rotary embedding gives queries and keys of their own.
            q, k = q + 0, k + 0
            if not scores:
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            k, v = k.repeat_interleave(A // KV, 1), v.repeat_interleave(A // KV, 1)
            weights = torch.softmax(q @ k.transpose(2, 3) * D**-0.5, dim=-1, dtype=torch.float32).to(q.dtype)
            return weights @ v

        def forward(self, x: Any) -> Any:
            x = x + self.o(self.attend(self.before(x)).transpose(1, 2).reshape(B, S, -1))
            inner = self.between(x)
            return x + self.down(torch.nn.functional.silu(self.gate(inner)) * self.up(inner))

    return Block()


@pytest.mark.parametrize("scores", [True, False])
def test_a_block_of_modules_keeps_what_is_counted(*, scores: bool) -> None:
    import torch

    inputs = torch.randn(B, S, H, dtype=torch.bfloat16, requires_grad=True)
    counted = (
        Solver(
            scenario_of(
                {
                    "activation.block": "llama-transformers",
                    "activation.attention": "scores" if scores else "flash",
                    "batch.micro": B,
                    "batch.sequence": S,
                    "model.hidden": H,
                    "model.query_heads": A,
                    "model.kv_heads": KV,
                    "model.head_dim": D,
                    "model.ffn": F,
                }
            )
        )
        .quantity("activation.layer")
        .value
    )
    assert kept_by(llama_block(scores=scores), inputs) == counted


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_a_block_of_the_drills_keeps_what_is_counted(dtype: str) -> None:
    """The decoder that drills run: torch's own RMSNorm on a CPU, keys and values copied out to every head."""
    import torch

    from quiz.drills.child.model import Block, rope
    from quiz.drills.records import Shape

    shape = Shape(layers=1, hidden=H, heads=A, kv_heads=KV, head_dim=D, ffn=F, vocab=64, sequence=S)
    kind = getattr(torch, dtype)
    block, inputs = Block(shape).to(kind), torch.randn(B, S, H, dtype=kind, requires_grad=True)
    tables = rope(shape, inputs)
    solver = Solver(
        scenario_of(
            {
                "activation.block": "llama-modules",
                "batch.activation_bytes": f"{inputs.element_size()} B",
                "batch.micro": B,
                "batch.sequence": S,
                "model.hidden": H,
                "model.query_heads": A,
                "model.kv_heads": KV,
                "model.head_dim": D,
                "model.ffn": F,
            }
        )
    )
    counted = solver.quantity("activation.layer").value
    assert kept_by(lambda given: block(given, *tables), inputs, (*block.parameters(), *tables)) == counted
    assert kept_by(lambda given: block(given, *tables), inputs, tuple(block.parameters())) == counted + (
        solver.quantity("activation.rotary").value
    )


def test_the_paper_of_a_gpt_block_holds_for_modules_whose_masks_take_two_bytes() -> None:
    import torch
    from torch import nn

    class Block(nn.Module):  # type: ignore[misc] # torch ships no types here
        def __init__(self) -> None:
            super().__init__()
            self.before, self.between = (nn.LayerNorm(H, dtype=torch.bfloat16) for _ in range(2))
            self.qkv = nn.Linear(H, 3 * H, dtype=torch.bfloat16)
            self.o = nn.Linear(H, H, dtype=torch.bfloat16)
            self.up, self.down = (nn.Linear(*size, dtype=torch.bfloat16) for size in ((H, 4 * H), (4 * H, H)))
            self.drop = nn.Dropout(0.1)

        def forward(self, x: Any) -> Any:
            q, k, v = self.qkv(self.before(x)).view(B, S, 3, A, D).permute(2, 3, 0, 1, 4).transpose(1, 2).unbind(0)
            weights = self.drop(torch.softmax((q * D**-0.5) @ k.transpose(2, 3), dim=-1))
            x = x + self.drop(self.o((weights @ v).transpose(1, 2).reshape(B, S, H)))
            inner = torch.nn.functional.gelu(self.up(self.between(x)))
            return x + self.drop(self.down(inner))

    inputs = torch.randn(B, S, H, dtype=torch.bfloat16, requires_grad=True)
    plan: dict[str, Any] = {
        "activation.block": "gpt",
        "activation.mask_bytes": "2 B",
        "activation.small": "counted",
        "activation.statistic_bytes": "2 B",
        "batch.micro": B,
        "batch.sequence": S,
        "model.hidden": H,
        "model.query_heads": A,
    }
    counted = Solver(scenario_of(plan)).quantity("activation.layer").value
    measured = kept_by(Block(), inputs)
    # Scaling the queries makes a copy of them that is kept beside the projection's whole output.
    assert 0 <= measured - counted <= 2 * B * S * H
