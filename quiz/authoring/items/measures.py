"""The formulas of item analysis. Pure; what is undefined is None, never 0 and never NaN.

Scores are 0 or 1, totals are whole numbers or exact shares; sums are exact, so that an item without spread is found
without a threshold. Variances in alpha and KR-20 are those of the population (divided by n): only so are the two equal
for items scored 0 or 1. The standard error of measurement takes the sample's standard deviation (divided by n - 1), as
published tables do.

Sources: Lord and Novick, Statistical Theories of Mental Test Scores (1968), for alpha and KR-20; Kelley, The selection
of upper and lower groups for the validation of test items (1939), for the 27 %; Tarrant and others, An assessment of
functioning and non-functioning distractors (2009), for the 5 %.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The share of learners in the upper and in the lower group.
GROUP: Final = Fraction(27, 100)
#: A wrong option that fewer than this share choose does no work.
FUNCTIONAL: Final = Fraction(5, 100)
#: How ties at the edge of a group are dealt with, in words.
TIE_RULE: Final = (
    "whoever has the same total as the last learner of the upper or the lower 27 % belongs to that group too; "
    "where the two groups would meet there is no figure"
)
_TWO: Final = 2


class Discrimination(NamedTuple):
    """The share right in the upper group less that in the lower one, and how many are in each."""

    value: float | None
    upper: int
    lower: int


def correlation(xs: Sequence[int | Fraction], ys: Sequence[int | Fraction]) -> float | None:
    """Pearson's r of two columns of equal length; None where one of them has no spread.

    With a 0/1 column this is the point-biserial correlation.
    """
    n = len(xs)
    sum_x, sum_y = sum(xs), sum(ys)
    spread_x = n * sum(x * x for x in xs) - sum_x * sum_x
    spread_y = n * sum(y * y for y in ys) - sum_y * sum_y
    if not spread_x or not spread_y:
        return None
    shared = n * sum(x * y for x, y in zip(xs, ys, strict=True)) - sum_x * sum_y
    return float(shared) / sqrt(spread_x * spread_y)


def discrimination(scores: Sequence[int], totals: Sequence[int | Fraction]) -> Discrimination:
    """The upper-lower index over 27 %: by `TIE_RULE`, so that it does not depend on the order of the learners."""
    n = len(scores)
    size = floor(GROUP * n + Fraction(1, 2))
    if not size:
        return Discrimination(None, 0, 0)
    ranked = sorted(totals)
    low, high = ranked[size - 1], ranked[-size]
    if low >= high:
        return Discrimination(None, 0, 0)
    lower = [score for score, total in zip(scores, totals, strict=True) if total <= low]
    upper = [score for score, total in zip(scores, totals, strict=True) if total >= high]
    share = Fraction(sum(upper), len(upper)) - Fraction(sum(lower), len(lower))
    return Discrimination(float(share), len(upper), len(lower))


def variance(values: Sequence[int]) -> Fraction:
    """The population variance of a column, exact. Raises `ZeroDivisionError` for an empty one."""
    n, total = len(values), sum(values)
    return Fraction(n * sum(value * value for value in values) - total * total, n * n)


def totals_of(columns: Sequence[Sequence[int]]) -> list[int]:
    """Each learner's sum over the items; `columns` are items, of equal length."""
    return [sum(row) for row in zip(*columns, strict=True)]


def alpha(columns: Sequence[Sequence[int]]) -> float | None:
    """Cronbach's alpha of a complete matrix given by items; None below two items or without spread of the totals."""
    if len(columns) < _TWO or not columns[0]:
        return None
    return _alpha(sum((variance(column) for column in columns), Fraction()), variance(totals_of(columns)), len(columns))


def kr20(columns: Sequence[Sequence[int]]) -> float | None:
    """Kuder and Richardson's formula 20 over the sum of p q; equals alpha for items scored 0 or 1."""
    if len(columns) < _TWO or not columns[0]:
        return None
    n = len(columns[0])
    shares = [Fraction(sum(column), n) for column in columns]
    return _alpha(sum((p * (1 - p) for p in shares), Fraction()), variance(totals_of(columns)), len(columns))


def alpha_if_deleted(columns: Sequence[Sequence[int]]) -> list[float | None]:
    """Alpha of the other items, for each; None where fewer than two others are left."""
    if len(columns) <= _TWO or not columns[0]:
        return [None] * len(columns)
    totals = totals_of(columns)
    whole = sum((variance(column) for column in columns), Fraction())
    return [
        _alpha(
            whole - variance(column),
            variance([total - score for total, score in zip(totals, column, strict=True)]),
            len(columns) - 1,
        )
        for column in columns
    ]


def standard_error(columns: Sequence[Sequence[int]]) -> float | None:
    """The standard error of measurement: the sample's deviation of the totals by the root of 1 - alpha."""
    reliability, deviation = alpha(columns), sample_deviation(totals_of(columns)) if columns else None
    if reliability is None or deviation is None:
        return None
    return deviation * sqrt(1 - reliability)


def sample_deviation(values: Sequence[int]) -> float | None:
    """The standard deviation over n - 1; None below two values."""
    n = len(values)
    return sqrt(variance(values) * n / (n - 1)) if n >= _TWO else None


def _alpha(of_items: Fraction, of_totals: Fraction, items: int) -> float | None:
    if not of_totals:
        return None
    return float(Fraction(items, items - 1) * (1 - of_items / of_totals))
