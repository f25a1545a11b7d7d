"""From a command line to a command, in this process; a stand-in plays the command."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from quiz import _version
from quiz.cli import commands
from quiz.cli.entry import main
from quiz.cli.outcome import Failure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable


class StandIn(ModuleType):
    """A command's module that does what a test wants."""

    NAME = "solve"
    HELP = "Stand in."

    def __init__(self, action: Callable[[argparse.Namespace], int]) -> None:
        super().__init__("stand_in")
        self.run = action
        self.home = lambda: 0

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--topic")
        parser.epilog = "example:\n  shardwise solve --topic memory"


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[argparse.Namespace], int]], StandIn]:
    def install(name: str, action: Callable[[argparse.Namespace], int]) -> StandIn:
        module = StandIn(action)
        monkeypatch.setitem(sys.modules, f"quiz.cli.{name}", module)
        return module

    return install


def answer(code: int) -> Callable[[argparse.Namespace], int]:
    return lambda _args: code


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_version_is_one_line_on_stdout(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word]) == 0
    assert capsys.readouterr() == (f"shardwise {_version.__version__}\n", "")


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"], ["help", "--help"]])
def test_help_names_every_command_and_exit_code(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    shown, said = capsys.readouterr()
    assert said == ""
    for command in commands.COMMANDS:
        assert f"  {command.name} " in shown
        assert command.help in shown
    assert "130 interrupted" in shown


def test_help_fits_into_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 100] == []


@pytest.mark.parametrize(
    ("typed", "meant"), [("practise", "practice"), ("PRACTICE", "practice"), ("rev", "review"), ("sovle", "solve")]
)
def test_a_mistyped_command_names_the_nearest_and_ends_with_2(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([typed]) == 2
    shown, said = capsys.readouterr()
    assert shown == ""
    assert f"Did you mean `shardwise {meant}`?" in said


@pytest.mark.parametrize("typed", ["zzz", "", "😀", "help zzz"])
def test_a_word_like_no_command_lists_them_all(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(typed.split(" ")) == 2
    said = capsys.readouterr().err
    for name in commands.NAMES:
        assert name in said


def test_an_option_before_its_command_is_told_where_it_belongs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--topic", "memory", "practice"]) == 2
    assert "shardwise practice --topic" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--nonsense"], ["--version", "extra"], ["-x", "-y"]])
def test_an_option_that_stands_alone_and_means_nothing_ends_with_2(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert words[0] in capsys.readouterr().err


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_the_code_of_a_command_is_the_code_of_the_program(
    code: int, stand_in: Callable[[str, Callable[[argparse.Namespace], int]], StandIn]
) -> None:
    stand_in("solve", answer(code))
    assert main(["solve"]) == code


def test_arguments_reach_the_command(
    stand_in: Callable[[str, Callable[[argparse.Namespace], int]], StandIn],
) -> None:
    seen = []

    def note(args: argparse.Namespace) -> int:
        seen.append(args.topic)
        return 0

    stand_in("solve", note)
    assert main(["solve", "--topic", "memory"]) == 0
    assert seen == ["memory"]


def test_no_command_opens_the_home_screen(
    stand_in: Callable[[str, Callable[[argparse.Namespace], int]], StandIn],
) -> None:
    module = stand_in("practice", answer(0))
    module.home = lambda: 3
    assert main([]) == 3


@pytest.mark.parametrize("words", [["solve", "--help"], ["help", "solve"]])
def test_the_help_of_a_command_ends_with_its_example(
    words: list[str],
    stand_in: Callable[[str, Callable[[argparse.Namespace], int]], StandIn],
    capsys: pytest.CaptureFixture[str],
) -> None:
    stand_in("solve", answer(1))
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("usage: shardwise solve")
    assert shown.endswith("example:\n  shardwise solve --topic memory\n")


def test_a_mistyped_option_names_the_nearest_and_ends_with_2(
    stand_in: Callable[[str, Callable[[argparse.Namespace], int]], StandIn], capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in("solve", answer(0))
    assert main(["solve", "--topik", "memory"]) == 2
    assert "Did you mean --topic?" in capsys.readouterr().err


def test_options_are_not_abbreviated(
    stand_in: Callable[[str, Callable[[argparse.Namespace], int]], StandIn], capsys: pytest.CaptureFixture[str]
) -> None:
    """An abbreviation that works today breaks on the day when a second option begins alike."""
    stand_in("solve", answer(0))
    assert main(["solve", "--top", "memory"]) == 2
    assert "Did you mean --topic?" in capsys.readouterr().err


def test_a_failure_is_a_message_and_its_code(
    stand_in: Callable[[str, Callable[[argparse.Namespace], int]], StandIn], capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_args: argparse.Namespace) -> int:
        message = "bank.yaml:3: no such topic.\nTopics: memory."
        raise Failure(message, code=2)

    stand_in("solve", fail)
    assert main(["solve"]) == 2
    assert capsys.readouterr() == ("", "shardwise: bank.yaml:3: no such topic.\nTopics: memory.\n")
