"""`shardwise author lint`: what is wrong with a bank, and how each of its questions is decided."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, NEGATIVE, USAGE, Failure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from quiz.bank.lint import Findings, Row

NAME = "author"
HELP = "Check a bank: every problem with its line, and for each question its computed key and margin."

_COLUMNS = ("question", "kind", "key", "margin", "variants")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what to do and to which bank."""
    parser.add_argument("action", choices=("lint",), help="lint: check every question of a bank")
    parser.add_argument(
        "path",
        nargs="?",
        metavar="PATH",
        help="the bank's folder, or one file in it (default: the bank that came with the program)",
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.epilog = (
        "example:\n  shardwise author lint my-bank/\n\n"
        "exit codes: 0 nothing wrong, 1 a question has an error, 2 PATH is no bank"
    )


def run(args: argparse.Namespace) -> int:
    """Print the findings; 1 if a question has an error, else 0."""
    from quiz.bank.diagnostics import BankError
    from quiz.bank.lint import lint

    folder, only = _bank_of(args.path)
    try:
        found = lint(folder, only)
    except BankError as error:
        say(f"{folder} cannot be checked.\n{error}")
        return USAGE
    print(_as_json(found) if args.json else _as_text(found))
    return NEGATIVE if found.errors else DONE


def _bank_of(path: str | None) -> tuple[Path, str | None]:
    """The folder of the bank, and the one file of it that is meant."""
    if path is None:
        from quiz.paths import bundled_bank

        return bundled_bank(), None
    named = Path(path)
    if not named.is_file():
        return named, None
    for folder in named.absolute().parents:
        if (folder / "bank.yaml").is_file():
            return folder, named.absolute().relative_to(folder).as_posix()
    raise Failure(f"{path} lies in no bank: no folder above it has a bank.yaml. Name the bank's folder.", code=USAGE)


def _as_text(found: Findings) -> str:
    from quiz.bank.diagnostics import escape

    blocks = [one.render(found.sources.get(one.place.file)) for one in found.diagnostics]
    if found.rows:
        blocks.append(_table([_COLUMNS, *(_cells(row) for row in found.rows)]))
    notes = [f"{row.id}: rejected {row.rejected}." for row in found.rows if row.rejected]
    if notes:
        blocks.append("\n".join(notes))
    blocks.append(_summary(found))
    return "\n".join(escape(line) for line in "\n\n".join(blocks).split("\n"))


def _cells(row: Row) -> tuple[str, ...]:
    return row.id, row.kind, row.answer if row.kind == "numeric" else " > ".join(row.key), row.margin, str(row.variants)


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _summary(found: Findings) -> str:
    asserted, options = sum(row.asserted for row in found.rows), sum(row.options for row in found.rows)
    share = f"; {asserted} of {options} options are asserted and not computed" if options else ""
    warnings = len(found.diagnostics) - found.errors
    whole = "1 question is whole" if len(found.rows) == 1 else f"{len(found.rows)} questions are whole"
    return f"{whole}, {_counted(found.errors, 'error')}, {_counted(warnings, 'warning')}{share}."


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _as_json(found: Findings) -> str:
    """JSON in which what does not print (a control, a byte of a file name that is no text) stands as an escape."""
    text = json.dumps(_as_data(found), ensure_ascii=False, indent=2)
    return "".join(one if one == "\n" or one.isprintable() else json.dumps(one)[1:-1] for one in text)


def _as_data(found: Findings) -> dict[str, Any]:
    return {
        "questions": [
            {
                "id": row.id,
                "file": row.file,
                "kind": row.kind,
                "key": list(row.key),
                "answer": row.answer,
                "margin": row.margin,
                "variants": row.variants,
                "rejected": row.rejected,
                "asserted": row.asserted,
                "options": row.options,
            }
            for row in found.rows
        ],
        "diagnostics": [
            {
                "file": one.place.file,
                "line": one.place.line,
                "column": one.place.column,
                "severity": one.severity,
                "code": one.code,
                "path": one.path,
                "what": one.what,
                "why": one.why,
                "next": one.next,
            }
            for one in found.diagnostics
        ],
    }
