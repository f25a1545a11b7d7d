"""Calibration: how often what was said to be sure was right, and the Brier score with its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from quiz.scheduling.rating import CONFIDENCES
from quiz.statistics.estimate import LEAST_SPLIT, Share, share, wilson

if TYPE_CHECKING:
    from quiz.statistics.given import Sums


class Bin(msgspec.Struct, frozen=True):
    """The answers given with one confidence: percent, and the share that was right."""

    confidence: int
    right: Share


class Calibration(msgspec.Struct, frozen=True):
    """Confidence against correctness; the figures are None below `least` answers.

    Attributes:
        n: answers with a confidence, the first of each card's day.
        brier: mean square of confidence less outcome; 0 is perfect, 0.25 is what "50 %" always earns.
        reliability: the part that comes from saying 75 % and being right at another rate; 0 is perfect.
        resolution: how far the confidences tell right from wrong; the more the better.
        uncertainty: what the share of right answers alone would earn. Brier = reliability - resolution + uncertainty.
        gap: mean confidence less the share that was right: above 0 is too sure.
        gap_low, gap_high: the same with Wilson's 95 % interval of that share; where 0 lies between them, the answers
            do not tell whether there is a gap at all.
    """

    n: int
    least: int
    bins: tuple[Bin, ...]
    brier: float | None
    reliability: float | None
    resolution: float | None
    uncertainty: float | None
    gap: float | None
    gap_low: float | None = None
    gap_high: float | None = None


def calibration(sums: Sums) -> Calibration:
    """Return the calibration from the cells of days.

    The decomposition is A. H. Murphy's, J. Applied Meteorology 12 (1973) 595. It is exact here, since a confidence
    is one of four values and each is a class of its own.
    """
    counts = [(said, sums.sure[said, "right"], sums.sure[said, "wrong"]) for said in CONFIDENCES]
    bins = tuple(Bin(said, share(right, right + wrong)) for said, right, wrong in counts)
    n = sum(right + wrong for _, right, wrong in counts)
    if n < LEAST_SPLIT:
        return Calibration(n, LEAST_SPLIT, bins, None, None, None, None, None)
    hits = sum(right for _, right, _ in counts)
    base, (low, high) = hits / n, wilson(hits, n)
    brier = reliability = resolution = stated = 0.0
    for said, right, wrong in counts:
        p, count = said / 100, right + wrong
        if count:
            brier += (right * (1 - p) ** 2 + wrong * p**2) / n
            reliability += count * (p - right / count) ** 2 / n
            resolution += count * (right / count - base) ** 2 / n
            stated += count * p / n
    parts = (brier, reliability, resolution, base * (1 - base))
    return Calibration(n, LEAST_SPLIT, bins, *parts, stated - base, stated - high, stated - low)
