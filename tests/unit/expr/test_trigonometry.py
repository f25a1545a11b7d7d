"""Functions of angles, with sympy as the oracle; equality through identities; what cancels is nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.expr.equality import compare
from solvers.expr.evaluate import EvaluationError, quantity
from solvers.expr.reader import ReadError, read_answer
from solvers.expr.reader_limits import MAX_IRRATIONAL
from solvers.expr.tree import TRIGONOMETRY, Expr

if TYPE_CHECKING:
    from fractions import Fraction

NAMES = dict.fromkeys(["x", "y", "n"])


def read(text: str) -> Expr:
    return read_answer(text, variables=NAMES).expr


@settings(max_examples=150)
@given(st.sampled_from(TRIGONOMETRY), st.fractions(-3, 3, max_denominator=1000).filter(bool))
def test_the_value_is_that_of_sympy_to_thirty_five_digits(function: str, angle: Fraction) -> None:
    exact = sympy.N(getattr(sympy, function)(sympy.Rational(angle.numerator, angle.denominator)), 50)
    text = f"{function}(({angle}))"
    if exact == 0:
        assert quantity(read(text), {}).value == 0
        return
    if not exact.is_real:
        with pytest.raises(EvaluationError):
            quantity(read(text), {})
        return
    found = quantity(read(text), {}).value
    assert abs(sympy.Rational(found.numerator, found.denominator) / exact - 1) < sympy.Rational(1, 10**35)


@pytest.mark.parametrize(("left", "right", "verdict"), [
    ("sin(x)^2+cos(x)^2", "1", "equal"), ("2*cos(x)^2-1", "cos(2*x)", "equal"), ("tan(x)", "sin(x)/cos(x)", "equal"),
    ("cosh(x)^2-sinh(x)^2", "1", "equal"), ("arcsin(x)", "asin(x)", "equal"), ("sec(x)*cos(x)", "1", "equal"),
    ("sin(x)", "cos(x)", "different"), ("sin(2x)", "2sin(x)", "different"), ("sin(x)-x", "0", "different"),
    ("sin(pi)", "0", "equal"), ("sqrt(2)*sqrt(2)-2", "0", "equal"), ("log(x*y)-log(x)-log(y)", "0", "equal"),
    ("1e-40*sqrt(2)", "0", "different"), ("(1+1e-20)^(1/2)", "1", "different"),
    ("log(x+1e-30)-log(x)", "0", "different"),
    ("1/2^99", "1/2^98", "different"), ("pi*x", "3.14159265358979*x", "different"), ("|x|", "x", "equal"),
    ("√2*√x", "sqrt(2x)", "equal"), ("e^(2x)", "exp(x)^2", "equal"),
])  # fmt: skip
def test_identities_hold_and_near_misses_do_not(left: str, right: str, verdict: str) -> None:
    assert compare(read(left), read(right)).verdict == verdict


SMOOTH = st.recursive(
    st.one_of(st.sampled_from(["x", "y"]), st.integers(1, 5).map(str)),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+*/"), inner).map(lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"),
        st.tuples(st.sampled_from(["sqrt", "log", "exp", "sin", "cos"]), inner).map(
            lambda parts: f"{parts[0]}({parts[1]})"
        ),
    ),
    max_leaves=5,
)


@settings(max_examples=60, deadline=None)
@given(SMOOTH, SMOOTH)
def test_the_verdict_is_that_of_sympys_own_numbers(left: str, right: str) -> None:
    """Both as sympy trees at three points of fifty digits: equal there and only there is equal here."""
    symbols = {name: sympy.Symbol(name, positive=True) for name in ("x", "y")}
    one, other = (sympy.parse_expr(text, symbols) for text in (left, right))
    found = compare(read(left), read(right))
    points = [
        {symbols["x"]: sympy.Rational(a, 7), symbols["y"]: sympy.Rational(b, 11)}
        for a, b in ((9, 13), (10, 14), (8, 17))
    ]
    pairs = [(sympy.N(one.subs(point), 50), sympy.N(other.subs(point), 50)) for point in points]
    if found.verdict == "undecided" or not all(a.is_real and b.is_real for a, b in pairs):
        return
    same = all(abs(a - b) <= sympy.Float("1e-40", 50) * (1 + abs(a)) for a, b in pairs)
    assert (found.verdict == "equal") is same


def test_angles_are_bounded() -> None:
    with pytest.raises(ReadError, match="too many roots"):
        read("+".join(["sin(1)"] * (MAX_IRRATIONAL + 1)))
    with pytest.raises(EvaluationError, match="too large"):
        quantity(read("sin(1e30)"), {})
    with pytest.raises(EvaluationError, match="no value"):
        quantity(read("csc(0)"), {})
