"""`shardwise author stats`: how a class answered each question, and what that says of it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, NEGATIVE, USAGE, Failure
from quiz.nouns import count

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from quiz.authoring.items.beside import Answered
    from quiz.authoring.items.figures import Figures, ItemFigures
    from quiz.authoring.items.from_history import Learner
    from quiz.authoring.items.table import Responses
    from quiz.bank.library import Bank

_SAID = 40
"""So many things that were left out of a table are told each by itself."""
_COLUMNS = ("question", "n", "right", "r", "D", "wrong options")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the bank, and where the answers come from."""
    parser.add_argument("bank", nargs="?", metavar="BANK", help="the bank's folder (default: the bundled one)")
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--history",
        nargs="+",
        metavar="FILE",
        help="exports of `shardwise history export`, or history files: a learner each (default: your own history)",
    )
    source.add_argument("--csv", metavar="FILE", help="a table of answers: a row a learner, a column a question")
    parser.add_argument("--question", action="append", default=[], metavar="ID", help="only this question; repeat")
    parser.add_argument("--topic", action="append", default=[], metavar="T", help="only this topic; repeat")
    parser.add_argument("--json", action="store_true", help="print every figure as JSON; null is `not defined`")
    parser.epilog = (
        "example:\n  shardwise author stats my-bank/ --history class/*.jsonl\n\n"
        "Only a learner's first answer to a question counts. r: right or wrong with the score on the other\n"
        "questions. D: share right in the upper 27 % less that in the lower. Both near 0 or below: look at it.\n\n"
        "exit codes: 0 done, 1 something was left out and named, 2 a file cannot be read, or there are no answers"
    )


def run(args: argparse.Namespace) -> int:
    """Print the figures."""
    from quiz.authoring.items.figures import figures_of

    said: list[str] = []
    bank = _bank(args)
    table, whole = (
        _from_csv(Path(args.csv), _wanted(args, bank), bank, said) if args.csv else _from_histories(args, bank, said)
    )
    for line in said:
        say(line)
    if not table.people or not table.items:
        raise Failure(_nothing(args, bank), code=USAGE)
    figures = figures_of(table, whole)
    if args.json:
        print(_as_json(figures, bank))
    else:
        from quiz.bank.diagnostics import escape

        print("\n".join(escape(line) for line in _as_text(figures, bank).split("\n")))
    return NEGATIVE if said else DONE


def _bank(args: argparse.Namespace) -> Bank | None:
    """The bank; None where a table of answers is read by itself."""
    if args.csv and args.bank is None and not args.topic:
        return None
    from quiz.cli.author_bank import open_bank

    return open_bank(args.bank)


def _wanted(args: argparse.Namespace, bank: Bank | None) -> tuple[str, ...]:
    """The questions that were asked for; empty for all. Raises Failure where one is not there."""
    if bank is None:
        return tuple(args.question)
    from quiz.cli.author_bank import chosen

    return chosen(bank, args.topic, args.question) if args.topic or args.question else ()


def _from_csv(path: Path, wanted: Sequence[str], bank: Bank | None, said: list[str]) -> tuple[Responses, int]:
    """The answers in a table, and out of how many questions; what is left out is said with its place and what next."""
    from quiz.authoring.items.from_csv import MAX_BYTES, Asked, UnreadableError, checked_csv

    asked = None
    if bank is not None:
        asked = Asked((*(entry.id for entry in bank.index), *bank.renamed), partial(_options_in, bank))
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        table, left_out = checked_csv(content, asked)
    except OSError as error:
        raise Failure(f"{path} cannot be read: {(error.strerror or str(error)).lower()}.", code=USAGE) from error
    except UnreadableError as error:
        where = f"{path}:{error.line}" if error.line else str(path)
        raise Failure(f"{where}: {error.what}.", code=USAGE) from error
    for one in left_out[:_SAID]:
        many = f" {one.cells} such cells are left out." if one.cells > 1 else " Left out."
        said.append(f"{path}:{one.line}, column {one.column}: {one.what}.{many} {one.next}")
    if len(left_out) > _SAID:
        said.append(f"{path}: {len(left_out) - _SAID} more things are left out.")
    return _named(table, wanted, bank, said), len(table.items)


def _options_in(bank: Bank, question: str) -> Sequence[str]:
    """The options of a question, also by a former id of it."""
    return tuple(option.id for option in bank.question(bank.renamed.get(question, question)).options)


def _named(table: Responses, wanted: Sequence[str], bank: Bank | None, said: list[str]) -> Responses:
    """The questions of a table that are wanted, each by its id of today."""
    from dataclasses import replace

    from quiz.authoring.items.table import Responses

    renamed = {} if bank is None else bank.renamed
    there = {item.id for item in table.items}
    now = {id_: renamed.get(id_, id_) if renamed.get(id_, id_) not in there else id_ for id_ in there}
    items = tuple(item for item in table.items if not wanted or now[item.id] in wanted)
    if bank is None:
        said += [f"no column is named {name}, which you asked for. Left out." for name in wanted if name not in there]
    return Responses(
        table.people,
        tuple(replace(item, id=now[item.id]) for item in items),
        {now[item.id]: table.cells[item.id] for item in items},
    )


def _from_histories(args: argparse.Namespace, bank: Bank | None, said: list[str]) -> tuple[Responses, int]:
    from quiz.authoring.items.from_history import responses_of, unknown_of

    if bank is None:  # a history names its bank, so one is always open here
        raise ValueError("a history was to be read without a bank")
    wanted = _wanted(args, bank)
    learners = _learners(args.history or [str(_own())], said)
    every = responses_of(learners, bank)
    table = responses_of(learners, bank, wanted) if wanted else every
    gone = unknown_of(table, bank)
    if gone:
        say(f"answered, and no longer in the bank {bank.id}: {', '.join(gone)}.")
    return table, len(every.items)


def _learners(files: Sequence[str], said: list[str]) -> Sequence[Learner]:
    """The answers of a class, a learner a file. Raises Failure for a file that is not there."""
    from quiz.authoring.items.from_history import Class, events_of

    together = Class()
    for name in files:
        try:
            together.add(name, events_of(Path(name), said))
        except OSError as error:
            raise Failure(f"{name} cannot be read: {(error.strerror or str(error)).lower()}.", code=USAGE) from error
    for line in together.said:
        say(line)
    return together.learners


def beside(folder: Path, files: Mapping[str, str], histories: Sequence[str]) -> Answered | None:
    """How a class answered the questions of a bank, each with the line of its id; `files` are by question.

    None where no question can be asked yet. Lines of a history that cannot be read are named on stderr. Raises Failure
    for a file that cannot be.
    """
    from quiz import paths
    from quiz.authoring.items.beside import answered
    from quiz.authoring.items.figures import figures_of
    from quiz.authoring.items.from_history import responses_of
    from quiz.bank import library

    said: list[str] = []
    try:
        bank = library.open_bank(folder, paths.cache_folder(), strict=False)
    except library.BankError:
        return None
    # Also what is not linted now was answered, and is what the answers to the others are held against.
    table = responses_of(_learners(histories, said), bank)
    for line in said:
        say(line)
    return answered(figures_of(table), folder, files)


def _own() -> Path:
    from quiz.cli.history import history_path

    path = history_path()
    if not path.is_file():
        raise Failure(
            "you have no history here yet. Name those of your class: shardwise author stats --history FILE...",
            code=USAGE,
        )
    return path


def _nothing(args: argparse.Namespace, bank: Bank | None) -> str:
    if args.csv:
        return f"{args.csv} holds no answers to the questions that you asked for."
    where = f"to questions of the bank {bank.id}" if bank else ""
    return f"there are no answers {where} in {', '.join(args.history) if args.history else 'your history'}."


# ---------------------------------------------------------------- output


def _as_json(figures: Figures, bank: Bank | None) -> str:
    import json

    import msgspec

    data: dict[str, Any] = {"bank": bank.id if bank else None, **msgspec.to_builtins(figures)}
    for item in data["items"]:
        item["file"] = _file(bank, item["id"])
    return json.dumps(data, indent=2, allow_nan=False)


def _file(bank: Bank | None, question: str) -> str | None:
    if bank is None or question not in {entry.id for entry in bank.index}:
        return None
    return bank.source_of(question).relative_to(bank.folder).as_posix()


def _as_text(figures: Figures, bank: Bank | None) -> str:
    from quiz.authoring.items.beside import decimal

    blocks = [_table([_COLUMNS, *(_row(item) for item in figures.items)])]
    advice = [f"{_place(bank, item)}: {said}." for item in figures.items for said in item.advice]
    if advice:
        blocks.append("\n".join(["What to look at:", *(f"  {line}" for line in advice)]))
    whole = [f"{count(figures.n, 'learner')}, first answers only."]
    if figures.alpha is not None:
        whole.append(
            f"Together: mean {decimal(figures.mean)} of {len(figures.items)}, deviation {decimal(figures.deviation)}, "
            f"alpha = KR-20 = {decimal(figures.alpha, 3)}, standard error {decimal(figures.sem)} questions."
        )
    blocks.append("\n".join([*whole, *figures.notes, f"D: {figures.tie_rule}."]))
    return "\n\n".join(blocks)


def _place(bank: Bank | None, item: ItemFigures) -> str:
    file = _file(bank, item.id)
    return f"{item.id} ({file})" if file else item.id


def _row(item: ItemFigures) -> tuple[str, ...]:
    from quiz.authoring.items.beside import decimal, percent

    wrong = ", ".join(f"{option.id} {percent(option.share)}" for option in item.options if not option.key)
    return (
        item.id,
        str(item.n),
        percent(item.difficulty),
        decimal(item.correlation),
        decimal(item.discrimination),
        wrong,
    )


def _table(rows: Iterator[tuple[str, ...]] | Sequence[tuple[str, ...]]) -> str:
    every = list(rows)
    widths = [max(len(row[column]) for row in every) for column in range(len(every[0]))]
    return "\n".join(
        "  ".join(cell.rjust(width) if 0 < at < len(row) - 1 else cell.ljust(width)
                  for at, (cell, width) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in every
    )  # fmt: skip
