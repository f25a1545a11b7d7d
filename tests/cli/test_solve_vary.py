"""`solve --compare` and `--sweep`: tables, plots and data over the values of an input; why the rows differ."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from quiz.cli.entry import main

if TYPE_CHECKING:
    from collections.abc import Sequence

PLAN = ["--set", "model.parameters=70e9", "--set", "recipe=zero-paper"]
STATE = ["solve", "memory.state_per_gpu"]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    shown, said = capsys.readouterr()
    assert said == ""
    return shown


def refused(capsys: pytest.CaptureFixture[str], arguments: Sequence[str]) -> str:
    assert main(list(arguments)) == 2
    shown, said = capsys.readouterr()
    assert shown == ""
    return said


def data(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(printed(capsys, *arguments, "--json"))
    return read


def test_a_comparison_has_a_row_for_each_value_with_its_ratio_to_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, *STATE, *PLAN, "--set", "layout.dp=8", "--compare", "layout.zero=1,2,3").splitlines()
    assert [line.split() for line in shown[1:5]] == [
        ["layout.zero", "memory.state_per_gpu", "ratio"],
        ["1", "385", "GB", "1"],
        ["2", "262.5", "GB", "0.6818"],
        ["3", "140", "GB", "0.3636"],
    ]
    assert not any("\x1b" in line for line in shown)


def test_an_impossible_value_is_a_row_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    found = data(capsys, *STATE, *PLAN, "--set", "layout.dp=8", "--compare", "layout.zero=3,4")
    assert [(row["value"], row["why"]) for row in found["rows"]] == [
        (140, ""),
        (None, "layout.zero: is at most 3, not 4"),
    ]
    assert found["rows"][1]["ratio"] is None
    shown = printed(
        capsys,
        "solve",
        "memory.state_per_gpu",
        "--set",
        "model=llama-3-70b",
        "--set",
        "recipe=zero-paper",
        "--set",
        "layout.dp=1",
        "--compare",
        "layout.tp=8,48",
    )
    assert "48" in shown
    assert "heads" in shown


def test_another_quantity_is_another_column(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(
        capsys,
        *STATE,
        *PLAN,
        "--set",
        "layout.dp=8",
        "--compare",
        "layout.zero=1,3",
        "--also",
        "memory.weights_per_gpu",
    )
    assert "memory.weights_per_gpu" in shown.splitlines()[1]
    assert shown.splitlines()[3].split() == ["3", "140", "GB", "0.3636", "17.5", "GB"]


def test_two_recipes_are_told_apart_by_term_and_by_convention(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        *STATE,
        "--set",
        "model.parameters=70e9",
        "--set",
        "layout.dp=8",
        "--set",
        "layout.zero=3",
        "--compare",
        "recipe=zero-paper,megatron-bf16",
    ]
    shown = printed(capsys, *arguments)
    assert "Why they differ" in shown
    found = data(capsys, *arguments)
    terms = {item["quantity"]: item["values"] for item in found["differs"]}
    assert terms["recipe.gradients"] == {"zero-paper": "2 B/param", "megatron-bf16": "4 B/param"}
    assert "memory.weights_per_gpu" not in terms
    lines = [line for item in found["conventions"] for line in item["lines"]]
    assert any(line.endswith("= 16 B/param.") for line in lines)
    assert any(line.endswith("= 18 B/param.") for line in lines)
    assert not any(line.startswith("Default") for line in lines)


def test_a_range_without_a_step_doubles_and_marks_the_first_that_keeps_the_bound(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = [*STATE, *PLAN, "--set", "layout.zero=3", "--sweep", "layout.dp=8..1024", "--at-most", "80 GB"]
    found = data(capsys, *arguments)
    assert [row["at"]["layout.dp"] for row in found["rows"]] == [2**power for power in range(3, 11)]
    assert [row["at"]["layout.dp"] for row in found["rows"] if row["first"]] == [16]
    assert [row["holds"] for row in found["rows"]] == [False, *[True] * 7]
    shown = printed(capsys, *arguments)
    assert shown.splitlines()[3].split() == ["16", "70", "GB", "0.5", "10", "GB", "<-", "first", "at", "most", "80",
                                                "GB"]  # fmt: skip
    assert "┄" in shown


def test_no_value_may_keep_the_bound(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, *STATE, *PLAN, "--set", "layout.zero=0", "--sweep", "layout.dp=8,16", "--at-most", "80 GB")
    assert "None of these values is at most 80 GB." in shown


def test_two_inputs_are_a_table_with_two_edges_and_a_curve_each(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*STATE, *PLAN, "--sweep", "layout.dp=8..64", "--compare", "layout.zero=1,3", "--at-most", "80 GB"]
    shown = printed(capsys, *arguments).splitlines()
    assert shown[2].split() == ["8", "385", "GB", "140", "GB"]
    assert shown[3].split() == ["16", "332.5", "GB", "->", "70", "GB"]
    assert shown[-1] == "● layout.zero=1  ◆ layout.zero=3"
    rows = data(capsys, *arguments)["rows"]
    assert len(rows) == 8
    assert [row["at"] for row in rows if row["first"]] == [{"layout.dp": 16, "layout.zero": 3}]


def test_a_plot_can_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*STATE, *PLAN, "--set", "layout.zero=3", "--sweep", "layout.dp=8..64"]
    assert "┤" in printed(capsys, *arguments)
    assert "┤" not in printed(capsys, *arguments, "--no-plot")


def test_names_are_drawn_as_bars(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(
        capsys,
        *STATE,
        "--set",
        "model.parameters=70e9",
        "--set",
        "layout.dp=8",
        "--set",
        "layout.zero=3",
        "--sweep",
        "recipe=zero-paper,adam-8bit",
    )
    bars = [line for line in shown.splitlines() if "█" in line]
    assert [line.split()[0] for line in bars] == ["zero-paper", "adam-8bit"]
    assert bars[0].count("█") > bars[1].count("█")


def test_an_output_without_braille_gets_plain_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="latin-1", write_through=True)
    monkeypatch.setattr(sys, "stdout", out)
    assert main([*STATE, *PLAN, "--set", "layout.zero=3", "--sweep", "layout.dp=8..64", "--at-most", "80 GB"]) == 0
    out.seek(0)
    shown = out.read()
    assert "80 GB +-" in shown
    assert "@" in shown


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--compare", "layout.zero"], "--compare layout.zero=1,2,3"),
        (["--compare", "layout.zero=1,,3"], "empty value"),
        (["--compare", "layout.zer=1,3"], "layout.zero"),
        (["--compare", "recipe=zero-paper,zero-papr"], "zero-paper"),
        (["--compare", "layout.zero=1,3", "--compare", "layout.zero=2"], "twice"),
        (["--compare", "recipe=zero-paper,lion"], "recipe is stated and varied"),
        (["--sweep", "layout.dp=64..8"], "write layout.dp=8..64"),
        (["--sweep", "layout.dp=8..64 step 0"], "above zero"),
        (["--sweep", "layout.dp=8..64 times 1"], "above 1"),
        (["--sweep", "layout.dp=8..64 times x"], "a factor is a number"),
        (["--sweep", "layout.dp=1..1e6 step 1"], "more than 512"),
        (["--sweep", "layout.dp=..8"], "from a number to a number"),
        (["--sweep", "layout.offload=none..all"], "a choice"),
        (["--sweep", "layout.dp=8..64", "--for", "layout.tp"], "--at-most VALUE"),
        (["--sweep", "layout.dp=8..64", "--for", "layout.dp", "--at-most", "80 GB"], "both stated and sought"),
        (["--sweep", "layout.dp=8..64", "--for", "recipe", "--at-most", "80 GB"], "a choice"),
        (["--sweep", "layout.dp=8..64", "--step", "8"], "8..64 step 8"),
        (["--sweep", "layout.dp=8..64", "--markdown", "--json"], "keep one"),
        (["--sweep", "layout.dp=8...64"], "two points"),
        (["--sweep", "layout.dp=1..512", "--compare", "layout.tp=1..500 step 1"], "4,096"),
        (["--sweep", "layout.dp=8..64", "--compare", "layout.zero=1,3", "--also", "layout.world"], "one varied input"),
        (["--sweep", "layout.dp=8..64", "--at-most", "80"], "needs a unit"),
        (["--sweep", "layout.dp=8..64", "--at-most", "cluster.capacity_per_gpu"], "cluster.gpu=h100-80gb"),
        (["--sweep", "layout.dp=8,16", "--compare", "layout.tp=1,2", "--compare", "layout.pp=1,2"], "at most two"),
        (["--sweep", "layout.dp=8..64", "--also", "layout.offload"], "a choice"),
        (["--also", "memory.state_total", "--set", "layout.dp=8"], "--also"),
    ],
)
def test_what_cannot_be_varied_is_a_sentence_and_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    assert expected in refused(capsys, [*STATE, *PLAN, *arguments])


def test_what_no_value_supplies_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, [*STATE, "--set", "layout.dp=8", "--compare", "layout.zero=1,3"])
    assert "--set model.parameters=70e9" in said


def test_an_input_that_is_wrong_by_itself_ends_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, [*STATE, *PLAN, "--set", "layout.tp=0", "--compare", "layout.zero=1,3"])
    assert "layout.tp: must be above zero" in said


def test_a_given_quantity_may_be_varied(capsys: pytest.CaptureFixture[str]) -> None:
    found = data(
        capsys,
        "solve",
        "memory.total_per_gpu",
        *PLAN,
        "--set",
        "layout.zero=3",
        "--set",
        "layout.dp=16",
        "--compare",
        "memory.activations_per_gpu=5 GB,15 GB",
    )
    assert [row["value"] for row in found["rows"]] == [75, 85]


def test_a_bound_may_be_a_quantity_of_the_scenario_and_follow_the_axis(capsys: pytest.CaptureFixture[str]) -> None:
    found = data(
        capsys, *STATE, *PLAN, "--set", "layout.zero=3", "--set", "layout.dp=16",
        "--compare", "cluster.gpu=a100-40gb,h100-80gb", "--at-most", "cluster.capacity_per_gpu",
    )  # fmt: skip
    assert [(row["margin"], row["holds"], row["first"]) for row in found["rows"]] == [
        (-30, False, False),
        (10, True, True),
    ]


def test_where_the_first_value_keeps_the_bound_the_last_that_does_is_marked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = [*STATE, "--set", "recipe=zero-paper", "--set", "layout.dp=8", "--set", "layout.zero=3",
                 "--sweep", "model.parameters=10e9..80e9", "--at-most", "80 GB"]  # fmt: skip
    found = data(capsys, *arguments)
    assert [row["at"]["model.parameters"] for row in found["rows"] if row["last"]] == [40e9]
    assert not any(row["first"] for row in found["rows"])


def test_the_input_that_reaches_a_bound_is_found_for_each_value(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*STATE, *PLAN, "--for", "layout.dp", "--at-most", "300 GB", "--compare", "layout.zero=0,1,2,3"]
    found = data(capsys, *arguments)
    assert [row["value"] for row in found["rows"]] == [None, 42, 7, 4]
    assert "does not depend on layout.dp" in found["rows"][0]["why"]
    assert found["bound"] == {"at": "most", "text": "300 GB", "of": "memory.state_per_gpu"}
    assert "so that memory.state_per_gpu is at most 300 GB" in printed(capsys, *arguments)


def test_a_table_is_markdown_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(
        capsys, *STATE, "--set", "model.parameters=70e9", "--set", "layout.dp=8", "--set", "layout.zero=3",
        "--compare", "recipe=zero-paper,megatron-bf16", "--markdown",
    ).splitlines()  # fmt: skip
    assert shown[:6] == [
        "## memory.state_per_gpu over recipe",
        "",
        "| recipe | memory.state_per_gpu | ratio |",
        "| --- | ---: | ---: |",
        "| zero-paper | 140 GB | 1 |",
        "| megatron-bf16 | 157.5 GB | 1.125 |",
    ]
    assert "**Conventions that differ**" in shown


def test_two_conventions_are_told_apart_by_their_way_and_what_each_does(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["solve", "traffic.data_parallel_sent", *PLAN, "--set", "layout.dp=8", "--set", "layout.zero=2",
                 "--set", "batch.accumulation=8", "--compare", "layout.sync=each-micro-batch,each-step"]  # fmt: skip
    shown = printed(capsys, *arguments)
    assert "  each-step: data_parallel = (2 + 2) B/param × (8 − 1) × 70B / 8 =" in shown
    assert "  each-step: gradients are reduced once per step." in shown
    found = data(capsys, *arguments)
    assert found["ways"]["each-step"].startswith("data_parallel = ")
    assert [item["at"] for item in found["reasons"]] == ["each-micro-batch", "each-step"]
    assert "**What each does**" in printed(capsys, *arguments, "--markdown")


@pytest.mark.parametrize("pace", ["8..32+8", "8..32 step 8", "8..32:8", "8..32 by 8"])
def test_a_step_has_several_spellings(capsys: pytest.CaptureFixture[str], pace: str) -> None:
    found = data(capsys, *STATE, *PLAN, "--set", "layout.zero=3", "--sweep", f"layout.dp={pace}")
    assert [row["at"]["layout.dp"] for row in found["rows"]] == [8, 16, 24, 32]


def test_a_computed_choice_may_be_another_column_or_the_table_itself(capsys: pytest.CaptureFixture[str]) -> None:
    plan = ["--set", "model=llama-3-8b", "--set", "recipe=zero-paper", "--set", "layout.zero=3",
            "--set", "batch.micro=1", "--set", "activation.block=llama", "--set", "layout.dp=8",
            "--compare", "batch.sequence=512,8192"]  # fmt: skip
    beside = data(capsys, "solve", "memory.peak_per_gpu", *plan, "--also", "memory.binding_phase")
    itself = data(capsys, "solve", "memory.binding_phase", *plan)
    phases = [row["text"] for row in itself["rows"]]
    assert phases == [row["also"]["memory.binding_phase"]["text"] for row in beside["rows"]]
    assert phases[1] == "backward"


def test_a_name_has_no_bound(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["solve", "memory.binding_phase", "--compare", "layout.zero=1,2", "--at-most", "backward"]
    assert "has no bound" in refused(capsys, arguments)


def test_a_default_that_changes_nothing_is_no_convention_that_differs(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, *STATE, *PLAN, "--set", "layout.dp=8", "--compare", "layout.zero=0,3")
    assert "Default" not in shown
