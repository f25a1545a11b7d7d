"""How numbers, quantities and trees are spelled for a person.

Rounding is for the reader only; the exact value stays in the tree. A quantity prints in the unit that is
asked for, to four significant digits unless decimals are given; whole parts are never rounded away.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from solvers.expr.tree import Binary, Call, Compare, Expr, Logic, Negative, Number, Symbol, Text, When

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from solvers.expr.evaluate import Quantity
    from solvers.expr.units import Unit

SIGNIFICANT: Final = 4
_SHORT: Final = ((10**12, "T"), (10**9, "B"), (10**6, "M"))
_MOST_DECIMALS: Final = 28
_SCIENTIFIC_BELOW: Final = 10_000  # one part in so many
_SCIENTIFIC_FROM: Final = 10**15
#: Units that are words and not signs, so that more than one of them takes an s: `day`, `GPU-hour`, `PFLOP/s-day`.
_WORDS: Final = re.compile(r"(?:[A-Za-z]+(?:/s)?-)?(?:hour|day|week|year)")


def show_number(value: Fraction, decimals: int | None = None) -> str:
    """Spell a number: `1,120`, `306.3`, `0.1795`, `6.02e23`. Trailing zeros go unless decimals are asked for."""
    if value < 0:
        return "−" + show_number(-value, decimals)
    if decimals is not None:
        return f"{_half_up(value, decimals):,.{decimals}f}"
    above, below = value.numerator, value.denominator
    if above and (above * _SCIENTIFIC_BELOW < below or above >= below * _SCIENTIFIC_FROM):
        mantissa, _, exponent = f"{_as_decimal(value):.{SIGNIFICANT - 1}e}".partition("e")
        return f"{_trimmed(mantissa)}e{int(exponent)}"
    whole_digits = len(str(above // below)) if above >= below else 1 - _leading_zeros(value)
    shown = f"{_half_up(value, max(0, SIGNIFICANT - whole_digits)):,f}"
    return _trimmed(shown)


def show_broken(value: Fraction) -> str:
    """Spell a number that is not whole, so that it does not look whole: `1.5`, `7.99999`, `1e-399`."""
    if value.denominator == 1 or abs(value) * _SCIENTIFIC_BELOW < 1:
        return show_number(value)
    for decimals in range(4, _MOST_DECIMALS, 4):
        spelled = show_number(value, decimals)
        if spelled.rstrip("0")[-1:] != ".":
            return spelled.rstrip("0")
    return f"{show_number(value)} and a little {'more' if value > round(value) else 'less'}"


def show_short_count(value: Fraction) -> str:
    """Spell a count as people say it: 70e9 is `70B`, 7,500 is `7,500`; only where nothing is lost."""
    for size, letter in _SHORT:
        if value >= size:
            scaled = value / size
            if (scaled * 1000).denominator == 1:
                return f"{show_number(scaled) if scaled < 1000 else _to_thousandths(scaled)}{letter}"  # noqa: PLR2004
            return show_number(value)
    return show_number(value)


def _to_thousandths(value: Fraction) -> str:
    return _trimmed(f"{_half_up(value, 3):,f}")


def show_quantity(quantity: Quantity, unit: Unit, decimals: int | None = None, *, short: bool = False) -> str:
    """Spell `quantity` in `unit`: `35 GB`, `19.27 min`, `70B`, `17.95 %`, `1 day`, `78.43 days`."""
    scaled = quantity.value / unit.factor
    number = show_short_count(scaled) if short and decimals is None else show_number(scaled, decimals)
    if not unit.name:
        return number
    if unit.name == "$":
        return f"−${number[1:]}" if scaled < 0 else f"${number}"
    several = "s" if number != "1" and _WORDS.fullmatch(unit.name) else ""
    return f"{number} {unit.name}{several}"


def _as_decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _half_up(value: Fraction, decimals: int) -> Decimal:
    # In whole numbers, since fractions look for common divisors at every step.
    above, below = value.numerator * 10 ** max(decimals, 0), value.denominator * 10 ** max(-decimals, 0)
    whole = (above * 2 + below) // (below * 2)
    return Decimal(whole).scaleb(-decimals)


def half_up(value: Fraction, decimals: int) -> Decimal:
    """Round half away from zero, exactly."""
    return _half_up(value, decimals) if value >= 0 else -_half_up(-value, decimals)


def _leading_zeros(value: Fraction) -> int:
    """How many zeros stand between the point and the first digit of a value in (0, 1)."""
    zeros = 0
    while value and value * 10 < 1:
        value *= 10
        zeros += 1
    return zeros + 1 if value else 1


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


_PRECEDENCE: Final = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
_SIGNS: Final = {"*": " × ", "+": " + ", "-": " − ", "/": " / ", "^": "^"}
_RELATIONS: Final = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠", "<": "<", ">": ">"}
_UNARY: Final = 3
_BOUND: Final = 4


def show_expr(expr: Expr, name: Callable[[str], str] = str) -> str:
    """Spell a tree, keeping its terms; `name` spells a symbol (its letter, or its number put in)."""
    return _show(expr, name)[0]


def _show(expr: Expr, name: Callable[[str], str]) -> tuple[str, int]:  # noqa: C901, PLR0911 - one case for each kind
    match expr:
        case Number(value, unit, text):
            spelled = text or show_number(value)
            # A unit or a minus belongs to the number: under a power it stands in parentheses.
            return (f"{spelled} {unit.name}" if unit and not text else spelled), (_BOUND if unit or value < 0 else 9)
        case Symbol(symbol):
            spelled = name(symbol)
            return spelled, (9 if " " not in spelled.strip() else _BOUND)
        case Text(value):
            return value, 9
        case Negative(operand):
            return f"−{_wrapped(operand, name, _UNARY)}", _UNARY
        case Binary():
            return _show_chain(expr, name)
        case Call(function, arguments):
            return f"{function}({', '.join(_show(argument, name)[0] for argument in arguments)})", 9
        case Compare(operator, left, right):
            return f"{_show(left, name)[0]} {_RELATIONS[operator]} {_show(right, name)[0]}", 0
        case Logic("not", operands):
            return f"not ({_show(operands[0], name)[0]})", 9
        case Logic(operator, operands):
            return f" {operator} ".join(_wrapped(operand, name, 0) for operand in operands), -1
        case When(condition, then, otherwise):
            shown = (_show(part, name)[0] for part in (condition, then, otherwise))
            return "when({}, {}, {})".format(*shown), 9
    message = f"unknown kind of expression: {type(expr).__name__}"
    raise TypeError(message)


def _show_chain(expr: Binary, name: Callable[[str], str]) -> tuple[str, int]:
    """Spell a sum or product along its left spine, so that its length costs no call depth."""
    spine = [expr]
    while isinstance(spine[-1].left, Binary):
        spine.append(spine[-1].left)
    text, rank = _show(spine[-1].left, name)
    for node in reversed(spine):
        own = _PRECEDENCE[node.operator]
        before = f"({text})" if rank < own + (node.operator == "^") else text
        behind = _wrapped(node.right, name, own + (node.operator in "-/^"))
        text, rank = f"{before}{_SIGNS[node.operator]}{behind}", own
    return text, rank


def _wrapped(expr: Expr, name: Callable[[str], str], least: int) -> str:
    text, rank = _show(expr, name)
    return f"({text})" if rank < least else text
