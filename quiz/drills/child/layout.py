"""How a model is divided: mesh, tensor-parallel plan, checkpoints, FSDP2, in the order that torch asks for.

The same calls for real ranks and for fake ones. Nothing here allocates, so that a model on the meta device stays there.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.utils.checkpoint import checkpoint

if TYPE_CHECKING:
    from torch.distributed.device_mesh import DeviceMesh

    from quiz.drills.child.model import Decoder
    from quiz.drills.records import Leg

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


def mesh_of(leg: Leg, device: str) -> DeviceMesh | None:
    """The mesh of a leg, `replicate` x `shard` x `tp` from the outermost, without the degrees of 1; None if all are."""
    sizes = {name: getattr(leg, name) for name in ("replicate", "shard", "tp")}
    sizes = {name: size for name, size in sizes.items() if size > 1}
    if not sizes:
        return None
    return init_device_mesh(device, tuple(sizes.values()), mesh_dim_names=tuple(sizes))


def divide(model: Decoder, leg: Leg, mesh: DeviceMesh | None) -> None:
    """Divide a model, in place, as a leg says: first among tensor ranks, then checkpoints, then shards.

    The model is whole and on the meta device or on that of the mesh. `ddp` is not applied here.
    """
    if mesh is not None and leg.tp > 1:
        among_tensor_ranks(model, mesh["tp"], sequence_parallel=leg.sequence_parallel)
    if leg.checkpoint == "full":
        recompute(model)
    if mesh is not None and leg.strategy == "fsdp":
        shard(model, leg, mesh)


def among_tensor_ranks(model: Decoder, mesh: DeviceMesh, *, sequence_parallel: bool) -> None:
    """Divide matrices by columns and rows, and with `sequence_parallel` the norms' work by tokens.

    One gather and one reduction a block and pass: queries, keys and values share the gathered input.
    """
    between: Any = Shard(1) if sequence_parallel else Replicate()
    whole = Replicate()
    ends: dict[str, Any] = {
        "embedding": RowwiseParallel(input_layouts=whole, output_layouts=between),
        "head": ColwiseParallel(input_layouts=between, output_layouts=whole),
    }
    block: dict[str, Any] = {
        "attention": PrepareModuleInput(input_layouts=(between, None, None), desired_input_layouts=(whole, None, None)),
        "attention.wq": ColwiseParallel(),
        "attention.wk": ColwiseParallel(),
        "attention.wv": ColwiseParallel(),
        "attention.wo": RowwiseParallel(output_layouts=between),
        "ffn": PrepareModuleInput(input_layouts=(between,), desired_input_layouts=(whole,)),
        "ffn.w1": ColwiseParallel(),
        "ffn.w3": ColwiseParallel(),
        "ffn.w2": RowwiseParallel(output_layouts=between),
    }
    if sequence_parallel:
        ends["norm"] = SequenceParallel()
        block["attention_norm"] = block["ffn_norm"] = SequenceParallel()
    parallelize_module(model, mesh, ends)
    for layer in model.layers.values():
        parallelize_module(layer, mesh, block)


def recompute(model: Decoder) -> None:
    """Keep of each block its input only, and run it again in the backward pass."""
    for layer in model.layers.values():
        layer.forward = partial(checkpoint, layer.forward, use_reentrant=False, preserve_rng_state=False)


def shard(model: Decoder, leg: Leg, mesh: DeviceMesh) -> None:
    """Apply FSDP2 to each block and to the root, over the dimensions of the mesh that are not for tensor ranks."""
    own = tuple(name for name in mesh.mesh_dim_names or () if name != "tp")
    over = mesh[own] if own else mesh
    options: dict[str, Any] = {
        "mesh": over,
        "reshard_after_forward": leg.reshard,
        "mp_policy": MixedPrecisionPolicy(param_dtype=DTYPES[leg.param_dtype], reduce_dtype=DTYPES[leg.reduce_dtype]),
    }
    if leg.offload:
        options["offload_policy"] = CPUOffloadPolicy(pin_memory=mesh.device_type != "cpu")
    for layer in model.layers.values():
        fully_shard(layer, **options)
    fully_shard(model, **options)
