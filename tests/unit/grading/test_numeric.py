"""Grading a typed answer: the statuses, the echo, the mistake that is named, and what costs nothing."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from quiz.bank.rendered import NumericPart, Rendered, SlipFigure, Variable
from quiz.grading import Grade, Typed, grade, read_back

PART = NumericPart(
    ask="How many GB of training state does each GPU hold?",
    exact="35000000000",
    text="35 GB",
    unit="GB",
    need_unit=False,
    relative="3/100",
    slips=(
        SlipFigure("one-node", "140000000000", "140 GB", "You divided by the GPUs of one node, not of all."),
        SlipFigure("no-master", "26250000000", "26.25 GB", "You left out the fp32 master copy."),
        SlipFigure("fp32-grads", "39375000000", "39.38 GB", "That holds with fp32 gradients.", "convention"),
    ),
    variables=(
        Variable("P", "parameters of the model", "70000000000", "param", "70e9 param"),
        Variable("N", "data-parallel ranks", "32", "", "32"),
    ),
    expression="(2 B/param + 2 B/param + 12 B/param) * P / N",
)
STRICT = msgspec.structs.replace(PART, need_unit=True)
INTERVAL = NumericPart(
    ask="How long between checkpoints?", exact="1156", text="19.27 min", unit="min", need_unit=True, relative="0.03"
)
SHARE = NumericPart(ask="Which share?", exact="7/39", text="17.95 %", unit="%", need_unit=False, relative="1/100")
FLOPS = NumericPart(
    ask="How many FLOP?", exact="420000000000000000000000", text="420e21 FLOP", unit="FLOP", need_unit=False,
    relative="1/50",
    variables=(
        Variable("N", "parameters", "70000000000", "param", "70e9 param"),
        Variable("D", "tokens", "1000000000000", "token", "1e12 token"),
    ),
)  # fmt: skip


def graded(text: str, part: NumericPart = PART) -> Grade:
    question = Rendered(
        bank="b", id="q", kind="numeric", topic="t", difficulty=1, revision="r", stem="", conventions=(),
        answer_line="", numeric=part,
    )  # fmt: skip
    return grade(question, Typed(text))


@pytest.mark.parametrize("text", [
    "35 GB", "35", "35.0GB", "35e9", "35e9 bytes", "0.035 TB", "280 Gbit", "35 GB/GPU", "35 GB per GPU", "about 35",
    "16P/N", "16*70e9/32 bytes", "70B*16/32", "1120/32 GB", "1120 GB / 32 GPUs", "2P/N + 2P/N + 12P/N", "34-36 GB",
    "35±0.5", "32.6 GiB", "36.05", "33.95", "P=70e9, N=32: 16P/N", "P=70B: 16P/32", "35 GB\n", "\t35 GB",
])  # fmt: skip
def test_the_value_is_right_however_it_is_written(text: str) -> None:
    assert graded(text).status == "correct"


@pytest.mark.parametrize(("text", "status"), [
    ("36.06", "close"), ("33.94", "close"), ("38.15", "close"), ("38.16", "incorrect"), ("31.85", "close"),
    ("31.84", "incorrect"), ("-35", "incorrect"), ("0", "incorrect"), ("30-40 GB", "incorrect"),
    ("34-37 GB", "close"),
])  # fmt: skip
def test_close_is_within_three_tolerances_to_the_last_digit(text: str, status: str) -> None:
    assert graded(text, msgspec.structs.replace(PART, variables=(), expression="", slips=())).status == status


@pytest.mark.parametrize(("text", "part", "words"), [
    ("60 s", PART, "a time"), ("14 GPUs", PART, "number of GPUs"), ("35 GB/s", PART, "a rate in bytes per second"),
    ("35 %", PART, "a share"), ("19.27 GB", INTERVAL, "a size in bytes"),
    ("18 GB", SHARE, "a size in bytes"), ("0 GB/s", PART, "a rate"), ("N", PART, "a plain number"),
    ("P", PART, "number of params"),
])  # fmt: skip
def test_a_wrong_unit_says_what_kind_is_asked_for(text: str, part: NumericPart, words: str) -> None:
    found = graded(text, part)
    assert found.status == "wrong-unit"
    assert words in found.message


@pytest.mark.parametrize(("text", "part"), [
    ("16P/N", STRICT), ("35 GB", STRICT), ("19.27 min", INTERVAL), ("1156 s", INTERVAL), ("0.321 h", INTERVAL),
    ("19 min 16 s", INTERVAL), ("17.95 %", SHARE), ("17.95", SHARE), ("7/39", SHARE), ("17.9 percent", SHARE),
    ("6ND", FLOPS), ("4.2e23", FLOPS), ("420e21 FLOPs", FLOPS), ("4.2×10²³ FLOP", FLOPS),
])  # fmt: skip
def test_a_compatible_unit_is_converted_and_a_formula_brings_its_own(text: str, part: NumericPart) -> None:
    assert graded(text, part).status == "correct"


@pytest.mark.parametrize(("text", "part", "words"), [
    ("70B", PART, "70e9 or as 70 bytes"), ("70 B", PART, "70e9 or as 70 bytes"), ("0.18", SHARE, "0.18 % or as 18 %"),
    ("", PART, "Nothing"), ("x", PART, "no unit or name x"), ("1/0", PART, "Division by zero"),
    ("9**9**9", PART, "exponent"),
    ("35 GB + 3 s", PART, "add"), ("sqrt(-1)", PART, "not real"),
])  # fmt: skip
def test_what_cannot_be_read_or_is_read_two_ways_is_invalid_and_says_where(
    text: str, part: NumericPart, words: str
) -> None:
    found = graded(text, part)
    assert found.status == "invalid"
    assert words in found.message
    assert found.span is not None


@pytest.mark.parametrize(("text", "slip", "kind"), [
    ("140 GB", "one-node", "mistake"), ("140", "one-node", "mistake"), ("26.25 GB", "no-master", "mistake"),
    ("26.3 GB", "no-master", "mistake"), ("26.25", "no-master", "mistake"), ("12P/N", "no-master", "mistake"),
    ("39.375 GB", "fp32-grads", "convention"), ("39.4", "fp32-grads", "convention"),
])  # fmt: skip
def test_a_slip_of_the_question_is_recognised_by_the_digits_typed(text: str, slip: str, kind: str) -> None:
    found = graded(text)
    assert (found.status, found.slip, found.slip_kind) == ("incorrect", slip, kind)
    assert found.message.startswith("Right by another convention. That holds") is (kind == "convention")


def test_a_slip_is_matched_to_the_last_digit_and_not_to_the_tolerance() -> None:
    """27 GB is within 3 % of the slip at 26.25 GB, and is not it."""
    assert graded("27.0 GB").slip != "no-master"
    assert graded("26.20 GB").slip != "no-master"


@pytest.mark.parametrize(("text", "slip", "words"), [
    ("32.6 GB", "GiB-as-GB", "right in GiB"), ("32.60", "GiB-as-GB", "right in GiB"),
    ("35 GiB", "GB-as-GiB", "right in GB, not in GiB"),
    ("37.58 GB", "GB-as-GiB", "in place of GiB"),
    ("70.0 GB", "twice", "twice"), ("17.5 GB", "twice-inverse", "half"),
    ("1120 GB", "times-N", "not divided by N = 32"),
    ("1.09375 GB", "over-N", "once too often"), ("280 GB", "bits", "a byte has 8"), ("4.375 GB", "bits-inverse", "8"),
    ("35.0 MB", "thousand-1-inverse", "check the prefix"), ("35.0 TB", "thousand-1", "check the prefix"),
    ("33.90625 GB", "times-ring-N", "(N − 1)/N"), ("1085 GB", "times-N − 1", "N − 1 = 31"),
])  # fmt: skip
def test_a_named_factor_is_told(text: str, slip: str, words: str) -> None:
    part = msgspec.structs.replace(PART, relative="1/100", slips=())
    found = graded(text, part)
    assert (found.slip, found.slip_kind) == (slip, "factor")
    assert words in found.message


def test_an_edit_of_the_reference_is_told_in_its_own_terms() -> None:
    found = graded("8.75 GB")
    assert found.slip_kind == "edit"
    assert "without “plus 12 B/param”" in found.message


def test_two_causes_of_one_value_are_both_told() -> None:
    """With eight ranks a factor of 8 is not bits alone."""
    ranks = (Variable("N", "ranks", "8", "", "8"),)
    part = msgspec.structs.replace(PART, variables=ranks, expression="", slips=())
    found = graded("280 GB", part)
    assert "N = 8" in found.message
    assert "bits" in found.message


def test_two_candidates_within_the_digits_typed_are_no_diagnosis() -> None:
    slips = (
        SlipFigure("a", "90100000000", "90.1 GB", "First."),
        SlipFigure("b", "89900000000", "89.9 GB", "Second."),
    )
    part = msgspec.structs.replace(PART, slips=slips)
    assert graded("90 GB", part).slip == ""
    assert graded("90.1 GB", part).slip == "a"


def test_one_digit_recognises_only_an_exact_slip() -> None:
    part = msgspec.structs.replace(PART, slips=(SlipFigure("s", "7300000000", "7.3 GB", "So."),))
    assert graded("7 GB", part).slip == ""
    exact = msgspec.structs.replace(PART, slips=(SlipFigure("s", "7000000000", "7 GB", "So."),))
    assert graded("7 GB", exact).slip == "s"


@pytest.mark.parametrize(("text", "echo"), [
    ("35 GB", "35 GB (35e9 B)"), ("1.12 TB", "1.12 TB = 1,120 GB (1.12e12 B)"), ("35", "35 GB (35e9 B)"),
    ("16P", "16 B/param × 70e9 param = 1,120 GB (1.12e12 B)"), ("70B*16", "70e9 × 16 B = 1,120 GB (1.12e12 B)"),
    ("1.12e12", "1.12e12 B = 1,120 GB"), ("140/4 GB", "(140 / 4) GB = 35 GB (35e9 B)"),
    ("35 GiB", "35 GiB ≈ 37.58 GB (37.58e9 B)"), ("~35", "about 35 GB (35e9 B)"), ("60-70 GB", "60 GB to 70 GB"),
    ("P=7e9: 16P", "16 B × 7e9 = 112 GB (112e9 B)"),
    ("60 s", "60 s. Wrong unit. This is a time; a size in bytes is asked for."),
])  # fmt: skip
def test_the_echo_says_how_an_answer_is_read(text: str, echo: str) -> None:
    assert read_back(PART, text).text == echo
    assert read_back(PART, text).readable


def test_the_echo_of_a_broken_text_says_where() -> None:
    echo = read_back(PART, "35 GB +")
    assert not echo.readable
    assert echo.span == (7, 7)
    assert read_back(PART, "  ").text == ""


def test_the_echo_tells_nothing_about_right_or_wrong() -> None:
    shape = {text: read_back(PART, text).text.replace(text.split()[0], "#") for text in ("35 GB", "36 GB", "99 GB")}
    assert len({echo.replace("35e9", "#").replace("36e9", "#").replace("99e9", "#") for echo in shape.values()}) == 1


def test_tolerance_is_exact() -> None:
    """46.0 is inside 45.8 ± 0.2, which binary fractions deny."""
    part = NumericPart(ask="", exact="229/5", text="45.8", unit="", need_unit=False, absolute="1/5")
    assert graded("46.0", part).status == "correct"
    assert graded("45.6", part).status == "correct"
    assert graded("46.0001", part).status == "close"


def test_an_absolute_tolerance_is_in_base_units() -> None:
    part = msgspec.structs.replace(PART, relative="", absolute="1000000000", slips=(), variables=(), expression="")
    assert [graded(text, part).status for text in ("36 GB", "36.1 GB", "0.036 TB", "39 GB")] == [
        "correct", "close", "correct", "incorrect",
    ]  # fmt: skip


def test_zero_of_another_kind_is_not_zero_of_this_kind() -> None:
    part = msgspec.structs.replace(PART, exact="0", slips=(), variables=(), expression="")
    assert graded("0 GB", part).status == "correct"
    assert graded("0 GB*s/h", part).status == "correct"
    assert graded("0 GB*s", part).status == "wrong-unit"


def test_the_same_text_gives_the_same_grade() -> None:
    texts = ["35", "1120 GB", "26 GB", "36.2", "x", "60 s", "16P/N"]
    assert [graded(text) for text in texts] == [graded(text) for text in texts]


def test_a_grade_is_a_value() -> None:
    assert replace(graded("35 GB"), read_as="") == Grade("correct")


def test_the_echo_warns_of_a_unit_of_something_else_and_of_nothing_that_may_be_right() -> None:
    """Such an answer is read and judged, and is wrong with any number: who types it should see so before."""
    assert read_back(PART, "60 s").warns
    assert not read_back(PART, "60 GB").warns
    assert not read_back(PART, "frog").warns
