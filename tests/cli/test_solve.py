"""`shardwise solve` prints figures with their way, finds inputs for bounds, and says what it lacks."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from quiz.cli.entry import main
from solvers import CATALOGUE
from solvers.expr.units import parse_unit

CARD = ["--set", "model.parameters=70e9", "--set", "recipe=zero-paper", "--set", "layout.zero=3"]
STATE = ["solve", "memory.state_per_gpu", *CARD, "--set", "layout.dp=8"]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    shown, said = capsys.readouterr()
    assert said == ""
    return shown


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 2
    shown, said = capsys.readouterr()
    assert shown == ""
    assert "Traceback" not in said
    return said


def test_the_figure_is_printed_with_derivation_convention_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, *STATE)
    assert shown.splitlines()[0] == "memory.state_per_gpu = 140 GB"
    assert "weights = b_w × P / N = 2 B/param × 70B / 8 = 17.5 GB" in shown
    assert "2 weights + 2 gradients + 4 master copy + 4 first moment + 4 second moment = 16 B/param" in shown
    assert "arXiv:1910.02054" in shown
    assert "\x1b" not in shown


def test_json_has_the_value_in_the_printed_unit(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(printed(capsys, *STATE, "--json"))
    assert (data["quantity"], data["value"], data["unit"]) == ("memory.state_per_gpu", 140, "GB")
    assert data["conventions"]
    assert data["steps"][-1]["value"] == "140 GB"
    other = json.loads(printed(capsys, *STATE, "--json", "--unit", "TB"))
    assert (other["value"], other["unit"]) == (0.14, "TB")


def test_brief_and_markdown_are_other_forms_of_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Inputs" not in printed(capsys, *STATE, "--brief")
    assert printed(capsys, *STATE, "--markdown").startswith("## memory.state_per_gpu = 140 GB\n")


def test_an_input_is_found_for_a_bound(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "solve",
        "memory.total_per_gpu",
        *CARD,
        "--given",
        "memory.activations_per_gpu=15 GB",
        "--for",
        "layout.dp",
        "--at-most",
        "80 GB",
    ]
    shown = printed(capsys, *arguments)
    assert shown.startswith("layout.dp = 18 (fewest)\n  so that memory.total_per_gpu is at most 80 GB\n"
                            "  integer search; checked by evaluation: 17 does not, 18 holds")  # fmt: skip
    assert "memory.total_per_gpu = 77.22 GB" in shown
    data = json.loads(printed(capsys, *arguments, "--json"))
    assert (data["quantity"], data["value"], data["kind"]) == ("layout.dp", 18, "fewest")
    assert data["checked"][0] == {"value": "17", "holds": False, "reason": ""}
    whole_nodes = json.loads(printed(capsys, *arguments, "--step", "8", "--json"))
    assert whole_nodes["value"] == 24


def test_a_bound_may_be_another_quantity(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(
        capsys,
        "solve",
        "memory.state_per_gpu",
        "--set",
        "recipe=zero-paper",
        "--set",
        "layout.zero=3",
        "--set",
        "layout.dp=8",
        "--set",
        "cluster.gpu=h100-80gb",
        "--for",
        "model.parameters",
        "--at-most",
        "cluster.capacity_per_gpu",
        "--json",
    )
    data = json.loads(shown)
    assert (data["value"], data["unit"], data["method"]) == (40_000_000_000, "param", "algebra")


def test_at_least_finds_the_other_end(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(
        capsys,
        "solve",
        "checkpoint.interval_young",
        "--set",
        "run.mtbf=3 h",
        "--for",
        "checkpoint.stall",
        "--at-least",
        "20 min",
    )
    assert shown.startswith("checkpoint.stall = 66.67 s (fewest)")


def test_what_is_missing_is_listed_with_meaning_and_example(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "solve", "memory.total_per_gpu", "--set", "layout.zero=3")
    for expected in (
        "what is kept per parameter",
        "--set recipe=zero-paper",
        "--set model.parameters=70e9",
        "--set layout.dp=8",
        '--set memory.activations_per_gpu="15 GB"',
    ):
        assert expected in said


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["solve"], "name a quantity"),
        (["solve", "memory.stat_per_gpu"], "memory.state_per_gpu"),
        (["solve", "state_per_gpu"], "memory.state_per_gpu"),
        (["solve", "layout.offload"], "a choice"),
        ([*STATE, "--set", "layout.dpp=3"], "layout.dp"),
        ([*STATE, "--set", "layout.dp=16"], "twice"),
        ([*STATE, "--set", "layout.tp"], "KEY=VALUE"),
        ([*STATE, "--set", "layout.tp="], "--set layout.tp= has no value; write it, as in --set layout.tp=8"),
        ([*STATE, "--set", "layout.tp=0"], "above zero"),
        ([*STATE, "--set", "layout.tp=-8"], "above zero"),
        ([*STATE, "--set", "layout.tp=8 GB"], "plain number"),
        ([*STATE, "--set", "layout.tp=1e400"], "layout.tp"),
        ([*STATE, "--set", "cluster.gpus=4"], "needs 8 GPUs"),
        ([*STATE, "--set", "cluster.gpu=h1000"], "h100-80gb"),
        ([*STATE, "--given", "memory.state_per_gpu=1 GB"], "follows already"),
        ([*STATE, "--unit", "s"], "measured in GB"),
        ([*STATE, "--unit", "parsec"], "not a unit"),
        ([*STATE, "--at-most", "80 GB"], "add --for"),
        ([*STATE, "--for", "layout.tp"], "--at-most"),
        ([*STATE, "--for", "layout.dp", "--at-most", "80 GB"], "both stated and sought"),
        ([*STATE, "--for", "layout.offload", "--at-most", "80 GB"], "a choice"),
        ([*STATE, "--for", "layout.tp", "--at-most", "80"], "needs a unit"),
        ([*STATE, "--for", "layout.tp", "--at-most", "(80 GB"], "cannot be read"),
        ([*STATE, "--for", "layout.tp", "--at-most", "0 GB"], "holds for no"),
        ([*STATE, "--for", "layout.tp", "--at-most", "1 GB", "--unit", "GB"], "--unit"),
        ([*STATE, "--for", "layout.tp", "--at-most", "1 GB", "--step", "0"], "at least 1"),
        ([*STATE, "--for", "layout.cpp", "--at-most", "1 GB"], "layout.cp"),
        (["solve", "--list", "nosuchthing"], "no quantity has 'nosuchthing'"),
    ],
)
def test_what_cannot_be_read_or_answered_is_a_sentence_and_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    assert expected in refused(capsys, *arguments)


def test_every_complaint_is_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "solve", "memory.state_per_gpu", "--set", "layout.zero=4", "--set", "model.layers=0")
    assert "layout.zero" in said
    assert "model.layers" in said


def test_the_list_names_every_quantity_with_unit_and_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "solve", "--list").splitlines()
    assert {line.split()[0] for line in lines if line.startswith("  ")} == set(CATALOGUE.names)
    heads = [line for line in lines if line and not line.startswith((" ", "The presets"))]
    assert heads == list(dict.fromkeys(name.partition(".")[0] for name in CATALOGUE.names))
    described = json.loads(printed(capsys, "solve", "--list", "checkpoint", "--json"))
    assert [item["quantity"] for item in described] == [
        name for name in CATALOGUE.names if name.startswith("checkpoint")
    ]
    assert described[0]["meaning"]


def test_every_unit_that_is_listed_can_be_read_back() -> None:
    for info in CATALOGUE:
        assert parse_unit(info.unit.name) == info.unit


def imported(*arguments: str) -> set[str]:
    script = (
        f"import sys; from quiz.cli.entry import main; code = main({list(arguments)!r})\n"
        f"print(code, *sorted(sys.modules), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    code, *modules = ran.stderr.split()
    assert code == "0"
    return set(modules)


HEAVY = {"sympy", "torch", "textual", "pydantic", "yaml", "quiz.bank", "quiz.store"}


def test_forward_loads_no_algebra_and_nothing_of_the_quiz() -> None:
    assert not imported(*STATE) & HEAVY


def test_an_integer_search_loads_no_algebra_either() -> None:
    arguments = ["solve", "memory.state_per_gpu", *CARD, "--for", "layout.dp", "--at-most", "80 GB"]
    assert not imported(*arguments) & HEAVY


def test_colour_is_for_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    from quiz.cli import solve_parts

    class Terminal:
        def isatty(self) -> bool:
            return True

    strong = solve_parts.strong
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert strong("140 GB") == "\x1b[1m140 GB\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert strong("140 GB") == "140 GB"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert strong("140 GB") == "140 GB"


def test_a_choice_that_follows_is_computed_with_what_decides_it(capsys: pytest.CaptureFixture[str]) -> None:
    plan = ["--set", "model=llama-3-8b", "--set", "recipe=zero-paper", "--set", "layout.zero=3",
            "--set", "batch.micro=1", "--set", "activation.block=llama", "--set", "layout.dp=8",
            "--set", "batch.sequence=8192"]  # fmt: skip
    shown = printed(capsys, "solve", "memory.binding_phase", *plan)
    assert shown.startswith("memory.binding_phase = backward\n")
    assert "memory.backward_peak_per_gpu = " in shown
    assert json.loads(printed(capsys, "solve", "memory.binding_phase", *plan, "--json"))["value"] == "backward"
    assert printed(capsys, "solve", "memory.binding_phase", *plan, "--markdown").startswith("## memory.binding_phase")


def test_bytes_on_a_known_gpu_come_with_the_margins_to_its_memory(capsys: pytest.CaptureFixture[str]) -> None:
    gpu = ["--set", "cluster.gpu=h100-80gb", "--set", "cluster.allowance=3 GB"]
    data = json.loads(printed(capsys, *STATE, *gpu, "--json"))
    assert [(item["memory"], item["fits"]) for item in data["against"]] == [
        ("nominal", False),
        ("reported", False),
        ("usable", False),
    ]
    assert data["against"][0]["margin"] == -60e9
    assert "nominal 80 GB: 60 GB too much (175.0 % used)" in printed(capsys, *STATE, *gpu, "--brief")
    assert "Against the memory" not in printed(capsys, *STATE)


def test_everything_that_is_wrong_is_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(
        capsys, "solve", "memory.state_per_gpu", "--set", "layout.tp", "--set", "layout.dp=8", "--set", "layout.dp=16",
        "--set", "cluster.gpu=A100", "--set", "model.layers=0", "--set", "model.parameters=nan", "--unit", "s",
        "--for", "layout.zz", "--at-most", "3",
    )  # fmt: skip
    for expected in (
        "'layout.tp' is not KEY=VALUE",
        "names layout.dp twice",
        "did you mean a100-40gb or a100-80gb",
        "model.layers: must be above zero",
        "model.parameters: nan is not a number",
        "measures something else",
        "no quantity is named 'layout.zz'",
        "the bound cannot be read",
    ):
        assert expected in said
    assert "?." not in said


def test_a_part_of_a_name_leads_to_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert "shardwise solve --list memory" in refused(capsys, "solve", "memory")
    assert "shardwise solve --list state" in refused(capsys, "solve", "state")


def test_a_bound_that_no_value_reaches_is_told_with_how_near_it_comes(capsys: pytest.CaptureFixture[str]) -> None:
    plan = ["--set", "model.parameters=70e9", "--set", "recipe=zero-paper", "--set", "layout.zero=1"]
    ask = ["solve", "memory.state_per_gpu", *plan, "--for", "layout.dp", "--at-most"]
    assert "1,120 GB at layout.dp = 1 and 280 GB at" in refused(capsys, *ask, "80 GB")
    assert "cannot be negative" in refused(capsys, *ask, "-80 GB")


def test_a_plain_number_bounds_a_share_as_it_states_one(capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["solve", "pipeline.bubble_of_total", "--set", "layout.pp=8", "--for", "batch.accumulation", "--at-most"]
    assert printed(capsys, *ask, "0.1").startswith("batch.accumulation = 63 (fewest)")
    assert "between 0 and 1" in refused(capsys, *ask, "10")


def test_idle_gpus_are_told_beside_the_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*STATE, "--set", "cluster.gpus=16"]) == 0
    assert "8 of the 16 GPUs of the cluster; the others stand idle" in capsys.readouterr().err
    assert "does not divide the 12 of the cluster" in refused(capsys, *STATE, "--set", "cluster.gpus=12")
    sought = ["--set", "cluster.gpus=64", "--for", "layout.dp", "--at-most", "80 GB"]
    assert main(["solve", "memory.state_per_gpu", *CARD, *sought]) == 0
    assert "14 of the 64 GPUs of the cluster, which it does not divide" in capsys.readouterr().err


def test_a_derived_quantity_that_is_set_is_told_with_the_option_that_gives_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "--given layout.world=VALUE" in refused(capsys, "solve", "layout.world", "--set", "layout.world=8")


def test_what_a_gpu_has_no_peak_for_is_said_with_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["solve", "compute.peak", "--set", "cluster.gpu=v100-32gb", "--set", "compute.precision=bf16"]
    assert "v100-32gb has no cluster.peak_bf16" in refused(capsys, *ask)


def test_a_name_with_control_characters_reaches_the_terminal_spelled_out(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, *STATE, "--set", "layout\x07.t\x1b[2Jp=2", "--unit", " ")
    assert "\\x07" in said
    assert not any(ord(sign) < 32 and sign != "\n" for sign in said)
    assert "--unit names no unit" in said
