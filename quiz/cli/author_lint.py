"""`shardwise author lint`: what is wrong with a bank, and how each of its questions is decided."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, NEGATIVE, USAGE, Failure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from quiz.authoring.sheet import Findings

_WHOLE = ("bank.yaml", "sources.yaml")
_BAR = 30
_LEAST_BAR = 5
_COLLECT = (200_000, 10, 10)
"""Nearly all that is made while modules load and files are examined stays, so that the collector, which by default
looks after every 700 new objects, costs a lint of one changed file a twentieth of its time and finds nothing."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which bank, and how to say it."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a bank's folder, or files and folders in one (default: the bank that came with the program)",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the findings as JSON")
    form.add_argument(
        "--format", choices=("text", "json", "github"), default="text", help="github: annotations of a workflow run"
    )
    parser.add_argument(
        "--explain",
        nargs="?",
        const="",
        metavar="CODE",
        help="what a code means, badly and well written; without CODE: all codes",
    )
    parser.add_argument(
        "--history",
        nargs="+",
        default=[],
        metavar="FILE",
        help="histories of a class: how it answered each question, beside the line of its id",
    )
    parser.add_argument(
        "--figures",
        action="store_true",
        help="only the form and the questions' own figures: no variants, no wording, nothing between files",
    )
    parser.add_argument(
        "--since",
        metavar="COMMIT",
        help="compare the ids of questions with those where this branch left COMMIT (default: with the last commit)",
    )
    parser.add_argument("--no-cache", action="store_true", help="examine every file again, and keep nothing")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes for many files (default: one for each core)")
    parser.epilog = (
        "examples:\n  shardwise author lint my-bank/\n  shardwise author lint --explain key-longest\n\n"
        "exit codes: 0 no error (warnings may stand), 1 an error, 2 PATH is no bank"
    )


def run(args: argparse.Namespace) -> int:
    """Print the findings; 1 if there is an error, else 0."""
    gc.set_threshold(*_COLLECT)
    # The interpreter would look through everything once more when it ends, which takes a tenth of this time.
    atexit.register(gc.freeze)
    if args.explain is not None:
        return _explain(args.explain)
    if args.jobs is not None and args.jobs < 1:
        raise Failure(f"--jobs {args.jobs}: at least one process is needed.", code=USAGE)
    if args.history and args.figures:
        raise Failure("--figures tells nothing of single questions: leave out --history.", code=USAGE)
    from quiz.authoring.report import as_github, as_json, as_text, not_a_bank
    from quiz.bank.diagnostics import BankError

    found: list[Findings] = []
    failed = False
    for folder, only in _banks_of(args.paths).items():
        try:
            found.append(_beside(args, _lint(args, folder, only)))
        except BankError as error:
            say(not_a_bank(folder, error))
            failed = True
    if found:
        form = "json" if args.json else args.format
        if form == "json":
            print(as_json(found))
        else:
            print("\n\n".join((as_github if form == "github" else as_text)(one) for one in found))
    if failed:
        return USAGE
    return NEGATIVE if any(one.errors for one in found) else DONE


def _lint(args: argparse.Namespace, folder: Path, only: set[str] | None) -> Findings:
    from datetime import datetime

    from quiz.authoring.former import NoCommitError, base_of
    from quiz.authoring.lint import lint
    from quiz.paths import cache_folder

    try:
        since = "HEAD" if args.since is None else base_of(folder, args.since)
    except NoCommitError as error:
        raise Failure(f"--since {args.since}: {error}", code=USAGE) from error

    today = datetime.now().astimezone().date()
    cache = None if args.no_cache else cache_folder()
    with _progress() as progress:
        if args.figures:
            from quiz.authoring.own_figures import check_figures
            from quiz.authoring.pool import cores

            return check_figures(folder, only, workers=args.jobs or cores(), progress=progress)
        return lint(folder, today, only, cache=cache, workers=args.jobs, progress=progress, since=since)


def _beside(args: argparse.Namespace, found: Findings) -> Findings:
    """The findings with what a class made of the questions, where its histories are named."""
    if not args.history:
        return found
    from dataclasses import replace

    from quiz.cli.author_stats import beside

    answers = beside(found.folder, {row.id: row.file for row in found.rows}, args.history)
    if answers is None:
        say("How a class answered is not shown: no question of this bank can be asked yet.")
    return replace(found, answers=answers)


def _banks_of(paths: Sequence[str]) -> dict[Path, set[str] | None]:
    """The folder of each bank that is meant, and the files of it; None for all of them."""
    if not paths:
        from quiz.paths import bundled_bank

        return {bundled_bank(): None}
    from quiz.cli.author_bank import bank_of, files_of

    banks: dict[Path, set[str] | None] = {}
    for path in paths:
        folder, name = bank_of(path)
        if name is None or name in _WHOLE:
            banks[folder] = None
        elif banks.get(folder, set()) is not None:
            banks[folder] = {*(banks.get(folder) or ()), *files_of(folder, name)}
    return banks


def _explain(code: str) -> int:
    from quiz.authoring.codes import UnknownCodeError, explained, listed

    if not code:
        print(listed())
        return DONE
    try:
        print(explained(code))
    except UnknownCodeError as error:
        raise Failure(str(error), code=USAGE) from error
    return DONE


def bar(done: int, of: int, left: float, columns: int) -> str:
    """How far the work is, on one line of a terminal; a line that wraps could not be taken back."""
    words = f"{done} of {of} files, {left:.0f} s left"
    for text in (f"{words} (Ctrl+C stops)", words, f"{done} of {of}"):
        room = min(_BAR, columns - 2 - len(text))
        if room >= _LEAST_BAR:
            filled = room * done // of
            return f"{'━' * filled}{' ' * (room - filled)} {text}"
    return f"{done} of {of}" if len(f"{done} of {of}") < columns else ""


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return 80


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal's stderr, from a second of work on; nothing elsewhere, and nothing left behind."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    import time

    began = time.monotonic()
    drawn = 0.0

    def show(done: int, of: int) -> None:
        nonlocal drawn
        now = time.monotonic()
        if now - began < 1 or (now - drawn < 0.1 and done < of):  # noqa: PLR2004 - ten times a second
            return
        drawn = now
        left = (now - began) / done * (of - done)
        line = bar(done, of, left, _columns())
        print(f"\r{line}\x1b[K", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
