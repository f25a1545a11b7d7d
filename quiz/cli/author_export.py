"""`shardwise author export`: a bank, or part of it, in the form of another program."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, OUTSIDE, USAGE, Failure
from quiz.nouns import count

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from quiz.authoring.exchange.drawn import Sheet
    from quiz.bank.library import Bank

FORMATS = ("anki", "markdown", "html", "csv", "gift")
_EPOCH = "SOURCE_DATE_EPOCH"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the format, the bank, what of it, and where it goes."""
    parser.add_argument("format", choices=FORMATS, metavar="FORMAT", help=", ".join(FORMATS))
    parser.add_argument("bank", nargs="?", metavar="BANK", help="the bank's folder (default: the bundled one)")
    parser.add_argument("--output", "-o", metavar="FILE", default="-", help="default: -, standard output")
    parser.add_argument("--force", action="store_true", help="replace FILE if it exists")
    parser.add_argument("--topic", action="append", default=[], metavar="T", help="only this topic; repeat")
    parser.add_argument("--question", action="append", default=[], metavar="ID", help="only this question; repeat")
    parser.add_argument(
        "--seed", default="", metavar="S", help="draw other numbers and another order; the same seed draws the same"
    )
    parser.add_argument(
        "--sheet",
        choices=("exam", "answers", "both"),
        help="html and markdown: the questions, their answers, or both (default: exam for html, both for markdown)",
    )
    parser.add_argument(
        "--raw", action="store_true", help="csv: cells as they are, even where a spreadsheet would compute them"
    )
    parser.epilog = (
        "examples:\n"
        "  shardwise author export html my-bank/ --seed monday -o exam.html\n"
        "  shardwise author export html my-bank/ --seed monday --sheet answers -o answers.html\n"
        "  shardwise author export anki my-bank/ -o my-bank.apkg\n\n"
        "exit codes: 0 done, 2 the bank has errors or FILE exists, 3 FILE cannot be written, or genanki is missing"
    )


def run(args: argparse.Namespace) -> int:
    """Write it; what the format cannot hold is said."""
    from quiz.authoring.exchange.drawn import draw
    from quiz.bank.diagnostics import BankError
    from quiz.cli.author_bank import chosen, open_bank, write_out

    _check(args)
    bank = open_bank(args.bank)
    ids = chosen(bank, args.topic, args.question)
    if not ids:
        raise Failure(f"the bank {bank.id} has no question to export.", code=USAGE)
    try:
        sheet = draw(bank, ids, args.seed)
    except BankError as error:
        raise Failure(f"{bank.folder} cannot be exported.\n{error}", code=USAGE) from error
    content = _content(args, bank, sheet)
    write_out(content, args.output, force=args.force)
    _told(args, sheet)
    return DONE


def _check(args: argparse.Namespace) -> None:
    """What does not go together. Raises Failure."""
    if args.sheet and args.format not in ("html", "markdown"):
        raise Failure(f"--sheet says nothing for {args.format}: each question has its solution there.", code=USAGE)
    if args.raw and args.format != "csv":
        raise Failure(f"--raw is for csv, not for {args.format}.", code=USAGE)
    if args.format == "anki" and args.output == "-" and os.isatty(1):
        raise Failure("an Anki package is no text. Name a file: --output my-bank.apkg.", code=USAGE)


def _content(args: argparse.Namespace, bank: Bank, sheet: Sheet) -> bytes:
    text: str
    if args.format == "anki":
        return _anki(args, bank, sheet)
    if args.format == "markdown":
        from quiz.authoring.exchange.as_markdown import as_markdown

        text = as_markdown(sheet, args.sheet or "both")
    elif args.format == "html":
        from quiz.authoring.exchange.as_html import as_html

        text = as_html(sheet, args.sheet or "exam")
    elif args.format == "csv":
        from quiz.authoring.exchange.as_csv import as_csv

        text = as_csv(sheet, safe=not args.raw)
    else:
        from quiz.authoring.exchange.as_gift import as_gift

        text = as_gift(sheet)
    return text.encode()


def _anki(args: argparse.Namespace, bank: Bank, sheet: Sheet) -> bytes:
    from quiz.authoring.exchange.as_anki import MissingGenankiError, as_anki

    try:
        if args.seed:
            say(
                "these numbers are not newer than those of a deck that was imported before: "
                "choose `Update notes: Always` when you import it, or Anki keeps what it has."
            )
        return as_anki(sheet, changed_in(bank, [drawn.question.id for drawn in sheet.questions]))
    except MissingGenankiError as error:
        raise Failure(
            "Anki packages are written by genanki, which is not installed: pip install 'shardwise[exchange]'.",
            code=OUTSIDE,
        ) from error


def changed_in(bank: Bank, ids: Sequence[str]) -> dict[str, int]:
    """When each question last changed: its file, what all files share, or the solver, whichever is newest.

    SOURCE_DATE_EPOCH, seconds since 1970, stands for all of them where it is set.
    """
    fixed = os.environ.get(_EPOCH, "")
    if fixed.isascii() and fixed.isdigit():
        return dict.fromkeys(ids, int(fixed))
    from importlib.resources import files

    import solvers

    shared: list[Any] = [bank.folder / "bank.yaml", bank.folder / "sources.yaml"]
    root = files(solvers)
    shared += getattr(root, "rglob", lambda _: ())("*.py")
    common = max((int(path.stat().st_mtime) for path in shared if path.is_file()), default=0)
    return {id_: max(common, int(bank.source_of(id_).stat().st_mtime)) for id_ in ids}


def _told(args: argparse.Namespace, sheet: Sheet) -> None:
    if args.format == "gift":
        from quiz.authoring.exchange.as_gift import lost_in

        lost: dict[str, list[str]] = {}
        for drawn in sheet.questions:
            for sentence in lost_in(drawn):
                lost.setdefault(sentence, []).append(drawn.question.id)
        for sentence, ids in lost.items():
            say(f"{sentence}: {', '.join(ids)}.")
    if args.output != "-":
        number = len(sheet.questions)
        say(f"{count(number, 'question')} written to {args.output}, sheet {sheet.code}.")
