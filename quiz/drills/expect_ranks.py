"""What real ranks hold and send beside what the solver's relations say: each relation has a name and is counted.

The solver divides evenly and knows of no library. What PyTorch adds on the way is here, in bytes, from the same shapes;
everything that the solver has a relation for is asked of the solver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.drills import tensors
from quiz.drills.scenario import facts_of
from solvers import Solver, scenario_of

if TYPE_CHECKING:
    from quiz.drills.records import Leg, Shape

_ITEM: Final = {"fp32": 4, "bf16": 2}
_FP32: Final = 4
_STATE: Final = 16
"""Bytes of a parameter with its gradient and both of Adam's moments, in fp32."""

FULL_EMBEDDING: Final = (
    "full-size-embedding-gradient",
    (
        "tensor ranks hold rows of the embedding, but its gradient is made whole on each of them: vocabulary × width "
        "instead of a share of it"
    ),
)
PARTIAL_NORMS: Final = (
    "partial-norm-gradients",
    (
        "under sequence parallelism each rank has the norms' gradients of its own tokens; they are summed each time "
        "that Adam's step reads them, three times a norm; FSDP2 sums them once"
    ),
)
EACH_MICRO_BATCH: Final = (
    "reduced-each-micro-batch",
    "without no_sync, DDP all-reduces the gradients after every micro-batch",
)
STAGES: Final = (
    "buffers-of-a-pipeline",
    (
        "beside what the solver counts, a stage keeps a buffer for every message that it will receive, what it sent "
        "and has not let go, and on the last stage the logits of every micro-batch"
    ),
)
READ_BY_ADAM: Final = 3
"""How often a step of one tensor after another reads a gradient: once for the first moment, twice for the second."""


def full_embedding(shape: Shape, leg: Leg) -> int:
    """Bytes of the embedding's gradient beyond a tensor rank's share. FSDP2 divides what is left, and keeps a share."""
    if leg.tp == 1 or leg.strategy != "tp":
        return 0
    return _FP32 * (shape.vocab - shape.vocab // leg.tp) * shape.hidden


def kept_embedding(shape: Shape, leg: Leg) -> int:
    """The same bytes where gradients of earlier micro-batches are there in the next one's passes.

    FSDP2 keeps them in the precision in which it will reduce them.
    """
    kept = leg.strategy == "tp" or (leg.strategy == "fsdp" and leg.sync == "last")
    if leg.tp == 1 or leg.accumulation == 1 or not kept:
        return 0
    item = _ITEM[leg.reduce_dtype] if leg.strategy == "fsdp" else _FP32
    return item * (shape.vocab - shape.vocab // leg.tp) * shape.hidden


def norm_reductions(shape: Shape, leg: Leg) -> int:
    """Payload of the sums over tensor ranks of the norms' gradients, in a step.

    FSDP2 sums them once before each of its own reductions, in the precision in which the gradients were made.
    """
    if leg.tp == 1 or not leg.sequence_parallel:
        return 0
    if leg.strategy == "fsdp":
        reductions = leg.accumulation if leg.sync == "each" else 1
        return reductions * _ITEM[leg.computes_in] * tensors.norms(shape)
    return READ_BY_ADAM * _FP32 * tensors.norms(shape)


def pipeline_peaks(shape: Shape, leg: Leg, batch: int) -> dict[str, float]:
    """The peak of each phase on the fullest stage of a pipeline, in bytes. Raises `SolveError`."""
    stages = [_stage_peaks(shape, leg, batch, rank) for rank in range(leg.pp)]
    return {phase: max(peaks[phase] for peaks in stages) for phase in stages[0]}


def _stage_peaks(shape: Shape, leg: Leg, batch: int, rank: int) -> dict[str, float]:
    solver = Solver(scenario_of({**facts_of(shape, leg, batch), "pipeline.stage": rank + 1}))

    def ask(name: str) -> float:
        return float(solver.quantity(name).value)

    def peak(phase: str) -> float:
        return ask(f"memory.{phase}_peak_per_gpu")

    gradients = ask("memory.gradients_per_gpu")
    # The solver divides layers and ends evenly among the stages; here the first has the embedding, the last the head.
    share = tensors.held_by(shape, leg, rank)
    uneven = share - shape.parameters / leg.pp
    state = uneven * _STATE
    between, logits = neighbours(shape, leg, batch, rank), kept_logits(shape, leg, batch, rank)
    waiting = received(shape, leg, batch, rank)
    # All forward passes of GPipe come before the first gradient; under the other schedules gradients are there.
    before = gradients + uneven * _FP32 if leg.schedule == "gpipe" else 0.0
    one_logits = logits / leg.microbatches
    # GPipe's second backward pass finds one micro-batch less, and all gradients.
    second = before - (ask("activation.kept_per_gpu") / leg.microbatches + one_logits) if before else 0.0
    return {
        "forward": peak("forward") + state - before + between + logits - one_logits,
        "backward": max(
            peak("backward") + state - before + between + logits + max(0.0, second),
            # When all are through, torch puts the outputs together, beside those that were kept.
            peak("step") - ask("transient.step_per_gpu") + state + waiting + 2 * logits,
            peak("step") - ask("transient.step_per_gpu") + state + ask("transient.block_per_gpu") + waiting + logits,
        ),
        "optimizer": peak("step") + state + waiting + logits,
    }


def message(shape: Shape, leg: Leg, batch: int) -> int:
    """Bytes of what a stage hands to the next for a micro-batch."""
    return batch * shape.sequence * shape.hidden * _ITEM[leg.computes_in]


def received(shape: Shape, leg: Leg, batch: int, rank: int) -> int:
    """Buffers that stay: one for each micro-batch and neighbour that a chunk of the rank receives from."""
    return _crossings(leg, rank) * leg.microbatches * message(shape, leg, batch)


def neighbours(shape: Shape, leg: Leg, batch: int, rank: int) -> int:
    """Messages that are there at the peak: buffers to receive into, and what was sent and is not let go yet.

    A chunk's input is one of the buffers and was counted as its activation. One chunk a rank: what is in flight, and
    the one on its way. Several: the schedule waits for what it sent at its end only, when all but the last are out.
    """
    one = message(shape, leg, batch)
    depth = leg.microbatches if leg.schedule == "gpipe" else min(leg.pp - rank, leg.microbatches)
    first, last = rank == 0, rank == leg.pp - 1
    there = received(shape, leg, batch, rank)
    if leg.chunks > 1:
        flight = leg.pp * (leg.chunks - 1) + 2 * (leg.pp - rank - 1) + 1
        inputs = flight * (leg.chunks - 1) // leg.chunks if first else flight
        sent = _crossings(leg, rank) * leg.microbatches - leg.pp - 1
        return there + (sent - inputs) * one
    sent = 0 if last else depth + (leg.schedule != "gpipe")
    return there + (sent - (0 if first else depth) + (0 if first or leg.schedule == "gpipe" else 1)) * one


def kept_logits(shape: Shape, leg: Leg, batch: int, rank: int) -> int:
    """Logits of every micro-batch, which the last stage keeps as its output until the step is over."""
    if rank != leg.pp - 1:
        return 0
    return leg.microbatches * batch * shape.sequence * shape.vocab * _ITEM[leg.computes_in]


def _crossings(leg: Leg, rank: int) -> int:
    """Neighbours from which the chunks of a rank receive, forward and backward together."""
    return sum((stage > 0) + (stage < leg.pp * leg.chunks - 1) for stage in range(rank, leg.pp * leg.chunks, leg.pp))
