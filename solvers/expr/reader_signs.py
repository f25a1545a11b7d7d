"""What the signs of lenient text mean, and the state of reading it: the half of the lexer without numbers and words."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal

from solvers.expr.declared import FIELD, Units
from solvers.expr.reader_examples import number_hint
from solvers.expr.reader_limits import ReadError, shown
from solvers.expr.reader_numbers import DEFAULT_WRITING, Writing, scan_number
from solvers.expr.reader_spelling import LETTERS, SUBSCRIPTS, SUPERSCRIPTS
from solvers.expr.reader_tokens import Token
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Container

    from solvers.expr.dimension import Dimension

NAME: Final = re.compile(rf"[{LETTERS}_][0-9{LETTERS}_₀-₉]*")
_SUPERSCRIPT: Final = re.compile(r"([⁺⁻]?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_PLUS_MINUS: Final = re.compile(r"±|\+/-")
_SEVERAL: Final = frozenset({"min", "max"})
_BRACKETS: Final = {"⌈": "ceil", "⌊": "floor"}
_POWERS_OF_TEN_WRITTEN: Final = 4
_COUNTED: Final = frozenset(("param", "token", "GPU", "node", "layer", "step", "sequence"))


class Reading(Record):
    """What a learner's text is read against: declared names, what is asked for, how numbers are written, the units.

    `names_behind` are the names that may stand directly behind a number as a factor.
    """

    names: Container[str] = frozenset()
    known: tuple[str, ...] = ()
    expects: Dimension | None = None
    writing: Writing = DEFAULT_WRITING
    units: Units = FIELD

    @property
    def names_behind(self) -> Container[str]:
        """All names; where a count is asked for, without words such as `nodes`: `4 nodes` are four."""
        if self.expects is None or not self.expects.is_count:
            return self.names
        counted = self.units.spellings
        return frozenset(name for name in self.known if len(name) == 1 or counted.get(name) not in _COUNTED)


class SignLexer:
    """Cuts the signs of a text into tokens."""

    def __init__(self, source: str, plain: str, start: int, reading: Reading) -> None:
        self.tokens: list[Token] = []
        self._source, self._plain, self._at = source, plain, start
        self._reading = reading
        self._bars = 0  # how many |…| are open
        self._calls: list[bool] = []  # for each open parenthesis: whether commas separate values in it

    def more(self) -> bool:
        """Whether anything but spaces is left."""
        plain, at = self._plain, self._at
        while plain[at : at + 1] == " ":
            at += 1
        self._at = at
        return at < len(plain)

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
        if kind == "number":
            self.tokens.append(Token(kind, text, self._at, end, value, None, written))
        else:
            self.tokens.append(Token(kind, text, self._at, end))
        self._at = end

    def _refusal(self, length: int, reason: str, hint: str = "") -> ReadError:
        return ReadError(self._source, self._at, self._at + length, reason, hint)

    def _before(self) -> Token | None:
        return self.tokens[-1] if self.tokens else None

    def _in_exponent(self) -> bool:
        tokens = self.tokens
        if not tokens:
            return False
        last = tokens[-1].text
        return last == "^" or (last in ("+", "-") and len(tokens) > 1 and tokens[-2].text == "^")

    def _in_call(self) -> bool:
        return bool(self._calls) and self._calls[-1]

    def _skipped(self, place: int) -> int:
        while self._plain[place : place + 1] == " ":
            place += 1
        return place

    def _plain_sign(self, character: str) -> bool:
        """Take in a sign that is one character, which most are; False where it may be the begin of `**` or `+/-`."""
        at = self._at
        if self._plain[at + 1 : at + 2] in ("*", "/"):
            return False
        if character == ")":
            if self._calls:
                self._calls.pop()
            self.tokens.append(Token(")", ")", at, at + 1))
        else:
            self.tokens.append(Token("operator", character, at, at + 1))
        self._at = at + 1
        return True

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
        elif character == "|":
            self._bar()
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
            self._root()
            return
        before = self._before()
        several = before is not None and before.kind == "function" and before.text in _SEVERAL
        if character in _BRACKETS:
            self._put("function", _BRACKETS[character], 0)
        self._calls.append(several)
        self._put("(", "(", 1)

    def _root(self) -> None:
        """`√(…)`, or `√2` and `√x`, which take in the one number or name behind."""
        start = self._at
        place = self._skipped(start + 1)
        following = self._plain[place : place + 1]
        self._put("function", "sqrt", 1)
        if following == "(":
            return
        number = scan_number(self._source, self._plain, place, self._reading.writing, in_call=self._in_call())
        name = NAME.match(self._plain, place)
        self._at = place
        if number is not None:
            self._put("(", "(", 0)
            self._put("number", self._source[place : number.end], number.end - place, value=number.value,
                      written=self._source[place : number.end])  # fmt: skip
        elif name and name[0].translate(SUBSCRIPTS) in self._reading.names:
            self._put("(", "(", 0)
            self._put("name", name[0].translate(SUBSCRIPTS), len(name[0]))
        else:
            raise ReadError(self._source, start, start + 1, "A parenthesis is missing behind √.", "Write √(2).")
        self._put(")", ")", 0)

    def _bar(self) -> None:
        """`|x|`: a bar opens behind a sign and at the beginning, else it closes."""
        before = self._before()
        if self._bars and before is not None and before.kind not in ("operator", "(", ","):
            self._bars -= 1
            if self._calls:  # none where a parenthesis has closed what the bar opened; the grammar refuses that
                self._calls.pop()
            self._put(")", ")", 1)
            return
        self._bars += 1
        self._put("function", "abs", 0)
        self._calls.append(False)
        self._put("(", "(", 1)

    def _hint(self) -> str:
        """What can be typed: a number of what is asked for, or a formula in the names that there are."""
        reading = self._reading
        if reading.expects is None and reading.known:
            return f"Type a formula in {', '.join(reading.known[:8])}."
        return number_hint(reading.expects)

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
        return self._refusal(1, f"{shown(character)} has no meaning here.", self._hint())
