"""Roots of a tree in one unknown: exact by undoing operations, isolated where polynomial, by sympy for the rest."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.expr.algebra import NotSmoothError, roots, solution
from solvers.expr.reader import read_strict
from solvers.expr.tree import Number, symbol

if TYPE_CHECKING:
    from solvers.expr.tree import Expr


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 * x - 6", ["3"]),
        ("16 * x / 8 - 80e9", ["4e10"]),
        ("6 - 3 / x", ["1/2"]),
        ("10 - (x + 1)", ["9"]),
        ("-x + 4", ["4"]),
        ("sqrt(2 * x * 3) - 6", ["6"]),
        ("x ^ 2 - 9", ["3"]),
        ("(x - 5) ^ 2 - 9", ["2", "8"]),
        ("x ^ 3 - 8", ["2"]),
        ("x ^ 3 + 8", []),
        ("x ^ 2 + 1", []),
        ("1 / x ^ 2 - 4", ["1/2"]),
        ("sqrt(x) + 2", []),
        ("0 * x - 3", []),
        ("3 / x", []),
        ("5", []),
        ("2 * x + 3 * x / 4 - 11", ["4"]),
        ("(x + 1) / (x + 3) - 1 / 2", ["1"]),
        ("x - x - 1", []),
        ("6 / (x + 1) - 6 / (2 * x + 1) - 1", ["1/2", "1"]),
        ("sqrt(x * x * x) - 2 * x", ["4"]),
        ("sqrt(x) - x / 3", ["9"]),
        ("x * x - 5 * x + 6", ["2", "3"]),
    ],
)
def test_the_positive_roots_are_exact(text: str, expected: list[str]) -> None:
    assert [str(root) for root in roots(read_strict(text), "x")] == [str(Fraction(value)) for value in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x ^ 2 - 2", 2**0.5),
        ("sqrt(2 * x) - x - 0.25", 0.0429),
        ("x ^ 5 - x - 1", 1.1673),
        ("exp(x) - 5", 1.6094379),
        ("ln(x) + x - 3", 2.2079),
        ("406 / x ^ 0.34 + x ^ 0.28 / 810 - 3.1", 1803012),
        ("log2(x) - 3", 8),
    ],
)
def test_other_roots_are_good_to_many_digits(text: str, expected: float) -> None:
    found = roots(read_strict(text), "x")
    assert any(float(root) == pytest.approx(expected, rel=1e-3) for root in found)


@pytest.mark.parametrize("text", ["ceil(x) - 3", "min(x, 3) - 2", "floor(x / 2) - x"])
def test_steps_in_the_unknown_have_no_smooth_inverse(text: str) -> None:
    with pytest.raises(NotSmoothError):
        roots(read_strict(text), "x")


@given(
    st.fractions(-9, 9, max_denominator=9),
    st.fractions(-9, 9, max_denominator=9),
    st.fractions(-9, 9, max_denominator=9),
    st.fractions(-9, 9, max_denominator=9),
)
def test_the_root_of_a_moebius_function_is_where_it_is_zero(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> None:
    """Of (a x + b) / (c x + d), with x in several places."""
    x = symbol("x")
    tree: Expr = (Number(a) * x + Number(b)) / (Number(c) * x + Number(d))
    expected = [-b / a] if a and -b / a > 0 else []
    if c or d:
        assert list(roots(tree, "x")) == expected


@pytest.mark.parametrize(
    ("text", "loaded"),
    [("sqrt(2 * x) - 6", False), ("2 * x + x - 6", False), ("sqrt(2 * x) - x - 0.25", False), ("ln(x) + x - 3", True)],
)
def test_sympy_is_imported_only_where_nothing_else_leads_there(text: str, loaded: bool) -> None:  # noqa: FBT001
    script = (
        "import sys; from solvers.expr.algebra import roots; from solvers.expr.reader import read_strict\n"
        f"roots(read_strict({text!r}), 'x'); print('sympy' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == str(loaded)


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("2 * x - 6", "set free"),
        ("2 * x + x - 6", "a linear equation"),
        ("sqrt(2 * x) - x - 0.25", "a quadratic equation"),
        ("x ^ 5 - x - 1", "degree 5"),
        ("ln(x) + x - 3", "sympy"),
        ("x - x", "cancels"),
    ],
)
def test_the_way_to_the_roots_is_said(text: str, way: str) -> None:
    assert way in solution(read_strict(text), "x").way
