"""`shardwise author`: the bench of whoever writes questions. Each action is a module of its own."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from quiz.cli.parser import AnyOrderParser

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

NAME = "author"
HELP = "Write and check a bank: every problem with its line, each question's key and margin, the form for your editor."


class Action(Protocol):
    """What the module of an action offers."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments; set `parser.epilog` to an example."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it and return the exit code."""


class _ActionParser(AnyOrderParser):
    """The parser of an action, which is loaded when it is chosen."""

    def __init__(self, *, module: str, **more: Any) -> None:  # noqa: ANN401 - handed on
        super().__init__(**more)
        self._module = module

    def parse_known_args(  # type: ignore[override] # argparse's overloads tell only what the namespace is
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Declare the arguments, and parse them."""
        action = cast("Action", import_module(self._module))
        self.set_defaults(act=action.run)
        action.add_arguments(self)
        return super().parse_known_args(args, namespace)


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
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, parser_class=_ActionParser)
    for name, (module, help_) in ACTIONS.items():
        more: dict[str, Any] = {"help": help_, "description": f"{help_[0].upper()}{help_[1:]}.", "module": module}
        actions.add_parser(name, **more)


def run(args: argparse.Namespace) -> int:
    """Do it."""
    code: int = args.act(args)
    return code
