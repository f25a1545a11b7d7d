"""`shardwise stats`: what the answers amount to, on the screen, as text, or as JSON."""

from __future__ import annotations

import re
import shutil
import sys
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, USAGE, Failure

if TYPE_CHECKING:
    import argparse

    from quiz.statistics.report import Report
    from quiz.tui.desk import HistoryDesk

NAME = "stats"
HELP = "Show what your answers amount to: memory, topics, what is ahead, practice, confidence, mistakes."

_LEAST_WIDTH: Final = 40
_MOST_WIDTH: Final = 200
_SPAN: Final = re.compile(r"(\d{1,5})\s*([dwmy])", re.ASCII)
_DAYS: Final = {"d": 1, "w": 7, "m": 30, "y": 365}
_SIGNS: Final = (
    ("█▇▆", "#"),
    ("▅▄▃━", "="),
    ("▂▁", "_"),
    ("▓", "%"),
    ("▒", "+"),
    ("░─┄╸–−", "-"),
    ("╍…", "~"),
    ("┅", ":"),
    ("│┃┊├┤┬┴", "|"),
    ("╭╮╰╯└", "+"),
    ("●", "o"),
    ("·", "."),
    ("→", ">"),
    ("⚑", "!"),
    ("“”", '"'),
    ("’", "'"),
)
# One sign for one, so that what stands under another goes on doing so.
_PLAIN: Final = str.maketrans(
    {sign: plain for signs, plain in _SIGNS for sign in signs} | {chr(0x2800 + bits): "." for bits in range(1, 256)}
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the figures are about, and how they are given."""
    from quiz.cli.practice import add_bank

    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print every figure as JSON")
    form.add_argument("--text", action="store_true", help="print the plots as text; so it does without a terminal")
    parser.add_argument("--topic", metavar="T", help="only questions of this topic")
    parser.add_argument(
        "--since", metavar="DAY", help="figures of the past from this day on: 2026-01-31, or 90d, 12w, 6m, 1y back"
    )
    add_bank(parser)
    parser.epilog = (
        "examples:\n  shardwise stats\n  shardwise stats --topic memory-budget --since 90d\n"
        "  shardwise stats --json | jq .calibration.brier\n\n"
        "exit codes: 0 done, 2 no such topic or day, or a bank with errors, 3 the history cannot be used"
    )


def run(args: argparse.Namespace) -> int:
    """Show them; what stands in the way becomes a sentence and its exit code."""
    from quiz.cli.practice import desk_for, one_of
    from quiz.tui.ports import Trouble, WantedFigures

    printed = args.json or args.text or not _on_terminal()
    # From the screen one may go on to practise, which begins a history; printing leaves no file behind.
    desk = desk_for(args.bank, looking=True, begins=not printed)
    try:
        for warning in desk.open().warnings:
            say(warning)
        topic = one_of("topic", args.topic, desk.topics()) if args.topic is not None else ""
        since = since_day(args.since, desk.today().day) if args.since else None
        if args.json:
            return _json(desk.statistics(topic, since), desk)
        if printed:
            return _text(desk.statistics(topic, since))
        from quiz.tui.launch import Launch
        from quiz.tui.launch import run as run_screen

        return run_screen(Launch(desk, WantedFigures(topic, since)))
    except Trouble as trouble:
        raise Failure(trouble.message, code=trouble.code) from trouble
    finally:
        desk.close()


def since_day(words: str, today: date) -> date:
    """The first day that counts, from a date or from a span back. Raises Failure."""
    span = _SPAN.fullmatch(words.strip().lower())
    if span and not int(span[1]):
        raise Failure(f"--since {words!r} spans no day; 1d is today.", code=USAGE)
    try:
        day = today - timedelta(days=int(span[1]) * _DAYS[span[2]] - 1) if span else date.fromisoformat(words.strip())
    except (ValueError, OverflowError):
        raise Failure(
            f"--since {words!r} is no day; write it as 2026-01-31, or as a span back: 90d, 12w, 6m, 1y.", code=USAGE
        ) from None
    if day > today:
        raise Failure(f"--since {day} lies ahead; today is {today}.", code=USAGE)
    return day


def _on_terminal() -> bool:
    return sys.stdout.isatty() and sys.stdin is not None and sys.stdin.isatty()


def _json(report: Report, desk: HistoryDesk) -> int:
    import json

    from quiz.statistics.report import document

    data = {"bank": desk.bank.id, **document(report)}
    print(json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False))
    return DONE


def _text(report: Report) -> int:
    """Every section, one after the other, with the plots of the screen."""
    from quiz.tui.figures import as_text

    width = max(_LEAST_WIDTH, min(_MOST_WIDTH, shutil.get_terminal_size((80, 24)).columns))
    lines = as_text(report, width)
    plain = not _spells_plots()
    for line in lines:
        print(line.translate(_PLAIN) if plain else line)
    return DONE


def _spells_plots() -> bool:
    """Whether the output can spell blocks and braille."""
    try:
        "█▁⣿├●┤╭━".encode(sys.stdout.encoding or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return False
    return True
