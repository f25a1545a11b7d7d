"""Which numbers a question is asked with: each review has other ones, until all have been asked. Pure."""

from __future__ import annotations

import random


def variant(count: int, seed: str, reps: int) -> int:
    """Return which of `count` variants an answer is asked with, 0 to count - 1; variant 0 is the author's own.

    The first meeting is with the author's numbers; after that comes each of the others once, in an order drawn from the
    card's name, and then all of them again in another order. So two answers on end never have the same numbers, and
    the first `count` have all of them.

    Args:
        count: how many variants there are, at least 1.
        seed: the card's, which decides the order.
        reps: answers to the card so far.
    """
    if count == 1:
        return 0
    turn, place = divmod(reps, count)
    return _order(count, seed, turn)[place]


def _order(count: int, seed: str, turn: int) -> list[int]:
    order = list(range(count))
    if turn == 0:
        rest = order[1:]
        random.Random(f"{seed}\x1f0").shuffle(rest)  # noqa: S311 - no secret
        return [0, *rest]
    random.Random(f"{seed}\x1f{turn}").shuffle(order)  # noqa: S311 - no secret
    last = _last(count, seed, turn - 1)
    if order[0] == last:
        order[0], order[1] = order[1], order[0]
    return order


def _last(count: int, seed: str, turn: int) -> int:
    """Return the last variant of a turn, without going through the turns before it.

    Only a turn of two can have it changed by its first one: the two are then exchanged.
    """
    if count > 2 or turn == 0:  # noqa: PLR2004 - as above
        order = list(range(1, count)) if turn == 0 else list(range(count))
        random.Random(f"{seed}\x1f{turn}").shuffle(order)  # noqa: S311 - no secret
        return order[-1]
    return 1  # two alternate from the first meeting on: 0 1 0 1 …
