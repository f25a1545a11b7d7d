"""The program in a real terminal: start, answer, leave; signals, odd terminals, a history that cannot be used."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.house import ROOT
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.e2e

PROGRAM = (sys.executable, "-m", "quiz")
QUESTION = ("practice", "--question", "mb-70b-4nodes")
# Main screen, cursor, mouse, bracketed paste: as they were found.
RESTORED = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?2004l")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all: the bank is converted once."""
    return tmp_path_factory.mktemp("cache")


@contextmanager
def started(
    tmp_path: Path, cache: Path, *arguments: str, columns: int = 80, rows: int = 24, **env: str
) -> Iterator[Terminal]:
    environment = {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "SHARDWISE_DATA": str(tmp_path / "data"),
        "SHARDWISE_CACHE": str(cache),
        **env,
    }
    with Terminal((*PROGRAM, *arguments), env=environment, cwd=ROOT, columns=columns, rows=rows) as terminal:
        yield terminal


def answers_stored(tmp_path: Path) -> int:
    from quiz.store import Store

    with Store.open(tmp_path / "data" / "history.db", read_only=True) as store:
        return len(store.recent())


def ended(terminal: Terminal) -> int:
    code = terminal.wait_for_end()
    for mode in RESTORED:
        assert mode in terminal.raw, mode
    return code


def test_home_starts_a_question_that_is_answered_and_left(tmp_path: Path, cache: Path) -> None:
    with started(tmp_path, cache) as terminal:
        terminal.wait_for("new", seconds=60)
        terminal.wait_for("enter start", seconds=30)
        terminal.send("\r")
        terminal.wait_for("1/10", seconds=30)
        terminal.send("\x1b")
        terminal.wait_for("Session done")
        terminal.send("q")
        assert ended(terminal) == 0


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130)])
def test_a_signal_restores_the_terminal_and_loses_no_answer(name: str, code: int, tmp_path: Path, cache: Path) -> None:
    with started(tmp_path, cache, *QUESTION) as terminal:
        terminal.wait_for("I don't know", seconds=60)
        terminal.send("0")
        terminal.wait_for("Not known yet")
        os.kill(terminal.pid, getattr(signal, name))
        assert ended(terminal) == code
        assert "Traceback" not in terminal.text()
    assert answers_stored(tmp_path) == 1


def test_ctrl_c_leaves_at_once_with_130(tmp_path: Path, cache: Path) -> None:
    with started(tmp_path, cache, *QUESTION) as terminal:
        terminal.wait_for("I don't know", seconds=60)
        terminal.send("\x03")
        assert ended(terminal) == 130


def test_ctrl_z_suspends_and_comes_back(tmp_path: Path, cache: Path) -> None:
    with started(tmp_path, cache, *QUESTION) as terminal:
        terminal.wait_for("I don't know", seconds=60)
        terminal.send("\x1a")
        terminal.wait_for(lambda _: b"\x1b[?1049l" in terminal.raw)
        os.waitid(os.P_PID, terminal.pid, os.WSTOPPED | os.WNOWAIT)
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.send("0")
        terminal.wait_for("Not known yet")
        terminal.send("\x11")
        assert ended(terminal) == 0


def test_three_columns_say_too_small_and_growing_brings_the_question(tmp_path: Path, cache: Path) -> None:
    with started(tmp_path, cache, *QUESTION, columns=3, rows=24) as terminal:
        terminal.wait_for(lambda text: "too" in text, seconds=60)
        terminal.resize(80, 24)
        terminal.wait_for("I don't know")
        terminal.send("\x03")
        assert ended(terminal) == 130


def run(tmp_path: Path, cache: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ, "SHARDWISE_DATA": str(tmp_path / "data"), "SHARDWISE_CACHE": str(cache), "TERM": "xterm", **env,
    }  # fmt: skip
    command = [*PROGRAM, *arguments]
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("arguments", [(), QUESTION], ids=["home", "practice"])
def test_without_a_terminal_it_says_so_and_ends_with_3(arguments: tuple[str, ...], tmp_path: Path, cache: Path) -> None:
    done = run(tmp_path, cache, *arguments)
    assert done.returncode == 3
    assert "needs a terminal" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_a_dumb_terminal_is_refused_with_3(tmp_path: Path, cache: Path) -> None:
    with started(tmp_path, cache, TERM="dumb") as terminal:
        assert terminal.wait_for_end() == 3
        assert "TERM=dumb" in terminal.text()
        assert b"\x1b[?1049h" not in terminal.raw


@pytest.mark.parametrize(
    ("arguments", "near"),
    [(("--topic", "memory-bugdet"), "memory-budget"), (("--question", "mb-70b-4node"), "mb-70b-4nodes")],
)
def test_an_unknown_name_is_answered_with_the_nearest_and_2(
    arguments: tuple[str, ...], near: str, tmp_path: Path, cache: Path
) -> None:
    done = run(tmp_path, cache, "practice", *arguments)
    assert done.returncode == 2
    assert f"Did you mean {near}" in done.stderr


def test_a_bank_that_is_not_there_is_said_with_2(tmp_path: Path, cache: Path) -> None:
    done = run(tmp_path, cache, "practice", "--bank", str(tmp_path / "nowhere"))
    assert done.returncode == 2
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr


def test_review_with_nothing_due_says_so_and_ends_with_0(tmp_path: Path, cache: Path) -> None:
    done = run(tmp_path, cache, "review")
    told = "Nothing has been learned yet, so nothing is due. `shardwise practice` starts with 10 new questions.\n"
    assert (done.returncode, done.stdout) == (0, told)


def test_a_topic_may_be_spelled_as_the_home_screen_spells_it(tmp_path: Path, cache: Path) -> None:
    done = run(tmp_path, cache, "review", "--topic", "Memory budget")
    assert done.returncode == 0
    assert "in memory-budget" in done.stdout


def test_a_question_of_another_topic_than_the_one_asked_for_is_refused_with_2(tmp_path: Path, cache: Path) -> None:
    done = run(tmp_path, cache, "practice", "--topic", "ddp", "--question", "zero-order")
    assert done.returncode == 2
    assert "zero-order is of the topic zero-stages, not of ddp" in done.stderr


def test_a_damaged_history_is_refused_with_3_at_home_and_in_practice(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "history.db").write_bytes(b"not a database at all, whatever its name says" * 50)
    done = run(tmp_path, cache, *QUESTION)
    assert done.returncode == 3
    assert "history.db" in done.stderr
    with started(tmp_path, cache) as terminal:
        assert ended(terminal) == 3
        assert "history" in terminal.text()


def test_a_fault_ends_with_a_sentence_and_without_local_variables(tmp_path: Path, cache: Path) -> None:
    with started(tmp_path, cache, PYTHONPATH=f"{_broken(tmp_path)}{os.pathsep}{ROOT}") as terminal:
        assert ended(terminal) == 3
        shown = terminal.text()
        assert "the program has a fault" in shown
        assert "SHARDWISE_DEBUG=1" in shown
        assert "locals" not in shown
        assert "Traceback" not in shown


def _broken(tmp_path: Path) -> Path:
    """A folder whose sitecustomize makes the desk fail in a way that nobody foresaw."""
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "import quiz.tui.desk as desk\n"
        "def fail(self):\n    secret_local = 1\n    raise RuntimeError('something nobody foresaw')\n"
        "desk.HistoryDesk.open = fail\n"
    )
    return folder
