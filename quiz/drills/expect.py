"""What the solver says of everything that a run will measure, before it runs.

A thing is named `what@leg`: `rest.state`, `rest.parameters`, `rest.gradients`, `rest.optimizer` (bytes that the
fullest rank holds between two steps), `traffic.payload` (bytes that a rank hands to its collectives in a step),
`peak.total` and `peak.forward`, `peak.backward`, `peak.optimizer` (bytes), `peak.phase`. What torch does and the
solver's even division does not is an exception with a name and a relation of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from quiz.drills import tensors
from quiz.drills.expect_ranks import (
    EACH_MICRO_BATCH,
    FULL_EMBEDDING,
    STAGES,
    full_embedding,
    kept_embedding,
    norm_reductions,
    pipeline_peaks,
)
from quiz.drills.records import Expected
from quiz.drills.scenario import solver_of
from solvers import SolveError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.drills.records import Device, Leg, Shape, Tier
    from solvers import Solver

WITHIN: Final = 0.02
"""How far a tracked peak may be from the solver's."""
_ITEM: Final = {"fp32": 4, "bf16": 2}
_PHASES: Final = {"forward": "forward", "backward": "backward", "step": "optimizer"}
_ENDS_WITH: Final = ("transient.resident_per_gpu", "memory.gradients_per_gpu")
"""What is there when a backward pass is over and nothing is gathered."""

UNEVEN: Final = (
    "uneven-rows",
    (
        "FSDP2 divides the rows of each tensor; where they do not divide evenly, the first ranks hold one more and "
        "gathers carry padding"
    ),
)
BY_TENSOR: Final = (
    "whole-parameters",
    "ZeroRedundancyOptimizer gives each whole tensor to the rank that has least so far, the largest first",
)
NORMS: Final = ("norms-on-every-rank", "tensor ranks divide matrices; the norms' scales are on every rank")
ENDS: Final = (
    "ends-of-the-pipeline",
    "layers are divided evenly; the embedding is on the first rank, the last norm and the head are on the last",
)
TP_ENDS: Final = (
    "ends-of-the-model",
    (
        "beside what the layers send, the embedding and the head's input are reduced or gathered once each pass, and "
        "the logits are gathered whole"
    ),
)


class _Rest(NamedTuple):
    parameters: int
    optimizer: int
    exception: tuple[str, str] | None


def expected(
    shape: Shape, legs: tuple[Leg, ...], batch: int, tier: Tier, device: Device = "cpu"
) -> tuple[Expected, ...]:
    """What the solver says of every leg. What it cannot say of one is left out."""
    found: list[Expected] = []
    for leg in legs:
        run = as_run(leg, tier, device)
        found += _rest(shape, run)
        if run.strategy != "single":
            found += _traffic(shape, run, batch)
        found += _peaks(shape, run, batch)
    return tuple(found)


def as_run(leg: Leg, tier: Tier, device: Device = "cpu") -> Leg:
    """What really runs for a leg: on fake tensors one whole replica stands for DDP; a CPU's memory is the host's."""
    if leg.offload and (device == "cpu" or tier == "fake"):
        leg = msgspec.structs.replace(leg, offload=False)
    if tier == "fake" and leg.strategy == "ddp":
        return msgspec.structs.replace(leg, strategy="single", replicate=1)
    return leg


def peak_of(shape: Shape, leg: Leg, batch: int) -> float | None:
    """The solver's peak of a leg in bytes, None where it does not know."""
    try:
        return max(_phases(shape, leg, batch).values())
    except SolveError:
        return None


def _rest(shape: Shape, leg: Leg) -> Iterator[Expected]:
    # Between two steps gradients are reduced and divided, however many micro-batches there were.
    solver = solver_of(shape, msgspec.structs.replace(leg, accumulation=1, offload=False), 1)
    exact, embedding = _exactly(shape, leg), full_embedding(shape, leg)
    for name, part, size, beside in (
        ("rest.parameters", "weights", 4 * exact.parameters, 0),
        ("rest.gradients", "gradients", 4 * exact.parameters + embedding, embedding),
        ("rest.optimizer", "optimizer", 8 * exact.optimizer, 0),
        ("rest.state", "state", 8 * exact.parameters + 8 * exact.optimizer + embedding, embedding),
    ):
        quantity = f"memory.{part}_per_gpu"
        differs = solver.quantity(quantity).value != size
        exception = FULL_EMBEDDING if beside else exact.exception
        name_of_it, relation = exception if differs and exception else ("", "")
        yield Expected(
            key=f"{name}@{leg.name}",
            value=float(size),
            quantity=quantity,
            exact=True,
            exception=name_of_it,
            relation=relation,
        )


def _exactly(shape: Shape, leg: Leg) -> _Rest:
    held, updated = tensors.held(shape, leg), tensors.updated(shape, leg)
    if leg.strategy == "zero1":
        return _Rest(held, updated, BY_TENSOR)
    if leg.pp > 1:
        return _Rest(held, updated, ENDS)
    if tensors.is_uneven(shape, leg):
        return _Rest(held, updated, UNEVEN)
    return _Rest(held, updated, NORMS if leg.tp > 1 else None)


def _traffic(shape: Shape, leg: Leg, batch: int) -> Iterator[Expected]:
    solver = solver_of(shape, leg, batch)
    parts: list[tuple[float, str, tuple[str, str] | None]] = []
    if leg.replicate * leg.shard > 1:
        parts.append(_by_data(shape, leg, solver))
    if leg.tp > 1:
        parts.append(_by_tensor(shape, leg, batch, solver))
    if leg.pp > 1:
        parts.append((float(solver.quantity("traffic.pipeline_sent").value), "traffic.pipeline_sent", None))
    exception = next((one for _, _, one in parts if one is not None), ("", ""))
    yield Expected(
        key=f"traffic.payload@{leg.name}",
        value=sum(size for size, _, _ in parts),
        quantity=" + ".join(quantity for _, quantity, _ in parts),
        exact=True,
        exception=exception[0],
        relation=exception[1],
    )


def _by_data(shape: Shape, leg: Leg, solver: Solver) -> tuple[float, str, tuple[str, str] | None]:
    """Whole buffers of the collectives among data ranks."""
    each = {
        name: solver.quantity(f"traffic.{name}_per_parameter").value
        for name in ("gathered", "scattered", "all_reduced")
    }
    whole = tensors.gathered(shape, leg)
    size = sum(each.values()) * whole
    even = sum(each.values()) * shape.parameters / leg.tp
    exception = None
    if leg.strategy != "fsdp" and leg.sync == "each" and leg.accumulation > 1:
        size += (leg.accumulation - 1) * each["all_reduced"] * whole
        exception = EACH_MICRO_BATCH
    elif size != even:
        exception = UNEVEN if tensors.is_uneven(shape, leg) else NORMS
    names = [f"traffic.{name}_per_parameter" for name, value in each.items() if value]
    return float(size), f"({' + '.join(names)}) × model.parameters", exception


def _by_tensor(shape: Shape, leg: Leg, batch: int, solver: Solver) -> tuple[float, str, tuple[str, str] | None]:
    """Whole buffers of the collectives among tensor ranks, over all layers and the ends of the model."""
    message = float(solver.quantity("traffic.activation_message").value)
    again = leg.checkpoint == "full"
    if leg.sequence_parallel:
        # What is computed again stops before the block's last collective.
        a_layer, ends = 8 + (3 if again else 0), 4
    else:
        a_layer, ends = 4 + (1 if again else 0), 2
    logits = batch * shape.sequence * shape.vocab * _ITEM[leg.computes_in]
    size = leg.accumulation * ((a_layer * shape.layers + ends) * message + logits)
    size += norm_reductions(shape, leg)
    return size, "traffic.activation_message", TP_ENDS


def _phases(shape: Shape, leg: Leg, batch: int) -> dict[str, float]:
    """The peak of each phase in bytes. Raises SolveError."""
    if leg.pp > 1:
        return pipeline_peaks(shape, leg, batch)
    solver = solver_of(shape, leg, batch)
    sizes = {ours: float(solver.quantity(f"memory.{theirs}_peak_per_gpu").value) for theirs, ours in _PHASES.items()}
    # What earlier micro-batches left, and what the step finds, has the embedding's gradient whole.
    step, later = full_embedding(shape, leg), kept_embedding(shape, leg)
    sizes = {phase: size + (step if phase == "optimizer" else later) for phase, size in sizes.items()}
    if step:
        # With nothing sharded, backward ends with all gradients, this one whole, and that of the embedding's output.
        rest = sum(float(solver.quantity(name).value) for name in _ENDS_WITH)
        sizes["backward"] = max(sizes["backward"], rest + step + _ITEM["fp32"] * batch * shape.sequence * shape.hidden)
    return sizes


def _peaks(shape: Shape, leg: Leg, batch: int) -> Iterator[Expected]:
    try:
        sizes = _phases(shape, leg, batch)
    except SolveError:
        return
    whole = full_embedding(shape, leg) or kept_embedding(shape, leg)
    beside = STAGES if leg.pp > 1 else FULL_EMBEDDING if whole else ("", "")
    quantities = {phase: f"memory.{theirs}_peak_per_gpu" for theirs, phase in _PHASES.items()}
    for what, size in (*sizes.items(), ("total", max(sizes.values()))):
        yield Expected(
            key=f"peak.{what}@{leg.name}",
            value=size,
            quantity=quantities.get(what, "memory.peak_per_gpu"),
            within=WITHIN,
            exception=beside[0],
            relation=beside[1],
        )
    # Of equals the later pass binds, as the solver has it.
    phase = max(("backward", "forward", "optimizer"), key=lambda name: sizes[name])
    yield Expected(key=f"peak.phase@{leg.name}", choice=phase, unit="", quantity="memory.binding_phase")
