"""`shardwise cram`: everything once, the night before; nothing of it is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.cli import practice

if TYPE_CHECKING:
    import argparse

NAME = "cram"
HELP = (
    "Ask every question once, or those of some topics, in any order; what is missed comes again before the end.\n"
    "Nothing of it is stored: no question comes back sooner or later because of it."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare topics and bank."""
    parser.add_argument("--topic", metavar="T", action="append", default=[], help="only this topic; may be repeated")
    practice.add_bank(parser)
    parser.epilog = (
        "example:\n  shardwise cram --topic memory-budget --topic pipeline\n\n"
        "exit codes: 0 done, 2 no such topic or a bank with errors, 3 no terminal, or the history cannot be used"
    )


def run(args: argparse.Namespace) -> int:
    """Open the screen on the first question."""
    from quiz.tui.ports import Wanted

    return practice.begin(Wanted(topics=tuple(args.topic), mode="cram", counts=False), args.bank)
