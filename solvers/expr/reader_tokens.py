"""What both lexers hand to the grammar: tokens with their place in the text."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from solvers.expr.reader_limits import MAX_TOKENS, ReadError

if TYPE_CHECKING:
    from solvers.expr.units import Unit

Kind: TypeAlias = Literal["number", "name", "function", "string", "word", "operator", "(", ")", ",", "end"]


_NOTHING: Final = Fraction(0)
_ONE: Final = Fraction(1)


class Token(NamedTuple):
    """One token; `text` is its canonical spelling, `start` and `end` its place in the text as typed.

    A `number` carries its value, the unit behind it (None: plain) and, in `written`, how it was spelled (empty
    for a bare unit or a constant). In lenient text it also carries its mantissa in plain digits with a power of
    ten, the count suffix it was multiplied by (1: none), and `letter`, a suffix that has two meanings (`B`).
    """

    kind: Kind
    text: str
    start: int
    end: int
    value: Fraction = _NOTHING
    unit: Unit | None = None
    written: str = ""
    mantissa: str = ""
    exponent: int = 0
    suffix: Fraction = _ONE
    letter: str = ""


def counted(source: str, tokens: list[Token]) -> list[Token]:
    """Return `tokens` closed by an `end`; raises `ReadError` for an empty text or for too many of them."""
    if not tokens:
        raise ReadError(source, 0, len(source), "Nothing is written here.")
    if len(tokens) > MAX_TOKENS:
        place = tokens[MAX_TOKENS]
        raise ReadError(
            source,
            place.start,
            len(source),
            "This is too long to be read.",
            f"At most {MAX_TOKENS} numbers, names and signs are read.",
        )
    end = len(source)
    return [*tokens, Token("end", "", end, end)]
