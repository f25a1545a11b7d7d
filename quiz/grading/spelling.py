"""How a reading is told back: its tree with the values put in, and the value in the units that matter."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from solvers.expr.dimension import COUNTS, Dimension
from solvers.expr.show import half_up, show_expr, show_number
from solvers.expr.tree import Binary, Call, Expr, Negative, Number, Symbol
from solvers.expr.units import PLAIN_UNIT, Unit

if TYPE_CHECKING:
    from collections.abc import Mapping

_BASE_NAMES: Final = {"byte": "B", "second": "s", "flop": "FLOP", "watt": "W", "dollar": "$", "parameter": "param",
                      "token": "token", "gpu": "GPU", "node": "node", "layer": "layer", "step": "step",
                      "sequence": "sequence"}  # fmt: skip
_KINDS: Final = {"byte": "a size in bytes", "second": "a time", "flop": "a number of FLOP", "watt": "a power",
                 "dollar": "an amount of money", "byte/second": "a rate in bytes per second",
                 "flop/second": "a rate in FLOP per second", "watt·second": "an energy",
                 "second·watt": "an energy"}  # fmt: skip
_COUNTED: Final = re.compile(
    r"(?:(?:[A-Za-z]+/s)?[A-Za-z·-]*[·-])?(?:day|week|year|hour|param|token|GPU|node|layer|step|sequence)"
)
_LARGE: Final = 1_000_000
_GROUP: Final = 1000
_MANTISSA_DECIMALS: Final = 4
_FEW_DECIMALS: Final = 2
_SHORT_DECIMALS: Final = 6


def spell_number(value: Fraction) -> str:
    """Spell a number as short as it can be exactly: `70e9`, `1.12e12`, `1,120`, `0.125`; else to four digits."""
    if value < 0:
        return f"−{spell_number(-value)}"
    if value >= _LARGE:
        if value < _LARGE * _GROUP and value.denominator == 1 and not _has_few(value, _FEW_DECIMALS):
            return f"{int(value):,}"
        if _has_few(value, _MANTISSA_DECIMALS):
            exponent = _exponent(value)
            return f"{_plain(value / 10**exponent, _MANTISSA_DECIMALS)}e{exponent}"
        return _rounded(value)
    if (value * 10**_SHORT_DECIMALS).denominator == 1:
        return _plain(value, _SHORT_DECIMALS)
    return show_number(value)


def _exponent(value: Fraction) -> int:
    return 3 * ((len(str(int(value))) - 1) // 3)


def _has_few(value: Fraction, decimals: int) -> bool:
    """Whether the mantissa of a large number, in steps of a thousand, has at most so many decimals."""
    mantissa: Fraction = value / Fraction(10) ** _exponent(value)
    scaled: Fraction = mantissa * 10**decimals
    return scaled.denominator == 1


def _rounded(value: Fraction) -> str:
    exponent = _exponent(value)
    return f"{show_number(value / 10**exponent)}e{exponent}"


def _plain(value: Fraction, decimals: int) -> str:
    text = f"{half_up(value, decimals):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def is_exact(value: Fraction) -> bool:
    """Whether `spell_number` spells this value without rounding."""
    size = abs(value)
    if size >= _LARGE:
        return _has_few(size, _MANTISSA_DECIMALS) or (size.denominator == 1 and size < _LARGE * _GROUP)
    return (size * 10**_SHORT_DECIMALS).denominator == 1


def spell_quantity(value: Fraction, unit: Unit) -> str:
    """Spell a value of base units in `unit`: `1,120 GB`, `$5`, `12 %`."""
    number = spell_number(value / unit.factor)
    if not unit.name:
        return number
    if unit.name == "$":
        return f"−${number[1:]}" if value < 0 else f"${number}"
    return f"{number} {unit.name if number == '1' else _plural(unit.name)}"


def _plural(unit: str) -> str:
    """The name of a unit behind any number but one: `21 days`, `64 GPUs`, `3 PFLOP/s-days`; most have one form."""
    return f"{unit}s" if _COUNTED.fullmatch(unit) else unit


def base_unit(dimension: Dimension) -> Unit:
    """The unit of factor 1 for a dimension: `B`, `B/s`, `FLOP`, `GPU`."""
    if dimension.is_plain:
        return PLAIN_UNIT
    above = [_power(name, power) for name, power in dimension.powers if power > 0]
    below = [_power(name, -power) for name, power in dimension.powers if power < 0]
    return Unit("/".join(["·".join(above) or "1", *below]), Fraction(1), dimension)


def _power(name: str, power: Fraction) -> str:
    spelled = _BASE_NAMES.get(name, name)  # a base that a bank declares is named like its unit
    return spelled if power == 1 else f"{spelled}^{power}"


def kind_of(dimension: Dimension) -> str:
    """Say in words what a dimension measures: `a size in bytes`, `a time`, `a plain number`."""
    hard = dimension.without_counts
    if not hard.is_plain:
        return _KINDS.get(str(hard), f"a value in {base_unit(hard).name}")
    if dimension.is_plain:
        return "a plain number"
    above = "·".join(_BASE_NAMES[name] + "s" for name, power in dimension.powers if power > 0)
    return f"a number of {above}" if above else f"a number per {_BASE_NAMES[dimension.powers[0][0]]}"


def spell_expr(expr: Expr, spelled: Mapping[str, str]) -> str:
    """Spell a tree with numbers shortened, units as they are read, and values in place of names."""
    return show_expr(_shortened(expr), lambda name: spelled.get(name, name))


def _shortened(expr: Expr) -> Expr:
    if isinstance(expr, Number):
        return _shortened_number(expr)
    match expr:
        case Negative(operand):
            return Negative(_shortened(operand))
        case Call(function, arguments):
            return Call(function, tuple(_shortened(argument) for argument in arguments))
        case Binary():
            return _shortened_chain(expr)
    return expr


def _shortened_number(number: Number) -> Number:
    if number.unit is None:
        return Number(number.value, None, spell_number(number.value))
    if number.text == number.unit.name:
        return number
    return Number(number.value, number.unit, spell_quantity(number.value * number.unit.factor, number.unit))


def _shortened_chain(expr: Binary) -> Expr:
    spine = [expr]
    while isinstance(spine[-1].left, Binary):
        spine.append(spine[-1].left)
    result = _shortened(spine[-1].left)
    for node in reversed(spine):
        result = Binary(node.operator, result, _shortened(node.right))
    return result


def with_coefficient(expr: Expr, unit: str, counts: Dimension) -> Expr | None:
    """The product with its first small number measured: `16 × P` becomes `16 B/param × P`.

    `counts` is what the bare product counts. None where there is no such number to put the unit on.
    """
    per = "/".join(_power(name, power) for name, power in counts.powers if power > 0 and name in COUNTS)
    name = f"{unit}/{per}" if per else unit
    spine: list[Binary] = []
    node = expr
    while isinstance(node, Binary) and node.operator in ("*", "/"):
        spine.append(node)
        node = node.left
    if _is_coefficient(node):
        result: Expr = _measured(node, name)
    else:
        place = next(
            (
                at
                for at, step in reversed(list(enumerate(spine)))
                if step.operator == "*" and _is_coefficient(step.right)
            ),
            -1,
        )
        if place < 0:
            return None
        spine[place] = replace(spine[place], right=_measured(spine[place].right, name))
        result = node
    for step in reversed(spine):
        result = Binary(step.operator, result, step.right)
    return result


def _is_coefficient(node: Expr) -> bool:
    return isinstance(node, Number) and node.unit is None and abs(node.value) < _LARGE


def _measured(node: Expr, name: str) -> Expr:
    return Symbol(f"{spell_number(node.value)} {name}") if isinstance(node, Number) else node
