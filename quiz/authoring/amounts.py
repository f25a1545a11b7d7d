"""Options that are numbers: what each is worth, in which unit, and whether several are alike but for the number.

An option is a number where it holds one number and all options share the words around it: "16 GB", "About 16 GB each",
"`1/4`". A digit in a name (ZeRO-3) is none, and what holds two numbers is no number.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from unicodedata import numeric

from solvers.expr.evaluate import EvaluationError, Quantity, evaluate
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

_MARKS: Final = re.compile(r"`|\*{2,3}|(?<!\S)\*(?=\S)|(?<=\S)\*(?!\S)|(?<!\w)_|_(?!\w)")
_VULGAR: Final = r"[¼½¾⅐-⅞]"
_NUMBER: Final = re.compile(
    rf"(?<![\w.])(?<![A-Za-z][-‐‑])(?P<number>[-−]?(?:\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?:\s?[/:]\s?\d+)?{_VULGAR}?"
    rf"|{_VULGAR}))(?P<unit>\s?(?:[%$€°]|[A-Za-zµμ][\w/]*))?"
)
_DIGIT: Final = re.compile(rf"\d|{_VULGAR}")
_ORDINAL: Final = re.compile(r"st|nd|rd|th")


class Amount(Record):
    """An option that is a number: the words before and behind it, its value as written, its unit (empty for none).

    `worth` is the value with its unit; None where no unit of the field is named. `counted` is a word behind the
    number that is no unit: GPUs, of, each.
    """

    before: str
    number: Fraction
    unit: str
    behind: str
    worth: Quantity | None


def unmarked(text: str) -> str:
    """A text on one line, without the marks of emphasis and code."""
    return " ".join(_MARKS.sub("", text).split())


def plain(text: str) -> str:
    """A text as it is compared: without its marks, its case and its last stop."""
    return unmarked(text).lower().rstrip(".!")


@lru_cache(maxsize=4096)
def amount(text: str) -> Amount | None:
    """An option as a number; None where it holds none, or more than one."""
    bare = unmarked(text).rstrip(".!")
    found = _NUMBER.search(bare)
    if found is None or _DIGIT.search(bare, found.end("number")) or _DIGIT.search(bare, 0, found.start()):
        return None
    number = _number(found["number"])
    if number is None:
        return None
    unit = (found["unit"] or "").strip()
    worth = _worth(number, unit) if unit else Quantity(number)
    if ":" in found["number"]:
        worth = None  # 1:2 may be a half or a third
    if _ORDINAL.fullmatch(unit):
        unit = ""
    end = found.end() if unit and worth is not None else found.end("number")
    behind = bare[end:] if not _ORDINAL.match(bare[end : end + 2]) else bare[end + 2 :]
    before = bare[: found.start()].strip(" ~≈").lower()
    return Amount(before, number, unit if worth is not None else "", behind.strip().lower(), worth)


def amounts(texts: Sequence[str]) -> list[Amount] | None:
    """All options as numbers; None where one is none, or where they differ in more than number and unit."""
    found = [amount(text) for text in texts]
    known = [one for one in found if one is not None]
    if len(known) < len(found) or len({(one.before, one.behind) for one in known}) != 1:
        return None
    return known


def _number(text: str) -> Fraction | None:
    text = text.replace(",", "").replace("−", "-").replace(" ", "")
    fraction = Fraction(0)
    if not text[-1].isdigit():
        fraction = Fraction(numeric(text[-1])).limit_denominator(10)
        text = text[:-1]
        if text in ("", "-"):
            return -fraction if text else fraction
    above, _, below = text.replace(":", "/").partition("/")
    try:
        value = Fraction(above) / Fraction(below or 1)
    except (ValueError, ZeroDivisionError):
        return None
    return value + fraction


def _worth(number: Fraction, unit: str) -> Quantity | None:
    """The value in a unit of the field; None where that is no unit."""
    from solvers.expr.strict import ReadError, read_strict  # most options are no numbers

    try:
        one = evaluate(read_strict(f"1 {unit}"), _nothing)
    except (ReadError, EvaluationError, ArithmeticError, LookupError, ValueError):
        return None
    return Quantity(number * one.value, one.dimension) if isinstance(one, Quantity) else None


def _nothing(name: str) -> Quantity:
    raise LookupError(name)
