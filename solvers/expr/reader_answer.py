"""A learner's answer: what was typed around the value, the value's tree, and how precisely it was typed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from solvers.expr.declared import FIELD, Units
from solvers.expr.digits import Digits, count_digits
from solvers.expr.dimension import PLAIN
from solvers.expr.evaluate import EvaluationError, Quantity, quantity
from solvers.expr.reader_formula import formula_tokens
from solvers.expr.reader_grammar import parse
from solvers.expr.reader_lenient import lenient_tokens, translated
from solvers.expr.reader_limits import ReadError, shown
from solvers.expr.reader_meaning import (
    LARGE,
    inherited,
    range_sign,
    refuse_remark,
    unit_of_all,
    with_mixed_numbers,
    with_mixed_times,
    with_powers_of_ten,
    with_settled_letters,
)
from solvers.expr.reader_numbers import DEFAULT_WRITING, Writing
from solvers.expr.reader_prose import plain_prose
from solvers.expr.reader_signs import Reading
from solvers.expr.reader_spelling import ABOUT, FILLERS, LETTERS
from solvers.expr.reader_times import mixed_times
from solvers.expr.reader_tokens import Token
from solvers.expr.tree import Binary, Expr, Negative, Number, Symbol, walk
from solvers.expr.units import Unit
from solvers.record import EMPTY, Record, changed

if TYPE_CHECKING:
    from solvers.expr.dimension import Dimension

Variables = Mapping[str, "Quantity | None"]
_NONE: Final[Variables] = MappingProxyType({})
_ABOUT: Final = re.compile(rf" *(?:{'|'.join(re.escape(word) for word in ABOUT)})(?![A-Za-z(_])", re.IGNORECASE)
_FILLER: Final = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(FILLERS)}|(?:on|for|in) (?:each|every) [A-Za-z]+)$")
_FROM: Final = re.compile(r" *(?P<word>from|between) (?=.* (?:to|and) )", re.IGNORECASE)
_MOST_FILLERS: Final = 4
_DEFINITION: Final = re.compile(rf" *(?P<name>[{LETTERS}_][0-9{LETTERS}_]*) *= *(?P<value>[^=]+)$")
_BETWEEN: Final = re.compile(rf"[,;] *(?=[{LETTERS}_][0-9{LETTERS}_]* *=)")


class Typed(Record):
    """An answer that is one number: its digits, and what one of it is worth in base units (suffix and unit)."""

    digits: Digits
    worth: Fraction

    @property
    def half_unit(self) -> Fraction:
        """Half a unit of the last digit typed, in base units."""
        return self.digits.last * abs(self.worth) / 2


class Answer(Record):
    """What was read. `expr` is the value (`upper` the other end of a range); both may hold declared names.

    `unit` is the unit of one number or of the whole; `has_unit` says whether any unit was typed; `typed` is set
    where the answer is one number; `defined` holds what the answer itself defines (`P=70e9: 16P`).
    """

    text: str
    expr: Expr
    upper: Expr | None = None
    approximate: bool = False
    has_unit: bool = False
    unit: Unit | None = None
    whole_unit: bool = False
    typed: Typed | None = None
    defined: Mapping[str, Quantity] = EMPTY

    @property
    def has_names(self) -> bool:
        """Whether declared names occur."""
        return any(isinstance(node, Symbol) for node in walk(self.expr))

    @property
    def is_formula(self) -> bool:
        """Whether a number without a unit is still a count times something: `16P`, `16*70e9`, `70B*16`."""
        if self.typed is not None or not isinstance(self.expr, Binary | Negative):
            return False
        return self.has_names or any(
            isinstance(node, Number) and abs(node.value) >= LARGE for node in walk(self.expr)
        )  # fmt: skip


def read_answer(
    text: str,
    *,
    variables: Variables = _NONE,
    expects: Dimension | Unit | None = None,
    writing: Writing = DEFAULT_WRITING,
    units: Units = FIELD,
) -> Answer:
    """Read what a learner typed: `1.12 TB`, `~1,120 GB`, `16P`, `2P(N-1)/N`, `70×10⁹`, `60-70 GB`, `P=70e9: 16P`.

    `variables` are the declared names, with their values where they have one; `expects` is the dimension (or
    the unit) asked for, which settles `70B`, FLOPS and a unit at the end; `units` are those that are known. Raises
    `ReadError`; `AmbiguousError` where two readings are sound.
    """
    plain = _as_range(plain_prose(translated(text), variables), variables)
    start, end, approximate = _trimmed(plain, variables)
    defined: dict[str, Quantity] = {}
    colon = plain.rfind(":", start, end)
    if colon >= 0:
        defined = _definitions(text, plain, start, colon, Reader(text, plain, variables, PLAIN, writing, units))
        start = colon + 1
    reader = Reader(text, plain, {**variables, **defined}, expects, writing, units)
    answer = reader.answer(start, end)
    return changed(answer, approximate=approximate, defined=defined) if approximate or defined else answer


def _as_range(plain: str, variables: Variables) -> str:
    """`from 60 to 70 GB` and `between 60 and 70 GB` as `60 to 70 GB`, each character in its place."""
    match = _FROM.match(plain)
    if match is None or match["word"].lower() in variables:
        return plain
    rest = plain[match.end() :]
    if match["word"].lower() == "between":
        rest = rest.replace(" and ", " to  ", 1)
    return " " * match.end() + rest


def _trimmed(plain: str, variables: Variables) -> tuple[int, int, bool]:
    """Leave out what surrounds the value: `about`, `=`, `each`, a full stop."""
    start, end, approximate = 0, len(plain.rstrip(" ")), False
    while (about := _ABOUT.match(plain, start, end)) and about[0].strip() not in variables:
        approximate = approximate or about[0].strip() != "="
        start = about.end()
    body = plain[:end].rstrip(" ,;") or plain[:end]
    if body.endswith(".") and not body[-2:-1].isdigit():
        body = body[:-1].rstrip(" ")
    for _ in range(_MOST_FILLERS):
        if not body[-1:].isalnum():
            break
        filler = _FILLER.search(body, start)
        if not filler or filler[0].rpartition(" ")[2] in variables:
            break
        body = body[: filler.start()].rstrip(" ,")
    return start, len(body), approximate


def _definitions(text: str, plain: str, start: int, end: int, reader: Reader) -> dict[str, Quantity]:
    """Read `P=70e9, N=8` in front of a colon."""
    defined: dict[str, Quantity] = {}
    cuts = [start, *(match.end() for match in _BETWEEN.finditer(plain, start, end)), end]
    for left, right in pairwise(cuts):
        stop = end if right == end else _before_separator(plain, left, right)
        match = _DEFINITION.match(plain[:stop], left)
        if not match:
            raise ReadError(
                text, end, end + 1, "A colon has no meaning here.", "It only ends definitions, as in P=70e9: 16P."
            )
        answer = reader.answer(match.start("value"), match.end("value"))
        try:
            defined[match["name"]] = quantity(answer.expr, reader.value_of, counts_checked=False)
        except EvaluationError as error:
            raise ReadError(
                text, match.start("value"), match.end("value"), f"{match['name']} has no value: {error}."
            ) from error
    return defined


def _before_separator(plain: str, left: int, right: int) -> int:
    stop = right
    while stop > left and plain[stop - 1] in " ,;":
        stop -= 1
    return stop


class Reader:
    """Reads one value between two places of a text."""

    def __init__(
        self,
        text: str,
        plain: str,
        variables: Variables,
        expects: Dimension | Unit | None,
        writing: Writing,
        units: Units,
    ) -> None:
        self._text, self._plain = text, plain
        self._variables = variables
        self._expects = expects.dimension if isinstance(expects, Unit) else expects
        # Where single bytes are asked for, B is a byte; nobody counts them in billions of parameters.
        self._small = isinstance(expects, Unit) and expects.factor < LARGE
        self._reading = Reading(variables, tuple(variables), self._expects, writing, units)

    def value_of(self, name: str) -> Quantity:
        """The value of a declared name; raises `EvaluationError` where it has none."""
        value = self._variables.get(name)
        if value is None:
            message = f"{name} has no value"
            raise EvaluationError(message)
        return value

    def answer(self, start: int, end: int) -> Answer:
        """Read the value between `start` and `end`."""
        tokens = self._formula(start, end) or self._measured(start, end)
        place = range_sign(self._text, tokens, self._expects)
        return self._single(tokens) if place < 0 else self._range(tokens, place)

    def _formula(self, start: int, end: int) -> list[Token] | None:
        """The tokens of a plain formula; None for anything with a unit, a function or a word."""
        reading = self._reading
        if reading.writing != DEFAULT_WRITING or (self._expects is not None and self._expects.is_count):
            return None
        tokens = formula_tokens(self._plain, start, end, self._variables)
        return None if tokens is None else with_powers_of_ten(self._text, tokens)

    def _measured(self, start: int, end: int) -> list[Token]:
        """The tokens of anything."""
        times = mixed_times(self._text, self._plain, start, end, self._reading)
        if times:
            return times
        tokens = lenient_tokens(self._text, self._plain, start, end, self._reading)
        tokens = with_powers_of_ten(self._text, tokens)
        tokens = with_settled_letters(self._text, tokens, self._variables, self._expects, small=self._small)
        tokens = with_mixed_numbers(with_mixed_times(tokens))
        self._refuse_bare_unit(tokens)
        refuse_remark(self._text, tokens, self._expects)
        return tokens

    def _refuse_bare_unit(self, tokens: list[Token]) -> None:
        first = tokens[0]
        if first.kind == "number" and not first.written and first.unit is not None and len(tokens) == 1 + 1:
            raise ReadError(self._text, first.start, first.end, f"A number is missing before {shown(first.text)}.")

    def _single(self, tokens: list[Token]) -> Answer:
        has_unit = any(token.unit is not None for token in tokens)
        typed = _typed(tokens)
        rest, unit = (tokens, None) if typed else unit_of_all(tokens, self._variables, self._expects)
        expr = parse(self._text, rest, lenient=True)
        if unit is not None:
            expr = Binary("*", expr, Number(Fraction(1), unit, unit.name))
        elif typed:
            unit = next((token.unit for token in tokens if token.unit is not None), None)
        return Answer(
            self._text,
            expr,
            None,
            has_unit=has_unit,
            unit=unit,
            whole_unit=typed is None and unit is not None,
            typed=typed or self._typed_times_units(tokens),
        )

    def _typed_times_units(self, tokens: list[Token]) -> Typed | None:
        """How precisely `12.3*m/s` or `1*Mg/10^6` was typed: one number times units and powers of ten."""
        place = _only_number(tokens)
        if place is None:
            return None
        number = tokens[place]
        one = [*tokens[:place], number._replace(value=number.suffix), *tokens[place + 1 :]]
        try:
            worth = quantity(parse(self._text, one, lenient=True), {}, counts_checked=False).value
        except EvaluationError:
            return None  # what has no value is refused where its value is asked for
        return Typed(count_digits(number.mantissa, number.exponent), worth)

    def _range(self, tokens: list[Token], place: int) -> Answer:
        left, sign, right = tokens[:place], tokens[place], tokens[place + 1 : -1]
        last = tokens[-1]
        if any(token.kind == "operator" and token.text in ("±", "to") for token in right):
            raise ReadError(self._text, sign.start, sign.end, "A range has two ends.", "Type 60-70 GB or 65±5 GB.")
        if len(left) == 1 and len(right) == 1 and left[0].kind == right[0].kind == "number":
            is_share = sign.text == "±" and right[0].unit is not None and right[0].unit.name == "%"
            low, high = (left[0], right[0]) if is_share else inherited(left[0], right[0])
            left, right = [low], [high]
        first = parse(self._text, [*left, Token("end", "", sign.start, sign.start)], lenient=True)
        second = parse(self._text, [*right, last], lenient=True)
        unit = next((token.unit for token in left if token.unit is not None), None)
        has_unit = any(token.unit is not None for token in (*left, *right))
        if sign.text != "±":
            return Answer(self._text, first, second, has_unit=has_unit, unit=unit)
        margin = second
        if isinstance(second, Number) and second.unit is not None and second.unit.name == "%" and unit != second.unit:
            margin = Binary("*", first, second)
        return Answer(self._text, Binary("-", first, margin), Binary("+", first, margin), has_unit=has_unit, unit=unit)


def _only_number(tokens: list[Token]) -> int | None:
    """The place of the one number that is multiplied or divided by units and powers of ten, and by nothing else."""
    found: int | None = None
    signs = [token.text for token in tokens]
    for place, token in enumerate(tokens[:-1]):
        if token.kind == "number" and token.written:
            is_power_of_ten = signs[place : place + 2] == ["10", "^"] and token.unit is None
            is_exponent = signs[place - 1 : place] == ["^"] or signs[place - 2 : place] in (["^", "-"], ["^", "+"])
            if is_power_of_ten or is_exponent:
                continue
            alone = signs[place + 1] != "^" and signs[place - 1 : place] != ["/"]
            if found is not None or not token.mantissa or not alone:
                return None
            found = place
        elif token.kind == "operator" and token.text not in "*/^":
            is_sign = place == 0 or signs[place - 1] == "^"
            if not (is_sign and token.text in "+-"):
                return None
        elif token.kind not in ("operator", "(", ")", "number") or signs[place : place + 2] == [")", "^"]:
            return None
    return found


def _typed(tokens: list[Token]) -> Typed | None:
    """How precisely one number was typed; None for anything longer than a sign, a number and its unit."""
    signless = tokens[1:-1] if tokens[0].kind == "operator" and tokens[0].text in "+-" else tokens[:-1]
    if not signless or not signless[0].mantissa or len(signless) > 2:  # noqa: PLR2004 - a number and a unit
        return None
    number = signless[0]
    unit = number.unit
    if len(signless) > 1:
        behind = signless[1]
        if behind.kind != "number" or behind.written or behind.unit is None or unit is not None:
            return None
        unit = behind.unit
    worth = number.suffix * (unit.factor if unit is not None else 1)
    return Typed(count_digits(number.mantissa, number.exponent), worth)
