"""The short way into the tokens of a formula cuts as the lexer does."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.expr.reader_formula import formula_tokens
from solvers.expr.reader_lenient import lenient_tokens, translated
from solvers.expr.reader_limits import ReadError
from solvers.expr.reader_signs import Reading

NAMES = ("P", "N", "s", "B", "x", "e", "alpha", "h_1", "P0", "min", "ln")
PIECES = (*NAMES, "2", "10", "1.5", "120", "007",
          "70e9", ".5", "3.", "1,120", "+", "-", "*", "**", "/", "^", "(", ")", " ",
          "  ", "+/-", "k", "GB", "sqrt", "log2(", "ln (", "abs", "exp(", "Q", "%", "|", "x2", "_",
          "K", "T")  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=14).map("".join))
@settings(max_examples=1500, deadline=None)
def test_what_the_short_way_cuts_the_lexer_cuts_alike(text: str) -> None:
    names = dict.fromkeys(NAMES)
    plain = translated(text)
    end = len(plain.rstrip(" "))
    short = formula_tokens(plain, 0, end, names)
    if short is None:
        return
    try:
        long = lenient_tokens(text, plain, 0, end, Reading(names, NAMES))
    except ReadError as error:
        raise AssertionError(text) from error
    assert short == long


def test_usual_formulas_take_the_short_way() -> None:
    for text in ("2*P*(N-1)/N", "16P", "2P(N-1)/N", "10*s**2 + 1.5", "(P^2-N)/-3", "P", "2 sqrt(P)", "log2 (N)"):
        assert formula_tokens(text, 0, len(text), dict.fromkeys(NAMES)) is not None


def test_what_has_anything_else_in_it_is_left_to_the_lexer() -> None:
    for text in ("16 GB", "max(P, N)", "70e9", "1,120", "1 120", "2 Q", "5 %", "", " ", "P; N", "3+/-1", "2e", "4."):
        assert formula_tokens(text, 0, len(text), dict.fromkeys(NAMES)) is None
