"""The tokens of lenient text: what a learner types, with declared names before units before counts.

A declared name is always itself (`16P` with P declared is a product). Behind a number, units come before count
suffixes; `B` and `b` alone keep both meanings, and `reader_meaning` settles them by the whole answer.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal

from solvers.expr.reader_examples import number_hint
from solvers.expr.reader_limits import MAX_TOKENS, ReadError, escaped, is_unseen, refuse_long, shown
from solvers.expr.reader_numbers import DEFAULT_WRITING, Writing, scan_number
from solvers.expr.reader_spelling import (
    CONSTANTS,
    COUNT_SUFFIXES,
    FUNCTION_NAMES,
    GREEK,
    LETTERS,
    SIGNS,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    TWO_MEANINGS,
    UNIT_SPELLINGS,
    VULGAR,
)
from solvers.expr.reader_tokens import Token, counted
from solvers.expr.reader_units import scan_unit
from solvers.expr.tree import FUNCTIONS
from solvers.expr.units import UNITS, Unit

if TYPE_CHECKING:
    from collections.abc import Container

    from solvers.expr.dimension import Dimension

_NAME: Final = re.compile(rf"[{LETTERS}_][0-9{LETTERS}_₀-₉]*")
_SUFFIX: Final = re.compile(r"(?P<space> ?)(?P<word>[A-Za-z]+)(?![A-Za-z0-9_])")
_SUPERSCRIPT: Final = re.compile(r"([⁺⁻]?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_PLUS_MINUS: Final = re.compile(r"±|\+/-")
_SEVERAL: Final = frozenset({"min", "max"})
_LONGEST_NAME: Final = 40
_BRACKETS: Final = {"⌈": "ceil", "⌊": "floor"}
_CLOSING: Final = frozenset("⌉⌋")
_SIGN_WORDS: Final = {"per": "/", "of": "*", "times": "*", "to": "to"}
_COUNTED_BELOW: Final = 10_000
_POWERS_OF_TEN_WRITTEN: Final = 4


@dataclass(frozen=True, slots=True)
class Reading:
    """What a learner's text is read against: declared names, the dimension asked for, the custom of writing numbers."""

    names: Container[str] = frozenset()
    known: tuple[str, ...] = ()
    expects: Dimension | None = None
    writing: Writing = DEFAULT_WRITING


def translated(source: str) -> str:
    """The text with each variant of a sign replaced by the plain one, character by character.

    Raises `ReadError` for a text that is too long or has a character that cannot be seen.
    """
    refuse_long(source)
    if source.isascii() and source.isprintable():
        return source
    # What a paste leaves around the text is not part of it.
    first, last = len(source) - len(source.lstrip("\r\n\t ")), len(source.rstrip("\r\n\t "))
    for place, character in enumerate(source[first:last], start=first):
        if is_unseen(character) and character != "\t":
            reason = f"An invisible character, {escaped(character)}, stands here."
            raise ReadError(source, place, place + 1, reason, "Delete it.")
        if unicodedata.combining(character):
            reason = f"A mark over a letter, {escaped(character)}, stands here."
            raise ReadError(source, place, place + 1, reason, "Delete it.")
    return source.translate(SIGNS)


def lenient_tokens(source: str, plain: str, start: int, end: int, reading: Reading) -> list[Token]:
    """Cut `source[start:end]` (`plain` is its translation) into tokens closed by an `end`. Raises `ReadError`."""
    lexer = _Lexer(source, plain[:end], start, reading)
    while lexer.more():
        lexer.step()
        if len(lexer.tokens) > MAX_TOKENS:
            break
    if not lexer.tokens:
        raise ReadError(source, start, end, "Nothing is written here.", number_hint(reading.expects))
    return counted(source[:end], lexer.tokens)


class _Lexer:
    def __init__(self, source: str, plain: str, start: int, reading: Reading) -> None:
        self.tokens: list[Token] = []
        self._source, self._plain, self._at = source, plain, start
        self._reading = reading
        self._calls: list[bool] = []  # for each open parenthesis: whether commas separate values in it

    def more(self) -> bool:
        while self._plain[self._at : self._at + 1] == " ":
            self._at += 1
        return self._at < len(self._plain)

    def step(self) -> None:
        """Read one token, or the few that one spelling stands for."""
        character = self._plain[self._at]
        if character.isascii() and character.isdigit():
            self._number()
        elif character in f".{self._reading.writing.decimal}" and self._number():
            return
        elif character in VULGAR:
            self._put("number", character, 1, value=VULGAR[character], written=character)
        elif character == "$":
            self._money()
        elif character == "%":
            self._percent()
        elif name := _NAME.match(self._plain, self._at):
            self._named(name[0])
        else:
            self._sign(character)

    def _put(
        self,
        kind: Literal["number", "name", "function", "operator", "(", ")", ","],
        text: str,
        length: int,
        *,
        value: Fraction = Fraction(0),
        written: str = "",
    ) -> None:
        end = self._at + length
        self.tokens.append(Token(kind, text, self._at, end, value, None, written))
        self._at = end

    def _refusal(self, length: int, reason: str, hint: str = "") -> ReadError:
        return ReadError(self._source, self._at, self._at + length, reason, hint)

    def _before(self) -> Token | None:
        return self.tokens[-1] if self.tokens else None

    def _in_exponent(self) -> bool:
        signs = [token.text for token in self.tokens[-2:]]
        return bool(signs) and (signs[-1] == "^" or (len(signs) == 2 and signs[0] == "^" and signs[1] in "+-"))  # noqa: PLR2004 - a pair

    def _in_call(self) -> bool:
        return bool(self._calls) and self._calls[-1]

    def _number(self) -> bool:
        scanned = scan_number(self._source, self._plain, self._at, self._reading.writing, in_call=self._in_call())
        if scanned is None:
            return False
        start, end = self._at, scanned.end
        token = Token(
            "number",
            self._source[start:end],
            start,
            end,
            scanned.value,
            None,
            self._source[start:end],
            scanned.mantissa,
            scanned.exponent,
        )
        if not self._in_exponent():
            token = self._with_suffix_or_unit(token)
        self.tokens.append(token)
        self._at = token.end
        return True

    def _with_suffix_or_unit(self, token: Token) -> Token:
        """Take in what stands behind a number: a unit, a count suffix, or a suffix with a unit (`70B params`)."""
        reading = self._reading
        suffix = _SUFFIX.match(self._plain, token.end)
        word = suffix["word"] if suffix else ""
        start = token.end + (len(suffix["space"]) if suffix else 0)
        unit = scan_unit(self._source, self._plain, self._skipped(token.end), reading.names, reading.expects)
        # Nobody counts billions of a number this long: 70e9 B and 40,960 B are bytes.
        has_two = word in TWO_MEANINGS and abs(token.value) < _COUNTED_BELOW
        if unit and not (has_two and unit.end == start + 1):
            return _extended(token, self._source, unit.end, unit=unit.unit)
        if word in COUNT_SUFFIXES and word not in reading.names:
            scaled = _extended(
                token,
                self._source,
                start + len(word),
                factor=COUNT_SUFFIXES[word],
                letter=word if word in TWO_MEANINGS else "",
            )
            counted_unit = scan_unit(
                self._source, self._plain, self._skipped(scaled.end), reading.names, reading.expects
            )
            if counted_unit:
                return _extended(scaled, self._source, counted_unit.end, unit=counted_unit.unit)
            return scaled
        if self._plain[token.end : token.end + 1] in ("e", "E") and not self._is_name_at(token.end):
            raise ReadError(self._source, token.end, token.end + 1, "The exponent is missing.", "Write 70e9, or 2*e.")
        return token

    def _is_name_at(self, place: int) -> bool:
        name = _NAME.match(self._plain, place)
        return name is not None and (name[0] in self._reading.names or self._split(name[0]) is not None)

    def _skipped(self, place: int) -> int:
        while self._plain[place : place + 1] == " ":
            place += 1
        return place

    def _percent(self) -> None:
        before = self._before()
        if before is None or before.kind not in ("number", "name", ")") or before.unit is not None:
            raise self._refusal(1, "% stands only behind a number.")
        self.tokens.append(Token("number", "%", self._at, self._at + 1, Fraction(1), UNITS["%"]))
        self._at += 1

    def _money(self) -> None:
        start = self._at
        self._at = self._skipped(start + 1)
        before = len(self.tokens)
        if not self.more() or not self._number():
            raise ReadError(self._source, start, start + 1, "A number is missing behind $.")
        token = self.tokens[before]
        if token.unit is not None:
            raise ReadError(self._source, token.start, token.end, "This amount has two units.")
        unit = scan_unit(self._source, self._plain, token.end, self._reading.names, None, money=True)
        if unit is None:
            raise ReadError(self._source, start, start + 1, "A number is missing behind $.")
        self.tokens[before] = replace(
            token, start=start, end=unit.end, unit=unit.unit, written=self._source[start : unit.end], letter=""
        )
        self._at = unit.end

    def _named(self, typed: str) -> None:
        name = typed.translate(SUBSCRIPTS)
        names = self._reading.names
        for spelled in (typed, name, GREEK.get(typed, ""), typed.replace("μ", "µ")):
            if spelled and spelled in names:
                self._put("name", spelled, len(typed))
                return
        if self._is_times(typed):
            self._put("operator", "*", 1)
        elif typed in _SIGN_WORDS:
            self._put("operator", _SIGN_WORDS[typed], len(typed))
        elif self._opens_call(len(typed)) and (function := self._function(name)):
            self._put("function", function, len(typed))
        elif unit := scan_unit(self._source, self._plain, self._at, names, self._reading.expects):
            self.tokens.append(Token("number", unit.unit.name, self._at, unit.end, Fraction(1), unit.unit))
            self._at = unit.end
        elif typed in CONSTANTS:
            self._put("number", typed, len(typed), value=CONSTANTS[typed])
        elif pieces := self._split(typed):
            for piece in pieces:
                self._put("name", piece, len(piece))
        else:
            raise self._unknown(typed)

    def _is_times(self, typed: str) -> bool:
        """Whether the `x` that begins a word is a sign: between a number or parenthesis and what can be multiplied."""
        before = self._before()
        if typed[0] not in "xX" or before is None or before.kind == "operator":
            return False
        behind = typed[1:2] or self._plain[self._skipped(self._at + 1) : self._skipped(self._at + 1) + 1]
        if len(typed) == 1:
            return bool(behind) and (behind.isalnum() or behind in "(.$")
        return behind.isdigit() or typed[1:] in self._reading.names or typed[1:] in UNIT_SPELLINGS

    def _opens_call(self, length: int) -> bool:
        place = self._skipped(self._at + length)
        return self._plain[place : place + 1] == "("

    @staticmethod
    def _function(name: str) -> str:
        function = FUNCTION_NAMES.get(name, name)
        return function if function in FUNCTIONS else ""

    def _split(self, typed: str) -> list[str] | None:
        """Cut a run such as `ND` into declared names, the longest first; None where it cannot be done."""
        names = self._reading.names
        reached: dict[int, list[str]] = {0: []}
        for start in range(len(typed)):
            if start not in reached:
                continue
            for end in range(start + 1, min(len(typed), start + _LONGEST_NAME) + 1):
                if typed[start:end] in names and (end not in reached or len(reached[start]) < len(reached[end])):
                    reached[end] = [*reached[start], typed[start:end]]
        return reached.get(len(typed))

    def _unknown(self, typed: str) -> ReadError:
        known = self._reading.known
        near = get_close_matches(typed[:_LONGEST_NAME], [*known, *UNIT_SPELLINGS], n=1, cutoff=0.75)
        called = self._opens_call(len(typed)) and typed not in known
        if called:
            hint = f"There are {', '.join(FUNCTIONS)}."
        elif near:
            hint = f"Did you mean {near[0]}?"
        elif known:
            hint = f"This question knows {', '.join(known[:8])}, and units."
        else:
            hint = number_hint(self._reading.expects)
        what = "There is no function" if called else "There is no unit or name"
        return self._refusal(len(typed), f"{what} {shown(typed)} here.", hint)

    def _sign(self, character: str) -> None:
        plain, at = self._plain, self._at
        if power := _SUPERSCRIPT.match(plain, at):
            self._superscript(power)
        elif both := _PLUS_MINUS.match(plain, at):
            self._put("operator", "±", len(both[0]))
        elif plain.startswith("**", at):
            self._put("operator", "^", 2)
        elif character in "+-*/^":
            self._put("operator", character, 1)
        elif character in "(⌈⌊√":
            self._open(character)
        elif character in ")⌉⌋":
            if self._calls:
                self._calls.pop()
            self._put(")", ")", 1)
        elif character in ",;" and self._in_call():
            self._put(",", ",", 1)
        else:
            raise self._stranger(character)

    def _superscript(self, power: re.Match[str]) -> None:
        self._put("operator", "^", 0)
        if power[1]:
            self._put("operator", SUPERSCRIPTS[power[1]], 1)
        digits = "".join(SUPERSCRIPTS[digit] for digit in power[2])
        if len(digits) > _POWERS_OF_TEN_WRITTEN:
            raise self._refusal(len(digits), "The exponent is too large.")
        self._put("number", digits, len(digits), value=Fraction(int(digits)), written=digits)

    def _open(self, character: str) -> None:
        if character == "√":
            place = self._skipped(self._at + 1)
            if self._plain[place : place + 1] != "(":
                raise self._refusal(1, "A parenthesis is missing behind √.", "Write √(2).")
            self._put("function", "sqrt", 1)
            return
        before = self._before()
        several = before is not None and before.kind == "function" and before.text in _SEVERAL
        if character in _BRACKETS:
            self._put("function", _BRACKETS[character], 0)
        self._calls.append(several)
        self._put("(", "(", 1)

    def _stranger(self, character: str) -> ReadError:
        if character == ",":
            return self._refusal(
                1,
                "This comma groups no thousands.",
                "The decimal sign is a point here: 0.5; thousands may be grouped: 1,120.",
            )
        if character in "=<>":
            return self._refusal(1, f"{character} has no place in an answer.", "Type only the value.")
        if character in "[]{}":
            return self._refusal(1, f"{character} has no meaning here.", "Use round parentheses.")
        if not character.isascii() and character.isalnum():
            return self._refusal(
                1,
                f"{character} is no letter or digit that is read here.",
                "Type Latin or Greek letters and the digits 0 to 9.",
            )
        seen = character if character.isascii() else escaped(character)
        return self._refusal(1, f"{seen} has no meaning here.", number_hint(self._reading.expects))


def _extended(
    token: Token, source: str, end: int, *, unit: Unit | None = None, factor: Fraction = Fraction(1), letter: str = ""
) -> Token:
    """The number with what stands behind it up to `end`: a unit, or a suffix that multiplies it."""
    return replace(
        token,
        end=end,
        value=token.value * factor,
        unit=unit,
        written=source[token.start : end],
        suffix=token.suffix * factor,
        letter=letter,
    )
