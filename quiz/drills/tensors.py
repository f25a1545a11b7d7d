"""What a rank holds of each tensor of the model: whole parameters, rows and chunks as torch divides them.

The solver divides parameters evenly. Torch divides tensors: ZeRO-1 by whole ones, FSDP2 by rows, a pipeline by layers
with the ends at its ends, tensor parallelism everything but norms. Where the two differ, what is here holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from quiz.drills.records import Leg, Shape

_WHOLE: Final = ""
_ROWS: Final = "rows"
_COLUMNS: Final = "columns"


class Tensor(NamedTuple):
    """A parameter: its rows (the dimension that FSDP2 divides), its columns, what tensor ranks divide of it."""

    name: str
    rows: int
    columns: int
    tp: str = _WHOLE

    @property
    def parameters(self) -> int:
        """Its elements."""
        return self.rows * self.columns


def tensors(shape: Shape) -> tuple[Tensor, ...]:
    """All parameters of the model."""
    queries, keys = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    found = [Tensor("embedding", shape.vocab, shape.hidden, _ROWS)]
    for layer in range(shape.layers):
        found += [
            Tensor(f"{layer}.attention_norm", shape.hidden, 1),
            Tensor(f"{layer}.wq", queries, shape.hidden, _ROWS),
            Tensor(f"{layer}.wk", keys, shape.hidden, _ROWS),
            Tensor(f"{layer}.wv", keys, shape.hidden, _ROWS),
            Tensor(f"{layer}.wo", shape.hidden, queries, _COLUMNS),
            Tensor(f"{layer}.ffn_norm", shape.hidden, 1),
            Tensor(f"{layer}.w1", shape.ffn, shape.hidden, _ROWS),
            Tensor(f"{layer}.w2", shape.hidden, shape.ffn, _COLUMNS),
            Tensor(f"{layer}.w3", shape.ffn, shape.hidden, _ROWS),
        ]
    found.append(Tensor("norm", shape.hidden, 1))
    if not shape.tied:
        found.append(Tensor("head", shape.vocab, shape.hidden, _ROWS))
    return tuple(found)


def of_tensor_rank(tensor: Tensor, tp: int) -> Tensor:
    """What a tensor rank has of a tensor."""
    if tensor.tp == _ROWS:
        return tensor._replace(rows=tensor.rows // tp)
    if tensor.tp == _COLUMNS:
        return tensor._replace(columns=tensor.columns // tp)
    return tensor


def held(shape: Shape, leg: Leg) -> int:
    """Parameters that the fullest rank holds of those it computes with."""
    if leg.pp > 1:
        return max(held_by(shape, leg, rank) for rank in range(leg.pp))
    return sum(_rows(tensor, leg) * tensor.columns for tensor in _local(shape, leg))


def held_by(shape: Shape, leg: Leg, rank: int) -> int:
    """Parameters that a rank of a pipeline holds."""
    return sum(tensor.parameters for tensor in _stages(shape, leg, rank))


def updated(shape: Shape, leg: Leg) -> int:
    """Parameters whose optimizer state the fullest rank holds."""
    if leg.strategy != "zero1":
        return held(shape, leg)
    loads = [0] * leg.replicate
    for tensor in sorted(tensors(shape), key=lambda tensor: -tensor.parameters):
        least = loads.index(min(loads))
        loads[least] += tensor.parameters
    return max(loads)


def gathered(shape: Shape, leg: Leg) -> int:
    """Parameters of one gather of everything, the padding of the last chunks included."""
    return sum(_rows(tensor, leg) * leg.shard * tensor.columns for tensor in _local(shape, leg))


def norms(shape: Shape) -> int:
    """Parameters that tensor ranks hold alike."""
    return sum(tensor.parameters for tensor in tensors(shape) if tensor.tp == _WHOLE)


def is_uneven(shape: Shape, leg: Leg) -> bool:
    """Whether rows of some tensor do not divide among the shards."""
    return any(tensor.rows % leg.shard for tensor in _local(shape, leg))


def _local(shape: Shape, leg: Leg) -> Iterator[Tensor]:
    return (of_tensor_rank(tensor, leg.tp) for tensor in tensors(shape))


def _rows(tensor: Tensor, leg: Leg) -> int:
    """Rows of the first shard, which is never the smaller one."""
    return -(-tensor.rows // leg.shard)


def _stages(shape: Shape, leg: Leg, rank: int) -> Iterable[Tensor]:
    """What a rank of a pipeline holds: its chunks' layers, and the ends where it has the first or the last of them."""
    stages = leg.pp * leg.chunks
    each = shape.layers // stages
    mine = {layer for stage in range(rank, stages, leg.pp) for layer in range(stage * each, (stage + 1) * each)}
    for tensor in tensors(shape):
        layer, _, _ = tensor.name.partition(".")
        if layer.isdigit():
            if int(layer) in mine:
                yield tensor
        elif (tensor.name == "embedding" and rank == 0) or (tensor.name != "embedding" and rank == leg.pp - 1):
            yield tensor
