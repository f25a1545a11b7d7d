"""Whatever happens in a command ends as a sentence and an exit code."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quiz.cli.guard import guarded
from quiz.cli.outcome import Failure
from tests.house import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable


def raising(problem: BaseException) -> Callable[[], int]:
    def action() -> int:
        raise problem

    return action


@pytest.mark.parametrize(
    ("problem", "code", "says"),
    [
        (Failure("there is no torch here."), 3, "there is no torch here."),
        (Failure("unreadable", code=2), 2, "unreadable"),
        (ValueError("bad\n  thing"), 3, "ValueError: bad thing"),
        (RuntimeError(), 3, "(RuntimeError)"),
        (RecursionError("too deep"), 3, "RecursionError: too deep"),
        (OSError(errno.ENOSPC, "No space left on device"), 3, "No space left on device"),
        (PermissionError(errno.EACCES, "Permission denied", "history.db"), 3, "history.db"),
        (ModuleNotFoundError("No module named 'textual'", name="textual"), 3, "'textual'"),
        (SystemExit("a sentence"), 2, "a sentence"),
        (Failure("of a file: \x1b[2J\x9b", code=2), 2, r"of a file: \x1b[2J\x9b"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_every_failure_is_said_without_a_traceback(
    problem: BaseException, code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert guarded(raising(problem)) == code
    shown, said = capsys.readouterr()
    assert shown == ""
    assert said.startswith("shardwise: ")
    assert says in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("problem", "code"),
    [(KeyboardInterrupt(), 130), (SystemExit(143), 143), (SystemExit(2), 2), (SystemExit(), 0)],
    ids=["interrupted", "terminated", "usage", "plain"],
)
def test_leaving_on_purpose_is_silent(problem: BaseException, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(raising(problem)) == code
    assert capsys.readouterr() == ("", "")


def test_a_fault_says_how_to_see_more_and_then_shows_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    guarded(raising(ValueError("odd")))
    assert "SHARDWISE_DEBUG=1" in capsys.readouterr().err
    monkeypatch.setenv("SHARDWISE_DEBUG", "1")
    guarded(raising(ValueError("odd")))
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert "in action" in said


def test_handlers_are_as_before_afterwards() -> None:
    before = signal.getsignal(signal.SIGTERM)
    assert guarded(lambda: 0) == 0
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_thread_other_than_the_main_one_may_run_a_command() -> None:
    codes: list[int] = []

    def elsewhere() -> None:
        codes.append(guarded(raising(SystemExit(1))))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert codes == [1]


WAITING = """
import sys, time
from quiz.cli.guard import guarded
def action():
    try:
        print("ready", flush=True)
        time.sleep(600)
    finally:
        print("tidied up", flush=True)
    return 0
sys.exit(guarded(action))
"""


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)],
    ids=str,
)
def test_a_signal_lets_the_command_tidy_up_and_gives_its_code(number: signal.Signals, code: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WAITING], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        shown, said = process.communicate(timeout=300)
    assert process.returncode == code
    assert (shown, said) == ("tidied up\n", "")


PRINTING = "import sys; from quiz.cli.entry import main; sys.exit(main(sys.argv[1:]))"


WRITING = [["--version"], ["--help"], ["doctor"], ["doctor", "--help"]]


@pytest.fixture(params=["", "1"], ids=["buffered", "unbuffered"])
def environment(request: pytest.FixtureRequest) -> dict[str, str]:
    """A failure to write comes at the end of a buffered run, and in the middle of an unbuffered one."""
    return {**os.environ, "PYTHONUNBUFFERED": request.param}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", WRITING, ids=" ".join)
def test_a_full_disk_under_stdout_is_said_and_ends_with_3(words: list[str], environment: dict[str, str]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-c", PRINTING, *words],
            cwd=ROOT,
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 3
    assert "No space left on device" in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize("words", WRITING, ids=" ".join)
def test_a_reader_that_goes_away_is_no_complaint(words: list[str], environment: dict[str, str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.stdin.read()\n{PRINTING}", *words],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.close()  # now it may begin to write
        assert process.stderr.read() == ""
        assert process.wait(timeout=300) == 141


@pytest.mark.parametrize("word", ["--version", "--help", "nonsense"])
def test_closed_streams_are_no_crash(word: str) -> None:
    code = {"nonsense": 2}.get(word, 0)
    done = subprocess.run(
        ["sh", "-c", f'exec "{sys.executable}" -c "{PRINTING}" {word} >&- 2>&-'], cwd=ROOT, check=False, timeout=300
    )
    assert done.returncode == code


IMPATIENT = """
import builtins, sys
from quiz.cli.entry import main
def interrupted(*_args, **_named):
    raise KeyboardInterrupt
builtins.__import__ = interrupted
sys.exit(main(["--help"]))
"""


def test_ctrl_c_before_anything_is_loaded_is_silent() -> None:
    """An impatient person may press it within the first milliseconds."""
    done = subprocess.run(
        [sys.executable, "-c", IMPATIENT], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
