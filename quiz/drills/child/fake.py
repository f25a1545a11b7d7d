"""True size: a question's own model through the real code of FSDP2 and tensor parallelism, with no memory taken.

Tensors are fake: they have a shape, a type and a storage that is counted and not there. The process group is fake: it
says that it has a thousand ranks, and this process is the first of them. What runs is torch's own code, so that what is
gathered, kept, reduced and freed, and when, is what real ranks would do. Times and losses say nothing.
"""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any, Final

import msgspec
import torch
import torch.distributed

from quiz.drills.child import private
from quiz.drills.child.data import Micro
from quiz.drills.child.layout import divide, mesh_of
from quiz.drills.child.measure import Watched, at_rest, held
from quiz.drills.child.model import Decoder
from quiz.drills.child.strategies import Plan, Sharded, adam
from quiz.drills.child.tracker import STEP
from quiz.drills.child.watch import Watch
from quiz.drills.events import LegEvent, Log, Memory, Peak, PhaseEvent, Rest, Step, Traffic
from quiz.drills.records import Stepped
from quiz.drills.unfit import unfit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from quiz.drills.events import AnyEvent
    from quiz.drills.records import Leg, Spec

    Emit = Callable[[AnyEvent], None]

MEASURED: Final = 1
"""The step that is read. Step 0 makes the optimizer's state, and what torch tries only once."""
DEVICE: Final = "cpu"
"""Fake CUDA tensors abort a process whose torch has no CUDA; what is counted is the same."""
_SHALLOW: Final = 2
"""Layers of the model that meets each sharding first."""
_STANDS_FOR_DDP: Final = (
    "DDP does not run on fake tensors: one whole replica runs in its place. DDP holds what it holds, and beside it a "
    "second copy of the gradients in its buckets (4 bytes a parameter) unless they are views of the buckets, and it "
    "all-reduces the gradients once a step."
)
_IN_FP32: Final = "Mixed precision is FSDP's: without shards this leg computes in fp32."


def run(spec: Spec, emit: Emit) -> None:
    """Measure each leg of a run at its true size, in this process, and emit what was measured as rank 0.

    A leg that cannot run on fake tensors dies at once, and says why.
    """
    there = msgspec.structs.replace(spec, device=DEVICE)
    for leg in spec.legs:
        emit(LegEvent(leg=leg.name, state="begin"))
        cause = unfit(leg)
        if cause is not None:
            emit(LegEvent(leg=leg.name, state="died", phase="build", cause=cause))
            continue
        if leg.strategy == "ddp":
            emit(Log(leg=leg.name, text=_STANDS_FOR_DDP))
        if leg.strategy != "fsdp" and leg.param_dtype != "fp32":
            emit(Log(leg=leg.name, text=_IN_FP32))
        _with_group(there, leg, emit)
        emit(LegEvent(leg=leg.name, state="done"))


def _with_group(spec: Spec, leg: Leg, emit: Emit) -> None:
    private.fake_group(rank=0, world=leg.world)
    try:
        with warnings.catch_warnings():
            # Tensor ranks give their logits as a view, which nobody changes in place.
            warnings.filterwarnings("ignore", message="FSDP2-wrapped module")
            if leg.tp > 1 and spec.shape.layers > _SHALLOW:
                # An operation that meets a sharding for the first time is tried on global shapes, which would be
                # counted; so a model of the same widths and few layers meets them all first.
                few = msgspec.structs.replace(spec.shape, layers=_SHALLOW)
                _Leg(msgspec.structs.replace(spec, shape=few), leg, _unheard, met=False).run()
            _Leg(spec, leg, emit, met=leg.tp == 1 or spec.shape.layers > _SHALLOW).run()
    finally:
        torch.distributed.destroy_process_group()


def _unheard(_: AnyEvent) -> None:
    """Take an event that nobody is to hear of."""


class _Leg:
    """One leg: its plan, and what watches it."""

    def __init__(self, spec: Spec, leg: Leg, emit: Emit, *, met: bool) -> None:
        self._spec, self._leg, self._emit, self._met = spec, leg, emit, met
        emit(PhaseEvent(leg=leg.name, phase="build"))
        # Outside the fake mode: a mesh made inside fails, and wrapping inside takes minutes at a thousand ranks.
        mesh = None if leg.strategy == "ddp" else mesh_of(leg, DEVICE)
        self._groups = {} if mesh is None else {mesh.get_group(name).group_name: name for name in mesh.mesh_dim_names}
        with torch.device("meta"):
            self._model = Decoder(spec.shape)
        divide(self._model, leg, mesh)
        self._plan: Plan
        self._watched: Watched
        self._step = 0
        self._phase = ""

    def run(self) -> None:
        """Make the optimizer's state and one step, and emit what that step held and sent."""
        with private.fake_mode():
            self._model.to_empty(device=DEVICE)
            optimizer = adam(self._model, self._leg)
            if self._leg.strategy == "fsdp":
                self._plan = Sharded(self._model, optimizer, self._groups, each=self._leg.sync == "each")
            else:
                self._plan = Plan(self._model, optimizer, self._groups)
            self._watched = Watched(self._spec, self._leg, self._plan)
            first, second = self._micros(), self._micros()
            with self._watched, self._watched.step(_Arrived):
                begun = time.perf_counter()
                self._prime(first)
                del first
                begun = self._stepped(begun)
                self._step = MEASURED
                self._take(second)
                self._emit(Rest(leg=self._leg.name, held=at_rest(self._plan)))
                self._stepped(begun)
            self._tell()

    def _micros(self) -> list[Micro]:
        def tokens() -> torch.Tensor:
            return torch.zeros(self._spec.batch, self._spec.shape.sequence, dtype=torch.int64)

        return [Micro(tokens(), tokens()) for _ in range(self._leg.accumulation)]

    def _prime(self, micros: list[Micro]) -> None:
        if not self._met:
            self._take(micros)
        else:
            # Gradients of zeros make the same state as a whole step, in half of the time.
            self._enter(STEP)
            for each in self._plan.parameters:
                each.grad = torch.zeros_like(each)
            self._plan.optimizer.step()
            self._enter("")
        self._plan.optimizer.zero_grad()
        self._watched.again()

    def _take(self, micros: list[Micro]) -> None:
        loss = self._plan.passes(micros, self._enter)
        self._enter(STEP)
        self._plan.optimizer.step()
        self._enter("")
        del loss  # real ranks hold it until the step is told, and so does this one

    def _enter(self, phase: str) -> None:
        if self._phase:
            live = held(self._watched.tracker.live())
            self._emit(Memory(leg=self._leg.name, held=live, phase=self._phase, step=self._step))
        self._phase = phase
        self._watched.tracker.enter(phase)
        if phase:
            self._emit(PhaseEvent(leg=self._leg.name, phase=phase, step=self._step))

    def _stepped(self, begun: float) -> float:
        now = time.perf_counter()
        done = Stepped(step=self._step, seconds=now - begun, tracked=True)
        self._emit(Step(leg=self._leg.name, done=done))
        return now

    def _tell(self) -> None:
        for high in self._watched.highs():
            self._emit(Peak(leg=self._leg.name, high=high))
        self._emit(Traffic(leg=self._leg.name, step=MEASURED, sent=self._watched.sent()))


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
