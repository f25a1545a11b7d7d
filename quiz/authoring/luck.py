"""What luck gives: the law of the hits of whoever guesses, and what of it would stand out."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import accumulate
from math import fsum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

SIGNIFICANT: Final = 0.05
_POWER: Final = 0.8
_NEGLIGIBLE: Final = 1e-150
"""What is less likely is left out where two laws are joined, or a bank of thousands would take minutes."""


def hits_law(chances: Sequence[float]) -> list[float]:
    """The probability of each number of hits in independent guesses with these chances (above 0, at most 1)."""
    law = [1.0]
    for chance, guesses in Counter(chances).items():
        law = _joined(law, _binomial(guesses, chance))
    return law


def _binomial(guesses: int, chance: float) -> list[float]:
    """The law of guesses that all have one chance: from its peak to both sides, so that nothing runs over."""
    if chance >= 1:
        return [0.0] * guesses + [1.0]
    odds = chance / (1 - chance)
    peak = int((guesses + 1) * chance)
    law = [0.0] * (guesses + 1)
    law[peak] = 1.0
    for hits in range(peak, guesses):
        law[hits + 1] = law[hits] * (guesses - hits) / (hits + 1) * odds
    for hits in range(peak, 0, -1):
        law[hits - 1] = law[hits] * hits / (guesses - hits + 1) / odds
    whole = fsum(law)
    return [part / whole for part in law]


def _joined(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """The law of the hits of both."""
    law = [0.0] * (len(one) + len(other) - 1)
    likely = [(hits, part) for hits, part in enumerate(other) if part > _NEGLIGIBLE]
    for before, share in enumerate(one):
        if share > _NEGLIGIBLE:
            for hits, part in likely:
                law[before + hits] += share * part
    return law


def tail(law: Sequence[float], hits: int) -> float:
    """The probability of at least so many hits."""
    return min(1.0, sum(law[hits:]))


def holm(ps: Sequence[float]) -> list[float]:
    """The p corrected for their number: the smallest times all, the next times one less, never falling."""
    corrected = [1.0] * len(ps)
    highest = 0.0
    for place, at in enumerate(sorted(range(len(ps)), key=lambda one: ps[one])):
        highest = max(highest, min(1.0, ps[at] * (len(ps) - place)))
        corrected[at] = highest
    return corrected


def sensitivity(picks: int, chance: float, guessers: int) -> tuple[int, float | None]:
    """What so many picks could show, by the strictest step of the correction: hits needed, share that is found."""
    tails = list(accumulate(reversed(_binomial(picks, chance))))[::-1]
    needed = next((hits for hits, p in enumerate(tails) if p * guessers < SIGNIFICANT), 0)
    if not needed:
        return 0, None
    percents = range(1, 101)  # the more are right, the likelier it is found
    least = bisect_left(percents, _POWER, key=lambda percent: tail(_binomial(picks, percent / 100), needed))
    return needed, percents[least] / 100
