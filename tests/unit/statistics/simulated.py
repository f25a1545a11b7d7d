"""A simulated learner: a year of answers as real attempts, made by the scheduler's own rules.

Whether a question is remembered is drawn from its chance of recall; the confidence tells right from wrong, and is a
little too high; times are spread as times are. The same seed makes the same history.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from quiz.scheduling import calendar
from quiz.scheduling.cards import Card, CardKey, retrievability, review
from quiz.scheduling.rating import rate
from quiz.scheduling.settings import Settings
from quiz.session.attempt import Attempt, Promise, Response, Shown
from quiz.statistics.given import Asked, Given
from quiz.statistics.standing import Standing
from quiz.statistics.tally import contributions
from tests.unit.session.made import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quiz.statistics.tally import Cell

START = date(2025, 3, 3)
TOPICS = (
    "comm-volume",
    "composition",
    "ddp",
    "fault-tolerance",
    "fsdp-mechanics",
    "hsdp",
    "inference",
    "memory-budget",
    "oom-debugging",
    "pipeline",
    "recomputation",
    "tensor-parallel",
    "zero-stages",
)
SLIPS = ("no-master", "one-node", "GB-as-GiB", "bits", "twice-inverse", "weights-only")


def bank(each: int = 9) -> tuple[Asked, ...]:
    """Questions in every topic, one of them a claim."""
    return tuple(
        Asked(f"{topic}-{number}", topic, "claim" if number == 1 else "numeric", f"Question {number} on {topic}")
        for topic in TOPICS
        for number in range(1, each + 1)
    )


@dataclass
class Learner:
    """Who answers: how often there is practice, how many new questions a day, how much too sure."""

    seed: int = 1
    diligence: float = 0.8
    new_a_day: float = 0.35
    skill: float = 1.0
    bank_id: str = "shardwise"

    def history(self, questions: Sequence[Asked], days: int, start: date = START) -> list[Attempt]:
        """Answers of so many days, in order."""
        draw = random.Random(self.seed)  # noqa: S311 - a simulation
        cards: dict[str, Card] = {}
        made: list[Attempt] = []
        unseen = [question.id for question in questions]
        draw.shuffle(unseen)
        for number in range(days):
            day = start + timedelta(days=number)
            weekend = day.weekday() >= 5
            holiday = 150 <= number % 365 < 164
            if holiday or draw.random() > self.diligence * (0.6 if weekend else 1):
                continue
            now = datetime(day.year, day.month, day.day, draw.choice((7, 8, 12, 19, 20, 21)), 5, tzinfo=UTC)
            due = [name for name, card in cards.items() if card.due_day <= day]
            quota = int(self.new_a_day) + (draw.random() < self.new_a_day % 1)
            for name in [*due, *unseen[:quota]]:
                for _ in range(3):
                    attempt, card = self._answer(draw, name, cards.get(name), now, len(made))
                    cards[name] = card
                    made.append(attempt)
                    now += timedelta(milliseconds=attempt.duration_ms + 30_000)
                    if not card.is_learning:
                        break
            unseen = unseen[quota:]
        return made

    def _answer(self, draw: random.Random, name: str, card: Card | None, now: datetime, number: int) -> Any:
        day = calendar.effective_day(now, 0)
        fresh = card is not None and card.last_day == day
        chance = 0.9 if fresh else (0.45 if card is None else retrievability(card, day)) * self.skill
        right = draw.random() < chance
        sureness = draw.gauss(2.3 if right else 1.4, 0.9)
        confidence = (25, 50, 75, 95)[min(3, max(0, math.floor(sureness + 1)))]
        verdict = "correct" if right else draw.choice(("incorrect", "incorrect", "close", "wrong-unit", "unknown"))
        wrong_choice = not right and draw.random() < 0.5
        duration = int(1000 * math.exp(draw.gauss(3.6 if right else 4.1, 0.6)))
        rating = rate(verdict, confidence if verdict != "unknown" else None, duration)  # type: ignore[arg-type]
        key = CardKey(self.bank_id, name)
        after = review(card, rating, now, 0, settings=Settings(), seed=key.seed).card
        attempt = Attempt(
            id=identity(now, number),
            time=now,
            offset=0,
            day=day,
            card=key,
            shown=Shown("m", {}, ("a", "b", "c", "d"), ("a",), {}),
            response=Response(("a" if not wrong_choice else draw.choice("bbbcd"),)),
            verdict=verdict,  # type: ignore[arg-type]
            rating=rating,
            promise=Promise(after.due, after.due_day),
            duration_ms=duration,
            slip=draw.choice(SLIPS[: draw.randint(1, 6)]) if not right and draw.random() < 0.6 else None,
            confidence=confidence if verdict != "unknown" else None,  # type: ignore[arg-type]
        )
        return attempt, after


def told(attempts: Iterable[Attempt]) -> tuple[Counter[Cell], list[Standing]]:
    """What the store would hold: the tallies, and the cards."""
    cells: Counter[Cell] = Counter()
    cards: dict[CardKey, Card] = {}
    for attempt in attempts:
        before = cards.get(attempt.card)
        cells.update(contributions(attempt, before, attempt.rating))
        cards[attempt.card] = review(
            before,
            attempt.rating,
            attempt.time,
            attempt.offset,
            settings=Settings(),
            seed=attempt.card.seed,
            day=attempt.day,
        ).card
    return cells, [Standing.of(key, card) for key, card in cards.items()]


def given(attempts: Sequence[Attempt], questions: tuple[Asked, ...], today: date, **more: Any) -> Given:
    """What a report is made from, as the store would give it."""
    cells, cards = told(attempts)
    return Given(today=today, questions=questions, cells=sorted(cells.items()), cards=cards, **more)


@cache
def _answered(seed: int, days: int) -> tuple[Attempt, ...]:
    return tuple(Learner(seed).history(bank(), days))


def a_year(seed: int = 1, **more: Any) -> Given:
    """A year of practice on 117 questions, seen from the day after it."""
    return given(_answered(seed, 365), bank(), START + timedelta(days=365), **more)
