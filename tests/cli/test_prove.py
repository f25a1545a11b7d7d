"""`shardwise prove` from its command line to its exit code, with ranks that need no torch."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from io import StringIO
from typing import TYPE_CHECKING

import pytest

from quiz.cli import prove_ask
from quiz.cli.entry import main
from quiz.drills import folder, machine
from quiz.session.drilled import Drilled
from quiz.store import Store
from tests.cli.conftest import CHILD, HERE
from tests.trial_bank import MANIFEST, SOURCES, STRATEGY, Trial

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Prove

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the fake child forks ranks")


@pytest.fixture
def bank(tmp_path: Path) -> str:
    """A bank of one question, which has a drill."""
    trial = Trial(tmp_path / "bank", tmp_path / "cache")
    trial.write(MANIFEST, "bank.yaml")
    trial.write(SOURCES, "sources.yaml")
    trial.write(
        f"{STRATEGY}drill:\n  tier: fake\n  plans: [whole]\n  set: {{model: llama-3-8b, batch.sequence: 4096}}\n"
    )
    return str(trial.folder)


def runs(tmp_path: Path) -> tuple[Path, ...]:
    """The folders of the runs."""
    return folder.runs(tmp_path / "data" / "drills")


def remembered(tmp_path: Path) -> list[Drilled]:
    """What the history holds of drills."""
    path = tmp_path / "data" / "history.db"
    if not path.exists():
        return []
    with Store.open(path, read_only=True) as store:
        return [event for event in store.of_kind("drill") if isinstance(event, Drilled)]


def test_predict_run_compare(prove: Prove, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table is on standard output, the way there on standard error; the score goes into the history."""
    code = prove("--steps", "3", "--predict", "rest.state=34 MB", "--predict", "traffic.payload@fsdp/ddp=2")
    out, err = capsys.readouterr()
    assert code == 0, err
    assert "state at rest, fsdp" in out
    assert "exact" in out
    assert "Your 2 predictions: 72%." in out
    assert "fsdp: done after" in err
    (where,) = runs(tmp_path)
    (event,) = remembered(tmp_path)
    assert event.run == where.name
    assert [one.key for one in event.predictions][:2] == ["rest.state@fsdp", "traffic.payload@fsdp/ddp"]
    assert [one.raw for one in folder.spec_of(where).predictions][:2] == ["34 MB", "2"]


def test_in_a_terminal_it_asks_first(
    prove: Prove, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be read is asked again, an empty line skips, and so does the end of the input."""
    monkeypatch.setattr(prove_ask, "is_there", lambda: True)
    monkeypatch.setattr(sys, "stdin", StringIO("34\n34 MB\n\n"))
    assert prove("--steps", "3") == 0
    out, err = capsys.readouterr()
    assert "What will you see? P = 4,196,608 parameters, N = 2 ranks" in err
    assert "unit is missing" in err
    assert err.count("between two steps under fsdp?") == 2
    assert "Your 1 prediction: 100%." in out
    (where,) = runs(tmp_path)
    assert [one.raw for one in folder.spec_of(where).predictions] == ["34 MB", None, None, None]


@pytest.mark.parametrize("columns", ["40", "60"])
def test_no_line_is_broken_by_a_narrow_terminal(
    prove: Prove, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str
) -> None:
    """Questions, what is wrong with an answer and the table keep within its width; no word is cut, and no path."""
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(prove_ask, "is_there", lambda: True)
    monkeypatch.setattr(sys, "stdin", StringIO("much\n34 MB\n2\n40 MB\nforward\n"))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert prove("--steps", "3") == 0
    out, err = capsys.readouterr()
    # What is typed is not echoed here, so a question has no end of line.
    said = [line for line in re.split(r"\n|(?<=[?\]]) ", err) if str(tmp_path) not in line]
    assert max(map(len, said)) < int(columns)
    assert "optimizer]" in err
    told = out.splitlines()[:-1]
    assert max(map(len, told)) < int(columns)
    place = told.index("state at rest, fsdp")
    assert told[place + 1].startswith("    you 34 MB, solver 33.57 MB,")


def test_what_was_predicted_is_written_before_anything_runs(prove: Prove, tmp_path: Path) -> None:
    """A run that fails at once has its predictions all the same, and no score."""
    assert prove("--predict", "rest.state=1 GB", fault="crash 1") == 1
    (where,) = runs(tmp_path)
    assert folder.spec_of(where).predictions[0].raw == "1 GB"
    result = folder.result_of(where)
    assert result is not None
    assert (result.outcome, result.score) == ("failed", None)
    assert remembered(tmp_path) == []


def test_json_has_all_of_it(prove: Prove, capsys: pytest.CaptureFixture[str]) -> None:
    """Spec, measurements and rows, for scripts."""
    assert prove("--json", "--steps", "3") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["result"]["outcome"] == "done"
    assert {row["key"] for row in told["result"]["rows"]} >= {"rest.state@ddp", "rest.state@fsdp"}
    assert told["spec"]["legs"][0]["name"] == "single"


def test_a_failed_run_says_why(prove: Prove, capsys: pytest.CaptureFixture[str]) -> None:
    """The rank's own error, its leg and its phase."""
    assert prove("--no-predict", fault="crash 1") == 1
    err = capsys.readouterr().err
    assert "the run failed on rank 1, in optimizer of ddp: the loss is not a number" in err


def test_a_run_is_shown_again(prove: Prove, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By its name, or the end of it, the same table."""
    prove("--steps", "3", "--no-predict")
    table = capsys.readouterr().out
    (where,) = runs(tmp_path)
    assert prove("--replay", where.name[-4:]) == 0
    assert capsys.readouterr().out == table


def test_runs_are_listed_and_erased(prove: Prove, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The latest first, with how each ended."""
    prove("--steps", "3", "--no-predict")
    prove("--no-predict", fault="kill 0")
    capsys.readouterr()
    assert prove("--runs", "--json") == 0
    assert sorted(one["outcome"] for one in json.loads(capsys.readouterr().out)) == ["done", "failed"]
    assert prove("--erase", runs(tmp_path)[0].name) == 0
    assert prove("--erase", "all") == 0
    assert runs(tmp_path) == ()
    assert prove("--runs") == 0
    assert "no runs are kept" in capsys.readouterr().out


def test_the_list_says_what_there_is_and_what_runs_here(
    prove: Prove, bank: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Questions with a drill, plans, the machine."""
    assert prove("--list", "--bank", bank) == 0
    out = capsys.readouterr().out
    assert "which-fits  fake" in out
    assert "zero1" in out
    assert "torch 2.13.0+cpu, 2 cores, 0 GPUs, 20.0 GB of memory free" in out


def test_the_list_breaks_no_word_in_a_narrow_terminal(
    prove: Prove, bank: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a plan is stands below its name, within the terminal's width."""
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert prove("--list", "--bank", bank) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) < 40
    assert lines[lines.index("  zero1") + 1] == "      ZeRO-1: the optimizer state is"


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["which-fit"], 2, "Did you mean which-fits"),
        (["--plan", "fdsp"], 2, "Did you mean fsdp"),
        (["--predict", "rest.state"], 2, "KEY=VALUE"),
        (["--predict", "rest.state=34"], 2, "unit is missing"),
        (["--predict", "weight=34 MB"], 2, "nothing here is called 'weight'"),
        (["--predict", "rest.optimizer=34 MB"], 2, "of several plans. Say of which, as in rest.optimizer@ddp"),
        (["--replay", "nothing"], 2, "--runs"),
        (["--erase", "nothing"], 2, "--runs"),
        (["--device", "cuda"], 3, "No GPU"),
        (["which-fits", "--tier", "oom", "--ranks", "64"], 3, "GB are free"),
    ],
)
def test_what_cannot_be_done_is_said_with_its_code(
    prove: Prove, bank: str, capsys: pytest.CaptureFixture[str], args: list[str], code: int, said: str
) -> None:
    """2 for the request, 3 for the machine."""
    assert prove(*args, "--bank", bank) == code
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_key_that_is_none_is_answered_by_the_nearest_and_then_by_all(
    prove: Prove, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is measured of several plans is said once, and no line is longer than the terminal."""
    monkeypatch.setenv("COLUMNS", "60")
    assert prove("--plan", "ddp", "--plan", "zero1", "--plan", "fsdp", "--predict", "rest.stat@fdsp=34 MB") == 2
    first, *others = capsys.readouterr().err.splitlines()
    told = " ".join(line.strip() for line in (first, *others))
    assert "nothing here is called 'rest.stat@fdsp'. Did you mean rest.state@fsdp or " in told
    assert "of single, ddp, zero1, fsdp (as rest.state@fsdp): rest.state, " in told
    assert "of ddp, zero1, fsdp (as traffic.payload@fsdp): traffic.payload" in told
    assert told.count("rest.gradients") == 1
    assert max(map(len, (first, *others))) < 60


def test_what_one_plan_alone_is_asked_of_needs_no_plan(
    prove: Prove, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Though it is none of the things that are asked."""
    assert prove("--plan", "fsdp", "--steps", "3", "--predict", "rest.optimizer=17 MB") == 0, capsys.readouterr().err
    (where,) = runs(tmp_path)
    assert {one.key: one.raw for one in folder.spec_of(where).predictions}["rest.optimizer@fsdp"] == "17 MB"


@pytest.mark.parametrize("columns", ["80", "40"])
def test_without_a_request_it_says_what_there_is_and_starts_nothing(
    prove: Prove, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str
) -> None:
    """Each way to begin a run, and the machine, within the terminal's width."""
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert prove() == 0
    out = capsys.readouterr().out
    assert all(f"shardwise prove {way}" in out for way in ("QUESTION", "--tier oom", "--list"))
    assert "2 cores" in out
    assert max(map(len, out.splitlines())) < int(columns)
    assert not (tmp_path / "data").exists()


def test_an_error_that_rounds_to_nothing_has_no_sign(prove: Prove, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither more nor less can be said of it."""
    assert prove("--steps", "3", "--predict", "rest.state=33.57 MB") == 0
    out = capsys.readouterr().out
    assert "0.0%" in out
    assert not re.search(r"[-+]0\.0%", out)


def test_without_torch_it_ends_with_3(
    prove: Prove, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And says how to get it and what can be done without."""
    monkeypatch.setattr(machine, "look", lambda: HERE._replace(torch=""))
    assert prove() == 3
    assert "pip install 'shardwise[drill]'" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_ends_with_3(
    prove: Prove, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the place."""
    (tmp_path / "data").write_text("in the way")
    assert prove("--no-predict") == 3
    assert "SHARDWISE_DATA" in capsys.readouterr().err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_too(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """The command ends with the signal's code, the run is cancelled and has its result."""
    program = (
        "import sys; from quiz.cli.entry import main; from quiz.drills import launch, machine\n"
        f"machine.look = lambda: machine.Machine(None, 2, '2.13.0', 0)\n"
        f"launch.command_of = lambda _: [sys.executable, {str(CHILD)!r}]\n"
        "sys.exit(main(['prove', '--no-predict', '--steps', '200']))"
    )
    environment = os.environ | {"SHARDWISE_DATA": str(tmp_path / "data"), "FAULT": "slow"}
    with subprocess.Popen([sys.executable, "-c", program], env=environment, stderr=subprocess.PIPE) as process:
        end = time.monotonic() + 300
        while not any((where / "rank0.log").exists() for where in runs(tmp_path)):
            assert time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(number)
        _, err = process.communicate(timeout=300)
    assert process.returncode == code, err
    (where,) = runs(tmp_path)
    result = folder.result_of(where)
    assert result is not None
    assert result.outcome == "cancelled"
    assert not folder.live(where)


def test_history_erase_takes_the_runs_along(prove: Prove, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was predicted lies in them."""
    prove("--steps", "3", "--predict", "rest.state=34 MB")
    capsys.readouterr()
    assert main(["history", "erase", "--yes"]) == 0
    assert "1 run of drills" in capsys.readouterr().err
    assert runs(tmp_path) == ()
    assert not (tmp_path / "data" / "drills").exists()


def test_history_erase_takes_runs_without_a_history(prove: Prove, tmp_path: Path) -> None:
    """Though nothing was predicted of them, and no answer given."""
    prove("--steps", "3", "--no-predict")
    assert main(["history", "erase", "--yes"]) == 0
    assert not (tmp_path / "data" / "drills").exists()


def test_the_help_has_examples_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    """As every command's."""
    assert main(["prove", "--help"]) == 0
    out = capsys.readouterr().out
    assert "shardwise prove --list" in out
    assert "exit codes:" in out
