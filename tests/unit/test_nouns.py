"""Numbers with their nouns: every message says them by one helper, and units that are words follow the same rule."""

from __future__ import annotations

import ast
import re
from fractions import Fraction

import pytest

from quiz.nouns import count, plural
from solvers.expr.evaluate import Quantity
from solvers.expr.show import show_quantity
from solvers.expr.units import parse_unit
from tests.house import ROOT

_LEFT = re.compile(r"\w\(e?s\)")


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 answers"), (1, "1 answer"), (2, "2 answers"), (1_200, "1,200 answers")]
)
def test_one_is_one_and_all_others_are_several(number: int, said: str) -> None:
    assert count(number, "answer") == said


def test_a_noun_may_have_a_plural_of_its_own() -> None:
    assert (count(2, "tally", "tallies"), plural(1, "is", "are"), plural(3, "is", "are")) == ("2 tallies", "is", "are")


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        ("54", "day", "54 days"),
        ("1", "day", "1 day"),
        ("78.43", "day", "78.43 days"),
        ("30840000", "GPU-hour", "30,840,000 GPU-hours"),
        ("3640", "PFLOP/s-day", "3,640 PFLOP/s-days"),
        ("2.4", "$/GPU-hour", "2.4 $/GPU-hour"),
        ("3", "h", "3 h"),
        ("5762", "token/s", "5,762 token/s"),
    ],
)
def test_a_unit_that_is_a_word_takes_an_s_behind_any_number_but_one(value: str, unit: str, said: str) -> None:
    found = parse_unit(unit)
    assert show_quantity(Quantity(Fraction(value) * found.factor, found.dimension), found) == said


def test_no_message_leaves_the_plural_to_its_reader() -> None:
    """`line(s)`, `part(s)`: the number is known where the message is written."""
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for folder in ("quiz", "solvers")
        for file in (ROOT / folder).rglob("*.py")
        if _LEFT.search(text := file.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _LEFT.search(node.value)
    ]
    assert found == []
