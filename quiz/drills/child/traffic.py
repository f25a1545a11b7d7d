"""What collectives are handed: payload by operation, type, group and phase, exact.

The payload of a collective is the larger of what goes in and what comes out on this rank: the gathered whole of an
all-gather, the input of a reduce-scatter, the one buffer of an all-reduce or a broadcast. What then crosses the wire is
the backend's affair.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from quiz.drills.child import private
from quiz.drills.child.watch import tensors

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from quiz.drills.child.watch import Operation

_KINDS: Final = (
    # The first that is part of the operation's name, underscores left out, is its kind.
    ("reducescatter", "reduce-scatter"),
    ("allreduce", "all-reduce"),
    ("allgather", "all-gather"),
    ("alltoall", "all-to-all"),
    ("broadcast", "broadcast"),
    ("send", "send"),
    ("recv", "receive"),
    ("scatter", "scatter"),
    ("gather", "gather"),
    ("reduce", "reduce"),
)
_NAMESPACES: Final = ("c10d.", "_c10d_functional.", "_c10d_functional_autograd.", "_dtensor.")


class Kind(NamedTuple):
    """What is counted together. `group` is the process group's own name and `size` its ranks ("" and 0: not known)."""

    op: str
    dtype: str
    group: str
    size: int
    phase: str


class Payload(NamedTuple):
    """How often, and how many bytes in all."""

    times: int
    bytes: int


class Traffic:
    """Counts collectives. `phase` is asked at each for the name of the phase."""

    def __init__(self, phase: Callable[[], str]) -> None:
        self._phase = phase
        self._kinds: dict[str, str | None] = {}
        self.counted: dict[Kind, Payload] = {}

    def clear(self) -> None:
        """Begin anew."""
        self.counted = {}

    def saw(self, operation: Operation) -> None:
        """Count the operation if it is a collective."""
        name = operation.name
        if name not in self._kinds:
            self._kinds[name] = kind_of(name)
        op = self._kinds[name]
        if op is None:
            return
        handed = [list(tensors(value)) for value in (*operation.args, *operation.kwargs.values(), operation.out)]
        largest = max(handed, key=_bytes)
        if not largest:
            return
        dtype = str(largest[0].dtype).removeprefix("torch.")
        kind = Kind(op, dtype, *self._group(operation), self._phase())
        before = self.counted.get(kind, Payload(0, 0))
        self.counted[kind] = Payload(before.times + 1, before.bytes + _bytes(largest))

    def total(self, op: str | None = None) -> int:
        """Bytes in all, or those of one operation."""
        return sum(payload.bytes for kind, payload in self.counted.items() if op in {None, kind.op})

    def _group(self, operation: Operation) -> tuple[str, int]:
        # Functional collectives name the group last; the others have it, boxed, somewhere.
        candidates = operation.args[1:] if operation.name.startswith("c10d.") else operation.args[-1:]
        return next((found for found in map(private.group_of, candidates) if found is not None), ("", 0))


def kind_of(name: str) -> str | None:
    """The kind of collective that an operation is, or None if it is none: `c10d._allgather_base_` is an all-gather."""
    if not name.startswith(_NAMESPACES):
        return None
    bare = re.sub("[^a-z]", "", name.partition(".")[2])
    return next((kind for part, kind in _KINDS if part in bare), None)


def _bytes(values: list[Tensor]) -> int:
    return sum(value.numel() * value.element_size() for value in values)
