"""The program in a real terminal: start, answer, leave; signals, odd terminals, a history that cannot be used."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from quiz.authoring import begin
from quiz.authoring.scaffold import Wanted
from tests.house import ROOT
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Said = Callable[..., tuple[int, str, str]]

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
        terminal.wait_for("new")
        terminal.wait_for("enter start")
        terminal.send("\r")
        terminal.wait_for("1/10")
        terminal.send("\x1b")
        terminal.wait_for("Session done")
        terminal.send("q")
        assert ended(terminal) == 0


def test_sigterm_restores_the_terminal_and_loses_no_answer_and_no_color_leaves_no_colour_at_all(
    tmp_path: Path, cache: Path
) -> None:
    with started(tmp_path, cache, *QUESTION, NO_COLOR="1", COLORTERM="truecolor") as terminal:
        terminal.wait_for("I don't know")
        terminal.send("0")
        terminal.wait_for(lambda text: "▒O▒ optimizer" in text and "80 GB capacity" in text)
        killed(terminal, signal.SIGTERM, 143)
        styles = {code for found in re.findall(rb"\x1b\[([\d;]*)m", terminal.raw) for code in found.split(b";")}
        # Bold, faint, italic, underlined, reversed, their ends, and the terminal's own two colours.
        assert styles <= {b"", b"0", b"1", b"2", b"3", b"4", b"7", b"22", b"23", b"24", b"27", b"39", b"49"}
    assert answers_stored(tmp_path) == 1


def killed(terminal: Terminal, number: int, code: int) -> None:
    terminal.wait_for("Not known yet")
    os.kill(terminal.pid, number)
    assert ended(terminal) == code
    assert "Traceback" not in terminal.text()


def test_ctrl_z_suspends_and_comes_back_and_sigint_ends_as_ctrl_c_does(tmp_path: Path, cache: Path) -> None:
    with started(tmp_path, cache, *QUESTION) as terminal:
        terminal.wait_for("I don't know")
        terminal.send("\x1a")
        terminal.wait_for(lambda _: b"\x1b[?1049l" in terminal.raw)
        os.waitid(os.P_PID, terminal.pid, os.WSTOPPED | os.WNOWAIT)
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.wait_for(lambda _: terminal.raw.count(b"\x1b[?1049h") == 2)
        terminal.send("0")
        killed(terminal, signal.SIGINT, 130)
    assert answers_stored(tmp_path) == 1


def test_three_columns_say_too_small_growing_brings_the_question_and_a_closed_window_loses_no_answer(
    tmp_path: Path, cache: Path
) -> None:
    with started(tmp_path, cache, *QUESTION, columns=3, rows=24) as terminal:
        terminal.wait_for(lambda text: "too" in text)
        terminal.resize(80, 24)
        terminal.wait_for("I don't know")
        terminal.send("0")
        killed(terminal, signal.SIGHUP, 129)
    assert answers_stored(tmp_path) == 1


@pytest.fixture
def said(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Said:
    """Run a command that opens no screen, in this process: exit code, output, error output."""
    monkeypatch.setenv("SHARDWISE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("SHARDWISE_CACHE", str(cache))

    def run(*arguments: str) -> tuple[int, str, str]:
        from quiz.cli.main import run as run_command

        code = run_command(arguments)
        return code, *capsys.readouterr()

    return run


def without_terminal(tmp_path: Path, cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    folders = {"SHARDWISE_DATA": str(tmp_path / "data"), "SHARDWISE_CACHE": str(cache), "TERM": "xterm"}
    return subprocess.run(
        [*PROGRAM, *arguments],
        cwd=ROOT,
        env={**os.environ, **folders},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_without_a_terminal_it_says_so_and_ends_with_3(tmp_path: Path, cache: Path) -> None:
    done = without_terminal(tmp_path, cache)
    assert done.returncode == 3
    assert "needs a terminal" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_practice_without_a_terminal_says_so_too(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "__stdin__", None)
    code, _, told = said(*QUESTION)
    assert code == 3
    assert "needs a terminal" in told


def test_a_dumb_terminal_is_refused_with_3(tmp_path: Path, cache: Path) -> None:
    with started(tmp_path, cache, TERM="dumb") as terminal:
        assert terminal.wait_for_end() == 3
        assert "TERM=dumb" in terminal.text()
        assert b"\x1b[?1049h" not in terminal.raw


@pytest.mark.parametrize(
    ("arguments", "near"),
    [(("--topic", "memory-bugdet"), "memory-budget"), (("--question", "mb-70b-4node"), "mb-70b-4nodes")],
)
def test_an_unknown_name_is_answered_with_the_nearest_and_2(arguments: tuple[str, ...], near: str, said: Said) -> None:
    code, _, told = said("practice", *arguments)
    assert code == 2
    assert f"Did you mean {near}" in told


def test_a_bank_that_is_not_there_is_said_with_2(said: Said) -> None:
    code, _, told = said("practice", "--bank", "/nowhere/at-all")
    assert code == 2
    assert "at-all" in told
    assert "Traceback" not in told


def test_review_on_a_new_history_says_what_to_begin_with_and_ends_with_0(said: Said) -> None:
    told = "Nothing has been learned yet, so nothing is due. `shardwise practice` starts with 10 new questions.\n"
    assert said("review")[:2] == (0, told)


def test_a_topic_may_be_spelled_as_the_home_screen_spells_it(said: Said) -> None:
    code, told, _ = said("review", "--topic", "Memory budget")
    assert code == 0
    assert "in memory-budget" in told


def test_a_question_of_another_topic_than_the_one_asked_for_is_refused_with_2(said: Said) -> None:
    code, _, told = said("practice", "--topic", "ddp", "--question", "zero-order")
    assert code == 2
    assert "zero-order is of the topic zero-stages, not of ddp" in told


def test_a_damaged_history_is_refused_with_3_at_home_and_in_practice(tmp_path: Path, cache: Path, said: Said) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "history.db").write_bytes(b"not a database at all, whatever its name says" * 50)
    code, _, told = said(*QUESTION)
    assert code == 3
    assert "history.db" in told
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


def test_a_preview_follows_the_file_and_hands_the_terminal_to_the_editor_and_back(tmp_path: Path, cache: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f"#!/bin/sh\necho EDITING $1\nsed -i 's/kpt/kept/' $2\necho $1 > {tmp_path}/line\nread wait\n")
    editor.chmod(0o755)
    file = tmp_path / "bank" / "memory" / "which-fits.yaml"
    begin.write(begin.plan(Wanted("strategy", "which-fits", "memory", taught=False), tmp_path / "bank", file))
    with started(tmp_path, cache, "author", "preview", str(file), EDITOR=str(editor), VISUAL="") as terminal:
        terminal.wait_for("Which plan fits?")
        file.write_text(file.read_text(encoding="utf-8").replace("{{ kept }}: {{", "{{ kpt }}: {{"), encoding="utf-8")
        terminal.wait_for("1 error")
        terminal.send("e")
        terminal.wait_for("EDITING +")
        terminal.send("\r")
        terminal.wait_for("clean")
        terminal.send("q")
        assert ended(terminal) == 0
    assert "kept" in file.read_text(encoding="utf-8")
