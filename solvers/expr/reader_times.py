"""Times of several parts: `1h30m`, `1 h 30 min`, `2 weeks and 3 days`, `1 hour, 30 minutes`."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from solvers.expr.dimension import Dimension
from solvers.expr.reader_limits import MAX_DIGITS
from solvers.expr.reader_tokens import Token

if TYPE_CHECKING:
    from solvers.expr.reader_signs import Reading

_PART: Final = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?) ?(?P<word>[A-Za-zμ]+)")
_JOIN: Final = re.compile(r"(?:,? and |, ?)? *")
_SECOND: Final = Dimension.of(second=1)
_MOST: Final = 6


def mixed_times(source: str, plain: str, start: int, end: int, reading: Reading) -> list[Token] | None:
    """The tokens of a sum of ever smaller times; None where `plain[start:end]` is anything else.

    `m` is a minute behind a longer time or in front of seconds, and nowhere else. A declared name is itself.
    """
    place = start
    while plain[place : place + 1] == " ":
        place += 1
    tokens: list[Token] = []
    spellings, last = reading.units.spellings, None
    while place < end:
        part = _PART.match(plain, place, end)
        if part is None or len(tokens) > 2 * _MOST or len(part["number"]) > MAX_DIGITS:
            return None
        typed = part["word"]
        word = "min" if typed == "m" and (tokens or part.end() < end) else typed
        if typed in reading.names or word not in spellings:
            return None
        unit = reading.units.parse(spellings[word])
        if unit.dimension != _SECOND or (last is not None and unit.factor >= last):
            return None
        last = unit.factor
        if tokens:
            tokens.append(Token("operator", "+", part.start(), part.start()))
        number, written = part["number"], source[part.start() : part.end()]
        tokens.append(Token("number", number, part.start(), part.end(), Fraction(number), unit, written, number))
        join = _JOIN.match(plain, part.end(), end)
        place = join.end() if join else part.end()
    return [*tokens, Token("end", "", end, end)] if len(tokens) > 1 else None
