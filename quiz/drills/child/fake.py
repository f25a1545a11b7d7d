"""True size: a question's own model through the real code of FSDP2 and tensor parallelism, with no memory taken.

Tensors are fake: they have a shape, a type and a storage that is counted and not there. The process group is fake: it
says that it has a thousand ranks, and this process is the first of them. What runs is torch's own code, so that what is
gathered, kept, reduced and freed, and when, is what real ranks would do. Times and losses say nothing.
"""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any, Final

import torch
import torch.distributed

from quiz.drills.child import private
from quiz.drills.child.layout import divide, mesh_of
from quiz.drills.child.model import Decoder, loss
from quiz.drills.child.tracker import (
    ACTIVATIONS,
    BACKWARD,
    COUNTERS,
    FORWARD,
    GRADIENTS,
    LOGITS,
    OPTIMIZER,
    PARAMETERS,
    STEP,
    Tracker,
)
from quiz.drills.child.traffic import Traffic
from quiz.drills.child.watch import Watch
from quiz.drills.events import LegEvent, Log, Peak, PhaseEvent, Rest, Step
from quiz.drills.events import Traffic as Sending
from quiz.drills.expect_fake import unfit
from quiz.drills.records import Held, High, Sent, Stepped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from torch import Tensor, nn
    from torch.distributed.device_mesh import DeviceMesh

    from quiz.drills.child.tracker import Owned
    from quiz.drills.events import AnyEvent
    from quiz.drills.records import Leg, Spec

    Emit = Callable[[AnyEvent], None]

MEASURED: Final = 1
"""The step that is read. Step 0 makes the optimizer's state, and what torch tries only once."""
DEVICE: Final = "cpu"
"""Fake CUDA tensors abort a process whose torch has no CUDA; what is counted is the same."""
_STANDS_FOR_DDP: Final = (
    "DDP does not run on fake tensors: one whole replica runs in its place. DDP holds what it holds, and beside it a "
    "second copy of the gradients in its buckets (4 bytes a parameter) unless they are views of the buckets, and it "
    "all-reduces the gradients once a step."
)


def run(spec: Spec, emit: Emit) -> None:
    """Measure each leg of a run at its true size, in this process, and emit what was measured as rank 0.

    A leg that cannot run on fake tensors dies at once, and says why.
    """
    for leg in spec.legs:
        emit(LegEvent(leg=leg.name, state="begin"))
        cause = unfit(leg)
        if cause is not None:
            emit(LegEvent(leg=leg.name, state="died", phase="build", cause=cause))
            continue
        if leg.strategy == "ddp":
            emit(Log(leg=leg.name, text=_STANDS_FOR_DDP))
        _with_group(spec, leg, emit)
        emit(LegEvent(leg=leg.name, state="done"))


def _with_group(spec: Spec, leg: Leg, emit: Emit) -> None:
    private.fake_group(rank=0, world=max(leg.world, 1))
    try:
        with warnings.catch_warnings():
            # Tensor ranks give their logits as a view, which nobody changes in place.
            warnings.filterwarnings("ignore", message="FSDP2-wrapped module")
            _Leg(spec, leg, emit).run()
    finally:
        torch.distributed.destroy_process_group()


class _Leg:
    """One leg: its model, its optimizer, and what watches them."""

    def __init__(self, spec: Spec, leg: Leg, emit: Emit) -> None:
        self._spec, self._leg, self._emit = spec, leg, emit
        emit(PhaseEvent(leg=leg.name, phase="build"))
        # Outside the fake mode: a mesh made inside fails, and wrapping inside takes minutes at a thousand ranks.
        self._mesh: DeviceMesh | None = None if leg.strategy == "ddp" else mesh_of(leg, DEVICE)
        with torch.device("meta"):
            self._model: nn.Module = Decoder(spec.shape)
        divide(self._model, leg, self._mesh)
        self._optimizer: torch.optim.Optimizer
        self._tokens: Tensor
        self._tracker = Tracker(self._owned, DEVICE, self._name)
        self._traffic = Traffic(lambda: self._tracker.phase)

    def run(self) -> None:
        """Make the optimizer's state and one step, and emit what that step held and sent."""
        with private.fake_mode():
            self._model.to_empty(device=DEVICE)
            self._optimizer = torch.optim.AdamW(self._model.parameters(), foreach=self._leg.foreach)
            self._tokens = torch.zeros(self._spec.batch, self._spec.shape.sequence, dtype=torch.int64)
            with self._tracker, _Arrived([self._tracker, self._traffic]):
                begun = time.perf_counter()
                self._prime()
                begun = self._stepped(0, begun)
                self._step(MEASURED)
                held = held_of(self._tracker.live())
                self._stepped(MEASURED, begun)
                self._tell(held)

    def _prime(self) -> None:
        if self._leg.tp > 1:
            # An operation that meets a sharding for the first time is tried on global shapes, which would be counted.
            self._step(0)
        else:
            # Gradients of zeros make the same state as a whole step, in half of the time.
            self._phase(STEP, 0)
            for each in self._model.parameters():
                each.grad = torch.zeros_like(each)
            self._optimizer.step()
            self._tracker.enter("")
        self._optimizer.zero_grad()
        self._tracker.peaks.clear()
        self._traffic.clear()

    def _step(self, step: int) -> None:
        micro = self._leg.accumulation
        for turn in range(micro):
            self._synchronise(last=turn == micro - 1)
            self._phase(FORWARD, step)
            value = loss(self._model(self._tokens), self._tokens)
            self._phase(BACKWARD, step)
            value.backward()
            del value
        self._phase(STEP, step)
        self._optimizer.step()
        self._tracker.enter("")

    def _stepped(self, step: int, begun: float) -> float:
        now = time.perf_counter()
        self._emit(Step(leg=self._leg.name, done=Stepped(step=step, seconds=now - begun, tracked=True)))
        return now

    def _synchronise(self, *, last: bool) -> None:
        if self._leg.strategy == "fsdp" and self._leg.accumulation > 1:
            model: Any = self._model
            model.set_requires_gradient_sync(last or self._leg.sync == "each")

    def _phase(self, phase: str, step: int) -> None:
        self._tracker.enter(phase)
        self._emit(PhaseEvent(leg=self._leg.name, phase=phase, step=step))

    def _tell(self, held: Held) -> None:
        name = self._leg.name
        self._emit(
            Rest(leg=name, held=Held(parameters=held.parameters, gradients=held.gradients, optimizer=held.optimizer))
        )
        for phase, peak in self._tracker.peaks.items():
            self._emit(
                Peak(leg=name, high=High(phase=phase, held=held_of(peak.categories), named=named_of(peak.categories)))
            )
        self._emit(Sending(leg=name, step=MEASURED, sent=tuple(self._sent())))

    def _sent(self) -> Iterator[Sent]:
        names = {}
        if self._mesh is not None:
            for name in self._mesh.mesh_dim_names or ():
                names[str(self._mesh.get_group(name).group_name)] = name
        for kind, payload in self._traffic.counted.items():
            yield Sent(
                op=kind.op,
                dtype=kind.dtype,
                group=names.get(kind.group, "world"),
                size=kind.size,
                phase=kind.phase,
                count=payload.times,
                bytes=payload.bytes,
            )

    def _owned(self) -> Iterator[Owned]:
        parameters = list(self._model.parameters())
        yield PARAMETERS, parameters
        yield GRADIENTS, [each.grad for each in parameters]
        yield ACTIVATIONS, [self._tokens]
        kept = [value for state in self._optimizer.state.values() for value in state.values()]
        yield OPTIMIZER, [each for each in kept if each.dim() > 0]
        yield COUNTERS, [each for each in kept if each.dim() == 0]

    def _name(self, tensor: Tensor) -> str | None:
        shape = self._spec.shape
        whole = self._spec.batch * shape.sequence * shape.vocab
        return LOGITS if tensor.shape[-1:] == (shape.vocab,) and tensor.numel() == whole else None


class _Arrived(Watch):
    """A watch under which nothing is waited for.

    On fake tensors, waiting for a collective gives a copy of its result, which no real rank has.
    """

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Give the result of a collective as it is; leave all else to the watch."""
        if getattr(func, "overloadpacket", None) is private.waiting():
            return args[0]
        return super().__torch_dispatch__(func, types, args, kwargs)


def held_of(categories: Mapping[str, int]) -> Held:
    """The five categories of a record, from those of the tracker: what is neither state nor activation is `other`."""
    fixed = {name: categories.get(name, 0) for name in (PARAMETERS, GRADIENTS, OPTIMIZER, ACTIVATIONS)}
    return Held(**fixed, other=sum(size for name, size in categories.items() if name not in fixed))


def named_of(categories: Mapping[str, int]) -> dict[str, int]:
    """The overheads of a record, by name: all that is neither state nor activation."""
    plain = {PARAMETERS, GRADIENTS, OPTIMIZER, ACTIVATIONS}
    return {name: size for name, size in categories.items() if name not in plain and size}
