"""What luck gives: the law of the hits of whoever guesses, and what of it would stand out."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from fractions import Fraction
from itertools import accumulate
from math import fsum, lcm, sqrt
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SIGNIFICANT: Final = 0.05
_POWER: Final = 0.8
_MANY: Final = 300
_NEGLIGIBLE: Final = 1e-60
"""What is less likely is left out where two laws are joined, or a bank of thousands would take minutes."""


class ScoreLaw:
    """The law of the score of a guesser that knows nothing.

    Each of its `picks` is k of n options, among which it chooses by chance: it scores 1/k with the chance k/n, and else
    nothing. Scores lie on a grid of parts of one, as fine as all k together ask for.
    """

    def __init__(self, picks: Sequence[tuple[int, int]]) -> None:
        self._kinds = Counter(picks)
        self._parts = lcm(*(k for k, _ in self._kinds)) if picks else 1
        self._half = self._parts / max((k for k, _ in self._kinds), default=1) / 2
        self._law = self._of(lambda k, n: k / n)

    @property
    def expected(self) -> float:
        """The mean score: each pick is right in one of n."""
        return fsum(count / n for (_, n), count in self._kinds.items())

    def tail(self, score: Fraction) -> float:
        """The probability of at least such a score."""
        return tail(self._law, int(score * self._parts))

    def sensitivity(self, guessers: int) -> tuple[Fraction, float | None]:
        """What these picks could show, by the strictest step of the correction: the score needed, the share found.

        The share is that of the picks whose key is among the k, at least as large as by chance. It is None where no
        score would stand out, the score then 0.
        """
        tails = list(accumulate(reversed(self._law)))[::-1]
        needed = next((at for at, p in enumerate(tails) if p * guessers < SIGNIFICANT), 0)
        if not needed:
            return Fraction(0), None
        percents = range(1, 101)  # the more are right, the likelier it is found
        least = bisect_left(percents, _POWER, key=lambda percent: self._reaches(needed, percent / 100))
        return Fraction(needed, self._parts), percents[least] / 100

    def _reaches(self, needed: int, share: float) -> float:
        """The probability of at least `needed` parts where the key is among the k in this share of the picks."""
        if self._kinds.total() <= _MANY:
            return tail(self._of(lambda k, n: max(share, k / n)), needed)
        from statistics import NormalDist  # for large banks alone

        mean = spread = 0.0
        for (k, n), count in self._kinds.items():
            chance, step = max(share, k / n), self._parts / k
            mean += count * step * chance
            spread += count * step**2 * chance * (1 - chance)
        # The mean of so many is as good as normal; what stands out is asked to a percent.
        return float(mean >= needed) if not spread else 1 - NormalDist(mean, sqrt(spread)).cdf(needed - self._half)

    def _of(self, chance: Callable[[int, int], float]) -> list[float]:
        """The law on the grid where the key is among k of n with this chance."""
        law = [1.0]
        steps: dict[tuple[int, float], int] = {}
        for (k, n), count in self._kinds.items():
            at = (self._parts // k, chance(k, n))
            steps[at] = steps.get(at, 0) + count
        for (step, share), count in steps.items():
            spread = [0.0] * (step * count + 1)
            spread[::step] = _binomial(count, share)
            law = _joined(law, spread)
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
