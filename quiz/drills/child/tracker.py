"""Live bytes by category and phase: every storage from its birth to its death, on real and on fake tensors.

A storage belongs to one category at a time. What is there before the watch begins, and what the model and the optimizer
own, is said by `owned`; anything else is named after the operation that made it, or is an activation if it was made in
the forward pass, and a temporary otherwise. The composition of a peak is worked out when its phase ends, so that a
gradient counts as one from its birth, although it is known as one only when backward has ended.

What an operation takes and frees within itself is not seen, nor is what the allocator keeps beyond what is asked of it.
"""

from __future__ import annotations

import weakref
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import torch

from quiz.drills.child.traffic import kind_of
from quiz.drills.child.watch import local, tensors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torch import Tensor

    from quiz.drills.child.watch import Operation

PARAMETERS: Final = "parameters"
GRADIENTS: Final = "gradients"
OPTIMIZER: Final = "optimizer"
ACTIVATIONS: Final = "activations"
LOGITS: Final = "logits"
GATHERED: Final = "gathered"
"""Weights that are whole for a moment."""
GATHER_BUFFER: Final = "all-gather buffer"
REDUCE_BUFFER: Final = "reduce-scatter buffer"
BUCKET: Final = "bucket"
"""DDP's copy of the gradients, which it all-reduces."""
MESSAGES: Final = "messages"
"""What a pipeline stage sends and receives."""
STEP_TEMPORARIES: Final = "optimizer temporaries"
TEMPORARIES: Final = "temporaries"
COUNTERS: Final = "step counters"
"""Adam's count of steps, one number for each tensor."""
CATEGORIES: Final = (
    PARAMETERS, GRADIENTS, OPTIMIZER, ACTIVATIONS, LOGITS, GATHERED, GATHER_BUFFER, REDUCE_BUFFER, BUCKET, MESSAGES,
    STEP_TEMPORARIES, TEMPORARIES, COUNTERS,
)  # fmt: skip

FORWARD: Final = "forward"
BACKWARD: Final = "backward"
STEP: Final = "optimizer"
_FRESH: Final = {FORWARD: ACTIVATIONS, STEP: STEP_TEMPORARIES}

Owned = tuple[str, "Iterable[Tensor | None]"]

_COPIED_TO: Final = {"fsdp.split_with_sizes_copy": GATHERED, "fsdp.chunk_cat": REDUCE_BUFFER}
_HANDED: Final = {
    # What an operation is handed, by its kind. A gather's input and a reduction's output have their owners.
    "all-reduce": BUCKET,
    "all-gather": GATHER_BUFFER,
    "reduce-scatter": REDUCE_BUFFER,
    "broadcast": BUCKET,
    "send": MESSAGES,
    "receive": MESSAGES,
}
_FIXED: Final = frozenset({PARAMETERS, GRADIENTS, OPTIMIZER, COUNTERS})
_UNNAMED: Final = frozenset({ACTIVATIONS, TEMPORARIES, STEP_TEMPORARIES})


class Peak(NamedTuple):
    """The largest sum of live bytes in a phase, and what it was made of."""

    total: int
    categories: dict[str, int]


class _Life:
    """A storage of one size: from `born` to `died` on the tracker's clock, `died` being None while it lives."""

    __slots__ = ("born", "bytes", "category", "died", "phase", "reference")

    def __init__(self, size: int, category: str, phase: str, born: int) -> None:
        self.bytes, self.category, self.phase, self.born = size, category, phase, born
        self.died: int | None = None
        self.reference: Any = None


class Tracker:
    """An observer of operations that knows at any time what lives.

    `owned` gives pairs of a category and its tensors (distributed ones count by what this rank holds); it is asked at
    the beginning and at the end of each phase. Only storages on devices of the kind `device` count. `name` may know a
    fresh tensor's category (logits by their shape). Use the tracker as a context manager around the watch, and `enter`
    a phase before the first operation.
    """

    def __init__(
        self,
        owned: Callable[[], Iterable[Owned]],
        device: str = "cpu",
        name: Callable[[Tensor], str | None] = lambda _: None,
    ) -> None:
        self._owned, self._device, self._name = owned, device, name
        self._clock = 0
        self._alive: dict[int, _Life] = {}
        self._gone: list[_Life] = []
        self._peak, self._peak_at = 0, 0
        self._resize: Any = None
        self.total = 0
        self.phase = ""
        self.peaks: dict[str, Peak] = {}

    def __enter__(self) -> Self:
        self._resize = torch.UntypedStorage.resize_
        original, saw = self._resize, self._resized

        def resize_(storage: Any, size: int) -> Any:
            out = original(storage, size)
            saw(storage)
            return out

        # FSDP2 frees and takes again the memory of gathered weights by this call, which is no operation.
        torch.UntypedStorage.resize_ = resize_
        self._settle()
        return self

    def __exit__(self, *_: object) -> None:
        self.enter("")
        torch.UntypedStorage.resize_ = self._resize
        self._alive.clear()
        self.total = 0

    def enter(self, phase: str) -> None:
        """End the phase at work, whose peak is then in `peaks`, and begin another ("" for none).

        A phase that comes again keeps the larger of its peaks.
        """
        self._settle()
        if self.phase:
            kept = self.peaks.get(self.phase)
            if kept is None or self._peak > kept.total:
                self.peaks[self.phase] = Peak(self._peak, self._composition(self._peak_at))
        self._gone.clear()
        self.phase = phase
        self._peak, self._peak_at = self.total, self._clock

    def live(self) -> dict[str, int]:
        """Bytes alive now by category."""
        self._settle()
        return self._composition(self._clock)

    def saw(self, operation: Operation) -> None:
        """Take in what an operation has made."""
        # A view of what nobody has met is of what a library made for itself, as gloo does to reduce and scatter.
        for tensor in () if operation.views else tensors(operation.out):
            self._meet(tensor, None)
        if operation.name in _COPIED_TO:
            for tensor in tensors(operation.kwargs.get("out")):
                self._meet(tensor, _COPIED_TO[operation.name])
        elif operation.name.startswith("c10d."):
            # Buffers that were made where no Python looks, such as DDP's buckets, are met here.
            kind = kind_of(operation.name)
            for value in operation.args if kind in _HANDED else ():
                for tensor in tensors(value):
                    self._meet(tensor, _HANDED[str(kind)])

    def _meet(self, tensor: Tensor, category: str | None) -> None:
        """Note a tensor's storage if it is new; with a category, name it if nothing more is known of it."""
        if tensor.device.type != self._device:
            return
        storage = tensor.untyped_storage()
        key = storage._cdata  # noqa: SLF001 - the address of a storage is its identity
        life = self._alive.get(key)
        if life is None:
            self._begin(storage, key, category or self._name(tensor) or _FRESH.get(self.phase, TEMPORARIES))
        elif category is not None and life.category in _UNNAMED:
            life.category = category

    def _begin(self, storage: Any, key: int, category: str) -> None:
        self._clock += 1
        life = _Life(storage.nbytes(), category, self.phase, self._clock)
        life.reference = weakref.ref(storage, lambda _: self._end(key))
        self._alive[key] = life
        self._add(life.bytes)

    def _end(self, key: int) -> None:
        life = self._alive.pop(key, None)
        if life is not None:
            self._bury(life)

    def _bury(self, life: _Life) -> None:
        self._clock += 1
        life.died = self._clock
        self._gone.append(life)
        self.total -= life.bytes

    def _add(self, size: int) -> None:
        self.total += size
        if self.total > self._peak:
            self._peak, self._peak_at = self.total, self._clock

    def _resized(self, storage: Any) -> None:
        key = storage._cdata  # noqa: SLF001 - as above
        before = self._alive.get(key)
        if before is None:
            if storage.device.type == self._device:
                self._begin(storage, key, GATHERED)
            return
        self._bury(before)
        self._clock += 1
        after = _Life(storage.nbytes(), before.category, self.phase, self._clock)
        after.reference = before.reference
        if before.category in _UNNAMED:
            after.category = GATHERED
        self._alive[key] = after
        self._add(after.bytes)

    def _settle(self) -> None:
        """Name what has an owner, and call temporaries what nobody kept until the end of the forward pass."""
        for category, owned in self._owned():
            for tensor in owned:
                if tensor is not None:
                    self._own(local(tensor), category)
        if self.phase == FORWARD:
            for life in self._gone:
                if life.category == ACTIVATIONS and life.phase == FORWARD:
                    life.category = TEMPORARIES

    def _own(self, tensor: Tensor, category: str) -> None:
        self._meet(tensor, category)
        life = self._alive.get(tensor.untyped_storage()._cdata)  # noqa: SLF001 - as above
        # Between the passes a module's parameters may be the gathered ones.
        if life is not None and not (category == PARAMETERS and life.category == GATHERED):
            life.category = category

    def _composition(self, clock: int) -> dict[str, int]:
        sums: Counter[str] = Counter()
        for life in (*self._alive.values(), *self._gone):
            if life.born <= clock and (life.died is None or life.died > clock):
                sums[life.category] += life.bytes
        return {category: sums[category] for category in CATEGORIES if sums[category]}
