"""Positive roots of polynomials: each once, exact where they are simple, and as many as there are."""

from __future__ import annotations

from fractions import Fraction

import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from solvers.expr.polynomials import Polynomial, positive_roots

ROOTS = st.sets(st.fractions(-40, 40, max_denominator=9), min_size=1, max_size=6)


def product(roots: set[Fraction]) -> Polynomial:
    coefficients = [Fraction(1)]
    for root in roots:
        longer = [Fraction(0), *coefficients]
        for at, factor in enumerate(coefficients):
            longer[at] -= root * factor
        coefficients = longer
    return {Fraction(power): factor for power, factor in enumerate(coefficients) if factor}


@given(ROOTS)
def test_the_roots_that_a_polynomial_was_made_of_are_found_exactly(roots: set[Fraction]) -> None:
    assert list(positive_roots(product(roots))[0]) == sorted(root for root in roots if root > 0)


@given(ROOTS, st.integers(2, 6))
def test_fractional_powers_have_the_powers_of_the_roots(roots: set[Fraction], root: int) -> None:
    """p(x^(1/n)) is zero where x is the n-th power of a root."""
    stretched = {exponent / root: factor for exponent, factor in product(roots).items()}
    assert list(positive_roots(stretched)[0]) == sorted(one**root for one in roots if one > 0)


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=8))
def test_there_are_as_many_roots_as_sympy_counts(coefficients: list[int]) -> None:
    assume(coefficients[-1])
    polynomial = sympy.Poly(coefficients[::-1], sympy.Symbol("x"))
    expected = len({root for root in polynomial.sqf_part().real_roots() if root > 0})
    found, _ = positive_roots(
        {Fraction(power): Fraction(factor) for power, factor in enumerate(coefficients) if factor}
    )
    assert len(found) == expected


def test_a_root_that_is_met_twice_is_found_once() -> None:
    assert positive_roots({Fraction(0): Fraction(1), Fraction(1): Fraction(-2), Fraction(2): Fraction(1)})[0] == (
        Fraction(1),
    )
    cubed = {Fraction(0): Fraction(-1), Fraction(1): Fraction(3), Fraction(2): Fraction(-3), Fraction(3): Fraction(1)}
    assert positive_roots(cubed)[0] == (Fraction(1),)


def test_large_and_small_roots_keep_their_digits() -> None:
    found, _ = positive_roots(product({Fraction(70_553_706_496), Fraction(1, 10**9), Fraction(3)}))
    assert found == (Fraction(1, 10**9), Fraction(3), Fraction(70_553_706_496))


def test_nothing_has_no_roots() -> None:
    assert positive_roots({}) == ((), 0)
    assert positive_roots({Fraction(3): Fraction(5)}) == ((), 0)
