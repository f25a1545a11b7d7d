"""Numbers as people write them: `1,120`, `1 120`, `1_120`, `.5`, `1.12e12`, `2½`; `1.120,5` where so is the custom."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Final

from solvers.expr.reader_formula import value_of
from solvers.expr.reader_limits import AmbiguousError, ReadError, refuse_large
from solvers.expr.reader_spelling import VULGAR
from solvers.record import Record

# What most numbers are: digits with nothing behind them that could go on.
_SIMPLE: Final = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?(?=[-+*/^()]|$)")
_GROUPED_IN_CALL: Final = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])")


class Writing(Record):
    """How numbers are written: the decimal sign, and the sign between groups of three ("" for any that is safe)."""

    decimal: str = "."
    thousands: str = ""

    @property
    def groups(self) -> str:
        """The characters that may stand between groups of three digits."""
        any_safe = " _'," if self.decimal == "." else " _'."
        return any_safe if not self.thousands else f"{self.thousands}_"


DEFAULT_WRITING: Final = Writing()


class Scanned(Record):
    """A number in a text: where it ends, its value, and its mantissa in plain digits with a power of ten."""

    end: int
    value: Fraction
    mantissa: str
    exponent: int


@lru_cache(maxsize=16)
def _pattern(writing: Writing, *, in_call: bool) -> re.Pattern[str]:
    groups = "".join(re.escape(sign) for sign in writing.groups if not (in_call and sign == ","))
    point = re.escape(writing.decimal)
    grouped = rf"[1-9][0-9]{{0,2}}(?P<sign>[{groups}])[0-9]{{3}}(?:(?P=sign)[0-9]{{3}})*(?![0-9])"
    behind = r"[0-9]{3}(?: [0-9]{3})*(?: [0-9]{1,3})?(?![0-9])"
    return re.compile(
        rf"(?:(?P<grouped>{grouped})(?:{point}(?:(?P<spaced>{behind})|(?P<tail>[0-9]*)))?"
        rf"|(?P<whole>[0-9]+)(?:{point}(?P<part>[0-9]*))?|{point}(?P<bare>[0-9]+))"
        r"(?:[eE](?P<exponent>[+-]?[0-9]+))?"
    )


def scan_number(source: str, plain: str, start: int, writing: Writing, *, in_call: bool) -> Scanned | None:
    """Read the number that begins at `start` of `plain` (the translated `source`), or return None.

    Inside a call with several values a comma separates them, and `min(1,120)` is refused as ambiguous.
    Raises `ReadError` for groups that are none, such as `3,14159`, and for numbers beyond the bounds.
    """
    if in_call and writing.decimal == "." and (both := _GROUPED_IN_CALL.match(plain, start)):
        one, two = both[0].replace(",", ""), both[0].replace(",", " and ")
        raise AmbiguousError(source, start, both.end(), (one, two), "Leave out the comma, or put a space behind it.")
    if (simple := _SIMPLE.match(plain, start)) and (writing is DEFAULT_WRITING or "." not in simple[0]):
        return Scanned(simple.end(), value_of(simple[0]), simple[0], 0)
    match = _pattern(writing, in_call=in_call).match(plain, start)
    if not match:
        return None
    mantissa, end = _mantissa(match), match.end()
    # A space may group digits behind the point only where it groups those before it.
    if match["spaced"] and " " in match["spaced"] and " " not in (match["sign"], writing.thousands):
        raise ReadError(source, start, end, "Two numbers need a sign between them.")
    exponent = match["exponent"] or ""
    refuse_large(source, start, end, mantissa, exponent)
    _refuse_rest(source, plain, start, end, writing, in_call=in_call)
    power = int(exponent or 0)
    value = value_of(mantissa) * Fraction(10) ** power if power else value_of(mantissa)
    if plain[end : end + 1] in VULGAR and not exponent and "." not in mantissa:
        return Scanned(end + 1, value + VULGAR[plain[end]], mantissa, 0)
    return Scanned(end, value, mantissa, power)


def _mantissa(match: re.Match[str]) -> str:
    if match["bare"] is not None:
        return f"0.{match['bare']}"
    if match["whole"] is not None:
        return match["whole"] if match["part"] is None else f"{match['whole']}.{match['part']}"
    whole = match["grouped"].replace(match["sign"], "")
    if match["spaced"] is not None:
        return f"{whole}.{match['spaced'].replace(' ', '')}"
    return whole if match["tail"] is None else f"{whole}.{match['tail']}"


def _refuse_rest(source: str, plain: str, start: int, end: int, writing: Writing, *, in_call: bool) -> None:
    """Refuse a separator with digits behind it that the number could not take in."""
    sign, digit = plain[end : end + 1], plain[end + 1 : end + 2]
    if not ("0" <= digit <= "9"):
        return
    if sign == "." != writing.decimal and writing.decimal not in source[start:end]:
        raise ReadError(source, end, end + 1, "This point groups no thousands.", _custom(writing))
    if sign in (".", writing.decimal):
        raise ReadError(source, end, end + 1, "This number has two decimal signs.", _custom(writing))
    if sign == "," and not in_call:
        raise ReadError(source, end, end + 1, "This comma groups no thousands.", _custom(writing))
    if sign in ("'", "_"):
        raise ReadError(
            source, start, end + 2, "Separators stand between groups of three digits.", "Leave the separators out."
        )


def _custom(writing: Writing) -> str:
    if writing.decimal == ".":
        return "The decimal sign is a point here: 0.5; thousands may be grouped: 1,120."
    return "The decimal sign is a comma here: 0,5; thousands may be grouped: 1 120."
