"""The table of commands: name, module and help in one line, so that `--help` imports none of them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable


class Command(NamedTuple):
    """One line of the table. `module` is imported when the command is run, not before."""

    name: str
    module: str
    help: str


class CommandModule(Protocol):
    """What a command's module offers."""

    NAME: str
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments; set `parser.epilog` to an example."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it and return the exit code."""


COMMANDS = (
    Command("practice", "quiz.cli.practice", "answer questions: new ones and those that are due"),
    Command("review", "quiz.cli.review", "answer only what is due today"),
    Command("cram", "quiz.cli.cram", "ask everything once, or a topic; it never counts"),
    Command("interview", "quiz.cli.interview", "questions of all topics against the clock, with a report at the end"),
    Command("browse", "quiz.cli.browse", "all questions: how each stands, its solution, your marks"),
    Command("solve", "quiz.cli.solve", "compute a quantity of a training run, with its derivation"),
    Command("check", "quiz.cli.check", "grade a typed answer, or a file of them"),
    Command("prove", "quiz.cli.prove", "predict what a training run holds and sends, then run it and see"),
    Command("author", "quiz.cli.author", "check a bank of questions: what is wrong, how each is decided"),
    Command("mark", "quiz.cli.mark", "suspend, bury, flag or note a question"),
    Command("settings", "quiz.cli.settings", "show and change limits, retention, the day of your interview"),
    Command("stats", "quiz.cli.stats", "show what your answers amount to, as plots or JSON"),
    Command("history", "quiz.cli.history", "show, export, merge, rebuild, restore what is stored of your answers"),
    Command("doctor", "quiz.cli.doctor", "show what the program found on this machine"),
)

NAMES = tuple(command.name for command in COMMANDS)


def find(name: str) -> Command | None:
    """The command of that name, or None."""
    return next((command for command in COMMANDS if command.name == name), None)


def load(command: Command) -> CommandModule:
    """The command's module, imported now."""
    return cast("CommandModule", import_module(command.module))


def load_home() -> Callable[[], int]:
    """What runs when no command is given: the practice command's `home`, imported now."""
    return cast("Callable[[], int]", import_module("quiz.cli.practice").home)
