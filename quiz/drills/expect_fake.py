"""True size, seen from the solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.drills.records import Shape
from solvers import Solver, scenario_of

if TYPE_CHECKING:
    from quiz.drills.records import Leg
    from solvers.inputs import Raw


def shape_of(model: str, sequence: int) -> Shape:
    """The shape of a model that the solver knows by name, for sequences of so many tokens."""
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
        name=model,
    )


def unfit(leg: Leg) -> str | None:
    """Why a leg cannot run on fake tensors, in a sentence with what to do instead; None if it can."""
    if leg.strategy == "pp":
        return (
            "A pipeline does not run on fake tensors: its warm-up sends wait for real neighbours. Measure it on real "
            "ranks: `--tier ranks`."
        )
    if leg.strategy == "zero1":
        return "ZeRO-1's optimizer does not run on fake tensors. Measure it on real ranks: `--tier ranks`."
    return None


def scenario(shape: Shape, leg: Leg, batch: int = 1) -> dict[str, Raw]:
    """What the solver has to be told of a leg so that its figures are those of the code that a drill runs."""
    sharded = leg.strategy == "fsdp"
    bf16 = sharded and leg.param_dtype == "bf16"
    ranks = leg.shard * leg.replicate
    plan: dict[str, Raw] = {
        "model.family": "llama",
        "model.layers": shape.layers,
        "model.hidden": shape.hidden,
        "model.ffn": shape.ffn,
        "model.query_heads": shape.heads,
        "model.kv_heads": shape.kv_heads,
        "model.head_dim": shape.head_dim,
        "model.vocabulary": shape.vocab,
        "recipe": "fsdp2-fp32-shard" if bf16 else "fp32",
        "batch.sequence": shape.sequence,
        "batch.micro": batch,
        "batch.activation_bytes": "2 B" if bf16 else "4 B",
        "activation.block": "llama",
        "compute.recompute": leg.checkpoint,
        "layout.dp": ranks,
        "transient.step": "foreach" if leg.foreach else "single",
        "transient.largest_tensor": max(shape.vocab, shape.ffn)
        * shape.hidden
        // (leg.tp * (leg.shard if sharded else 1)),
    }
    if sharded:
        plan |= {"layout.zero": 3, "layout.shard": leg.shard, "layout.reshard": "true" if leg.reshard else "false"}
    else:
        plan["transient.bucket_view"] = "true"  # a bare model stands for DDP
    if leg.tp > 1:
        plan |= {
            "layout.tp": leg.tp,
            "layout.sequence_parallel": "true" if leg.sequence_parallel else "false",
            "activation.vocabulary_parallel": "false",
            "transient.embedding_gradient": "whole",
        }
    return plan
