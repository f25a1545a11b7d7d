"""What holds for every text: it ends in a status, at once; what is printed reads back as itself."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from functools import partial
from statistics import median

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quiz.bank.rendered import NumericPart, Rendered, SlipFigure, Variable
from quiz.grading import Grade, Typed, grade, read_back
from quiz.grading.check import check
from quiz.grading.spelling import spell_quantity
from quiz.grading.target import target_of
from quiz.grading.task import task_of
from solvers.expr.evaluate import quantity
from solvers.expr.reader import ReadError, read_answer, read_strict
from solvers.expr.show import show_expr, show_quantity
from solvers.expr.units import Unit, parse_unit
from tests.bounds import is_in_time, processor_time, slower

PART = NumericPart(
    ask="", exact="35000000000", text="35 GB", unit="GB", need_unit=False, relative="3/100",
    slips=(SlipFigure("one-node", "140000000000", "140 GB", "One node."),
           SlipFigure("no-master", "26250000000", "26.25 GB", "No master copy.")),
    variables=(Variable("P", "parameters", "70000000000", "param", "70e9 param"), Variable("N", "ranks", "32", "",
    "32")),
    expression="(2 B/param + 2 B/param + 12 B/param) * P / N",
)  # fmt: skip
QUESTION = Rendered(
    bank="b", id="q", kind="numeric", topic="t", difficulty=1, revision="r", stem="", conventions=(), answer_line="",
    numeric=PART,
)  # fmt: skip
PIECES = [
    "16", "70e9", "1,120", "0.5", "P", "N", "GB", "GiB", "/", "*", "+", "-", "^", "(", ")", " ", "x", "×", "70B", "%",
    "per", "GPU", "sqrt(", "max(", ",", "~", "to", "±", "e", "²", ":", "=", "s", "h", "30 min", "$", "about ", "½",
    "\u202e", "\x1b[31m", "\u0301", "\x00", "[red]", "__import__", "9" * 70, "1e399", "**", "pi", "log2(", "⌈", "⌉",
    "tokens", "|", "√", "sin(", ";", "⁻¹", "nodes", "TFLOPS", "-days", "_", "'", "µs", "α", "é", "\u0661", "\U0001f600",
]  # fmt: skip


def graded(text: str, part: NumericPart = PART) -> Grade:
    return grade(msgspec.structs.replace(QUESTION, numeric=part), Typed(text))


def _ends_in_a_status(text: str) -> None:
    result = graded(text)
    assert result.status in ("correct", "close", "incorrect", "wrong-unit", "invalid")
    assert (result.message + result.read_as).isprintable()
    if result.span is not None:
        assert 0 <= result.span[0] <= result.span[1] <= max(len(text), 1)
    assert is_in_time(lambda: graded(text))


@settings(max_examples=300)
@given(st.text(max_size=60))
@example("\ud800")
def test_any_text_ends_in_a_status(text: str) -> None:
    _ends_in_a_status(text)


@settings(max_examples=500)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_any_broken_formula_ends_in_a_status(text: str) -> None:
    _ends_in_a_status(text)
    assert read_back(PART, text).text.isprintable()


@settings(max_examples=200)
@given(st.lists(st.sampled_from([*PIECES, "a.b", "when(", "and", "<=", '"x"']), max_size=14).map(" ".join))
def test_any_strict_text_is_read_or_refused(text: str) -> None:
    refused: ReadError | None = None
    try:
        read_strict(text)
    except ReadError as error:
        refused = error
    if refused is not None:
        assert str(refused).isprintable()
        assert 0 <= refused.start <= refused.end <= max(len(text), 1)


LONGEST = [
    "+".join(["1"] * 100), "*".join(["sqrt(2)"] * 90), "log(" * 39 + "2" + ")" * 39, "exp(" * 39 + "1" + ")" * 39,
    "^".join(["1.0001"] * 39), "9" * 60 + "^" + "9" * 3, "(1/3)^400*(1/7)^400",
    "P" * 195, "PN" * 95, "1e400*1e400*1e400",
    "-" * 39 + "1",
    "a" * 1000, "1 " * 500, "," * 1000, "1,111" * 200, "(" * 39 + "1" + ")" * 39 + "*" + "2*" * 100 + "1",
    "2^0.3^0.3^0.3^0.3", "sqrt(" * 39 + "2" + ")" * 39, "1.5^399.5*" * 40 + "1", "exp(400)" + "*exp(400)" * 40,
    "log2(1e400)" + "+log2(1e400)" * 60, "P=" * 300, "x" * 999, "GB/" * 330, "²" * 999, "~" * 999, "each " * 199,
    "GB^9" * 200, "1" + " GB/s/s/s/s/s" * 30, "max(" + "1," * 95 + "1)", "70B*" * 95 + "1",
    ":" * 999, "5 % of " * 99 + "1", "+".join(["e^pi"] * 50), "+".join(["1.5^399.5"] * 16), "sin(1e25)+" * 15 + "1",
    "log(" * 8 + "sinh(300)" + ")" * 8, "asin(1e300)*" + "*".join(["log(P)"] * 15), "^".join(["P"] * 16),
    "ceil(P/7)+" * 30 + "1", "PN" * 499, "+".join(["tan(P/7)"] * 16), "log(1+1e-50)-" * 15 + "1", "sqrt(2)^" * 8 + "2",
    "(P+N)^99*" * 15 + "1", "(1/7)^" * 20 + "2", "1 % of " * 60 + "1e399", "floor(ceil(" * 19 + "P/7" + "))" * 19,
]  # fmt: skip


@pytest.mark.parametrize("text", LONGEST, ids=range(len(LONGEST)))
def test_the_longest_and_deepest_texts_stay_within_the_bound(text: str) -> None:
    _ends_in_a_status(text)


@pytest.mark.parametrize("reference", ["2*P*(N-1)/N", "sqrt(P*N)", "ceil(P/N)", "log(P)+sin(N)"])
def test_a_formula_is_judged_within_the_bound(reference: str) -> None:
    """Against any kind of reference, with names that run together and with none of their values known."""
    names = ["P", "N", *("P" * count for count in range(2, 40))]
    for text in LONGEST:
        task = task_of({"answer": text, "reference": reference, "variables": names})
        assert is_in_time(partial(check, task)), text


def test_a_usual_answer_is_graded_in_under_five_milliseconds() -> None:
    texts = [
        "35 GB",
        "1120 GB",
        "16P/N",
        "32.6 GB",
        "26.25 GB",
        "70B",
        "60-70 GB",
        "35 GB/GPU",
        "8.75 GB",
        "2P(N-1)/N",
        "x",
    ]
    times = [processor_time(partial(graded, text)) for text in texts * 3]
    assert median(times) < 0.005 * slower()


UNITS = ["GB", "GiB", "TB", "kB", "Gbit", "GB/s", "s", "min", "ms", "h", "FLOP", "TFLOP/s", "$", "%", "GPU", "token",
    "",
         "B/param", "GPU-hour", "kWh", "token/s", "$/GPU-hour", "PFLOP/s-day"]  # fmt: skip


@settings(max_examples=300)
@given(st.integers(-9999, 9999), st.integers(-3, 9), st.sampled_from(UNITS))
def test_a_printed_quantity_reads_back_as_itself(mantissa: int, power: int, name: str) -> None:
    unit: Unit = parse_unit(name)
    value = Fraction(mantissa) * Fraction(10) ** power * unit.factor
    for text in (show_quantity_of(value, unit), spell_quantity(value, unit)):
        answer = read_answer(text, expects=unit.dimension)
        read = quantity(answer.expr, {}, counts_checked=False)
        assert (read.value, read.dimension) == (value, unit.dimension)


def show_quantity_of(value: Fraction, unit: Unit) -> str:
    from solvers.expr.evaluate import Quantity

    return show_quantity(Quantity(value, unit.dimension), unit)


TREES = st.recursive(
    st.one_of(st.sampled_from(["P", "N", "2", "70e9", "0.5", "3 GB", "16 B/param"]), st.integers(1, 9).map(str)),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda parts: f"({parts[0]}{parts[1]}{parts[2]})"),
        inner.map(lambda part: f"-({part})"),
        inner.map(lambda part: f"({part})^2"),
        st.tuples(inner, inner).map(lambda parts: f"max({parts[0]}, {parts[1]})"),
    ),
    max_leaves=8,
)


@settings(max_examples=200)
@given(TREES)
def test_a_printed_tree_reads_back_to_the_same_tree(text: str) -> None:
    tree = read_strict(text)
    again = read_answer(show_expr(tree), variables={"P": None, "N": None}).expr
    assert show_expr(again) == show_expr(tree)


def test_random_wrong_answers_are_seldom_recognised(capsys: pytest.CaptureFixture[str]) -> None:
    """At most 2 % of wrong answers drawn at random, of two to four digits within three decades, get a diagnosis."""
    rest = msgspec.structs.replace(PART, exact="306250000000", slips=PART.slips[:1],
                                   expression="(2 B/param + 2 B/param) * P + 12 B/param * P / N")  # fmt: skip
    draw = random.Random(20)  # noqa: S311 - a sample, not a secret
    recognised = drawn = 0
    for part in (PART, rest):
        reference = float(target_of(part).value / target_of(part).unit.factor)
        for _ in range(1000):
            text = f"{reference * 10 ** draw.uniform(-1.5, 1.5):.{draw.choice((1, 2, 3))}e}"
            found = graded(f"{Decimal(text):f} GB", part)
            if found.status != "correct":
                drawn += 1
                recognised += bool(found.slip)
    with capsys.disabled():
        print(f"\nrandom wrong answers with a diagnosis: {recognised} of {drawn}, {recognised / drawn:.2%}")  # noqa: T201 - a figure that is asked for
    assert recognised <= drawn * 0.02
