"""Runs of drills for the tests that need torch: the real child, in processes of its own, in a folder of the test."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from quiz.drills import folder, things
from quiz.drills.expect import expected
from quiz.drills.finish import finish
from quiz.drills.launch import Running
from quiz.drills.records import Shape, Spec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from quiz.drills.events import AnyEvent
    from quiz.drills.records import Leg, Measured, Result, Tier

TINY = Shape(layers=4, hidden=64, heads=4, kv_heads=2, head_dim=16, ffn=192, vocab=256, sequence=32, name="tiny")
"""The smallest that all ways of dividing the work can divide, among up to four ranks."""


class Ran(NamedTuple):
    """A run that is over."""

    spec: Spec
    result: Result
    events: tuple[AnyEvent, ...]

    def of(self, leg: str) -> list[Measured]:
        """What each rank measured of a leg."""
        return [one for one in self.result.measured if one.leg == leg]

    def found(self, key: str) -> float | None:
        """A measured thing by its key."""
        return things.found(key, self.result.measured).value

    def losses(self, leg: str) -> list[float]:
        """The loss, step by step."""
        return [step.loss for step in self.of(leg)[0].steps if step.loss is not None]

    def apart(self, leg: str, steps: int) -> float:
        """The largest difference of the loss to one process in the first so many steps."""
        pairs = zip(self.losses(leg)[:steps], self.losses("single"), strict=False)
        return max(abs(loss - alone) for loss, alone in pairs)


def spec_of(
    legs: Sequence[Leg],
    *,
    world: int = 2,
    steps: int = 4,
    shape: Shape = TINY,
    batch: int = 1,
    tier: Tier = "ranks",
    cap: int | None = None,
) -> Spec:
    """The spec of a run, with what the solver expects of it."""
    spec = Spec(
        run="test",
        tier=tier,
        world=world,
        steps=steps,
        seed=1,
        shape=shape,
        batch=batch,
        legs=tuple(legs),
        cap=cap,
        timeout_s=900.0,
        stall_s=200.0,
        group_timeout_s=120.0,
    )
    return msgspec.structs.replace(spec, expected=expected(shape, spec.legs, batch, tier))


def run(root: Path, spec: Spec) -> Ran:
    """Run a spec to its end."""
    where = folder.create(root, spec)
    running = Running(where, spec)
    try:
        result = finish(where, running.wait())
    finally:
        running.close()
    told = result.cause + "".join(path.read_text() for path in sorted(where.glob("*.log")))
    assert result.outcome == "done", told
    return Ran(spec, result, tuple(folder.replay(where)))
