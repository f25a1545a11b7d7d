"""What a drill adds to the learner's history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.drills.compare import truths
from quiz.drills.predictions import error_of
from quiz.session.drilled import Drilled, Predicted

if TYPE_CHECKING:
    from datetime import datetime

    from quiz.drills.records import Prediction, Result, Spec
    from quiz.drills.things import Found


def event_of(identity: str, now: datetime, offset: int, spec: Spec, result: Result) -> Drilled | None:
    """The event of a run, under a new id; None where it did not come to its end or nothing was predicted of it."""
    if result.outcome != "done" or all(one.raw is None for one in spec.predictions):
        return None
    found = truths(spec, result.measured)
    return Drilled(
        id=identity,
        time=now,
        offset=offset,
        bank=spec.bank,
        question=spec.question,
        run=spec.run,
        tier=spec.tier,
        predictions=tuple(_predicted(one, found[one.key]) for one in spec.predictions),
        score=result.score,
    )


def _predicted(prediction: Prediction, truth: Found) -> Predicted:
    return Predicted(
        key=prediction.key,
        value=prediction.choice if prediction.choice is not None else prediction.value,
        measured=truth.choice if truth.choice is not None else truth.value,
        error=error_of(prediction, truth),
    )
