"""The lenient reader: everything people type, read as they mean it, or refused at its place."""

from __future__ import annotations

from fractions import Fraction

import pytest

from solvers.expr.dimension import PLAIN, Dimension
from solvers.expr.evaluate import Quantity, quantity
from solvers.expr.reader import AmbiguousError, Answer, ReadError, Writing, read_answer
from solvers.expr.units import parse_unit

BYTE = Dimension.of(byte=1)
SECOND = Dimension.of(second=1)
RATE = Dimension.of(byte=1, second=-1)
FLOP = Dimension.of(flop=1)
NAMES = {
    "P": Quantity(Fraction(70 * 10**9), Dimension.of(parameter=1)),
    "N": Quantity(Fraction(8)),
    "D": Quantity(Fraction(10**12), Dimension.of(token=1)),
}


def value(text: str, expects: Dimension | None = PLAIN) -> Quantity:
    answer = read_answer(text, variables=NAMES, expects=expects)
    return quantity(answer.expr, lambda name: {**NAMES, **answer.defined}[name], counts_checked=False)


@pytest.mark.parametrize(("text", "number"), [
    ("1120", 1120), ("1,120", 1120), ("1 120", 1120), ("1\u202f120", 1120), ("1_120", 1120), ("1'120", 1120),
    ("~1120", 1120), ("≈ 1120", 1120), ("about 1120", 1120), ("= 1120", 1120), (".5", Fraction(1, 2)), ("5.", 5),
    ("1.12e3", 1120), ("1.12E+3", 1120), ("−5", -5), ("–5", -5), ("+5", 5), ("10²", 100), ("10⁻³", Fraction(1, 1000)),
    ("10^9", 10**9), ("10**9", 10**9), ("70×10⁹", 70 * 10**9), ("70x10^9", 70 * 10**9), ("70 · 10^9", 70 * 10**9),
    ("70*10**9", 70 * 10**9), ("1.5×10⁻²", Fraction(3, 200)), ("5/8", Fraction(5, 8)), ("½", Fraction(1, 2)),
    ("2½", Fraction(5, 2)), ("1 1/2", Fraction(3, 2)), ("-1 1/2", Fraction(-3, 2)), ("2 * 1 1/2", 3),
    ("12%", Fraction(12, 100)), ("12 percent", Fraction(12, 100)), ("1%", Fraction(1, 100)),
    ("8x80", 640), ("8 x 80", 640), ("2(3+4)", 14), ("(1+2)(3+4)", 21), ("6÷2", 3), ("6∕2", 3),
    ("2^—2", Fraction(1, 4)),
    ("70k", 70_000), ("70B", 70 * 10**9), ("7 billion", 7 * 10**9), ("1.5T", 15 * 10**11), ("3bn", 3 * 10**9),
    ("max(1, 2)", 2), ("min(1; 2)", 1), ("ceil(7/2)", 4), ("⌈7/2⌉", 4), ("⌊7/2⌋", 3), ("√(4)", 2), ("sqrt(9)", 3),
    ("log₂(8)", 3), ("log2(8)", 3), ("5 % of 80", 4), ("1,234,567.89", Fraction("1234567.89")),
    ("12 345.678 901 2", Fraction("12345.6789012")), ("(1+2)*3", 9), ("2^3^2", 512), ("6/-2", -3), ("1/2N", 4),
    ("2(N-1)/N", Fraction(7, 4)), ("N²", 64), ("\uff11\uff0b\uff11", 2), ("3-5", -2), ("80-15", 65),
])  # fmt: skip
def test_a_number_is_read_as_people_write_it(text: str, number: int | Fraction) -> None:
    assert value(text).value == number


@pytest.mark.parametrize(("text", "expects", "number"), [
    ("1.12 TB", BYTE, 1120 * 10**9), ("1,120GB", BYTE, 1120 * 10**9), ("1120 GByte", BYTE, 1120 * 10**9),
    ("35 gb", BYTE, 35 * 10**9), ("1 GiB", BYTE, 2**30), ("1 gibibyte", BYTE, 2**30), ("8 Gb", BYTE, 10**9),
    ("8 Gbit", BYTE, 10**9), ("16*70e9 bytes", BYTE, 1120 * 10**9), ("16 B/param × 70e9 params", BYTE, 1120 * 10**9),
    ("16 bytes per param * 70B params", BYTE, 1120 * 10**9), ("16 B × 70B", BYTE, 1120 * 10**9),
    ("35 GB/GPU", BYTE, 35 * 10**9), ("35 GB per GPU", BYTE, 35 * 10**9), ("35 GB each", BYTE, 35 * 10**9),
    ("35 GB.", BYTE, 35 * 10**9), ("35 GB on each GPU", BYTE, 35 * 10**9),
    ("1 1/2 GB", BYTE, 15 * 10**8), ("140/8 GB", BYTE, 17_500_000_000), ("2 + 3 GB", BYTE, 5 * 10**9),
    ("2(N-1)/N * 14 GB", BYTE, 245 * 10**8), ("70e9 B", BYTE, 70 * 10**9), ("14*GB", BYTE, 14 * 10**9),
    ("70×10⁹ bytes", BYTE, 70 * 10**9),
    ("70*10^9 B", BYTE, 70 * 10**9), ("5% of 80 GB", BYTE, 4 * 10**9), ("8x80GB", BYTE, 640 * 10**9),
    ("450 GB/s", RATE, 450 * 10**9), ("450 GBps", RATE, 450 * 10**9), ("400 Gbps", RATE, 50 * 10**9),
    ("400 Gbit / s", RATE, 50 * 10**9), ("50 GB per second", RATE, 50 * 10**9),
    ("60 s", SECOND, 60), ("2 min", SECOND, 120), ("1 h 30 min", SECOND, 5400), ("3 ms", SECOND, Fraction(3, 1000)),
    ("3 µs", SECOND, Fraction(3, 10**6)), ("3 μs", SECOND, Fraction(3, 10**6)), ("3us", SECOND, Fraction(3, 10**6)),
    ("2 days", SECOND, 172_800), ("2d", SECOND, 172_800),
    ("312 TFLOPS", Dimension.of(flop=1, second=-1), 312 * 10**12),
    ("312 TFLOPs", Dimension.of(flop=1, second=-1), 312 * 10**12),
    ("312 TFLOP/s", Dimension.of(flop=1, second=-1), 312 * 10**12),
    ("1e21 FLOPs", FLOP, 10**21), ("1e21 FLOPS", FLOP, 10**21), ("1 PFLOP/s-day", FLOP, 86_400 * 10**15),
    ("2 kWh", Dimension.of(watt=1, second=1), 7_200_000), ("700 W", Dimension.of(watt=1), 700),
    ("$3.50", Dimension.of(dollar=1), Fraction(7, 2)), ("$1.2M", Dimension.of(dollar=1), 1_200_000),
    ("2 $/GPU-hour", Dimension.of(dollar=1, gpu=-1, second=-1), Fraction(2, 3600)),
    ("100 GPU hours", Dimension.of(gpu=1, second=1), 360_000), ("1.5T tokens", Dimension.of(token=1), 15 * 10**11),
    ("32 GPUs", Dimension.of(gpu=1), 32), ("80 layers", Dimension.of(layer=1), 80),
])  # fmt: skip
def test_a_unit_is_read_as_people_write_it(text: str, expects: Dimension, number: int | Fraction) -> None:
    read = value(text, expects)
    assert read.value == number
    assert read.dimension.without_counts == expects.without_counts


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("16P", 1120 * 10**9),
        ("2P(N-1)/N", 1225 * 10**8),
        ("6ND", 48 * 10**12),
        ("6PD", 6 * 70 * 10**21),
        ("P=7e9: 16P", 112 * 10**9),
        ("P = 7e9, N=2: P/N", 35 * 10**8),
        ("70B*16", 1120 * 10**9),
    ],
)
def test_declared_names_multiply_without_a_sign(text: str, number: int) -> None:
    assert value(text, BYTE).value == number


def test_a_declared_name_beats_a_unit() -> None:
    """With `s` and `B` declared, they are themselves even behind a number."""
    names = {"s": Quantity(Fraction(7)), "B": Quantity(Fraction(4))}
    for text, number in (("60 s", 420), ("2B", 8), ("3sB", 84)):
        answer = read_answer(text, variables=names, expects=BYTE)
        assert quantity(answer.expr, names).value == number
        assert not answer.has_unit


def test_names_are_told_apart_by_every_character() -> None:
    names = {name: Quantity(Fraction(index)) for index, name in enumerate(("a1", "a_1", "alpha", "ab", "a", "b"))}
    assert [quantity(read_answer(text, variables=names).expr, names).value for text in ("a1", "a_1", "α", "ab", "ba")
            ] == [0, 1, 2, 3, 20]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expects", "meant"),
    [
        ("70B", PLAIN, 70 * 10**9),
        ("70B", Dimension.of(parameter=1), 70 * 10**9),
        ("70B*16", BYTE, 1120 * 10**9),
        ("16*70B", BYTE, 1120 * 10**9),
        ("70B * 2 bytes", BYTE, 140 * 10**9),
        ("70b params", BYTE, 70 * 10**9),
        ("70 B", PLAIN, 70 * 10**9),
    ],
)
def test_b_counts_in_a_product_and_where_a_count_is_asked_for(text: str, expects: Dimension, meant: int) -> None:
    assert value(text, expects).value == meant


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("70B", ("70e9", "70 bytes")),
        ("70 B", ("70e9", "70 bytes")),
        ("-70B", ("70e9", "70 bytes")),
        ("70b", ("70e9", "70 bits")),
        ("16B*70e9", ("16e9", "16 bytes")),
        ("16B P", ("16e9", "16 bytes")),
        ("16B*70B", ("16 bytes × 70e9", "16e9 × 70 bytes")),
    ],
)
def test_b_with_two_sound_readings_is_refused_with_both(text: str, readings: tuple[str, str]) -> None:
    with pytest.raises(AmbiguousError) as caught:
        read_answer(text, variables=NAMES, expects=BYTE)
    assert caught.value.readings == readings


def test_small_letters_with_a_time_could_be_bits_and_are_refused_with_both_readings() -> None:
    with pytest.raises(AmbiguousError, match="GB/s or as Gbit/s"):
        read_answer("50 gb/s", expects=RATE)


def test_a_comma_between_the_values_of_a_function_is_refused_where_it_could_group() -> None:
    with pytest.raises(AmbiguousError, match="1120 or as 1 and 120"):
        read_answer("min(1,120)")


@pytest.mark.parametrize(("text", "low", "high"), [
    ("60-70 GB", 60, 70), ("60–70 GB", 60, 70), ("60 to 70 GB", 60, 70), ("60 GB - 70 GB", 60, 70),
    ("35±1 GB", 34, 36), ("35 GB ± 1 GB", 34, 36), ("35 +/- 1 GB", 34, 36), ("40 GB ± 5 %", 38, 42),
    ("0.06-0.07 TB", 60, 70), ("60e9-70e9 B", 60, 70),
])  # fmt: skip
def test_a_range_has_two_ends_in_one_unit(text: str, low: int, high: int) -> None:
    answer = read_answer(text, expects=BYTE)
    assert answer.upper is not None
    assert quantity(answer.expr, {}).value == low * 10**9
    assert quantity(answer.upper, {}).value == high * 10**9


def test_falling_numbers_are_a_difference_and_no_range() -> None:
    answer = read_answer("80-15 GB", expects=BYTE)
    assert answer.upper is None
    assert quantity(answer.expr, {}).value == 65 * 10**9


def test_the_authors_custom_of_writing_numbers_is_followed() -> None:
    comma = Writing(decimal=",")
    assert quantity(read_answer("1.120,5", writing=comma).expr, {}).value == Fraction("1120.5")
    assert quantity(read_answer("3,14159", writing=Writing(",", " ")).expr, {}).value == Fraction("3.14159")
    with pytest.raises(ReadError):
        read_answer("1.120,5")


@pytest.mark.parametrize(("text", "start", "words"), [
    ("", 0, "Nothing"), ("  ", 0, "Nothing"), ("frog", 0, "no unit or name frog"), ("GB", 0, "number is missing"),
    ("0,002", 1, "groups no thousands"), ("3,14159", 1, "groups no thousands"), ("1,2", 1, "groups no thousands"),
    (",", 0, "groups no thousands"), ("1.2.3", 3, "two decimal signs"), ("2e", 1, "exponent is missing"),
    ("1j", 1, "name j"), ("5>5", 1, "no place"), ("1120==1120", 4, "no place"), ("1<<10", 1, "no place"),
    ("f(2)", 0, "no function f"), ("2**", 3, "end is missing"), ("2+^1", 2, "missing before"),
    ("5 + )1) + 1", 4, "missing before"), ("[0, 1)", 0, "no meaning"), ("{1:2}", 2, "colon"),
    ("2 + 2 \\", 6, "no meaning"),
    ("1 2", 2, "sign between"), ("3 GB 5", 5, "sign between"), ("__import__('os').system('x')", 0, "no function"),
    ("().__class__", 2, "no meaning"), ("lambda: 1", 6, "colon"), ("eval('1+1')", 0, "no function eval"),
    ("(1", 0, "never closed"), ("1)", 1, "never opened"), ("١١٢٠", 0, "no letter or digit"),
    ("\u0420", 0, "Latin or Greek"),
    ("1\x002", 1, r"\x00"), ("\u202e0211", 0, r"\u202e"), ("1\x1b[31m", 1, r"\x1b"), ("1\n2", 1, r"\n"),
    ("x\u0301+1", 1, r"\u0301"), ("\ufeff1", 0, r"\ufeff"), ("[bold red]1120[/bold red]", 0, "no meaning"),
    ("€5", 0, "€ has no meaning"), ("$", 0, "number is missing"), ("% 5", 0, "behind a number"),
    ("35 GB ± 1 ± 2", 6, "two ends"),
    ("1/2/", 4, "end is missing"), ("1 3/2", 2, "sign between"), ("1.5 1/2", 4, "sign between"),
])  # fmt: skip
def test_what_cannot_be_read_is_refused_at_its_place_in_visible_words(text: str, start: int, words: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_answer(text, expects=PLAIN)
    assert caught.value.start == start
    assert words in str(caught.value)
    assert str(caught.value).isprintable()


def typed(answer: Answer) -> tuple[int, int, int]:
    assert answer.typed is not None
    digits = answer.typed.digits
    return digits.least, digits.most, digits.decimals


@pytest.mark.parametrize(("text", "digits"), [
    ("0.0010", (2, 2, 4)), ("100", (1, 3, 0)), ("10.0", (3, 3, 1)), ("25.00e1", (4, 4, 2)), ("0.0001", (1, 1, 4)),
    ("04", (1, 1, 0)), ("-1.0", (2, 2, 1)), ("−420.690", (6, 6, 3)), ("1.0000", (5, 5, 4)), ("61300", (3, 5, 0)),
    ("1,120 GB", (3, 4, 0)), ("70×10⁹", (1, 2, 0)), ("6.022e+23", (4, 4, 3)), ("0.0", (1, 1, 1)),
    ("1.12 TB", (3, 3, 2)),
])  # fmt: skip
def test_digits_are_counted_on_what_was_typed(text: str, digits: tuple[int, int, int]) -> None:
    assert typed(read_answer(text)) == digits


@pytest.mark.parametrize(
    ("text", "half"),
    [
        ("35 GB", Fraction(10**9, 2)),
        ("1.12 TB", 5 * 10**9),
        ("70×10⁹ B", Fraction(10**9, 2)),
        ("70B", Fraction(10**9, 2)),
    ],
)
def test_half_a_unit_of_the_last_digit_is_in_base_units(text: str, half: Fraction) -> None:
    answer = read_answer(text, expects=PLAIN if text == "70B" else BYTE)
    assert answer.typed is not None
    assert answer.typed.half_unit == half


def test_an_expression_has_no_last_digit() -> None:
    for text in ("16*70", "5/8", "16P", "2+3 GB"):
        assert read_answer(text, variables=NAMES).typed is None


def test_where_single_bytes_are_asked_for_b_is_a_byte() -> None:
    """Nobody answers a question for B in billions of parameters; and a long number is no count of billions."""
    for text, expects in (("512 B", parse_unit("B")), ("512B", parse_unit("B")), ("40,960 B", parse_unit("GB"))):
        answer = read_answer(text, expects=expects)
        assert answer.unit == parse_unit("B")
