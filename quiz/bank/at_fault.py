"""Which characters of an expression an error is about: the side of a comparison that measures something else.

The tree of an expression has no places in its text, and the tree that was evaluated has values where the author wrote
names. So the text is cut again, each of its parts found, and the part that could not be computed looked for among them.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from solvers.expr.dimension import PLAIN
from solvers.expr.reader_grammar import COMPARISONS, parse
from solvers.expr.reader_limits import ReadError
from solvers.expr.reader_strict import strict_tokens
from solvers.expr.tree import Binary, Call, Compare, Expr, Logic, Negative, Number, Symbol, Text, When, symbols
from solvers.expr.units import UNITS, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from solvers.expr.reader_tokens import Token

_RANKED: Final = re.compile(r"(?:least|most) ")
_WORD: Final = re.compile(r"[A-Za-zµ]+")
_OPENS: Final = ("(", "function")


class Part(NamedTuple):
    """A part of an expression, and the character that it begins with."""

    expr: Expr
    start: int
    below: tuple[Part, ...]


def start_of(text: str, where: Expr) -> int | None:
    """Where in `text` the part at fault begins, `where` being the smallest that has no value; None if it is not in it.

    Of two sides that do not measure the same, the one without names is taken for the mistake, else the second.
    """
    ranked = _RANKED.match(text)
    begun = ranked.end() if ranked else 0
    whole = _parts(text[begun:])
    for part in () if whole is None else _every(whole):
        if _is(part.expr, where) if part.below else part.expr == where:  # a name alone could stand for any value
            return begun + _at_fault(part, where).start
    return None


def start_of_name(text: str, name: str) -> int | None:
    """Where a name stands in `text` by itself and not as part of a longer one; None where it does not."""
    found = re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", text)
    return found.start() if found else None


def _at_fault(part: Part, where: Expr) -> Part:
    if isinstance(where, Binary) and where.operator in ("/", "^"):
        return part.below[1]
    if isinstance(where, Compare | Binary | Call):
        typed = [below for below, expr in zip(part.below, where.children, strict=True) if not symbols(expr)]
        if len(typed) == 1:
            return typed[0]
        return part if isinstance(where, Call) else part.below[1]
    return part


def _is(written: Expr, met: Expr) -> bool:
    """Whether a part as it is written is the one that was computed, where values may stand for names."""
    if isinstance(written, Symbol):
        return written == met or isinstance(met, Number | Text)
    if isinstance(written, Number):
        return isinstance(met, Number) and written.value == met.value
    if isinstance(written, When) and not isinstance(met, When):
        return _is(written.then, met) or _is(written.otherwise, met)
    if type(written) is not type(met) or len(written.children) != len(met.children):
        return False
    marks = ("operator", "function", "value")
    # Of `not (a > b)` the comparison `a <= b` is computed.
    if not isinstance(written, Compare) and any(
        getattr(written, mark, None) != getattr(met, mark, None) for mark in marks
    ):
        return False
    return all(_is(one, other) for one, other in zip(written.children, met.children, strict=True))


def _every(whole: Part) -> Iterator[Part]:
    """All parts, the largest first."""
    waiting = [whole]
    for one in waiting:
        yield one
        waiting += one.below


def _parts(text: str) -> Part | None:
    """The expression with all its parts; None where it cannot be read."""
    try:
        tokens = strict_tokens(text, _with_own(text))
        return _part(text, tokens[:-1], parse(text, tokens, lenient=False))
    except ReadError:
        return None  # told as such where the expression is read


def _with_own(text: str) -> Mapping[str, Unit]:
    """The units of the program, and each word behind a number as one: a bank may have declared it."""
    behind = re.findall(r"[0-9] *([A-Za-zµ]+)", text)
    return {**{word: Unit(word, Fraction(1), PLAIN) for word in behind if _WORD.fullmatch(word)}, **UNITS}


def _part(text: str, tokens: Sequence[Token], expr: Expr) -> Part:
    """The part that these tokens are."""
    start = tokens[0].start
    while len(tokens) > 1 and (_encloses(tokens) or (tokens[0].text == "+" and tokens[0].kind == "operator")):
        tokens = tokens[1:-1] if _encloses(tokens) else tokens[1:]
    pieces = _pieces(tokens, expr)
    below = tuple(_part(text, piece, child) for piece, child in zip(pieces, expr.children, strict=True))
    return Part(expr, start, below)


def _pieces(tokens: Sequence[Token], expr: Expr) -> list[Sequence[Token]]:
    """The tokens of each child of an expression."""
    if isinstance(expr, Negative) or (isinstance(expr, Logic) and expr.operator == "not"):
        return [tokens[1:]]
    if isinstance(expr, Call | When):
        inner = tokens[2:-1]
        return _cut(inner, [at for at, token in _outer(inner) if token.kind == ","])
    if isinstance(expr, Logic):
        return _cut(
            tokens, [at for at, token in _outer(tokens) if token.kind == "word" and token.text == expr.operator]
        )
    if isinstance(expr, Compare):
        return _cut(tokens, [at for at, token in _outer(tokens) if token.text in COMPARISONS])
    if isinstance(expr, Binary):
        signs = [at for at, token in _outer(tokens) if token.text == expr.operator and _joins(tokens, at)]
        return _cut(tokens, signs[:1] if expr.operator == "^" else signs[-1:])
    return []


def _cut(tokens: Sequence[Token], places: Sequence[int]) -> list[Sequence[Token]]:
    ends = [*places, len(tokens)]
    begins = [0, *(place + 1 for place in places)]
    return [tokens[begin:end] for begin, end in zip(begins, ends, strict=True)]


def _joins(tokens: Sequence[Token], at: int) -> bool:
    """Whether a sign stands between two sides, and not before one."""
    return at > 0 and tokens[at - 1].kind not in ("operator", ",", "word", *_OPENS)


def _outer(tokens: Sequence[Token]) -> Iterator[tuple[int, Token]]:
    """The tokens outside of all parentheses."""
    depth = 0
    for at, token in enumerate(tokens):
        if token.kind == ")":
            depth -= 1
        if not depth:
            yield at, token
        if token.kind == "(":
            depth += 1


def _encloses(tokens: Sequence[Token]) -> bool:
    """Whether the first parenthesis is closed by the last."""
    if tokens[0].kind != "(" or tokens[-1].kind != ")":
        return False
    return [at for at, _ in _outer(tokens)] == [0, len(tokens) - 1]
