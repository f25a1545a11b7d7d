"""The tokens of strict text: expressions of a bank and of `--set`.

Numbers are plain (`70e9`, `1.5`); a unit stands directly behind its number and is written without spaces
(`15 GB`, `50 GB/s`, `16 B/param`, `5 %`), so a known unit there is never a name. Names are dotted.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final, cast

from solvers.expr.reader_limits import ReadError, escaped, is_unseen, refuse_large, refuse_long, shown
from solvers.expr.reader_tokens import Kind, Token, counted
from solvers.expr.tree import FUNCTIONS
from solvers.expr.units import UNITS, parse_unit, unit_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solvers.expr.units import Unit

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_NUMBER: Final = re.compile(r"(?P<mantissa>[0-9]+(?:\.[0-9]+)?)(?:[eE](?P<exponent>[+-]?[0-9]+))?")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*")
_STRING: Final = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'")
_CHOICE: Final = re.compile(r"[A-Za-z0-9_. +-]+")
_SIGN: Final = re.compile(r"\*\*|<=|>=|==|=<|=>|!=|&&|\|\||[-+*/^<>()=,]")
_UNIT_WORD: Final = re.compile(r"[A-Za-zµ]+|[%$]")
_UNIT_MORE: Final = re.compile(r"(?:[/·-](?P<word>[A-Za-zµ$]+)|\^[2-9])(?![A-Za-z0-9_.(])")
_UNIT_PARTS: Final = 6
_NEAR: Final = 0.7
_INSTEAD: Final = {"**": "^", "=": "==", "=<": "<=", "=>": ">=", "&&": "and", "||": "or"}
_PRINTED: Final = {
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "×": "*",
    "·": "*",
    "÷": "/",
    "−": "-",
    "–": "-",
}
_WORDS: Final = frozenset({"and", "or", "not"})


def strict_tokens(source: str, units: Mapping[str, Unit] = UNITS) -> list[Token]:
    """Cut strict text into tokens; raises `ReadError` at the first character that has no place there."""
    refuse_long(source)
    tokens: list[Token] = []
    position = _skip(source, 0)
    while position < len(source):
        token = _token(source, position, units)
        if token.kind == "name" and tokens and tokens[-1].kind == "number":
            _refuse_near_unit(source, token, units)
        tokens.append(token)
        position = _skip(source, token.end)
    return counted(source, tokens)


def _skip(source: str, position: int) -> int:
    match = _SPACE.match(source, position)
    return match.end() if match else position


def _token(source: str, start: int, units: Mapping[str, Unit]) -> Token:
    if match := _NUMBER.match(source, start):
        return _number(source, match, units)
    if match := _NAME.match(source, start):
        return _named(source, match)
    if match := _SIGN.match(source, start):
        return _sign(source, match)
    if match := _STRING.match(source, start):
        return _string(source, match)
    raise _stranger(source, start)


def _number(source: str, match: re.Match[str], units: Mapping[str, Unit]) -> Token:
    start, end = match.span()
    refuse_large(source, start, end, match["mantissa"], match["exponent"] or "")
    following = source[end : end + 2]
    if following[:1] == "_":
        raise ReadError(source, end, end + 1, "Digits are written without separators here.", "Write 1000 or 1e3.")
    if following[:1] == ".":
        raise ReadError(source, end, end + 1, "A digit is missing after the point.", "Write 5.0 or 5.")
    value = Fraction(match[0])
    unit_start = _skip(source, end)
    unit_end = _unit_end(source, unit_start, units)
    if unit_end == unit_start:
        return Token("number", match[0], start, end, value, None, match[0])
    written = source[unit_start:unit_end]
    unit = parse_unit(written) if units is UNITS else unit_in(units, written)
    return Token("number", match[0], start, unit_end, value, unit, f"{match[0]} {unit.name}")


def _unit_end(source: str, start: int, units: Mapping[str, Unit]) -> int:
    """Where the unit that begins at `start` ends; `start` itself if there is none."""
    word = _UNIT_WORD.match(source, start)
    if not word or word[0] not in units or _goes_on(source, word):
        return start
    end = word.end()
    for _ in range(_UNIT_PARTS):
        more = _UNIT_MORE.match(source, end)
        if not more or (more["word"] is not None and more["word"] not in units):
            break
        end = more.end()
    return end


def _goes_on(source: str, word: re.Match[str]) -> bool:
    """Whether a word that looks like a unit is part of a name or the name of a function (`min(`)."""
    name = _NAME.match(source, word.start())
    end = name.end() if name else word.end()
    return end != word.end() or (word[0] in FUNCTIONS and source[_skip(source, end) :][:1] == "(")


def _named(source: str, match: re.Match[str]) -> Token:
    start, end = match.span()
    name = match[0]
    if name in _WORDS:
        return Token("word", name, start, end)
    if name in ("true", "false"):
        return Token("string", name, start, end)
    is_called = source[_skip(source, end) :][:1] == "("
    if name in FUNCTIONS or name == "when":
        if is_called:
            return Token("function", name, start, end)
        raise ReadError(source, start, end, f"{name} is a function.", f"Write {name}(…).")
    if is_called:
        raise ReadError(
            source, start, end, f"There is no function {shown(name)}.", f"There are {', '.join(FUNCTIONS)} and when."
        )
    return Token("name", name, start, end)


def _refuse_near_unit(source: str, token: Token, units: Mapping[str, Unit]) -> None:
    """Refuse a name right behind a number where it is a misspelled unit; any other lacks a sign."""
    from difflib import get_close_matches  # expressions are sound, but for few

    name = token.text
    near = sorted(unit for unit in units if unit.casefold() == name.casefold()) or get_close_matches(
        name.casefold(), units, n=1, cutoff=_NEAR
    )
    if near:
        raise ReadError(source, token.start, token.end, f"{shown(name)} is no unit.", f"Did you mean {near[0]}?")


def _sign(source: str, match: re.Match[str]) -> Token:
    sign = match[0]
    if sign in _INSTEAD:
        raise ReadError(source, *match.span(), f"{sign} has no meaning here.", f"Write {_INSTEAD[sign]}.")
    if sign in ("(", ")", ","):
        return Token(cast("Kind", sign), sign, *match.span())
    return Token("operator", sign, *match.span())


def _string(source: str, match: re.Match[str]) -> Token:
    value = match[1] if match[1] is not None else match[2]
    if not _CHOICE.fullmatch(value):
        raise ReadError(
            source, *match.span(), "Only the name of a choice stands in quotes.", "It has letters, digits, - and _."
        )
    return Token("string", value, *match.span())


def _stranger(source: str, start: int) -> ReadError:
    character = source[start]
    if is_unseen(character):
        return ReadError(
            source, start, start + 1, f"An invisible character, {escaped(character)}, stands here.", "Delete it."
        )
    if character == "." and source[start + 1 : start + 2].isdigit():
        return ReadError(source, start, start + 1, "A digit is missing before the point.", "Write 0.5.")
    if character == "%":
        return ReadError(source, start, start + 1, "% stands only behind a number.")
    instead = "Names stand without braces in an expression." if character in "{}" else ""
    if character in _PRINTED:
        instead = f"Write {_PRINTED[character]}."
    if character in "\"'":
        return ReadError(source, start, len(source), "This quotation is never closed.")
    return ReadError(
        source,
        start,
        start + 1,
        f"{character} has no meaning here.",
        instead or "Expressions have numbers, units, names, + - * / ^ ( ) and comparisons.",
    )
