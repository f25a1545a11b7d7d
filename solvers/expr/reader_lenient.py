"""The tokens of lenient text: what a learner types, with declared names before units before counts.

A declared name is always itself (`16P` with P declared is a product). Behind a number, units come before count
suffixes; `B` and `b` alone keep both meanings, and `reader_meaning` settles them by the whole answer.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from solvers.expr.reader_examples import number_hint
from solvers.expr.reader_limits import MAX_TOKENS, ReadError, escaped, is_unseen, refuse_long, shown
from solvers.expr.reader_numbers import scan_number
from solvers.expr.reader_signs import NAME, Reading, SignLexer
from solvers.expr.reader_spelling import (
    CONSTANTS,
    COUNT_SUFFIXES,
    FUNCTION_NAMES,
    GREEK,
    GREEK_LETTERS,
    SIGNS,
    SUBSCRIPTS,
    TWO_MEANINGS,
    VULGAR,
)
from solvers.expr.reader_tokens import Token, counted
from solvers.expr.reader_units import UnitRun, scan_unit
from solvers.expr.tree import FUNCTIONS, TRIGONOMETRY
from solvers.expr.units import UNITS, Unit

if TYPE_CHECKING:
    from collections.abc import Container

    from solvers.expr.dimension import Dimension

_SUFFIX: Final = re.compile(r"(?P<space> ?)(?P<word>[A-Za-z]+)(?![A-Za-z0-9_])")
_LONGEST_NAME: Final = 40
_SIGN_WORDS: Final = {"per": "/", "of": "*", "times": "*", "to": "to"}
_LOWERED: Final = re.compile(r"(?<![₀-₉_])(?=[₀-₉])")
_MONEY: Final = re.compile(r"(?:US ?)?\$|USD(?= ?[.0-9])")
_LONGEST_RUN: Final = 60
_MISTYPED: Final = 3
_GUESSES: Final = 5
_FUNCTIONS: Final = tuple(name for name in FUNCTIONS if name not in TRIGONOMETRY)
_COUNTED_BELOW: Final = 10_000
_NO_UNIT: Final = frozenset(("", *"*/+-^()|"))
_COUNTED_WORDS: Final = frozenset(("tok", "toks", "token", "tokens", "param", "params", "parameters"))


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


class _Lexer(SignLexer):
    def step(self) -> None:
        """Read one token, or the few that one spelling stands for."""
        character = self._plain[self._at]
        if character in "*/+-^)" and self._plain_sign(character):
            return
        if character.isascii() and character.isdigit():
            self._number()
        elif character in f".{self._reading.writing.decimal}" and self._number():
            return
        elif character in VULGAR:
            self._put("number", character, 1, value=VULGAR[character], written=character)
        elif money := _MONEY.match(self._plain, self._at):
            self._money(len(money[0]))
        elif character == "%":
            self._percent()
        elif name := NAME.match(self._plain, self._at):
            self._named(name[0])
        else:
            self._sign(character)

    def _number(self) -> bool:
        scanned = scan_number(self._source, self._plain, self._at, self._reading.writing, in_call=self._in_call())
        if scanned is None:
            return False
        start, end = self._at, scanned.end
        token = Token(
            "number",
            self._plain[start:end],
            start,
            end,
            scanned.value,
            None,
            self._plain[start:end],
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
        if self._plain[token.end : token.end + 1] in _NO_UNIT:
            return token
        reading = self._reading
        suffix = _SUFFIX.match(self._plain, token.end)
        word = suffix["word"] if suffix else ""
        start = token.end + (len(suffix["space"]) if suffix else 0)
        unit = self._unit_at(self._skipped(token.end), reading.names_behind)
        # Nobody counts billions of a number this long: 70e9 B and 40,960 B are bytes.
        has_two = word in TWO_MEANINGS and abs(token.value) < _COUNTED_BELOW
        if unit and not (has_two and unit.end == start + 1):
            return _extended(token, self._plain, unit.end, unit=unit.unit)
        if word in COUNT_SUFFIXES and word not in reading.names:
            scaled = _extended(
                token,
                self._plain,
                start + len(word),
                factor=COUNT_SUFFIXES[word],
                letter=word if word in TWO_MEANINGS else "",
            )
            counted_unit = self._unit_at(self._skipped(scaled.end), reading.names_behind)
            if counted_unit:
                return _extended(scaled, self._plain, counted_unit.end, unit=counted_unit.unit)
            return scaled
        if word[1:] in _COUNTED_WORDS and word[0] in "kMGBT" and not self._is_name_at(start):  # 15 Ttokens
            counts, factor = reading.units.parse(reading.units.spellings[word[1:]]), COUNT_SUFFIXES[word[0]]
            return _extended(token, self._plain, start + len(word), unit=counts, factor=factor)
        if self._plain[token.end : token.end + 1] in ("e", "E") and not self._is_name_at(token.end):
            raise ReadError(self._source, token.end, token.end + 1, "The exponent is missing.", "Write 70e9, or 2*e.")
        return token

    def _unit_at(self, place: int, names: Container[str]) -> UnitRun | None:
        reading = self._reading
        return scan_unit(self._source, self._plain, place, names, reading.expects, units=reading.units)

    def _is_name_at(self, place: int) -> bool:
        name = NAME.match(self._plain, place)
        return name is not None and (name[0] in self._reading.names or self._split(name[0]) is not None)

    def _percent(self) -> None:
        before = self._before()
        if before is None or before.kind not in ("number", "name", ")") or before.unit is not None:
            raise self._refusal(1, "% stands only behind a number.")
        self.tokens.append(Token("number", "%", self._at, self._at + 1, Fraction(1), UNITS["%"]))
        self._at += 1

    def _money(self, length: int) -> None:
        start = self._at
        self._at = self._skipped(start + length)
        before = len(self.tokens)
        if not self.more() or not self._number():
            raise ReadError(self._source, start, start + 1, "A number is missing behind $.")
        token = self.tokens[before]
        if token.unit is not None:
            raise ReadError(self._source, token.start, token.end, "This amount has two units.")
        names, units = self._reading.names, self._reading.units
        unit = scan_unit(self._source, self._plain, token.end, names, None, units=units, money=True)
        if unit is None:
            raise ReadError(self._source, start, start + 1, "A number is missing behind $.")
        self.tokens[before] = token._replace(
            start=start, end=unit.end, unit=unit.unit, written=self._source[start : unit.end], letter=""
        )
        self._at = unit.end

    def _named(self, typed: str) -> None:
        name, names = typed.translate(SUBSCRIPTS), self._reading.names
        if declared := self._declared(typed):
            self._put("name", declared, len(typed))
        elif self._is_times(typed):
            self._put("operator", "*", 1)
        elif typed in _SIGN_WORDS:
            self._put("operator", _SIGN_WORDS[typed], len(typed))
        elif self._opens_call(len(typed)) and (function := self._function(name)):
            self._put("function", function, len(typed))
        elif unit := self._unit_at(self._at, names):
            self.tokens.append(Token("number", unit.unit.name, self._at, unit.end, Fraction(1), unit.unit))
            self._at = unit.end
        elif typed in CONSTANTS:
            self._put("number", typed, len(typed), value=CONSTANTS[typed])
        elif pieces := self._split(typed):
            for piece in pieces:
                self._put("name", self._declared(piece), len(piece))
        else:
            raise self._unknown(typed)

    def _declared(self, typed: str) -> str:
        """The declared name that a word is, however it is spelled: `α` and `alpha` are one, `x₁` is `x1` or `x_1`."""
        if typed in self._reading.names:
            return typed
        plain, greek = typed.translate(SUBSCRIPTS), typed.replace("μ", "µ")
        under = _LOWERED.sub("_", typed).translate(SUBSCRIPTS)
        words = (typed, plain, under, GREEK.get(typed), GREEK_LETTERS.get(typed), greek)
        return next((word for word in words if word and word in self._reading.names), "")

    def _is_times(self, typed: str) -> bool:
        """Whether the `x` that begins a word is a sign: between a number or parenthesis and what can be multiplied."""
        before = self._before()
        if typed[0] not in "xX" or before is None or before.kind == "operator":
            return False
        if before.written == "0" and before.end == self._at and len(typed) > 1:
            return False  # nobody multiplies zero: 0x10 is a number of another language
        if typed[0] in self._reading.names and not typed[1:].isdigit():
            return False
        behind = typed[1:2] or self._plain[self._skipped(self._at + 1) : self._skipped(self._at + 1) + 1]
        if len(typed) == 1:
            return bool(behind) and (behind.isalnum() or behind in "(.$")
        return behind.isdigit() or typed[1:] in self._reading.names or typed[1:] in self._reading.units.spellings

    def _opens_call(self, length: int) -> bool:
        place = self._skipped(self._at + length)
        return self._plain[place : place + 1] == "("

    @staticmethod
    def _function(name: str) -> str:
        for word in (name, name.lower()):  # a telephone writes Sqrt
            function = FUNCTION_NAMES.get(word, word)
            if function in FUNCTIONS:
                return function
        return ""

    def _split(self, typed: str) -> list[str] | None:
        """Cut a run such as `ND` into declared names, the longest first; None where it cannot be done."""
        if len(typed) > _LONGEST_RUN:
            return None
        reached: dict[int, list[str]] = {0: []}
        for start in range(len(typed)):
            if start not in reached:
                continue
            for end in range(start + 1, min(len(typed), start + _LONGEST_NAME) + 1):
                if self._declared(typed[start:end]) and (end not in reached or len(reached[start]) < len(reached[end])):
                    reached[end] = [*reached[start], typed[start:end]]
        return reached.get(len(typed))

    def _alike(self, typed: str) -> list[str]:
        """The names and units that a word can be meant for: comparing it with all of them would take long."""
        words = (*self._reading.known, *self._reading.units.spellings)
        first, length = typed[0].lower(), len(typed)
        return [
            word
            for word in words
            if word != typed and word[0].lower() == first and abs(len(word) - length) <= _MISTYPED
        ]

    def _fits(self, word: str) -> bool:
        """Whether a word is a unit of which what is asked for may be made."""
        reading = self._reading
        if reading.expects is None:
            return True
        unit = reading.units.parse(reading.units.spellings[word])
        asked = dict(reading.expects.powers)
        return not unit.dimension.is_plain and all(name in asked for name, _ in unit.dimension.powers)

    def _unknown(self, typed: str) -> ReadError:
        known = self._reading.known
        alike = self._alike(typed)
        near = [word for word in alike if word.lower() == typed.lower()]
        near += get_close_matches(typed[:_LONGEST_NAME], alike, n=_GUESSES, cutoff=0.75)
        near = [word for word in near if word in known or self._fits(word)]
        function = self._function(typed)
        called = self._opens_call(len(typed)) and typed not in known
        if function:
            values, example = ("values", "2, 3") if FUNCTIONS[function][1] > 1 else ("value", "2")
            said = f"{typed} needs its {values} in parentheses."
            raise self._refusal(len(typed), said, f"Write {function}({example}).")
        if called:
            hint = f"There are {', '.join(_FUNCTIONS)}, and those of angles, such as sin."
        elif typed in ("m", "month", "months") and _allows_time(self._reading.expects):
            hint = "Write min, or days." if typed == "m" else "A month has 28 to 31 days: write days."
        elif near:
            hint = f"Did you mean {near[0]}?"
        elif known:
            hint = f"This question knows {', '.join(known[:8])} and units."
        else:
            hint = self._hint()
        what = "There is no function" if called else "There is no unit or name"
        return self._refusal(len(typed), f"{what} {shown(typed)} here.", hint)


def _allows_time(expects: Dimension | None) -> bool:
    """Whether a time is asked for, or nothing in particular."""
    return expects is None or any(name == "second" for name, _ in expects.powers)


def _extended(
    token: Token, plain: str, end: int, *, unit: Unit | None = None, factor: Fraction = Fraction(1), letter: str = ""
) -> Token:
    """The number with what stands behind it up to `end`: a unit, or a suffix that multiplies it."""
    return token._replace(
        end=end,
        value=token.value * factor,
        unit=unit,
        written=plain[token.start : end],
        suffix=token.suffix * factor,
        letter=letter,
    )
