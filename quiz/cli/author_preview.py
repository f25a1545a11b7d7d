"""`shardwise author preview`: a question as its learners will see it, with the lint beside it, while it is written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from quiz.cli.outcome import DONE, NEGATIVE, USAGE, Failure

if TYPE_CHECKING:
    import argparse

    from quiz.authoring.preview import Preview


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which question, and how to show it."""
    parser.add_argument("path", metavar="PATH", help="a file of a bank, or a folder: the bank's, or one in it")
    parser.add_argument("--question", metavar="ID", help="the question of this id in the bank")
    parser.add_argument(
        "--variant", type=int, default=1, metavar="N", help="begin with its Nth variant (1: its own numbers)"
    )
    parser.add_argument("--text", action="store_true", help="print the question and the findings, and open no screen")
    parser.epilog = (
        "examples:\n  shardwise author preview my-bank/memory/which-fits.yaml\n"
        "  shardwise author preview my-bank/ --question which-fits --text\n\n"
        "The screen follows the file as you save it; e opens $VISUAL or $EDITOR at the line of a finding. Where the\n"
        "output is no terminal, the question is printed.\n\n"
        "exit codes: 0 done, 1 printed, and the question has an error, 2 PATH is no bank or has no such question,\n"
        "3 no terminal to draw on"
    )


def run(args: argparse.Namespace) -> int:
    """Open the screen, or print."""
    from quiz.authoring.preview import Preview
    from quiz.bank.diagnostics import BankError
    from quiz.cli.author_bank import bank_of
    from quiz.paths import cache_folder

    if args.variant < 1:
        raise Failure(f"--variant {args.variant}: the first one is 1.", code=USAGE)
    folder, file = bank_of(args.path)
    preview = Preview(folder, cache_folder())
    try:
        name = _chosen(preview, file, args.question)
    except BankError as error:
        raise Failure(f"{folder} cannot be shown.\n{error}", code=USAGE) from error
    if args.text or sys.stdout is None or not sys.stdout.isatty():
        return _print(preview, name, args.variant)
    from quiz.tui.launch import run_preview
    from quiz.tui.ports import Trouble

    try:
        return run_preview(preview, name, args.variant - 1)
    except Trouble as trouble:
        raise Failure(trouble.message, code=trouble.code) from trouble


def _chosen(preview: Preview, file: str | None, question: str | None) -> str:
    """The file that is meant. Raises Failure, and `BankError` where there is no bank."""
    from quiz.bank.files import MANIFEST, SOURCES

    names = preview.names()
    if question is not None:
        found = preview.named(question)
        if found is None or (file is not None and found != file and not found.startswith(f"{file}/")):
            where = preview.folder if file is None else preview.folder / file
            raise Failure(f"there is no question {question!r} in {where}.", code=USAGE)
        return found
    if file is not None and file not in (MANIFEST, SOURCES):
        return _file_of(preview.folder, file)
    if not names:
        raise Failure(f"{preview.folder} holds no question that can be read.", code=USAGE)
    return names[0]


def _file_of(folder: Path, name: str) -> str:
    """The file that is meant by its name or that of its folder. Raises Failure where it is no file of the bank."""
    from quiz.bank.files import list_bank, passed_over
    from quiz.cli.author_bank import files_of

    listing = list_bank(folder)
    files = files_of(folder, name)
    file = next((one for one in files if one in listing.questions), files[0])
    if file not in listing.questions:
        about = [one for one in listing.problems if one.place.file == file] or passed_over(listing, (file,))
        raise Failure(f"{folder / file}: {about[0].what}. {about[0].next}".strip(), code=USAGE)
    return file


def _print(preview: Preview, name: str, variant: int) -> int:
    from quiz.authoring.report import as_text
    from quiz.authoring.sheet import Findings
    from quiz.tui import previewing

    preview.meet()
    look = preview.look(name)
    if look.picture is not None and variant > len(look.picture.draws):
        raise Failure(f"--variant {variant}: {name} has {len(look.picture.draws)}.", code=USAGE)
    shown = previewing.as_text(look, variant - 1)
    if shown:
        print(shown, end="\n\n")
    rows = (look.picture.row,) if look.picture is not None else ()
    print(as_text(Findings(Path(preview.folder), look.findings, rows, None, look.waived)))
    return NEGATIVE if look.errors else DONE
