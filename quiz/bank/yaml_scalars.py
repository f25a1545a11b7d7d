"""What a plain (unquoted) scalar means. A small part of YAML, and exact.

`true`, `false`, `null`, nothing at all, decimal integers and decimal numbers; everything else is text. A number
keeps the value that was written: `70e9` is the int 70000000000 and `1e-5` the Fraction 1/100000, since a binary
float would already have lost the figure that a question derives from.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TypeAlias

Scalar: TypeAlias = str | int | Fraction | bool | None

MAX_EXPONENT = 400
_MAX_DIGITS = 400

WORDS: dict[str, Scalar] = {"": None, "null": None, "true": True, "false": False}
_NUMBER = re.compile(r"([-+]?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|nan)", re.IGNORECASE)
NUMERIC_START = frozenset("0123456789+-.")


class NumberRefusedError(ValueError):
    """A plain scalar that is a number, but none that a bank can hold. The arguments: what, and what next."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(what, advice)
        self.what = what
        self.advice = advice


def resolve(text: str) -> Scalar:
    """The value of a plain scalar. Raises NumberRefusedError for what is not finite or beyond any quantity."""
    if text in WORDS:
        return WORDS[text]
    if text[0] not in NUMERIC_START:
        return text
    if _NOT_FINITE.fullmatch(text):
        raise NumberRefusedError("a number that is not finite", "Write a finite number, or quotes around a text.")
    match = _NUMBER.fullmatch(text)
    return text if match is None else _number(match)


def _number(match: re.Match[str]) -> int | Fraction:
    sign, whole, decimals, power = match.groups(default="")
    if len(whole) + len(decimals) > _MAX_DIGITS:
        raise NumberRefusedError(
            f"a number of {len(whole) + len(decimals)} digits",
            f"At most {_MAX_DIGITS} digits are read; put quotes around it if it is a text.",
        )
    exponent = _exponent(power)
    digits = int(sign + whole + decimals)
    magnitude = len(str(abs(digits))) - 1 + exponent - len(decimals)
    if abs(exponent) > MAX_EXPONENT or (digits and abs(magnitude) > MAX_EXPONENT):
        raise NumberRefusedError(
            f"a number beyond 10 to the power of {MAX_EXPONENT}",
            "No quantity is that large or small; put quotes around it if it is a text.",
        )
    value = digits * Fraction(10) ** (exponent - len(decimals))
    return value.numerator if value.denominator == 1 else value


def _exponent(power: str) -> int:
    """The exponent, or one that is out of bounds where it is too long to be read."""
    significant = power.lstrip("+-").lstrip("0")
    if len(significant) > len(str(MAX_EXPONENT)):
        return MAX_EXPONENT + 1
    return int(power or "0")
