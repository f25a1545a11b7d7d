"""The strict reader: what a bank may write, how it is grouped, and where anything else is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from solvers.expr.evaluate import Quantity, evaluate, quantity
from solvers.expr.reader import ReadError, read_strict
from solvers.expr.reader_limits import MAX_DEPTH, MAX_TOKENS
from solvers.expr.show import show_expr
from solvers.expr.tree import Compare, Number, Symbol, Text, call, number, symbol, symbols, when
from solvers.expr.units import parse_unit


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("70e9", 70 * 10**9, ""),
        ("1.5", Fraction(3, 2), ""),
        ("15 GB", 15 * 10**9, "GB"),
        ("15GB", 15 * 10**9, "GB"),
        ("60 s", 60, "s"),
        ("50 GB/s", 50 * 10**9, "GB/s"),
        ("16 B/param", 16, "B/param"),
        ("5 %", Fraction(1, 20), "%"),
        ("54 day", 54 * 86_400, "day"),
        ("3 $/GPU-hour", Fraction(3, 3600), "$/GPU-hour"),
        ("3 min", 180, "min"),
        ("2 s^2", 2, "s^2"),
    ],
)
def test_a_number_takes_the_unit_directly_behind_it(text: str, value: int | Fraction, unit: str) -> None:
    assert quantity(read_strict(text), {}) == Quantity(Fraction(value), parse_unit(unit).dimension)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1+2*3", 7),
        ("2^3^2", 512),
        ("-2^2", -4),
        ("(-3)^2", 9),
        ("6/-2", -3),
        ("2*-1", -2),
        ("12/2/3", 2),
        ("10-3-2", 5),
        ("2^-1", Fraction(1, 2)),
        ("max(1, 2, 3) - min(4, 5)", -1),
        ("ceil(7/2) + floor(7/2)", 7),
        ("when(1 < 2, 5, 1/0)", 5),
    ],
)
def test_signs_group_as_in_mathematics(text: str, value: int | Fraction) -> None:
    assert quantity(read_strict(text), {}).value == value


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("1 <= 1", True),
        ("1 != 1", False),
        ("2 > 1 and not 1 > 2", True),
        ("1 > 2 or 1 == 1 and 2 > 3", False),
        ("(1 > 2 or 1 == 1) and 2 < 3", True),
        ("1 GB < 1e9 B", False),
        ("60 s == 1 min", True),
    ],
)
def test_conditions_bind_or_loosest_then_and_then_not(text: str, *, holds: bool) -> None:
    assert evaluate(read_strict(text), {}) is holds


def test_a_dotted_name_is_one_symbol() -> None:
    """An option's quantity is one reference, digits and underscores included."""
    assert read_strict("pp8.memory.state_per_gpu") == Symbol("pp8.memory.state_per_gpu")
    assert symbols(read_strict("zero_1.memory.a2 + b")) == ("zero_1.memory.a2", "b")


def test_a_choice_is_compared_with_its_name() -> None:
    assert read_strict('layout.offload == "optimizer"') == Compare("==", symbol("layout.offload"), Text("optimizer"))
    assert read_strict("layout.reshard == true") == Compare("==", symbol("layout.reshard"), Text("true"))


def test_a_unit_wins_over_a_name_directly_behind_a_number_and_nowhere_else() -> None:
    assert read_strict("3 h") == number(3, "h")
    assert read_strict("3 * h") == number(3) * symbol("h")
    assert read_strict("10 GB / layers") == number(10, "GB") / symbol("layers")
    assert read_strict("10 GB/layers") == number(10, "GB/layers")
    assert read_strict("min(3 min, x)") == call("min", number(3, "min"), symbol("x"))


def test_terms_stay_as_they_were_written() -> None:
    assert show_expr(read_strict("(2+2+4+4+4) * 70e9")) == "(2 + 2 + 4 + 4 + 4) × 70e9"


def test_two_spellings_of_a_number_are_the_same_number() -> None:
    assert read_strict("70e9") == Number(Fraction(70 * 10**9)) == read_strict("70000000000")


def test_when_is_a_case_distinction() -> None:
    assert read_strict("when(layout.zero >= 3, layout.dp, 1)") == when(
        symbol("layout.zero") >= 3, symbol("layout.dp"), 1
    )


@pytest.mark.parametrize(
    ("text", "start", "word"),
    [
        ("", 0, "Nothing"),
        ("   ", 0, "Nothing"),
        ("1_000", 1, "separators"),
        ("2x", 1, "sign is missing"),
        ("a b", 2, "sign is missing"),
        ("1 2", 2, "Two numbers"),
        ("(1", 0, "never closed"),
        ("1)", 1, "never opened"),
        ("a = b", 2, "Write =="),
        ("a =< b", 2, "Write <=."),
        ("a => b", 2, "Write >=."),
        ("a ≤ b", 2, "Write <=."),
        ("a × b", 2, "Write *."),
        ("a && b", 2, "Write and."),
        ("{{ a }} <= b", 0, "without braces"),
        ("20 gb", 3, "Did you mean GB?"),
        ("21 dayz", 3, "Did you mean day"),
        ("7.9 hrs", 4, "Did you mean hours?"),
        ("2 model.layers", 2, "write * before model.layers"),
        ("a ** b", 2, "Write ^"),
        ("a < b < c", 6, "two sides"),
        ("x(1)", 0, "no function"),
        ("__import__('os')", 0, "no function"),
        ("min", 0, "is a function"),
        ("sqrt(1, 2)", 0, "takes one value"),
        ("when(1 < 2, 3)", 0, "three parts"),
        ("1 +", 3, "end is missing"),
        ("* 2", 0, "missing before *"),
        ("5.", 1, "after the point"),
        (".5", 0, "before the point"),
        ("'a", 0, "never closed"),
        ("'[red]'", 0, "choice"),
        ("\u202e1", 0, r"\u202e"),
        ("1\x1b[0m", 1, r"\x1b"),
        ("1 \u00d7 2", 2, "no meaning"),
        ("a.b[0]", 3, "no meaning"),
        ("lambda: 1", 6, "no meaning"),
        ("% 5", 0, "behind a number"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_place(text: str, start: int, word: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_strict(text)
    assert caught.value.start == start
    assert word in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "text",
    [
        "1" * 2001,
        "9" * 61,
        "1e401",
        "1e-401",
        "1e99999999999999999999",
        "(" * 41 + "1" + ")" * 41,
        "-" * 41 + "1",
        "not " * 41 + "1 < 2",
        "^".join("2" * 60),
        "min(" * 41 + "1" + ")" * 41,
        "+".join("1" * (MAX_TOKENS // 2 + 2)),
    ],
)
def test_every_bound_refuses_and_says_so(text: str) -> None:
    with pytest.raises(ReadError):
        read_strict(text)


def test_the_bounds_themselves_are_readable() -> None:
    assert quantity(read_strict("(" * MAX_DEPTH + "1" + ")" * MAX_DEPTH), {}).value == 1
    longest = "+".join("1" * (MAX_TOKENS // 2))
    assert quantity(read_strict(longest), {}).value == MAX_TOKENS // 2
    assert show_expr(read_strict(longest)).count("1") == MAX_TOKENS // 2
