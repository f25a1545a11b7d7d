"""Whatever is typed behind `--set`: a figure or a sentence, never a traceback, never a figure that cannot be."""

from __future__ import annotations

import json
import math
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quiz.cli.entry import main
from solvers import CATALOGUE, RELATIONS, ScenarioError, SolveError, Solver, scenario_of
from solvers.expr.evaluate import EvaluationError

NAMES = CATALOGUE.names
DERIVED = tuple(info.name for info in CATALOGUE if RELATIONS.of(info.name) and not info.is_choice)
PLAN = {
    "model": "llama-3-8b",
    "recipe": "zero-paper",
    "layout.zero": "3",
    "layout.dp": "8",
    "cluster.gpu": "h100-80gb",
    "batch.sequence": "4096",
    "batch.micro": "1",
    "run.mtbf": "3 h",
    "checkpoint.stall": "60 s",
}

_SIGN = st.sampled_from(["", "-", "+", "−"])
_DIGITS = st.one_of(
    st.integers(0, 10**6).map(str),
    st.floats(allow_nan=True, allow_infinity=True).map(repr),
    st.sampled_from(["1e400", "1e-400", "0", "0.1", "1e36", "9" * 70, "1e5000", "1/0", "0/0", "2^999"]),
)
_UNIT = st.sampled_from(
    [
        "",
        " GB",
        " GiB",
        " s",
        " h",
        " %",
        " B/param",
        " GPU",
        " token",
        " TFLOP/s",
        " GB/s",
        "B",
        "M",
        " $",
        " param",
        " parsec",
    ]
)
NUMBERS = st.tuples(_SIGN, _DIGITS, _UNIT).map("".join)
WORDS = st.one_of(
    st.sampled_from([name for info in CATALOGUE for name in info.choices] or ["none"]),
    st.sampled_from(["zero-paper", "llama-3-70b", "h100-80gb", "gpt", "true", "none", "x"]),
    st.sampled_from(NAMES),
    st.sampled_from(NAMES).map(lambda name: f"{name} * 2"),
    st.text(max_size=12),
)
VALUES = st.one_of(NUMBERS, WORDS)
SETS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4)


def ran(arguments: list[str]) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    return code, out.getvalue(), err.getvalue()


def stated(values: dict[str, str]) -> list[str]:
    return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(DERIVED), SETS)
def test_the_command_gives_a_figure_or_a_sentence(quantity: str, values: dict[str, str]) -> None:
    code, out, err = ran(["solve", quantity, "--json", *stated(PLAN | values)])
    assert "Traceback" not in err
    if code == 0:
        found = json.loads(out)
        assert math.isfinite(found["value"])
        if CATALOGUE[quantity].domain != "any":
            assert found["value"] >= 0
    else:
        assert code == 2
        assert out == ""
        assert err.startswith("shardwise: ")
        assert err.rstrip().endswith((".", "?", "!")) or "for example" in err


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(SETS, st.dictionaries(st.sampled_from(DERIVED), VALUES, max_size=2))
def test_the_library_raises_its_own_errors_only(values: dict[str, str], pinned: dict[str, str]) -> None:
    try:
        solver = Solver(scenario_of(PLAN | values, pinned))
    except ScenarioError:
        return
    for quantity in ("memory.state_per_gpu", "traffic.data_parallel_sent", "checkpoint.interval_daly"):
        try:
            value = solver.quantity(quantity).value
        except (SolveError, EvaluationError):
            continue
        assert value >= 0


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(NAMES), VALUES, st.sampled_from(["--at-most", "--at-least"]), NUMBERS)
def test_an_inverse_question_is_answered_or_refused_in_a_sentence(
    unknown: str, value: str, direction: str, bound: str
) -> None:
    plan = {name: text for name, text in PLAN.items() if name != unknown}
    code, out, err = ran(
        [
            "solve",
            "memory.state_per_gpu",
            "--for",
            unknown,
            f"{direction}={bound}",
            "--json",
            *stated(plan | ({"layout.tp": value} if unknown != "layout.tp" else {})),
        ]
    )
    assert "Traceback" not in err
    assert code in (0, 2)
    if code == 0:
        assert math.isfinite(json.loads(out)["value"])


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(NAMES), st.lists(VALUES, min_size=1, max_size=3), st.sampled_from(["--compare", "--sweep"]))
def test_any_values_of_an_axis_are_rows_or_a_sentence(axis: str, values: list[str], option: str) -> None:
    plan = {name: text for name, text in PLAN.items() if name != axis}
    code, out, err = ran(
        ["solve", "memory.state_per_gpu", option, f"{axis}={','.join(values)}", "--json", *stated(plan)]
    )
    assert "Traceback" not in err
    assert code in (0, 2)
    if code == 0:
        for row in json.loads(out)["rows"]:
            assert (row["value"] is None) == bool(row["why"])
            assert row["value"] is None or row["value"] >= 0


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("cluster.gpus=-8", "above zero"),
        ("model.layers=0", "above zero"),
        ("layout.dp=8.5", "a whole number"),
        ("model.parameters=70 GB", "not in byte; for example 70e9"),
        ("run.mtbf=3", "needs a unit"),
        ("layout.dp=1e400", "larger than anything"),
        ("layout.dp=layout.dp", "depends on itself"),
        ("model=llama-3-7b", "did you mean"),
        ("layout.dp=1/0", "division by zero"),
    ],
)
def test_a_wrong_value_is_answered_with_what_to_write(written: str, said: str) -> None:
    name = written.partition("=")[0]
    plan = {key: value for key, value in PLAN.items() if key != name}
    code, out, err = ran(["solve", "memory.state_per_gpu", *stated(plan), "--set", written])
    assert (code, out) == (2, "")
    assert said in err
