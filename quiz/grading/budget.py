"""How many wrong values may be recognised before a random number would be, too.

Random answers are taken as spread evenly over the logarithm, around the reference, from one decade in all outwards. A
value `c` written with so many digits is hit by one unit of its last digit, a share `unit / c` of that logarithm. What
is allowed may cover no more than `SHARE` of any such neighbourhood of the reference.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Final

from solvers.expr.digits import last_unit

if TYPE_CHECKING:
    from fractions import Fraction

SHARE: Final = 0.018
"""The share of random wrong answers that is allowed for; the law is 2 %, and a sample of it shows a little more."""
_NEAREST: Final = log(10) / 2
_ROUNDED: Final = 9  # so that the last bits of a logarithm decide nothing


def digits_of(value: Fraction, window: Fraction) -> int:
    """How many digits a value was typed with, by half a unit of the last one."""
    return len(str(int(abs(value) / (2 * window))))


class Budget:
    """What is covered of the neighbourhoods of a reference, for numbers typed with a count of digits."""

    def __init__(self, reference: Fraction, window: Fraction, digits: int) -> None:
        """`window` is half a unit of the last digit typed: it says where the decades lie."""
        self._reference, self._unit, self._digits = abs(reference), 2 * window, digits
        self._covered: dict[Fraction, tuple[float, float]] = {}  # by value: distance and share

    def charge(self, value: Fraction) -> None:
        """Count a value as recognised, whatever it covers."""
        self._covered[value] = self._place(value)

    def allows(self, value: Fraction) -> bool:
        """Whether a value can be recognised within the share; if so, it is counted."""
        if value in self._covered:
            return True
        distance, share = self._place(value)
        edges = {distance, *(other for other, _ in self._covered.values() if other >= distance)}
        for edge in edges:
            covered = sum(part for other, part in self._covered.values() if other <= edge)
            is_spent = edge > distance and covered > SHARE * 2 * edge  # by what is told in any case, further out
            if not is_spent and round(covered + share, _ROUNDED) > SHARE * 2 * edge:
                return False
        self._covered[value] = distance, share
        return True

    def _place(self, value: Fraction) -> tuple[float, float]:
        """How far a value lies from the reference, and the share of the logarithm that it covers."""
        size = abs(value)
        distance = abs(_log(size) - _log(self._reference)) if self._reference else _NEAREST
        steps = size / self._unit
        return max(distance, _NEAREST), float(last_unit(steps, self._digits) / steps)


def _log(value: Fraction) -> float:
    return log(value.numerator) - log(value.denominator)
