"""Our wrapper against `fsrs-rs-python`, another implementation of the same model: memories of any history agree."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from quiz.scheduling.cards import Card, remembered, review
from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import Settings

library = pytest.importorskip("fsrs_rs_python", reason="the extra `fit` is not installed")

START = datetime(2022, 11, 29, 12, 30, tzinfo=UTC)
HISTORIES = 2_000
WEIGHTS = (0.4, 1.2, 3.1, 15.7, 7.2, 0.53, 1.7, 0.01, 1.5, 0.15, 1.0, 1.9, 0.1, 0.3, 2.3, 0.2, 2.9, 0.5, 0.6, 0.1, 0.3)


def history(draw: random.Random) -> list[tuple[Rating, int]]:
    """Ratings with the days since the answer before."""
    apart = [0, *(draw.choice((0, 0, 1, 2, 5, 11, 30, 90, 400)) for _ in range(draw.randrange(12)))]
    return [(draw.choice(tuple(Rating)), days) for days in apart]


@pytest.mark.parametrize("weights", [(), WEIGHTS], ids=["default", "fitted"])
def test_two_thousand_random_histories_agree_within_a_hundred_thousandth(weights: tuple[float, ...]) -> None:
    """Stability and difficulty, relative to their size: the other one computes in single precision."""
    draw = random.Random(20_221_129)  # noqa: S311 - no secret
    settings = Settings(fuzz=False, weights=weights)
    model = library.FSRS(list(weights or library.DEFAULT_PARAMETERS))
    worst = 0.0
    for _ in range(HISTORIES):
        answers = history(draw)
        card: Card | None = None
        now = START
        for rating, days in answers:
            now += timedelta(days=days)
            card = review(card, rating, now, 0, settings=settings, seed="x").card
        assert card is not None
        asked = [library.FSRSReview(int(rating), days) for rating, days in answers]
        theirs = model.memory_state(library.FSRSItem(asked))
        for mine, other in ((card.stability, theirs.stability), (card.difficulty, theirs.difficulty)):
            worst = max(worst, abs(mine - other) / max(1.0, abs(other)))
    assert worst < 1e-5


def test_a_memory_told_at_once_is_the_one_of_answer_by_answer() -> None:
    draw = random.Random(6)  # noqa: S311 - no secret
    settings = Settings(fuzz=False)
    for _ in range(100):
        card, now, answers = None, START, []
        for rating, days in history(draw):
            now += timedelta(days=days)
            card = review(card, rating, now, 0, settings=settings, seed="x").card
            answers.append((card.last_day, rating))
        assert card is not None
        assert remembered(answers, settings) == (card.stability, card.difficulty)
