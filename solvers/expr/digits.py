"""Significant digits, counted on what was typed and never on a value: `1.0000` has five, `0.0010` has two.

The zeros at the end of `61300` may or may not be meant: `least` leaves them out, `most` counts them.
"""

from __future__ import annotations

from fractions import Fraction

from solvers.record import Record


class Digits(Record):
    """What a typed number says about its precision.

    `least` and `most` bound the significant digits, `decimals` counts those behind the point, and `last` is
    the value of one unit of the last digit typed (of `61300`: 1; of `6.0e3`: 100).
    """

    least: int
    most: int
    decimals: int
    last: Fraction

    def may_be(self, count: int, *, zeros_ambiguous: bool = True) -> bool:
        """Whether the number may be said to have `count` digits; zeros at the end count only if ambiguous."""
        return self.least <= count <= (self.most if zeros_ambiguous else self.least)


def count_digits(mantissa: str, exponent: int = 0) -> Digits:
    """Count in a plain spelling, as `04`, `0.0010`, `25.00` (digits and at most one point), times 10^exponent."""
    whole, point, behind = mantissa.partition(".")
    typed = (whole + behind).lstrip("0")
    last = Fraction(10) ** (exponent - len(behind))
    if not typed:
        zeros = max(1, len(behind))
        return Digits(zeros, zeros, len(behind), last)
    most = len(typed)
    least = most if point else len(typed.rstrip("0"))
    return Digits(least, most, len(behind), last)


def round_to_digits(value: Fraction, count: int) -> Fraction:
    """Round to `count` significant digits, half away from zero, exactly."""
    if not value:
        return value
    unit = last_unit(value, count)
    return _half_away(value / unit) * unit


def cut_to_digits(value: Fraction, count: int) -> Fraction:
    """Cut off behind `count` significant digits, exactly."""
    if not value:
        return value
    unit = last_unit(value, count)
    whole = abs(value) // unit * unit
    return whole if value > 0 else -whole


def last_unit(value: Fraction, count: int) -> Fraction:
    """One unit of the last of `count` digits of a value that is not zero."""
    size = abs(value)
    # The position of the first digit: a bit count bounds it to within one, the loop settles it.
    place = (size.numerator.bit_length() - size.denominator.bit_length()) * 30103 // 100_000
    while Fraction(10) ** place > size:
        place -= 1
    while Fraction(10) ** (place + 1) <= size:
        place += 1
    return Fraction(10) ** (place - count + 1)


def round_to_decimals(value: Fraction, count: int) -> Fraction:
    """Round to `count` places behind the point, half away from zero, exactly."""
    unit = Fraction(10) ** -count
    return _half_away(value / unit) * unit


def _half_away(value: Fraction) -> int:
    whole = (abs(value) * 2 + 1) // 2
    return int(whole) if value >= 0 else -int(whole)
