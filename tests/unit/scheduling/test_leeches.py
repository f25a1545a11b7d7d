"""Leeches: told at 8 lapses and at each 4 more, and counted for the author."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from quiz.scheduling.cards import Card, CardKey, review
from quiz.scheduling.leeches import Leech, bites, is_leech, leeches
from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import Settings

START = datetime(2026, 1, 5, 9, tzinfo=UTC)


def lapsing(times: int) -> list[tuple[Card | None, Card]]:
    """Cards before and after each answer: learned, then forgotten and learned again, so many times."""
    settings = Settings(fuzz=False, learning_steps=(), relearning_steps=(600.0,))
    card: Card | None = None
    found = []
    for number, rating in enumerate([Rating.GOOD, *[Rating.AGAIN, Rating.GOOD] * times]):
        after = review(card, rating, START + timedelta(days=number), 0, settings=settings, seed="x").card
        found.append((card, after))
        card = after
    return found


def test_it_is_told_at_eight_lapses_and_at_each_four_more() -> None:
    told = [after.lapses for before, after in lapsing(21) if bites(before, after)]
    assert told == [8, 12, 16, 20]


def test_a_right_answer_of_a_leech_tells_nothing() -> None:
    before, after = lapsing(8)[-1]
    assert after.lapses == 8
    assert is_leech(after)
    assert not bites(before, after)


def test_the_author_gets_them_by_question_the_worst_first() -> None:
    cards = {CardKey("core", name): lapsing(times)[-1][1] for name, times in (("a", 8), ("b", 7), ("c", 10))}
    assert leeches(cards) == (Leech(CardKey("core", "c"), 10, 21), Leech(CardKey("core", "a"), 8, 17))
