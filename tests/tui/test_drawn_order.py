"""The order in which options stand is drawn by the seed, each order as often as any other."""

from __future__ import annotations

from collections import Counter

from quiz.tui.telling import _Draw


def test_each_order_of_four_options_is_drawn_as_often_as_any_other_and_the_same_for_the_same_seed() -> None:
    found: Counter[str] = Counter()
    for number in range(4_800):
        order = list("abcd")
        _Draw(f"seed {number}").shuffle(order)
        again = list("abcd")
        _Draw(f"seed {number}").shuffle(again)
        assert order == again
        found["".join(order)] += 1
    # 200 each are expected, with a deviation of 14.
    assert len(found) == 24
    assert all(140 < count < 260 for count in found.values())


def test_what_is_drawn_twice_of_a_seed_is_independent() -> None:
    found: Counter[tuple[int, int]] = Counter()
    for number in range(3_600):
        draw = _Draw(f"seed {number}")
        found[draw.below(3), draw.below(3)] += 1
    assert all(320 < found[one, other] < 480 for one in range(3) for other in range(3))
