"""Attempts made for tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from quiz.scheduling import calendar
from quiz.scheduling.cards import Card, CardKey, review
from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import Settings
from quiz.session.attempt import Attempt, Part, Promise, Response, Shown, event_id

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
KEY = CardKey("core", "mb-70b-4nodes")


def identity(now: datetime, number: int = 0) -> str:
    """An event id of this instant, told apart by a number."""
    return event_id(now, None, number.to_bytes(10, "big"))


def attempt(number: int = 0, *, now: datetime = START, key: CardKey = KEY, **more: Any) -> Attempt:
    """An attempt on a new card, with every field filled."""
    rating = more.pop("rating", Rating.GOOD)
    offset = more.pop("offset", 60)
    before: Card | None = more.pop("before", None)
    day = calendar.effective_day(now, offset)
    after = review(before, rating, now, offset, settings=Settings(), seed=key.seed, day=day).card
    fields: dict[str, Any] = {
        "id": identity(now, number),
        "time": now,
        "offset": offset,
        "day": day,
        "card": key,
        "shown": Shown(
            meaning="3f9a",
            variant={"model.parameters": "70000000000", "cluster.nodes": "4"},
            options=("fsdp", "zero1", "ddp", "pp8"),
            key=("fsdp",),
            figures={"state": "1,120 GB"},
        ),
        "response": Response(chosen=("fsdp",), text="35 GB"),
        "verdict": "correct",
        "rating": rating,
        "promise": Promise(after.due, after.due_day),
        "duration_ms": 21_500,
        "slip": None,
        "parts": (Part("choice", "correct"), Part("then", "close", "one-node")),
        "confidence": 75,
    }
    return Attempt(**(fields | more))


def series(count: int, *, key: CardKey = KEY, apart: timedelta = timedelta(days=1)) -> list[Attempt]:
    """Attempts on one card, one after the other."""
    return [attempt(number, now=START + number * apart, key=key) for number in range(count)]
