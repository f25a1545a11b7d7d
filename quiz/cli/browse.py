"""`shardwise browse`: all questions, how each stands, what was said of it; it schedules nothing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from quiz.cli import practice
from quiz.cli.lab import lab_for
from quiz.cli.outcome import DONE, Failure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from quiz.tui.ports import Line

NAME = "browse"
HELP = (
    "List all questions: how each stands, your marks, its solution. Reading changes nothing of the schedule.\n"
    "Where the output is no terminal, or with --json, the list is printed."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare topic and bank."""
    parser.add_argument("--topic", metavar="T", help="only questions of this topic")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    practice.add_bank(parser)
    parser.epilog = (
        "examples:\n  shardwise browse\n  shardwise browse --topic pipeline --json\n\n"
        "exit codes: 0 done, 2 no such topic or a bank with errors, 3 the history cannot be used"
    )


def run(args: argparse.Namespace) -> int:
    """Open the list on a screen, or print it."""
    from quiz.tui.launch import Launch
    from quiz.tui.launch import run as run_screen
    from quiz.tui.ports import Trouble, WantedList

    desk = practice.desk_for(args.bank, looking=True)
    try:
        desk.open()
        topic = practice.one_of("topic", args.topic, desk.topics()) if args.topic is not None else ""
        if sys.stdout is not None and sys.stdout.isatty() and not args.json:
            return run_screen(Launch(desk, WantedList(topic), lab_for(desk)))
        lines = [line for line in desk.browse() if not topic or line.topic == topic]
    except Trouble as trouble:
        raise Failure(trouble.message, code=trouble.code) from trouble
    finally:
        desk.close()
    _print(lines, as_json=args.json)
    return DONE


def _print(lines: Sequence[Line], *, as_json: bool) -> None:
    from quiz.tui.marked import sentence

    if as_json:
        import dataclasses
        import json

        print(json.dumps([dataclasses.asdict(line) for line in lines], ensure_ascii=False, indent=2))
        return
    widths = [max((len(text) for text in texts), default=0) for texts in zip(*map(_columns, lines), strict=True)]
    for line in lines:
        told = [text.ljust(width) for text, width in zip(_columns(line), widths, strict=True)]
        leech = f"forgotten {line.lapses} times" if line.lapses else ""
        print("  ".join([*told, "; ".join(part for part in (sentence(line.marked), leech) if part)]).rstrip())


def _columns(line: Line) -> tuple[str, str, str, str]:
    return line.id, line.topic, line.title, line.stands
