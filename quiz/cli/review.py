"""`shardwise review`: only what is due today."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.cli import practice

if TYPE_CHECKING:
    import argparse

NAME = "review"
HELP = "Answer only what is due today. Where nothing is due it says when the next question is, and ends with 0."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare topic and bank."""
    parser.add_argument("--topic", metavar="T", help="only questions of this topic")
    practice.add_bank(parser)
    parser.epilog = (
        "example:\n  shardwise review\n\nexit codes: 0 done or nothing due, 2 usage, 3 no terminal or no history"
    )


def run(args: argparse.Namespace) -> int:
    """Open the screen on the first question that is due."""
    from quiz.tui.ports import Wanted

    return practice.begin(Wanted(topics=(args.topic,) if args.topic is not None else (), due_only=True), args.bank)
