"""Foreign text as a bank's prose, written so that it is shown as it came: braces stay braces, and lines stay lines."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from quiz.authoring.exchange.marks import printable
from quiz.bank.prose import paragraphs
from solvers.expr.strict import ReadError, read_strict
from solvers.expr.tree import Negative, Number

_BRACES: Final = re.compile(r"\{\{|\}\}")
_FENCE: Final = "```"


def in_bank(text: str) -> str:
    """A text as it stands in a file of a bank, whose braces stay braces and whose lines stay lines."""
    plain = printable(text).replace("\t", "  ")
    return "\n".join(_lines(_BRACES.sub(lambda match: f'{{{{ "{match[0]}" }}}}', plain)))


def _lines(text: str) -> list[str]:
    """The lines, with an empty one between two that a bank would join; code in fences keeps its indentation."""
    lines: list[str] = []
    fenced = False
    for raw in text.split("\n"):
        is_fence = raw.strip().startswith(_FENCE)
        line = raw.rstrip() if fenced and not is_fence else raw.strip()
        if not fenced and lines and lines[-1] and line and "\n" not in paragraphs(f"{lines[-1]}\n{line}"):
            lines.append("")
        fenced ^= is_fence
        lines.append(line)
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def amount(number: str, unit: str) -> str:
    """A number in a unit as an expression of a bank; empty where no such unit is known."""
    try:
        read = read_strict(f"{number} {unit}")
    except ReadError:
        return ""
    inner = read.operand if isinstance(read, Negative) else read
    return f"{number} {unit}" if isinstance(inner, Number) and inner.unit is not None else ""


def amount_off(number: str, unit: str) -> str:
    """A tolerance in a unit as an expression of a bank, where `2 %` is a share of the answer and not two points."""
    if unit == "%":
        return f"{Decimal(number).scaleb(-2):f}"
    return amount(number, unit)


def half_a_digit(number: str) -> str:
    """Half a unit of the last digit of a plain decimal: so far off an answer may be that is to be exact."""
    places = len(number.partition(".")[2])
    return f"{Decimal(5).scaleb(-places - 1):f}"
