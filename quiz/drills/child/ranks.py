"""The tier `ranks`: each leg really trained for some steps, and measured on every rank.

A step carries the tracker or the clock, never both: tracked steps say what is held and sent, the others how long a step
takes and what is resident. Each phase of a step is told as it begins.
"""

from __future__ import annotations

import contextlib
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import torch
from torch import distributed

from quiz.drills.child import resident
from quiz.drills.child.data import micro_batches
from quiz.drills.child.measure import Resident, Watched, at_rest, held, with_resident
from quiz.drills.child.strategies import build
from quiz.drills.child.tracker import STEP
from quiz.drills.child.warm import warm_up
from quiz.drills.events import LegEvent, Memory, Peak, PhaseEvent, Rest, Step, Traffic
from quiz.drills.records import Held, Stepped

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from quiz.drills.child.strategies import Plan
    from quiz.drills.events import AnyEvent
    from quiz.drills.records import Leg, Spec

    Emit = Callable[[AnyEvent], None]

TRACKED: Final = (1, 2)
"""Steps that carry the tracker. Step 0 has no optimizer state yet; buffers that were made out of sight are met in the
first of these and counted in the second, which is the one that is reported."""
_LEG: Final = 86_400.0
"""Seconds that ranks wait for a leg that one of them runs alone: whether it gets on is for who watches the run."""


def rank_main(spec: Spec, rank: int, world: int, emit: Emit) -> None:
    """Run the legs of a spec on one rank; the process group is there, unless a leg has one process only.

    Raises:
        ValueError: a leg cannot be built.
        RuntimeError: torch failed; the message is torch's.
    """
    warm_up(spec.device)
    for leg in spec.legs:
        if leg.strategy != "single" or rank == 0:
            run_leg(spec, leg, rank, emit)
            resident.settle()
        if world > 1 and len(spec.legs) > 1:
            together(_LEG)


def together(seconds: float) -> None:
    """Wait for all ranks, as long as a leg that one of them runs alone may take, and not only the group's timeout."""
    if distributed.get_backend() == "gloo":
        distributed.monitored_barrier(timeout=timedelta(seconds=seconds))
    else:
        distributed.barrier()


class Phases:
    """Knows in which phase a leg is, and tells all who measure."""

    def __init__(self, leg: Leg, emit: Emit) -> None:
        self._leg, self._emit = leg, emit
        self._told: set[str] = set()
        self._watched: Watched | None = None
        self.step = 0
        self.phase = "build"
        self.resident = Resident()

    def begin(self, step: int, watched: Watched | None) -> None:
        """Begin a step, with the tracker or without."""
        self.step, self._watched = step, watched
        self._told.clear()

    def enter(self, phase: str) -> None:
        """Begin a phase. Those of further micro-batches are told to who measures only."""
        self._held()
        self.phase = phase
        if phase not in self._told:
            self._told.add(phase)
            self._emit(PhaseEvent(leg=self._leg.name, phase=phase, step=self.step))
        if self._watched is not None:
            self._watched.tracker.enter(phase)
        else:
            self.resident.enter(phase)

    def end(self) -> None:
        """End the step."""
        self._held()
        if self._watched is not None:
            self._watched.tracker.enter("")
        else:
            self.resident.enter("")
        self._watched = None

    @property
    def held_at_error(self) -> int | None:
        """What lived when an error went through a tracked step; None in a step that carries no tracker."""
        return None if self._watched is None else self._watched.held_at_error

    def _held(self) -> None:
        """Tell what is held as a phase of a tracked step ends."""
        if self._watched is not None and self._watched.tracker.phase:
            live = held(self._watched.tracker.live())
            resident = self.resident.now()
            self._emit(Memory(leg=self._leg.name, held=live, phase=self.phase, step=self.step, resident=resident))


def run_leg(spec: Spec, leg: Leg, rank: int, emit: Emit, phases: Phases | None = None) -> None:
    """Build a leg, train it and emit what was measured. `phases` is for who has to know where it died."""
    phases = phases or Phases(leg, emit)
    emit(LegEvent(leg=leg.name, state="begin"))
    emit(PhaseEvent(leg=leg.name, phase="build"))
    resident.settle()
    phases.resident.base()
    run = _Run(spec, leg, rank, build(spec, leg, rank), phases, emit)
    # Under a cap all steps are: what was held where a leg died is asked of any of them, and their times of none.
    tracked = tuple(range(spec.steps)) if spec.tier == "oom" else tracked_steps(spec.steps)
    for step in range(tracked[0]):
        run.step(step)
    with Watched(spec, leg, run.plan) as watched:
        for step in tracked:
            if step == tracked[-1]:
                watched.again()
            run.step(step, watched)
        sent, highs = watched.sent(), watched.highs()
    # Told as soon as it is known: of a run that is ended before its last step this is what was measured.
    emit(Traffic(leg=leg.name, step=tracked[-1], sent=sent))
    for high in highs:
        emit(Peak(leg=leg.name, high=high))
    emit(Rest(leg=leg.name, held=run.rest))
    for step in range(tracked[-1] + 1, spec.steps):
        run.step(step)
    for high in with_resident(highs, phases.resident, together=leg.strategy == "pp"):
        emit(Peak(leg=leg.name, high=high))
    emit(LegEvent(leg=leg.name, state="done"))


def tracked_steps(steps: int) -> tuple[int, ...]:
    """Which of so many steps carry the tracker: the second and the third, or all where there are not so many."""
    return TRACKED if steps > TRACKED[-1] else tuple(range(steps))


class _Run:
    """A leg under way on this rank."""

    def __init__(self, spec: Spec, leg: Leg, rank: int, plan: Plan, phases: Phases, emit: Emit) -> None:
        self.spec, self.leg, self.rank, self.plan, self.phases, self.emit = spec, leg, rank, plan, phases, emit
        self.rest = Held()

    def step(self, step: int, watched: Watched | None = None) -> None:
        """Take one step, with the tracker or with the clock."""
        micros = micro_batches(self.spec, self.leg, self.rank, step)
        self.phases.begin(step, watched)
        synchronise(self.spec.device)
        begun = time.perf_counter()
        with watched.step() if watched is not None else contextlib.nullcontext():
            loss = self.plan.passes(micros, self.phases.enter)
            self.phases.enter(STEP)
            self.plan.optimizer.step()
        if watched is not None:
            self.rest = at_rest(self.plan)
        if step == self.spec.steps - 1:
            self.emit(Rest(leg=self.leg.name, held=at_rest(self.plan)))
        self.plan.clear()
        synchronise(self.spec.device)
        seconds = time.perf_counter() - begun
        self.phases.end()
        done = Stepped(
            step=step, loss=mean_loss(self.spec, self.leg, loss), seconds=seconds, tracked=watched is not None
        )
        self.emit(Step(leg=self.leg.name, done=done))


def synchronise(device: str) -> None:
    """Wait for a GPU to have done what it was told."""
    if device == "cuda":
        torch.cuda.synchronize()


def mean_loss(spec: Spec, leg: Leg, loss: Tensor | None) -> float:
    """The loss over all ranks that saw one. It is reduced beside the step, and neither timed nor counted."""
    if leg.strategy == "single" or not distributed.is_initialized():
        return float("nan") if loss is None else float(loss)
    sums = torch.zeros(2, dtype=torch.float64, device=spec.device)
    if loss is not None:
        sums += torch.stack((loss.double(), torch.ones_like(loss, dtype=torch.float64)))
    distributed.all_reduce(sums)
    return float(sums[0] / sums[1])
