"""argparse, with messages that say what next."""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING, NoReturn

from quiz.cli.guard import say
from quiz.cli.nearest import nearest
from quiz.cli.outcome import USAGE

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class CommandParser(argparse.ArgumentParser):
    """A parser for one command: no abbreviations, a suggestion for a mistyped option, exit code 2 for misuse."""

    def __init__(self, *, prog: str, description: str, color: bool = False) -> None:
        super().__init__(
            prog=prog,
            description=description,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.color = color  # argparse's default from Python 3.14 on puts colour codes into the usage line

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; unlike argparse's own it does not swallow a failure to write."""
        print(self.format_help(), end="", file=file or sys.stdout)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the command line and end with 2."""
        say(f"{message}{self._suggestion(message)}\nUsage: {self._usage_line()}\nMore: {self.prog} --help")
        sys.exit(USAGE)

    def _suggestion(self, message: str) -> str:
        mistyped = re.search(r"unrecognized arguments: (--[^\s=]+)", message)
        guess = nearest(mistyped[1], list(self._option_string_actions)) if mistyped else None
        return f". Did you mean {guess}?" if guess else "."

    def _usage_line(self) -> str:
        return " ".join(self.format_usage().removeprefix("usage: ").split())
