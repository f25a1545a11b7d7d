"""Every form that people type, each held against the value that it means; beside it the forms that are refused."""

from __future__ import annotations

from typing import Final

import pytest

from quiz.grading.check import Checked, check
from quiz.grading.task import task_of

FORMS: Final = {
    "1120": [
        "1120", "1,120", "1 120", "1_120", "1'120", "1’120", "1\u202f120", "1\u00a0120", "1120.", "1120.0", "+1120",
        "1.12e3", "1.12E3", "~1120", "~ 1,120", "≈1120", "\N{TILDE OPERATOR}1120",
        "about 1120", "About 1120", "approx. 1120",
        "roughly 1120", "around 1120", "circa 1120", "ca. 1120", "= 1120", "1.12×10^3", "1.12·10^3", "1.12 x 10^3",
        "1.12x10^3", "1.12*10**3", "1.12×10³", "11.2×10²", "1.12k", "1.12 k", "1.12K", "1.12 thousand", "2240/2",
        "35*32", "35×32", "35·32", "35 x 32", "35x32", "35 X 32", "2^10+96", "2**10+96", "2¹⁰+96", "112000%",
        "1120±0", " 1120 ", "\uff11\uff11\uff12\uff10", "32(35)",
    ],
    "70e9": ["70B", "70 B", "70b", "70bn", "70 bn", "70Bn", "70 billion", "70G", "0.07T", "70000M", "70B params",
             "70 billion parameters", "70×10⁹", "70*10⁹", "70 000 000 000"],
    "8": ["8 GPUs", "8 GPU", "8 gpus", "8 ranks", "8 nodes", "8 layers", "8 steps", "8 tokens"],
    "2^20": ["1Mi", "1024Ki", "2^20", "1 Mi"],
    "2^30": ["1 Gi", "1Gi", "1024 Mi"],
    "2^40": ["1 Ti", "1024Gi"],
    "-5": ["−5", "–5", "—5", "-5", "0−5"],
    "100": ["10²", "10^2", "10**2"],
    "5/8": ["5/8", "0.625", ".625", "62.5%", "62.5 %", "62.5 percent", "5÷8", "10/16", "⅝", "1-3/8", "2^-1+1/8"],
    "4": [
        "sqrt(16)", "√16", "√(16)", "16^(1/2)", "16^0.5", "log2(16)", "log_2(16)", "log10(10000)", "ln(e^4)",
        "log(e^4)", "exp(ln(4))", "min(4,5)", "min(4; 9)", "max(1, 2, 4)", "ceil(3.2)", "ceiling(3.1)", "floor(4.9)",
        "⌈3.2⌉", "⌊4.9⌋", "abs(-4)", "|−4|", "2²", "Sqrt(16)", "SQRT(16)", "Ceil(3.2)", "LOG2(16)",
    ],
    "1120 GB": [
        "1.12 TB", "1120 GB", "1120GB", "1,120 GB", "1120 GByte", "1120 GBytes", "1120 gigabytes", "1.12 terabytes",
        "1.12e12 B", "1.12e12 bytes", "1.12e12 byte", "8960 Gb", "8960 Gbit", "8.96 Tb", "8.96e12 b", "8.96e12 bits",
        "1093750000 KiB", "1068115.234375 MiB", "1120000 MB", "1.12e9 kB", "1.12e9 KB", "16*70e9 bytes", "70B*16",
        "16 B/param × 70B params", "1.12×10¹² B", "1120 GB each", "1120 GB/GPU", "1120 GB per GPU", "1120 GB per rank",
        "1120 GB on each GPU", "1120 GB in total", "about 1120 GB", "P=70e9: 16P", "P = 70B, N=8: 16P*N/N",
    ],
    "50 GB/s": ["50 GB/s", "50 GBps", "400 Gbps", "400 Gb/s", "400 Gbit/s", "400 gbps", "50e9 B/s", "50 GByte/s",
                "0.05 TB/s", "50 GB per second", "50 GB / s", "50 GB*s^-1", "50 GB·s⁻¹"],
    "989 TFLOP/s": ["989 TFLOPS", "989 TFLOP/s", "989 TFLOPs", "989 TFLOPs/s", "989 TFLOPS/s", "989 teraflops",
                    "0.989 PFLOPS", "989e12 FLOPS", "989e12 FLOP/s", "989 tflops"],
    "3.14e23 FLOP": ["3.14e23 FLOP", "3.14e23 FLOPs", "3.14e23 flops", "314 ZFLOP", "314e3 EFLOP"],
    "86.4 ZFLOP": [f"1000 {unit}" for unit in (
        "PFLOP/s-days", "PFLOP/s-day", "PFLOP/s days", "PFLOP/s*days", "petaflop/s-days", "PFLOPS-days",
        "PFLOPs-days", "PFLOPS days",
    )],
    "1.5 s": ["1.5 s", "1500 ms", "1.5e6 µs", "1.5e6 μs", "1.5e6 us", "1.5e9 ns", "0.025 min", "1.5 seconds"],
    "1 day": ["1 day", "1 d", "24 h", "24h", "24 hours", "24 hr", "1440 min", "86400 s", "23 h 60 min", "1/365 year"],
    "1e6 GPU-hour": ["1e6 GPU-hours", "1e6 GPU hours", "1M GPU-hours", "1e6 GPU-h", "1e6 GPU·h", "1e6 gpu-hours",
                     "3.6e9 GPU-s"],
    "1 kWh": ["1 kWh", "1000 Wh", "3.6 MJ", "1 kW·h", "1 kW*h"],
    "700 W": ["700 W", "0.7 kW", "700 watts", "700 J/s"],
    "5 $": ["$5", "$ 5", "$5.00", "5 $", "5 dollars", "5 USD", "USD 5", "US$5"],
    "2e6 $": ["$2M", "$2 million", "$2,000,000", "2M $", "2M USD", "2 million dollars"],
    "2 $/GPU-hour": ["$2/GPU-hour", "$2 per GPU-hour", "$2/GPU-h", "$2 per GPU hour", "2 $/GPU-hour"],
}  # fmt: skip
FORMULAS: Final = {
    "16*P": ["16P", "16 P", "16*P", "16·P", "16×P", "16xP", "16 x P", "P·16", "(2+2+12)P", "P+15P"],
    "2*P*(N-1)/N": ["2P(N-1)/N", "2(N-1)/N P", "2P(1-1/N)", "2P−2P/N", "2 P (N − 1) / N"],
    "6*N*D": ["6ND", "6DN", "6·N·D", "6 N D", "3N*2D"],
    "2*alpha+β": ["2α+β", "2alpha+beta", "2 α + beta", "β+α*2"],
    "α*β": ["αβ", "alpha beta", "beta·α"],
    "x1+x_2": ["x₁+x_2", "x1+x_2", "x₁ + x₂"],
    "sqrt(P/N)": ["√(P/N)", "(P/N)^½", "(P/N)^0.5", "P^(1/2)/√N"],
}  # fmt: skip
NAMES: Final = ["P", "N", "D", "alpha", "β", "x1", "x_2"]


def judged(answer: str, reference: object, **keys: object) -> Checked:
    return check(task_of({"answer": answer, "reference": reference, **keys}))


def pairs(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(typed, meant) for meant, forms in table.items() for typed in forms]


@pytest.mark.parametrize(("typed", "meant"), pairs(FORMS))
def test_a_form_that_people_type_is_read_as_what_it_means(typed: str, meant: str) -> None:
    found = judged(typed, meant, rtol="0.000001")
    assert found.grade.status == "correct", found.grade


@pytest.mark.parametrize(("typed", "meant"), pairs(FORMULAS))
def test_a_formula_is_read_with_its_products_unwritten(typed: str, meant: str) -> None:
    found = judged(typed, meant, variables=NAMES)
    assert found.grade.status == "correct", found.grade


@pytest.mark.parametrize("typed", [
    "60-70 GB", "60–70 GB", "60 to 70 GB", "60 GB - 70 GB", "60GB-70GB", "65±5 GB", "65 ± 5 GB", "65 GB ± 5 GB",
    "65 +/- 5 GB", "from 60 to 70 GB", "between 60 and 70 GB", "Between 60 GB and 70 GB",
])  # fmt: skip
def test_a_range_is_read_with_both_its_ends(typed: str) -> None:
    assert judged(typed, "65 GB", atol="5 GB").grade.status == "correct"
    assert judged(typed, "65 GB", atol="4.9 GB").grade.status == "close"


def test_the_locale_of_the_author_says_what_a_comma_is() -> None:
    assert judged("1.120,5", "1120.5", decimal=",").value == judged("1 120,5", "1120.5", decimal=",").value
    assert judged("1.120,5", "1120.5", thousands=".").grade.status == "correct"
    assert judged("1,120.5", "1120.5").grade.status == "correct"
    assert "This point groups no thousands" in judged("0.5", "0.5", decimal=",").grade.message
    assert "This comma groups no thousands" in judged("0,5", "0.5").grade.message


@pytest.mark.parametrize(("typed", "words"), [
    ("sqrt 16", "Write sqrt(2)"), ("max 16", "needs its values in parentheses"),
    ("8d", "name d here. Type a number"),
    ("1j", "name j here. Type a number"), ("P;p", "Type a formula in P"),
    ("p*16", "Did you mean P?"), ("cbrt(8)", "There is no function cbrt"),
    ("70 parsec", "no unit or name parsec"), ("4!", "! has no meaning here"), ("5 + sqrt(-1)", "not real: sqrt(−1)."),
    ("3/(2-2)", "Division by zero: 3 / (2 − 2)."), ("35 GB + 3 s", "Cannot add bytes and seconds: 35 GB + 3 s."),
    ("2^(3 GB)", "An exponent is a plain number, not bytes"), ("9**9**9**9", "The exponent is too large: 9^"),
])  # fmt: skip
def test_what_is_refused_is_named_with_its_place_and_what_to_do(typed: str, words: str) -> None:
    found = judged(typed, "16*P", variables=["P"]) if "p" in typed else judged(typed, "16")
    assert found.grade.status == "invalid"
    assert words in found.grade.message


@pytest.mark.parametrize(("typed", "asked"), [
    ("35/GPU", "35 GB"), ("35 per GPU", "35 GB"), ("1120/32/GPU", "35 GB"), ("35 each", "35 GB"), ("5/s", "5 token/s"),
    ("8 per node", "8 GPU"), ("8/GPU", "8 token/GPU"), ("8/GPU", "8"),
])  # fmt: skip
def test_a_bare_number_for_each_of_something_is_in_the_unit_asked_for(typed: str, asked: str) -> None:
    assert judged(typed, asked, need_unit=False).grade.status == "correct"


@pytest.mark.parametrize(("typed", "words"), [
    ("35 GBs", "Did you mean GB?"), ("³⁵ GB", "missing before the raised digits"), ("∞", "∞ has no meaning here"),
    ("35 GB - 1", "Cannot subtract a plain number from bytes"), ("35 foo", "such as 12.5 TB"),
])  # fmt: skip
def test_the_hint_fits_what_is_asked_for(typed: str, words: str) -> None:
    found = judged(typed, "35 GB").grade
    assert (found.status, words in found.message) == ("invalid", True), found
