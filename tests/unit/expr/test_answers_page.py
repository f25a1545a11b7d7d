"""The page on what can be typed tells the truth: everything in its first table is read, and as it says."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from solvers.expr.dimension import PLAIN, Dimension
from solvers.expr.evaluate import Quantity, quantity
from solvers.expr.reader import read_answer

PAGE = Path(__file__).parents[3] / "docs" / "learners" / "answers.md"
BYTE = Dimension.of(byte=1)
NAMES = {
    "P": Quantity(Fraction(70 * 10**9), Dimension.of(parameter=1)),
    "N": Quantity(Fraction(8)),
    "D": Quantity(Fraction(10**12), Dimension.of(token=1)),
}
MEANT = {"1,120 GB": (1120 * 10**9, BYTE), "112 GB": (112 * 10**9, BYTE), "35 GB": (35 * 10**9, BYTE),
         "17.5 GB": (17_500_000_000, BYTE), "4 GB": (4 * 10**9, BYTE), "five eighths": (Fraction(5, 8), PLAIN),
         "5,400 s": (5400, Dimension.of(second=1))}  # fmt: skip


def rows() -> list[tuple[str, str]]:
    table = PAGE.read_text(encoding="utf-8").split("## Units")[0]
    found = re.findall(r"^\| (`.*`) \| ([^|]+) \|$", table, re.MULTILINE)
    return [
        (text, meaning.split(":")[0].strip()) for typed, meaning in found for text in re.findall(r"`([^`]+)`", typed)
    ]


@pytest.mark.parametrize(("text", "meaning"), rows())
def test_what_the_page_shows_is_read_as_the_page_says(text: str, meaning: str) -> None:
    number, dimension = MEANT.get(meaning, (None, BYTE))
    answer = read_answer(text, variables=NAMES, expects=dimension if number is not None else None)
    read = quantity(answer.expr, {**NAMES, **answer.defined}, counts_checked=False)
    if number is not None:
        assert read.value == number
    elif meaning == "a range":
        assert answer.upper is not None


def test_the_table_was_found() -> None:
    assert len(rows()) > 30
