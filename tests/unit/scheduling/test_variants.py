"""Variants: each review has other numbers, until all have been asked."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from quiz.scheduling.variants import variant


@given(st.integers(1, 30), st.text(max_size=4), st.integers(0, 6))
def test_each_turn_asks_every_variant_once_and_none_twice_on_end(count: int, seed: str, turn: int) -> None:
    asked = [variant(count, seed, reps) for reps in range(count * (turn + 2))]
    assert asked[0] == 0
    assert sorted(asked[turn * count : (turn + 1) * count]) == list(range(count))
    if count > 1:
        assert all(one != other for one, other in pairwise(asked))


def test_cards_have_orders_of_their_own() -> None:
    orders = {tuple(variant(6, f"card {number}", reps) for reps in range(6)) for number in range(50)}
    assert len(orders) > 25
