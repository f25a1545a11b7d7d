"""A pipeline: stages, the schedule that they follow, and what a rank of it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import distributed, nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe, ScheduleInterleaved1F1B

from quiz.drills.child import model
from quiz.drills.child.layout import recompute
from quiz.drills.child.strategies import Plan, adam
from quiz.drills.child.tracker import FORWARD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from quiz.drills.child.data import Micro
    from quiz.drills.child.strategies import Enter
    from quiz.drills.records import Leg, Spec


class Staged(Plan):
    """One rank of a pipeline: one stage, or several chunks (interleaved).

    Forward and backward of different micro-batches take turns, so that only the watch can tell them apart; the schedule
    as a whole is entered as forward.
    """

    def __init__(self, modules: nn.ModuleList, optimizer: Any, schedule: Any, ends: tuple[bool, bool]) -> None:
        super().__init__(modules, optimizer, {})
        self._schedule = schedule
        self._first, self._last = ends

    def passes(self, micros: Sequence[Micro], enter: Enter) -> Tensor | None:
        """Run the schedule; the last stage returns the mean loss."""
        losses: list[Tensor] = []
        enter(FORWARD)
        given = [torch.cat([micro.tokens for micro in micros])] if self._first else []
        wanted: dict[str, Any] = {}
        if self._last:
            wanted = {"target": torch.cat([micro.targets for micro in micros]), "losses": losses}
        self._schedule.step(*given, **wanted)
        return torch.stack([loss.detach() for loss in losses]).mean() if self._last else None


def staged(spec: Spec, leg: Leg, rank: int) -> Plan:
    """Make the stages of a rank: chunk c of rank r is stage c x ranks + r of the model."""
    stages, chunks = leg.pp * leg.chunks, []
    each = spec.shape.layers // stages
    group = distributed.group.WORLD
    built = nn.ModuleList()
    for number in range(rank, stages, leg.pp):
        part = model.Decoder(
            spec.shape,
            range(number * each, (number + 1) * each),
            first=number == 0,
            last=number == stages - 1,
        ).to(spec.device)
        model.initialise(part, spec.seed)
        if leg.checkpoint == "full":
            recompute(part)
        built.append(part)
        # Said here, shapes need not be passed round, for which torch would want NumPy.
        given = {"input_args": _between(spec, part, before=True), "output_args": _between(spec, part, before=False)}
        chunks.append(PipelineStage(part, number, stages, torch.device(spec.device), group=group, **given))
    schedule: Any
    if leg.schedule == "interleaved":
        schedule = ScheduleInterleaved1F1B(chunks, leg.microbatches, loss_fn=model.loss)
    else:
        kind = ScheduleGPipe if leg.schedule == "gpipe" else Schedule1F1B
        schedule = kind(chunks[0], leg.microbatches, loss_fn=model.loss)
    plan = Staged(built, adam(built, leg), schedule, (rank == 0, rank == leg.pp - 1))
    if group is not None:
        plan.groups[group.group_name] = "pp"
    return plan


def _between(spec: Spec, part: model.Decoder, *, before: bool) -> Tensor:
    """An example, without memory, of what a stage is given for a micro-batch, or gives."""
    rows = (spec.batch, spec.shape.sequence)
    if before and part.embedding is not None:
        return torch.empty(rows, dtype=torch.long, device="meta")
    width = spec.shape.vocab if not before and part.head is not None else spec.shape.hidden
    return torch.empty((*rows, width), device="meta", requires_grad=True)
