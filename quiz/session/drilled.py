"""What a drill showed of what was predicted, as an event of the history. Pure.

It belongs to a question and to no card: it never moves one. The run itself lies in a folder, which may be gone.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from quiz.session import wire

if TYPE_CHECKING:
    from quiz.session.wire import Fields

TIERS: Final = ("ranks", "fake", "oom")


class Predicted(msgspec.Struct, frozen=True):
    """One thing that was predicted and what was found: a number in base units, or a name.

    `value` is None where it was skipped, `measured` where the run did not show it; `error` is relative to what was
    measured, None for a name.
    """

    key: str
    value: float | str | None
    measured: float | str | None
    error: float | None


class Drilled(msgspec.Struct, frozen=True):
    """A drill that came to its end. `question` is "" for a drill of no question; `score` is from 0 to 1, or None."""

    id: str
    time: datetime
    offset: int
    bank: str
    question: str
    run: str
    tier: str
    predictions: tuple[Predicted, ...]
    score: float | None

    kind: ClassVar[str] = "drill"
    version: ClassVar[int] = 1


def drilled_fields(event: Drilled) -> dict[str, Any]:
    """Return what the event has beyond the fields of every event."""
    return {
        "bank": event.bank,
        "question": event.question,
        "run": event.run,
        "tier": event.tier,
        "predictions": [
            {"key": one.key, "value": one.value, "measured": one.measured, "error": one.error}
            for one in event.predictions
        ],
        "score": event.score,
    }


def read_drilled(identity: str, time: datetime, offset: int, fields: Fields) -> Drilled:
    """Read a drill whose common fields are read already. Raises EventError."""
    tier, score = fields.text("tier"), _number(fields, "score")
    if tier not in TIERS:
        raise wire.EventError(f"tier is not one of {', '.join(TIERS)}: {tier[:60]!r}")
    if score is not None and not 0 <= score <= 1:
        raise wire.EventError(f"score is not a share from 0 to 1: {score!r}")
    return Drilled(
        identity,
        time,
        offset,
        bank=fields.text("bank"),
        question=fields.text("question"),
        run=fields.text("run"),
        tier=tier,
        predictions=tuple(
            Predicted(
                one.text("key"), _number_or_name(one, "value"), _number_or_name(one, "measured"), _number(one, "error")
            )
            for one in fields.objects("predictions")
        ),
        score=score,
    )


def _number(fields: Fields, name: str) -> float | None:
    return None if fields.any(name) is None else fields.number(name)


def _number_or_name(fields: Fields, name: str) -> float | str | None:
    return fields.text(name) if isinstance(fields.any(name), str) else _number(fields, name)
