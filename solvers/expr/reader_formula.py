"""The short way into the tokens: a formula in declared names, plain numbers, signs and roots or logarithms.

Most formulas are this, and one compiled expression cuts them. Whatever has anything else in it, a unit, a call with
several values, a word, a grouped number, is the lexer's; what both can read, they cut into the same tokens (a property
test holds it).
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from solvers.expr.reader_limits import MAX_TOKENS
from solvers.expr.reader_tokens import Kind, Token

if TYPE_CHECKING:
    from collections.abc import Container

_PIECE: Final = re.compile(
    r"(?P<function>(?:sqrt|log(?:2|10)?|ln|exp|ceil|floor|abs|sin|cos|tan)(?= *\())|(?P<name>[A-Za-z_][0-9A-Za-z_]*)"
    r"|(?P<number>[0-9]{1,30}(?:\.[0-9]{1,30})?)(?![0-9.,_'eE])|(?P<sign>\*\*|[-+*/^])|(?P<opens>\()|(?P<closes>\))"
)
_KINDS: Final[dict[str | None, Kind]] = {"name": "name", "function": "function", "sign": "operator", "opens": "(",
                                         "closes": ")"}  # fmt: skip
_WORDS: Final = frozenset(("name", "function"))
_BESIDE: Final = frozenset(("number", "name", "closes"))


@lru_cache(maxsize=512)
def value_of(digits: str) -> Fraction:
    """The value of plain digits; the same few numbers are typed again and again."""
    return Fraction(digits)


def formula_tokens(plain: str, start: int, end: int, names: Container[str]) -> list[Token] | None:
    """The tokens of `plain[start:end]`, closed by an `end`; None where it is no plain formula."""
    tokens: list[Token] = []
    append, piece_at = tokens.append, _PIECE.match
    place = start
    before: str | None = None
    while True:
        while plain[place : place + 1] == " ":
            place += 1
        if place >= end:
            break
        piece = piece_at(plain, place, end)
        if piece is None:
            return None
        kind, typed, stop = piece.lastgroup, piece[0], piece.end()
        if kind in _WORDS:
            if (typed in names) is (kind == "function"):
                return None
        elif kind == "number" and before in _BESIDE:
            return None
        if kind == "number":
            append(Token("number", typed, place, stop, value_of(typed), None, typed, typed))
        else:
            append(Token(_KINDS[kind], "^" if typed == "**" else typed, place, stop))
        place, before = stop, kind
    if not tokens or len(tokens) > MAX_TOKENS or "+/" in plain:
        return None
    append(Token("end", "", end, end))
    return tokens
