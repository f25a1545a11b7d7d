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
        ("about 80\nGB on each", "80\nGB"),
        ("falls by 5\n%", "5\n%"),
        ("80  GB", "80  GB"),
        ("80 **GB**", "80 **GB"),
        ("**80** GB", "80** GB"),
        ("_80 GB_", "80 GB"),
        ("80 gb, 80 giB", "80 gb"),
        ("½ GB", "½ GB"),
        ("1½ GB", "1½ GB"),
        ("10³ GB", "10³ GB"),
        ("10^9 parameters", "10^9 parameters"),
        ("175 billion parameters", "175 billion"),
        ("70 billion", "70 billion"),
        ("3 million tokens", "3 million"),
        ("3-fold", "3-fold"),
        ("a factor of 4", "4"),
        ("5 per cent", "5 per cent"),
        ("5 percentage points", "5 percentage points"),
        ("5 €", "5 €"),
        ("€5", "€5"),
        ("£5", "£5"),
        ("USD 5", "USD 5"),
        ("12 \u00b5s", "12 \u00b5s"),
        ("12 \u03bcs", "12 \u03bcs"),
        ("8 A100 GPUs", "8 A100"),
        ("8 H100s", "8 H100s"),
        ("8 more GPUs", "8 more GPUs"),
        ("32 attention heads", "32 attention heads"),
        ("100 samples", "100 samples"),
        ("3 epochs", "3 epochs"),
        ("12 images", "12 images"),
        ("25 °C", "25 °C"),
        ("20 km", "20 km"),
        ("a 30 second pause", "30 second"),
        ("in each step 8 GPUs send", "8 GPUs"),
        ("per GPU 8 heads", "8 heads"),
        ("on 2016 GPUs", "2016 GPUs"),
        ("in the table 80 GB stand", "80 GB"),
        ("With ZeRO-3 70B parameters fit", "70B"),
        ("8xH100", "8xH100"),
        ("8 x H100 cards", "8 x H100"),
        ("4xA100-80GB", "4xA100-80GB"),
        ("989 teraflops", "989 teraflops"),
        ("2 exaflops", "2 exaflops"),
        ("2.50 $/h", "2.50 $/h"),
        ("2 $/GPU-hour", "2 $/GPU-hour"),
        ("3.5 M GPU hours", "3.5 M GPU hours"),
        ("15 T tokens", "15 T tokens"),
        ("$1.5 million", "$1.5 million"),
        ("holds 1/8 of the state", "1/8"),
        ("about 80\n         GB", "80\n         GB"),
        ("divided into 8 shards", "8 shards"),
        ("over 4 links", "4 links"),
        ("needs 3 copies", "3 copies"),
        ("Each of the 12 groups", "12 groups"),
        ("With Llama 16 GPUs are busy", "16 GPUs"),
        ("In the case 80 GB stay", "80 GB"),
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
        "In stage 3 parameters are sharded",
        "In step 2 GPUs send more",
        "At rank 0 layers are kept",
        "ZeRO stage 3 parameters",
        "With PyTorch 2 tokens are padded",
        "Phase 2 stages it",
        "On day 3 failures came",
        "Option 1 times out",
        "Section 5 heads it, Table 2 s",
        "In 2024 GPUs were scarce",
        "Llama 3 70B",
        "Llama 3.1\n405B",
        "GPT-3 175B",
        "Mixtral 8x7B",
        "Between step 1 and 2 tokens are cut",
        "RTX 4090 GPUs",
        "4 second moments",
        "2 BF16 copies",
        "half of 10\n\nGPUs are idle",
        "1. GPUs\n2. Nodes",
        "```\ntime=00:15:00\nhead=first\n```",
        "`2\n× stall`",
        "`3*W`",
        "DeepSeek-V3 671B",
        "DeepSeek V3 671B",
        "MT-NLG 530B",
        "Kimi K2 1T",
        "Llama 4 Scout 109B",
        "The No. 1 GPU",
        "GPU number 2 nodes",
        "In case 2 GPUs wait",
        "By rule 2 parameters stay",
        "Llama 2 layers",
        "Llama 3 tokens",
        "Part 2 minutes",
        "Class 1 tokens",
        "Plan 2 shards the optimizer",
        "Stages 1 to 3 shards it",
        "FSDP 2 gathers in buckets",
        "stage 1 and 2 copies of it",
        "With TP=8 and PP = 16, TP=1 nothing is sent",
        "$N = 8$ and `2 x H`",
        "rank 2 M GPUs",
        "W/8 of it, (p-1)/4 of it, step 1/8 of the run",
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
