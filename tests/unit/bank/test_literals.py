"""Which numbers in prose are figures, which may only be derived, and which are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.bank.literals import literals


def found(text: str) -> list[str]:
    return [text[one.start : one.start + len(one.text)] for one in literals(text)]


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("an 80 GB card", "80 GB"),
        ("an 80-GB card", "80-GB"),
        ("80GB", "80GB"),
        ("1.12 TB of it", "1.12 TB"),
        ("34 GiB", "34 GiB"),
        ("900 GB/s each", "900 GB/s"),
        ("16 B/param", "16 B/param"),
        ("16 bytes per parameter", "16 bytes"),
        ("60 s", "60 s"),
        ("10s", "10s"),
        ("3 days", "3 days"),
        ("54-day", "54-day"),
        ("40 ms", "40 ms"),
        ("989 TFLOP/s", "989 TFLOP/s"),
        ("a 70B model", "70B"),
        ("7M of them", "7M"),
        ("128k tokens", "128k"),
        ("5 %", "5 %"),
        ("37.5% free", "37.5%"),
        ("5 percent", "5 percent"),
        ("13.3× too small", "13.3×"),
        ("13x more", "13x"),
        ("× 1.5", "× 1.5"),
        ("12 times", "12 times"),
        ("$3 an hour", "$3"),
        ("8 nodes", "8 nodes"),
        ("32 GPUs", "32 GPUs"),
        ("64 ranks", "64 ranks"),
        ("80 layers", "80 layers"),
        ("70e9", "70e9"),
        ("1,120 of", "1,120"),
        ("30-40 GB", "40 GB"),
        ("N=80 GB", "80 GB"),
        ("`80 GB`", "80 GB"),
        ("8\u00a0nodes", "8\u00a0nodes"),
    ],
)
def test_a_number_that_measures_or_counts_is_a_figure(text: str, figure: str) -> None:
    assert figure in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "H100",
        "an H100-80GB card",
        "Llama-3-70B",
        "ZeRO-3",
        "ZeRO stage 3",
        "FSDP2",
        "BF16, FP32 and fp8",
        "E4M3",
        "TP8 x PP8",
        "1F1B",
        "3D parallelism",
        "a 2d mesh",
        "8-bit Adam",
        "in 2024",
        "section 3, figure 1",
        "16P + 12P/N",
        "(p-1)/m",
        "2+2+4+4+4",
        "four GPUs on two nodes",
        "step 2",
        "torch 2.13",
        "`2 × stall`",
        "root of 2 x stall",
        "{{ state }} of {{ n }} GPUs",
        "{{ state | GB 1 }}",
        "A100 and MI300X",
        "one 1 in ten",
        "GB200",
        "top-5",
    ],
)
def test_a_number_in_a_name_a_place_or_a_formula_is_none(text: str) -> None:
    assert found(text) == []


def test_every_figure_of_a_text_is_found_where_it_stands() -> None:
    text = "First 80 GB, then {{ n }} GPUs,\nthen 5 % of 8 nodes."
    assert [(one.start, one.text) for one in literals(text)] == [(6, "80 GB"), (37, "5 %"), (44, "8 nodes")]


def test_a_figure_that_begins_a_line_belongs_to_no_name_before_it() -> None:
    assert found("a card with\n80 GB") == ["80 GB"]


@given(st.text(alphabet="0123456789 .,-eE×x%GBk{}`$sdh/\n", max_size=60))
def test_any_text_is_searched_without_a_crash_and_places_are_inside(text: str) -> None:
    for one in literals(text):
        assert text[one.start : one.start + len(one.text)] == one.text
        assert one.text
