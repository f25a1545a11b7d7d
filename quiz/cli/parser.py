"""argparse, with messages that say what next."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import TYPE_CHECKING, NoReturn

from quiz.cli.guard import say
from quiz.cli.nearest import nearest
from quiz.cli.outcome import USAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import SupportsWrite


_NARROW = 80


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """argparse's own, which imports shutil and with it the archives for the width of the terminal, at every option."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    """The width of the terminal as shutil tells it."""
    stated = os.environ.get("COLUMNS", "")
    if stated.isdecimal() and int(stated):
        return int(stated)
    if sys.__stdout__ is None:
        return _NARROW
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _NARROW
    except (ValueError, OSError):
        return _NARROW  # closed, or no terminal


class CommandParser(argparse.ArgumentParser):
    """A parser for one command: no abbreviations, a suggestion for a mistyped option, exit code 2 for misuse."""

    def __init__(self, *, prog: str, description: str, color: bool = False) -> None:
        super().__init__(
            prog=prog,
            description=description,
            allow_abbrev=False,
            formatter_class=_Formatter,
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
        if lacking := re.search(r"argument (--\S+): expected one argument", message):
            return f". A value that begins with a minus is joined by =, as in {lacking[1]}=-P."
        mistyped = re.search(r"unrecognized arguments: (--[^\s=]+)", message)
        guess = nearest(mistyped[1], list(self._option_string_actions)) if mistyped else None
        return f". Did you mean {guess}?" if guess else "."

    def _usage_line(self) -> str:
        return " ".join(self.format_usage().removeprefix("usage: ").split())


class AnyOrderParser(CommandParser):
    """A parser for one action whose options and paths may stand in any order.

    argparse takes an optional list of paths to be empty where an option stands first, and then refuses the paths behind
    it.
    """

    def parse_known_args(  # type: ignore[override] # argparse's overloads tell only what the namespace is
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse with the paths put before the options."""
        words = sys.argv[1:] if args is None else list(args)
        found, unknown = super().parse_known_args(self._paths_first(words), namespace)
        if unknown:  # said here and not by the parser above, which knows neither these options nor how they are used
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def _paths_first(self, words: list[str]) -> list[str]:
        paths: list[str] = []
        options: list[str] = []
        at = 0
        while at < len(words):
            word = words[at]
            at += 1
            if word == "--":
                paths += [f"./{path}" if path.startswith("-") else path for path in words[at:]]
                break
            if word == "-" or not word.startswith("-"):
                paths.append(word)
                continue
            options.append(word)
            action = self._option_string_actions.get(word)
            takes = 0 if action is None or action.nargs == 0 else len(words) if action.nargs == "+" else 1
            while takes and at < len(words) and (words[at] == "-" or not words[at].startswith("-")):
                options.append(words[at])
                at += 1
                takes -= 1
        return [*paths, *options]
