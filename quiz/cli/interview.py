"""`shardwise interview`: mixed topics against the clock, no solution before the end, then a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.cli import practice
from quiz.cli.outcome import USAGE, Failure

if TYPE_CHECKING:
    import argparse

NAME = "interview"
HELP = (
    "Questions of all topics, mixed, against the clock. No solution is shown before the end; then a report says what\n"
    "was right, how long it took, where you were sure and wrong. It is stored only with --count."
)
MOST = 100
LONGEST = 240


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how many, how long, which, and whether it counts."""
    parser.add_argument("--questions", metavar="N", type=int, default=8, help=f"how many, 1 to {MOST} (default: 8)")
    parser.add_argument("--minutes", metavar="N", type=int, default=30, help=f"how long, 1 to {LONGEST} (default: 30)")
    parser.add_argument("--topic", metavar="T", action="append", default=[], help="only this topic; may be repeated")
    parser.add_argument("--count", action="store_true", help="store the answers: they move when questions come back")
    practice.add_bank(parser)
    parser.epilog = (
        "example:\n  shardwise interview --questions 6 --minutes 20\n\n"
        "exit codes: 0 done, 2 no such topic, or a number out of bounds, 3 no terminal, or the history cannot be used"
    )


def run(args: argparse.Namespace) -> int:
    """Open the screen on the first question."""
    from quiz.tui.ports import interview

    for name, value, most in (("--questions", args.questions, MOST), ("--minutes", args.minutes, LONGEST)):
        if not 1 <= value <= most:
            raise Failure(f"{name} is {value}; choose 1 to {most}.", code=USAGE)
    wanted = interview(tuple(args.topic), counts=args.count, most=args.questions, minutes=args.minutes)
    return practice.begin(wanted, args.bank)
