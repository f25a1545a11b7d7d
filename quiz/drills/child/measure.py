"""The measurements of a rank: at rest, by phase, by collective, each as the record that is emitted."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import msgspec

from quiz.drills.child import private, resident, tracker
from quiz.drills.child.traffic import Traffic
from quiz.drills.child.watch import Watch, local
from quiz.drills.records import Held, High, Sent

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self

    from torch import Tensor

    from quiz.drills.child.strategies import Plan
    from quiz.drills.child.watch import Operation
    from quiz.drills.records import Leg, Spec

_ITEM: Final = {"fp32": 4, "bf16": 2}
_PHASES: Final = (tracker.FORWARD, tracker.BACKWARD, tracker.STEP)
GATHERED: Final = "gathered"
PREFETCHED: Final = "prefetched"


def at_rest(plan: Plan) -> Held:
    """Bytes of parameters, gradients and optimizer state that the rank holds now: elements, without any padding.

    Adam's count of steps, one number for each tensor, is no state of a parameter and is left out.
    """
    gradients = [parameter.grad for parameter in plan.parameters if parameter.grad is not None]
    return Held(
        parameters=_bytes(plan.parameters),
        gradients=_bytes(gradients),
        optimizer=_bytes([state for state in plan.states() if state.dim()]),
    )


def _bytes(tensors: list[Tensor] | tuple[Tensor, ...]) -> int:
    held = (local(tensor) for tensor in tensors)
    return sum(tensor.numel() * tensor.element_size() for tensor in held)


def held(categories: Mapping[str, int]) -> Held:
    """The five categories of a record out of the tracker's finer ones; logits are activations."""
    own = {tracker.PARAMETERS, tracker.GRADIENTS, tracker.OPTIMIZER, tracker.ACTIVATIONS, tracker.LOGITS}
    return Held(
        parameters=categories.get(tracker.PARAMETERS, 0),
        gradients=categories.get(tracker.GRADIENTS, 0),
        optimizer=categories.get(tracker.OPTIMIZER, 0),
        activations=categories.get(tracker.ACTIVATIONS, 0) + categories.get(tracker.LOGITS, 0),
        other=sum(size for category, size in categories.items() if category not in own),
    )


def named(categories: Mapping[str, int], leg: Leg, unit: int, root: int) -> dict[str, int]:
    """The overheads of a peak by name. `unit` and `root` are the parameters of a block and of what is in none.

    Of gathered weights, what goes beyond the root's and one block's was gathered before its turn.
    """
    plain = {tracker.PARAMETERS, tracker.GRADIENTS, tracker.OPTIMIZER, tracker.ACTIVATIONS, tracker.TEMPORARIES}
    found = {category: size for category, size in categories.items() if category not in plain and size}
    gathered = found.get(GATHERED, 0)
    at_work = (unit + root) * _ITEM[leg.param_dtype] // leg.tp
    if leg.reshard and gathered > at_work:
        found |= {GATHERED: at_work, PREFETCHED: gathered - at_work}
    return found


class Watched:
    """The tracker, the count of traffic and the watch of one leg.

    It is a context manager around all tracked steps, and `step` is one around each of them: what happens in between is
    nobody's, but buffers that were met are remembered.
    """

    def __init__(self, spec: Spec, leg: Leg, plan: Plan) -> None:
        self._leg, self._groups = leg, plan.groups
        shape = spec.shape
        whole = shape.parameters
        self._unit = (whole - shape.hidden * (1 + shape.vocab * (1 if shape.tied else 2))) // shape.layers
        self._root = whole - shape.layers * self._unit
        rows, widths = spec.batch * shape.sequence, {shape.vocab, shape.vocab // leg.tp}

        def logits(tensor: Tensor) -> str | None:
            found = tensor.dim() > 1 and tensor.shape[-1] in widths and tensor.numel() in {rows * w for w in widths}
            return tracker.LOGITS if found else None

        self.tracker = tracker.Tracker(plan.owned, spec.device, logits)
        self.traffic = Traffic(lambda: self.tracker.phase)
        self._turns = _Turns(self.tracker, plan.module) if leg.strategy == "pp" else None
        self._observers = (*((self._turns,) if self._turns else ()), self.tracker, self.traffic)
        self.held_at_error: int | None = None
        """Bytes that lived when an error went through the watch."""

    def __enter__(self) -> Self:
        self.tracker.__enter__()
        if self._turns is not None:
            self._turns.begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is not None:
            self.held_at_error = self.tracker.total
        if self._turns is not None:
            self._turns.end()
        self.tracker.__exit__(kind, error, at)

    def step(self, kind: type[Watch] = Watch) -> Watch:
        """Watch one step, with a watch of the kind."""
        return kind(self._observers)

    def again(self) -> None:
        """Begin peaks and traffic anew: the first tracked step only shows what was there before."""
        self.tracker.peaks = {}
        self.traffic.clear()

    def sent(self) -> tuple[Sent, ...]:
        """What the collectives were handed, in the order in which their kinds came."""
        return tuple(
            Sent(
                op=kind.op,
                dtype=kind.dtype,
                group=self._groups.get(kind.group, "world"),
                size=kind.size,
                phase=kind.phase,
                count=payload.times,
                bytes=payload.bytes,
            )
            for kind, payload in self.traffic.counted.items()
        )

    def highs(self) -> list[High]:
        """The peak of each phase, in the order of phases."""
        return [
            High(
                phase=phase,
                held=held(peak.categories),
                named=named(peak.categories, self._leg, self._unit, self._root),
            )
            for phase in _PHASES
            if (peak := self.tracker.peaks.get(phase)) is not None
        ]


class _Turns:
    """Tells a tracker when a pipeline turns from forward to backward and back.

    A stage goes forward from when it is called, and backward from when autograd is at work. What is done between two
    stages (messages, the outputs put together) belongs to whichever was before.
    """

    def __init__(self, told: tracker.Tracker, stages: Any) -> None:
        self._told, self._stages, self._in_backward = told, stages, private.in_backward()
        self._hooks: list[Any] = []

    def begin(self) -> None:
        """Listen to the stages."""
        self._hooks = [
            stage.register_forward_pre_hook(lambda *_: self._turn(tracker.FORWARD)) for stage in self._stages
        ]

    def end(self) -> None:
        """Listen no longer."""
        for hook in self._hooks:
            hook.remove()

    def saw(self, operation: Operation) -> None:  # noqa: ARG002 - any operation will do
        """Turn back where autograd says that it is at work."""
        if self._in_backward():
            self._turn(tracker.BACKWARD)

    def _turn(self, phase: str) -> None:
        if self._told.phase not in (phase, "", tracker.STEP):
            self._told.enter(phase)


class Resident:
    """The most that was resident in each phase, above the size before the leg."""

    def __init__(self) -> None:
        self._base: int | None = None
        self._phase = ""
        self._most: Counter[str] = Counter()

    def base(self) -> None:
        """Take the size now as that before the leg."""
        self._base = resident.resident()

    def enter(self, phase: str) -> None:
        """End the phase at work and begin another ("" for none)."""
        if self._base is None:
            return
        high = resident.high_water()
        if self._phase and high is not None:
            self._most[self._phase] = max(self._most[self._phase], high - self._base)
        self._phase = phase if resident.reset() else ""

    def now(self) -> int | None:
        """What is resident above the size before the leg."""
        size = resident.resident()
        return None if size is None or self._base is None else size - self._base

    def of(self, phase: str) -> int | None:
        """The most in a phase, None where it is not known."""
        return self._most.get(phase)


def with_resident(highs: list[High], measured: Resident, *, together: bool) -> list[High]:
    """Add to each peak what was resident.

    `together`: forward and backward take turns, as in a pipeline, and were measured as one; it is the greater's.
    """
    greater = max(highs, key=lambda high: (high.phase != tracker.STEP, high.held.total), default=None)
    done = []
    for high in highs:
        most = measured.of(high.phase)
        if together and high.phase != tracker.STEP:
            most = measured.of(tracker.FORWARD) if high is greater else None
        done.append(msgspec.structs.replace(high, resident=most))
    return done
