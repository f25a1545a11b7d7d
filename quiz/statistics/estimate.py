"""Shares with their uncertainty, and medians of a histogram. A figure from too few answers is None, never a guess.

One rule holds for every figure that is estimated, be it a share, a mean, a median or a forecast of the memory model: it
takes `LEAST` of the answers that it rests on, and `LEAST_SPLIT`, twice as many, where it is split into parts. Counts
take none. Each figure stands beside its `n` and the `least`, so that whoever reads it can say how many are missing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Fewest answers for a figure: from 20 on the 95 % interval of any share is within 20 points of it, or nearly.
LEAST: Final = 20
#: Fewest where a figure is split into parts: the Brier score and its parts.
LEAST_SPLIT: Final = 2 * LEAST

#: The two-sided 95 % quantile of the normal distribution.
Z: Final = 1.959963984540054


class Share(msgspec.Struct, frozen=True):
    """A share of trials, with its 95 % interval.

    Attributes:
        n: trials.
        hits: those that succeeded.
        least: below so many trials there is not enough data, and the three figures are None.
        share, low, high: 0 to 1; `low` and `high` are Wilson's score interval.
    """

    n: int
    hits: int
    least: int
    share: float | None = None
    low: float | None = None
    high: float | None = None


def share(hits: int, n: int, *, least: int = LEAST) -> Share:
    """Return a share with its interval, or without figures where there are fewer than `least` trials."""
    if n < max(1, least):
        return Share(n, hits, least)
    low, high = wilson(hits, n)
    return Share(n, hits, least, hits / n, low, high)


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % score interval of a share, each bound 0 to 1.

    It stays within 0 and 1 and keeps close to its level for small n and for shares near 0 and 1, where the usual
    plus or minus does not. Source: E. B. Wilson, JASA 22 (1927) 209; recommended for small n by Brown, Cai and
    DasGupta, Statistical Science 16 (2001) 101.

    Raises:
        ValueError: no trials, or more hits than trials.
    """
    if not 0 <= hits <= n or not n:
        message = f"{hits} of {n} is no share"
        raise ValueError(message)
    middle = (hits + Z * Z / 2) / (n + Z * Z)
    half = Z / (n + Z * Z) * math.sqrt(hits * (n - hits) / n + Z * Z / 4)
    # Rounding must not push a bound past the share itself: 0 of n begins at 0, n of n ends at 1.
    return max(0.0, min(middle - half, hits / n)), min(1.0, max(middle + half, hits / n))


def quantile(classes: Iterable[tuple[float, float, int]], q: float) -> float | None:
    """Return a quantile of a histogram, its values spread evenly within each class; None for an empty one.

    Args:
        classes: lower bound, upper bound and count, ascending.
        q: 0 to 1.
    """
    kept = [(low, high, count) for low, high, count in classes if count > 0]
    total = sum(count for _, _, count in kept)
    if not total:
        return None
    wanted = q * total
    for low, high, count in kept:
        if wanted <= count:
            return low + (high - low) * wanted / count
        wanted -= count
    return kept[-1][1]
