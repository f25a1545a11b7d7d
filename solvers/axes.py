"""The values that an input goes through: a list, or a range with its pace."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE, SymbolInfo
from solvers.expr.evaluate import EvaluationError, Quantity, quantity
from solvers.expr.tree import Expr, Number, Text, symbols
from solvers.expr.units import Unit
from solvers.inputs import InputError, Raw, expr_of
from solvers.record import Record
from solvers.solver import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_POINTS: Final = 512
"""A range with more values is refused."""
WIDE: Final = 8
"""From this ratio of its ends a range without a step is gone through by doubling."""
_FEW: Final = 16
_ROUGHLY: Final = 12


class AxisError(ValueError):
    """An axis that cannot be read; the message says what to write."""


class Choice(Record):
    """One value of an axis: what is stated, and how it is shown."""

    raw: Raw
    text: str
    number: Fraction | None


class Axis(Record):
    """An input and the values that it goes through; `geometric` where they grow by a factor."""

    symbol: str
    values: tuple[Choice, ...]
    geometric: bool


def axis_of(symbol: str, text: str) -> Axis:
    """Read an axis: `1,2,3`, `zero-paper,megatron-bf16`, `8..1024`, `8..64 step 8`, `1 GB..64 GB times 4`.

    `8..64+8` is short for a step, `1..64x4` for a factor. A range without either doubles where its end is at least
    eight times its start, and is gone through evenly otherwise. Raises `AxisError` with everything that is wrong,
    and `UnknownNameError` for a symbol that is not in the catalogue.

    >>> [choice.text for choice in axis_of("layout.dp", "8..100").values]
    ['8', '16', '32', '64', '100']
    >>> [choice.text for choice in axis_of("checkpoint.stall", "1 min..2 min step 30 s").values]
    ['60 s', '90 s', '120 s']
    """
    info = CATALOGUE[symbol]
    parts = [part.strip() for part in _split(text)]
    if not all(parts) or not text.strip():
        raise AxisError(f"{symbol}={text} has an empty value; write {symbol}=A,B or {symbol}=A..B")
    values: list[Choice] = []
    wrong: list[str] = []
    geometric = False
    for part in parts:
        try:
            if ".." in part:
                found, grows = _range(info, part)
                values += found
                geometric = geometric or grows
            else:
                values.append(_choice(info, part))
        except AxisError as error:
            wrong.append(str(error))
    if wrong:
        raise AxisError("\n".join(dict.fromkeys(wrong)))
    distinct = {(choice.number, choice.text): choice for choice in values}
    if len(distinct) > MOST_POINTS:
        raise AxisError(
            f"{symbol} has {len(distinct):,} values; at most {MOST_POINTS} are computed: give a larger step"
        )
    return Axis(symbol, tuple(distinct.values()), geometric)


def _split(text: str) -> list[str]:
    """The parts between the commas that stand in no parentheses."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _choice(info: SymbolInfo, text: str) -> Choice:
    try:
        expr = expr_of(info.name, text)
    except InputError as error:
        raise AxisError(str(error)) from error
    if isinstance(expr, Number):
        return _numbered(info, expr.value * (expr.unit.factor if expr.unit else 1))
    if not isinstance(expr, Text) and not symbols(expr):
        try:
            return _numbered(info, quantity(expr, {}).value)
        except EvaluationError as error:
            raise AxisError(f"{info.name}: {text} has no value: {error}") from error
    return Choice(expr, expr.value if isinstance(expr, Text) else text, None)


def _numbered(info: SymbolInfo, value: Fraction) -> Choice:
    """A choice of a number in base units."""
    raw: Expr = Number(value, Unit(info.unit.name, Fraction(1), info.unit.dimension))
    return Choice(raw, shown(Quantity(value, info.unit.dimension), info), value)


def _range(info: SymbolInfo, text: str) -> tuple[list[Choice], bool]:
    if info.is_choice:
        raise AxisError(f"{info.name} is a choice: name its values, such as {info.name}={','.join(info.choices[:2])}")
    ends, by, pace = _paced(text)
    start_text, _, end_text = (part.strip() for part in ends.partition(".."))
    if end_text.startswith(".") or ".." in end_text:
        raise AxisError(f"{info.name}={text}: a range is written with two points, such as {info.name}=8..1024")
    end = _number(info, end_text)
    start = _number(info, start_text, _unit_of(info, end_text))
    if start == end:
        return [_numbered(info, start)], False
    if start > end:
        raise AxisError(f"{info.name}={text} does not rise: write {info.name}={end_text}..{start_text}")
    values = (
        _stepped(info, start, end, pace, _unit_of(info, end_text))
        if by == "step"
        else _grown(info, start, end, pace or "2")
        if by == "times" or (start > 0 and end >= WIDE * start)
        else _even(info, start, end)
    )
    return [_numbered(info, value) for value in values], by != "step" and (by == "times" or end >= WIDE * start > 0)


_PACE: Final = re.compile(
    r"\s+(?P<word>step|by|times)\s+"
    r"|(?<=[\w%)])(?P<factor>[x×*])(?=[\d.]+$)"
    r"|(?<=[\w%)])(?<!\d[eE])\s*[+:]\s*(?=[\d.])"
)
"""What stands between the end of a range and its pace: ` step 8`, `+8`, ` times 4`, `x4`."""


def _paced(text: str) -> tuple[str, str, str]:
    """The two ends of a range, whether it goes by a step or by a factor, and by which."""
    first, dots, rest = text.partition("..")
    found = _PACE.search(rest)
    if found is None:
        return text, "", ""
    by = "times" if found["factor"] or found["word"] == "times" else "step"
    return first + dots + rest[: found.start()], by, rest[found.end() :]


def _unit_of(info: SymbolInfo, text: str) -> str:
    """The unit behind a number: `8..64 GB` begins at 8 GB."""
    unit = text.lstrip("0123456789.eE+- ")
    return unit if info.unit.name and not info.bare else ""


def _number(info: SymbolInfo, text: str, unit: str = "") -> Fraction:
    spelled = f"{text} {unit}" if unit and text.strip("0123456789.eE+-") == "" else text
    choice = _choice(info, spelled) if text else None
    if choice is None or choice.number is None:
        raise AxisError(f"{info.name}: a range goes from a number to a number, such as {info.name}=8..1024")
    return choice.number


def _stepped(info: SymbolInfo, start: Fraction, end: Fraction, pace: str, unit: str) -> Iterator[Fraction]:
    step = _number(info, pace.strip(), unit)
    if step <= 0:
        raise AxisError(f"{info.name}: the step is above zero")
    if (end - start) / step > MOST_POINTS:
        raise AxisError(f"{info.name}: a step of {pace.strip()} makes more than {MOST_POINTS} values")
    return (start + step * at for at in range(int((end - start) / step) + 1))


def _grown(info: SymbolInfo, start: Fraction, end: Fraction, pace: str) -> list[Fraction]:
    try:
        factor = Fraction(pace.strip())
    except ValueError as error:
        raise AxisError(f"{info.name}: a factor is a number, such as times 2, not {pace.strip()!r}") from error
    if factor <= 1 or start <= 0:
        raise AxisError(f"{info.name}: a range that grows by a factor starts above zero, and the factor is above 1")
    values = [start]
    while values[-1] * factor < end and len(values) <= MOST_POINTS:
        values.append(values[-1] * factor)
    if info.is_integer:
        values = [Fraction(round(value)) for value in values]
    return [*values, end]


def _even(info: SymbolInfo, start: Fraction, end: Fraction) -> list[Fraction]:
    if not info.is_integer:
        return [start + (end - start) * at / _ROUGHLY for at in range(_ROUGHLY + 1)]
    step = 1 if end - start <= _FEW else -(-int(end - start) // _FEW)
    values = [start + step * at for at in range(int((end - start) / step) + 1)]
    return values if values[-1] == end else [*values, end]
