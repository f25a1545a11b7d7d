"""The plans that a drill can run: by name, or from what a question states of one of its options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from quiz.drills.records import Leg

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from quiz.drills.records import Schedule


class LegError(ValueError):
    """A plan cannot be run as a leg. The message says why and what to do instead."""


class Known(NamedTuple):
    """A plan by name: what it is, the least ranks that it needs, and its leg on so many ranks."""

    says: str
    least: int
    leg: Callable[[int], Leg]


def _of(**fields: object) -> Callable[[int], Leg]:
    return lambda _world: Leg(name="", **fields)  # type: ignore[arg-type]


def _ddp(*, view: bool = False, accumulation: int = 1, each: bool = False) -> Callable[[int], Leg]:
    return lambda world: Leg(
        name="",
        strategy="ddp",
        replicate=world,
        bucket_view=view,
        accumulation=accumulation,
        sync="each" if each else "last",
    )


def _fsdp(**more: object) -> Callable[[int], Leg]:
    return lambda world: Leg(name="", strategy="fsdp", shard=world, **more)  # type: ignore[arg-type]


def _pipe(schedule: Schedule, chunks: int = 1) -> Callable[[int], Leg]:
    return lambda world: Leg(name="", strategy="pp", pp=world, schedule=schedule, chunks=chunks, microbatches=2 * world)


_HALF: Final = {"param_dtype": "bf16", "reduce_dtype": "fp32"}
PLANS: Final[dict[str, Known]] = {
    "single": Known("one process, which the others are compared with", 1, _of(strategy="single")),
    "ddp": Known("DDP: everything on every rank", 2, _ddp()),
    "ddp-view": Known("DDP whose gradients are views of its buckets", 2, _ddp(view=True)),
    "ddp-each": Known("DDP over four micro-batches, reduced after each", 2, _ddp(accumulation=4, each=True)),
    "ddp-last": Known("DDP over four micro-batches, reduced after the last", 2, _ddp(accumulation=4)),
    "zero1": Known(
        "ZeRO-1: the optimizer state is divided, by whole parameters",
        2,
        lambda world: Leg(name="", strategy="zero1", replicate=world, bucket_view=True),
    ),
    "fsdp": Known("FSDP2: everything is divided, weights are gathered for each pass", 2, _fsdp()),
    "fsdp-keep": Known("FSDP2 that keeps gathered weights until backward", 2, _fsdp(reshard=False)),
    "fsdp-bf16": Known("FSDP2 that computes in BF16 and reduces in FP32", 2, _fsdp(**_HALF)),
    "fsdp-checkpoint": Known("FSDP2 with activation checkpointing", 2, _fsdp(checkpoint="full")),
    "fsdp-offload": Known("FSDP2 with its state in host memory", 2, _fsdp(offload=True)),
    "fsdp-each": Known("FSDP2 over four micro-batches, reduced after each", 2, _fsdp(accumulation=4, sync="each")),
    "fsdp-last": Known("FSDP2 over four micro-batches, reduced after the last", 2, _fsdp(accumulation=4)),
    "hsdp": Known(
        "HSDP: divided within a group, two groups that hold the same",
        4,
        lambda world: Leg(name="", strategy="fsdp", replicate=2, shard=world // 2),
    ),
    "tp": Known("tensor parallelism", 2, lambda world: Leg(name="", strategy="tp", tp=world)),
    "tp-sp": Known(
        "tensor with sequence parallelism",
        2,
        lambda world: Leg(name="", strategy="tp", tp=world, sequence_parallel=True),
    ),
    "fsdp-tp": Known(
        "FSDP2 over what tensor parallelism of two leaves",
        4,
        lambda world: Leg(name="", strategy="fsdp", shard=world // 2, tp=2, sequence_parallel=True),
    ),
    "gpipe": Known("a pipeline: all forward, then all backward", 2, _pipe("gpipe")),
    "1f1b": Known("a pipeline: one forward, one backward", 2, _pipe("1f1b")),
    "interleaved": Known("a pipeline with two chunks of the model on each rank", 2, _pipe("interleaved", 2)),
}


def by_name(name: str, world: int) -> Leg:
    """The leg of a plan on so many ranks. Raises LegError."""
    known = PLANS.get(name)
    if known is None:
        from difflib import get_close_matches

        near = get_close_matches(name, PLANS, n=1)
        hint = f" Did you mean {near[0]}?" if near else f" There are {', '.join(PLANS)}."
        raise LegError(f"there is no plan {name!r}.{hint}")
    if world < known.least:
        raise LegError(f"the plan {name} needs at least {known.least} ranks, and there are {world}")
    if known.least == 4 and world % 2:  # noqa: PLR2004 - two groups of two
        raise LegError(f"the plan {name} needs an even number of ranks, and there are {world}")
    return msgspec.structs.replace(known.leg(world), name=name, says=known.says)


def least_ranks(names: tuple[str, ...]) -> int:
    """The ranks that all of these plans can run on at the least."""
    return max((PLANS[name].least for name in names if name in PLANS), default=2)


def true_size(name: str, facts: Mapping[str, str], says: str) -> Leg:
    """The leg that a question's plan is, with its own degrees. Raises LegError."""
    degrees = _Degrees(facts)
    common = {
        "name": name,
        "says": says,
        "tp": degrees.tp,
        "checkpoint": "full" if facts.get("compute.recompute", "full") == "full" else "none",
        "param_dtype": _dtype(facts.get("recipe.gather", "2")),
        "reduce_dtype": _dtype(facts.get("recipe.reduce", "4")),
        "accumulation": degrees.accumulation,
        "sync": "last" if facts.get("layout.sync") == "each-step" else "each",
        "sequence_parallel": degrees.sequence_parallel,
        "foreach": facts.get("transient.step") == "foreach" and degrees.tp == 1,
    }
    if degrees.pp > 1:
        raise LegError(f"{name} is a pipeline, and a pipeline cannot run on fake tensors; try --tier ranks")
    if degrees.zero in (1, 2):
        raise LegError(f"{name} is ZeRO-{degrees.zero}, which torch cannot run on fake tensors; try --tier ranks")
    if degrees.zero == 0 and degrees.tp > 1:
        return Leg(strategy="tp", **common)  # type: ignore[arg-type]
    if degrees.zero == 0:
        return Leg(
            strategy="ddp",
            replicate=degrees.data,
            bucket_view=facts.get("transient.bucket_view") == "true",
            **common,  # type: ignore[arg-type]
        )
    return Leg(
        strategy="fsdp",
        shard=degrees.shard,
        replicate=degrees.data // degrees.shard,
        reshard=facts.get("layout.reshard", "true") == "true",
        **common,  # type: ignore[arg-type]
    )


def scaled_down(name: str, facts: Mapping[str, str], says: str, world: int) -> Leg:
    """The leg that stands for a question's plan on a few ranks: the same strategy, smaller degrees. Raises LegError."""
    degrees = _Degrees(facts)
    plan = _plan_of(degrees, facts)
    leg = by_name(plan, world)
    changes: dict[str, object] = {"name": name, "says": says or leg.says}
    if degrees.accumulation > 1 and leg.strategy in ("ddp", "fsdp", "zero1"):
        changes |= {"accumulation": 4, "sync": _sync(degrees, facts)}
    if facts.get("compute.recompute") == "full" and leg.strategy != "zero1":
        changes["checkpoint"] = "full"
    if leg.strategy == "fsdp" and facts.get("recipe.gather") == "2":
        changes |= {"param_dtype": "bf16", "says": f"{changes['says']}; it computes in BF16 and reduces in FP32"}
    if degrees.tp > 1:
        changes["sequence_parallel"] = degrees.sequence_parallel
    return msgspec.structs.replace(leg, **changes)


def plan_name(facts: Mapping[str, str]) -> str:
    """The plan that stands for what a question states. Raises LegError."""
    return _plan_of(_Degrees(facts), facts)


class _Degrees:
    """The degrees that a question states, as whole numbers."""

    def __init__(self, facts: Mapping[str, str]) -> None:
        self._facts = facts
        self.tp = self._count("layout.tp", 1)
        self.pp = self._count("layout.pp", 1)
        self.zero = self._count("layout.zero", 0)
        self.data = self._count("layout.dp", 8)
        self.shard = self._count("layout.shard", self.data)
        self.accumulation = self._count("batch.accumulation", 1)
        self.sequence_parallel = facts.get("layout.sequence_parallel") == "true"
        for name, what in (("layout.cp", "context"), ("layout.ep", "expert")):
            if self._count(name, 1) > 1:
                raise LegError(f"{what} parallelism cannot be measured here")

    def _count(self, name: str, default: int) -> int:
        text = self._facts.get(name)
        if text is None:
            return default
        if not text.isdigit():
            raise LegError(f"{name} is {text}, which is no number of ranks")
        return int(text)


def _plan_of(degrees: _Degrees, facts: Mapping[str, str]) -> str:  # noqa: PLR0911 - one for each strategy
    if degrees.pp > 1:
        schedule = facts.get("pipeline.schedule", "1f1b")
        if schedule not in ("gpipe", "1f1b", "interleaved-1f1b"):
            raise LegError(
                f"torch has no schedule {schedule} that is tried here; name a --plan: gpipe, 1f1b, interleaved"
            )
        if schedule == "interleaved-1f1b" or facts.get("layout.interleave", "1") != "1":
            return "interleaved"
        return schedule
    if degrees.tp > 1:
        if degrees.zero >= 2 and degrees.data > 1:  # noqa: PLR2004 - a stage
            return "fsdp-tp"
        return "tp-sp" if degrees.sequence_parallel else "tp"
    if degrees.zero == 0:
        return "ddp-view" if facts.get("transient.bucket_view") == "true" else "ddp"
    if degrees.zero == 1:
        return "zero1"
    if degrees.shard < degrees.data:
        return "hsdp"
    keeps = degrees.zero == 2 or facts.get("layout.reshard") == "false"  # noqa: PLR2004 - a stage
    return "fsdp-keep" if keeps else "fsdp"


def _sync(degrees: _Degrees, facts: Mapping[str, str]) -> str:
    if degrees.zero < 2:  # noqa: PLR2004 - a stage
        return "last"
    return "last" if facts.get("layout.sync") == "each-step" else "each"


def _dtype(size: str) -> str:
    return "fp32" if size == "4" else "bf16"
