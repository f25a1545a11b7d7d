"""`shardwise author`: the bench of whoever writes questions. Each action is a module of its own."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from quiz.cli.parser import AnyOrderParser

if TYPE_CHECKING:
    import argparse

NAME = "author"
HELP = "Write and check a bank: every problem with its line, each question's key and margin, the form for your editor."


class Action(Protocol):
    """What the module of an action offers."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments; set `parser.epilog` to an example."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it and return the exit code."""


ACTIONS: Final = {
    "new": ("quiz.cli.author_new", "write a whole small question of a kind, for you to change"),
    "preview": (
        "quiz.cli.author_preview",
        "see a question as its learners will, with the lint beside it, as you write",
    ),
    "lint": ("quiz.cli.author_lint", "check every question of a bank: facts, craft, what guessers make of it"),
    "schema": ("quiz.cli.author_schema", "write the JSON Schema of a question file, for completion in editors"),
    "stats": ("quiz.cli.author_stats", "item statistics: how a class answered each question, and what that says of it"),
    "export": ("quiz.cli.author_export", "write a bank for Anki, for print (HTML), as Markdown, CSV or GIFT"),
    "import": (
        "quiz.cli.author_import",
        "take over questions from Anki, GIFT or CSV, as files that say what is missing",
    ),
    "diff": ("quiz.cli.author_diff", "what changed in keys, figures and options between two versions of a bank"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    parser.epilog = (
        "examples:\n  shardwise author new strategy\n  shardwise author lint my-bank/\n"
        "  shardwise author schema > question.schema.json\n"
        "  shardwise author export anki my-bank/ -o my-bank.apkg\n\n"
        "exit codes: 0 nothing wrong, 1 a question has an error, 2 PATH is no bank or the command line is wrong"
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, parser_class=AnyOrderParser)
    for name, (module, help_) in ACTIONS.items():
        action = cast("Action", import_module(module))
        more: dict[str, Any] = {"help": help_, "description": f"{help_[0].upper()}{help_[1:]}."}
        added = actions.add_parser(name, **more)
        added.set_defaults(act=action.run)
        action.add_arguments(added)


def run(args: argparse.Namespace) -> int:
    """Do it."""
    code: int = args.act(args)
    return code
