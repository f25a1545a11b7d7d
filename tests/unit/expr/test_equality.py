"""Equality of expressions by exact values, with sympy as the oracle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.expr.equality import compare
from solvers.expr.reader import read_answer

if TYPE_CHECKING:
    from solvers.expr.tree import Expr

NAMES = dict.fromkeys(("x", "y", "N", "P"))


def read(text: str) -> Expr:
    return read_answer(text, variables=NAMES).expr


@pytest.mark.parametrize(("left", "right", "verdict"), [
    ("2P(N-1)/N", "2P - 2P/N", "equal"), ("2P(N-1)/N", "2P(N-1)", "different"), ("sqrt(x^2)", "x", "equal"),
    ("sqrt(x)*sqrt(y)", "sqrt(x y)", "equal"), ("log(x^2*y)", "2log(x)+log(y)", "equal"),
    ("x^0.5", "sqrt(x)", "equal"),
    ("exp(log(x))", "x", "equal"), ("ln(e)", "1", "equal"), ("1/2^99", "1/2^98", "different"), ("x/x", "1", "equal"),
    ("sqrt(11+6sqrt(2))", "3+sqrt(2)", "equal"), ("1 + 1/e", "1 - 1/e", "different"), ("ceil(x)", "x", "equal"),
    ("ceil(x/2)", "x/2", "different"), ("max(x, y)", "(x+y+abs(x-y))/2", "equal"),
    ("log(-x)", "log(-y)", "undecided"),
    ("log(-x)", "x", "different"), ("2^N*3^N", "6^N", "equal"), ("(x+1)^2", "x^2+2x+1", "equal"),
    ("x + 1e-40", "x", "different"), ("N^(1/3)^3", "N", "different"), ("(N^(1/3))^3", "N", "equal"),
    ("x GB", "x", "different"),
])  # fmt: skip
def test_two_expressions_are_equal_where_both_have_a_value(left: str, right: str, verdict: str) -> None:
    assert compare(read(left), read(right)).verdict == verdict
    assert compare(read(right), read(left)).verdict == verdict


def test_a_constant_factor_is_found() -> None:
    assert compare(read("16P/N"), read("2P/N")).factor == 8
    assert compare(read("16P/N"), read("2P")).factor is None


def _leaf() -> st.SearchStrategy[str]:
    return st.one_of(st.sampled_from(["x", "y", "N"]), st.integers(1, 9).map(str))


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner)
    return st.one_of(
        pair.map(lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"),
        st.tuples(inner, st.integers(-2, 3)).map(lambda parts: f"({parts[0]})**({parts[1]})"),
    )


RATIONAL = st.recursive(_leaf(), _grown, max_leaves=8)


def _oracle(text: str) -> Any:
    names = {name: sympy.Symbol(name, positive=True) for name in ("x", "y", "N")}
    return sympy.parse_expr(text, names)


@settings(max_examples=60)
@given(RATIONAL, RATIONAL)
def test_the_verdict_is_that_of_sympy_on_rational_expressions(left: str, right: str) -> None:
    one, other = _oracle(left), _oracle(right)
    bad = (sympy.zoo, sympy.nan, sympy.oo, -sympy.oo)
    if one.has(*bad) or other.has(*bad) or one == 0 or other == 0:
        return
    expected = "equal" if sympy.cancel(sympy.together(one - other)) == 0 else "different"
    assert compare(read(left), read(right)).verdict == expected


@settings(max_examples=60)
@given(RATIONAL, st.sampled_from([sympy.expand, sympy.factor, sympy.together, sympy.cancel]))
def test_what_sympy_rewrites_stays_equal(text: str, rewrite: Any) -> None:
    tree = _oracle(text)
    if tree.has(sympy.zoo, sympy.nan, sympy.oo):
        return
    assert compare(read(text), read(str(rewrite(tree)))).verdict == "equal"
