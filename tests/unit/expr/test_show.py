"""How large counts are spelled."""

from __future__ import annotations

from fractions import Fraction

import pytest

from solvers.expr.show import show_short_count


@pytest.mark.parametrize(
    ("count", "spelled"),
    [
        (70 * 10**9, "70B"),
        (7500, "7,500"),
        (999_500 * 10**9, "999.5T"),
        (7 * 10**15, "7,000T"),
        (12_345_678 * 10**9, "12,345.678T"),
    ],
)
def test_a_count_is_said_in_its_largest_word_however_large_it_is(count: int, spelled: str) -> None:
    assert show_short_count(Fraction(count)) == spelled
