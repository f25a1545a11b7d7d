"""Several values in one answer, in order: `35 GB, 70 GB and 140 GB`, `[1; 2; 3]`, `35, 70, 140 GB`."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from quiz.grading.records import Grade
from solvers.record import Record, changed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST: Final = 12
MAX_LIST: Final = 600
_MOST_REORDERED: Final = 5
_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}
_GROUP: Final = re.compile(r"(?<=[0-9]),[0-9]{3}(?![0-9])")
_BETWEEN: Final = re.compile(r",? {1,9}and {1,9}|\n|,", re.IGNORECASE)
_LAST_UNIT: Final = re.compile(r"[0-9)²³]\s*(?P<unit>[A-Za-zµμΩ%][^0-9(]*)$")
_BARE: Final = re.compile(r"[\s~≈+\-−]*[0-9][0-9.,'_ ]*(?:[eE][+-]?[0-9]+)?\s*")
_ORDER: Final = ("invalid", "wrong-unit", "incorrect", "close", "correct")
_SAID: Final = {"wrong-unit": "has a wrong unit", "incorrect": "is wrong", "close": "is close"}


class Piece(Record):
    """One value of a list, and where it begins in the whole text."""

    text: str
    start: int


def pieces_of(text: str, *, decimal: str = ".") -> tuple[Piece, ...]:
    """Cut a list at semicolons, or else at commas and at `and`; a comma within `1,120` groups digits.

    Brackets around the whole are left out. A unit behind the last value alone is that of all. Never raises.
    """
    start, end = _inside(text[:MAX_LIST])
    cuts = _cuts(text[start:end], decimal)
    edges = [0, *(place for cut in cuts for place in cut), end - start]
    found = [
        Piece(text[start + left : start + right], start + left)
        for left, right in zip(edges[::2], edges[1::2], strict=True)
    ]
    return _with_last_unit(found)


def _inside(text: str) -> tuple[int, int]:
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    closing = _PAIRS.get(text[start : start + 1])
    if closing and end - start > 1 and text[end - 1] == closing and _closes(text[start:end]):
        return start + 1, end - 1
    return start, end


def _closes(text: str) -> bool:
    """Whether the bracket that opens a text is closed only at its end."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character in _PAIRS) - (character in _PAIRS.values())
        if not depth:
            return place == len(text) - 1
    return False


def _cuts(text: str, decimal: str) -> list[tuple[int, int]]:
    outside: list[int] = []
    depth = 0
    for place, character in enumerate(text):
        depth += (character in _PAIRS) - (character in _PAIRS.values())
        if depth == 0:
            outside.append(place)
    semicolons = [(place, place + 1) for place in outside if text[place] == ";"]
    if semicolons:
        return semicolons
    free = set(outside)
    found = (match for match in _BETWEEN.finditer(text) if match.end() - 1 in free)
    return [match.span() for match in found if _cuts_here(text, match, decimal)]


def _cuts_here(text: str, match: re.Match[str], decimal: str) -> bool:
    """Whether a separator is one, and no comma inside a number."""
    if match[0] != ",":
        return True
    is_decimal = decimal == "," and text[match.end() : match.end() + 1].isdigit()
    return not is_decimal and not _GROUP.match(text, match.start())


def _with_last_unit(found: list[Piece]) -> tuple[Piece, ...]:
    unit = _LAST_UNIT.search(found[-1].text.rstrip())
    if unit is None or not all(_BARE.fullmatch(piece.text) for piece in found[:-1]):
        return tuple(found)
    return (*(changed(piece, text=f"{piece.text.rstrip()} {unit['unit']}") for piece in found[:-1]), found[-1])


def judge_list(text: str, wanted: int, judge: Callable[[int, str], Grade], *, decimal: str = ".") -> Grade:
    """Grade a list of `wanted` values by `judge(place, text)`, each by itself.

    Another number of values is invalid and costs nothing. `credit` is the share of the values that are right.
    """
    if len(text) > MAX_LIST:
        said = f"This is {len(text):,} characters long. At most {MAX_LIST} are read of a list."
        return Grade("invalid", message=said, span=(MAX_LIST, len(text)))
    pieces = pieces_of(text, decimal=decimal)
    if len(pieces) != wanted:
        typed = "1 value is" if len(pieces) == 1 else f"{len(pieces)} values are"
        return Grade(
            "invalid",
            message=f"{wanted} values are asked for and {typed} typed. Separate them by a semicolon.",
            span=(0, len(text)),
        )
    grades = tuple(judge(place, piece.text) for place, piece in enumerate(pieces))
    read_as = "; ".join(grade.read_as for grade in grades)
    for piece, grade in zip(pieces, grades, strict=True):
        if grade.status == "invalid":
            first, last = grade.span or (0, 0)
            span = (piece.start + first, min(piece.start + last, len(text)))
            return Grade("invalid", message=grade.message, span=span, parts=grades)
    right = sum(grade.status == "correct" for grade in grades)
    status = min((grade.status for grade in grades), key=_ORDER.index)
    if right == wanted:
        return Grade(status, read_as, parts=grades, credit=Fraction(1))
    said = " ".join(_said(place, grade) for place, grade in enumerate(grades) if grade.status != "correct")
    if wanted <= _MOST_REORDERED and _is_other_order(pieces, judge, wanted):
        said = "The values are right, their order is not."
    slip = next((grade for grade in grades if grade.slip), Grade("unknown"))
    return Grade(status, read_as, said, slip.slip, slip.slip_kind, parts=grades, credit=Fraction(right, wanted))


def _said(place: int, grade: Grade) -> str:
    what = f"Value {place + 1} {_SAID.get(grade.status, 'is wrong')}"
    return f"{what}. {grade.message}".strip()


def _is_other_order(pieces: Sequence[Piece], judge: Callable[[int, str], Grade], wanted: int) -> bool:
    """Whether each place would be right with another of the values, each used once."""
    left = list(pieces)
    for place in range(wanted):
        fitting = next((piece for piece in left if judge(place, piece.text).status == "correct"), None)
        if fitting is None:
            return False
        left.remove(fitting)
    return True
