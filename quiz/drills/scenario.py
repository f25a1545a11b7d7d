"""A leg as the solver sees it: the same model, layout and batch as a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.drills.records import Shape
from solvers import Solver, scenario_of

if TYPE_CHECKING:
    from quiz.drills.records import Dtype, Leg

_BYTES: Final[dict[Dtype, int]] = {"fp32": 4, "bf16": 2}
_ZERO: Final = {"zero1": 1, "fsdp": 3}
_SCHEDULES: Final = {"interleaved": "interleaved-1f1b"}
BLOCK: Final = "llama-modules"
"""The activations that the model of drills keeps, as the solver knows them."""


def solver_of(shape: Shape, leg: Leg, batch: int) -> Solver:
    """The solver of a leg: fp32 weights, gradients and Adam moments at rest, sent in the leg's own dtypes."""
    return Solver(scenario_of(facts_of(shape, leg, batch)))


def facts_of(shape: Shape, leg: Leg, batch: int) -> dict[str, str | int]:
    """What is stated of a leg, by the names of the catalogue."""
    compute = _BYTES[leg.computes_in]
    facts: dict[str, str | int] = {
        "model.family": "llama",
        "model.layers": shape.layers,
        "model.hidden": shape.hidden,
        "model.query_heads": shape.heads,
        "model.kv_heads": shape.kv_heads,
        "model.head_dim": shape.head_dim,
        "model.ffn": shape.ffn,
        "model.vocabulary": shape.vocab,
        "model.tied": _truth(shape.tied),
        "recipe.weights": "4 B/param",
        "recipe.gradients": "4 B/param",
        "recipe.accumulation": "0 B/param",
        "recipe.master": "0 B/param",
        "recipe.moment1": "4 B/param",
        "recipe.moment2": "4 B/param",
        "recipe.gather": f"{compute} B/param",
        "recipe.reduce": f"{_BYTES[leg.reduce_dtype]} B/param",
        "layout.dp": leg.replicate * leg.shard,
        "layout.zero": _ZERO.get(leg.strategy, 0),
        "layout.tp": leg.tp,
        "layout.pp": leg.pp,
        "layout.sequence_parallel": _truth(leg.sequence_parallel),
        "layout.reshard": _truth(bool(leg.reshard)),
        "layout.sync": "each-micro-batch" if leg.sync == "each" else "each-step",
        "layout.replica_sync": "each-micro-batch" if leg.sync == "each" else "each-step",
        "layout.offload": "all" if leg.offload else "none",
        "batch.micro": batch,
        "batch.sequence": shape.sequence,
        "batch.accumulation": leg.microbatches if leg.pp > 1 else leg.accumulation,
        "batch.activation_bytes": f"{compute} B",
        "compute.recompute": leg.checkpoint,
        "activation.block": BLOCK,
        "activation.vocabulary_parallel": "false",
        "transient.bucket_view": _truth(leg.bucket_view),
        "transient.step": "foreach" if leg.foreach else "single",
        "transient.largest_tensor": largest_tensor(shape, leg),
    }
    if leg.strategy == "zero1" and leg.bucket_view:
        # Its gradients are DDP's: views of the buckets, which stay.
        facts["transient.gradients_freed"] = "false"
    elif leg.strategy == "zero1":
        facts["transient.bucket_parameters"] = shape.parameters
    if leg.strategy == "fsdp":
        # The root is told to reshard as the blocks are, and frees its weights too.
        facts |= {"layout.shard": leg.shard, "transient.root": "freed", "layout.kept_gradients": "reduction"}
    if leg.pp > 1:
        facts |= {"pipeline.schedule": _SCHEDULES.get(leg.schedule, leg.schedule), "layout.interleave": leg.chunks}
    if leg.tp > 1:
        facts["transient.embedding_gradient"] = "whole"
    return facts


def largest_tensor(shape: Shape, leg: Leg) -> int:
    """Parameters of the largest tensor that a rank updates."""
    largest = max(shape.vocab * shape.hidden, shape.hidden * shape.ffn, shape.hidden * shape.heads * shape.head_dim)
    return -(-largest // (leg.tp * (leg.shard if leg.strategy == "fsdp" else 1)))


def _truth(value: bool) -> str:  # noqa: FBT001 - it is what is spelled
    return "true" if value else "false"


def shape_of(model: str, sequence: int) -> Shape:
    """The shape of a model that the solver knows by name, for sequences of so many tokens. Raises `SolveError`."""
    solver = Solver(scenario_of({"model": model}))

    def count(name: str) -> int:
        return int(solver.quantity(f"model.{name}").value)

    return Shape(
        layers=count("layers"),
        hidden=count("hidden"),
        heads=count("query_heads"),
        kv_heads=count("kv_heads"),
        head_dim=count("head_dim"),
        ffn=count("ffn"),
        vocab=count("vocabulary"),
        sequence=sequence,
        tied=solver.value("model.tied") == "true",
        name=model,
    )
