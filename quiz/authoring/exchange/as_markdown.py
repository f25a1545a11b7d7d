"""Questions as one Markdown document: CommonMark with pipe tables, nothing but text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from quiz.authoring.exchange.drawn import LETTERS
from quiz.authoring.exchange.marks import block_markdown, escape_markdown, inline_markdown, printable
from quiz.authoring.exchange.page import Blank, Block, Heading, Items, Prose, Table, asked, solved

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quiz.authoring.exchange.drawn import Drawn, Sheet

Part = Literal["exam", "answers", "both"]


def as_markdown(sheet: Sheet, part: Part = "both") -> str:
    """The sheet as Markdown: questions, answers, or each question with its answer."""
    blocks = [f"# {escape_markdown(printable(sheet.title))}", _about(sheet)]
    for number, drawn in enumerate(sheet.questions, start=1):
        blocks.append(f"## {number}. {escape_markdown(printable(drawn.title))}")
        if part != "answers":
            blocks += _written(asked(drawn))
        if part == "both":
            blocks.append("### Solution")
        if part != "exam":
            blocks += _written(solved(drawn))
    return "\n\n".join(block for block in blocks if block) + "\n"


def _about(sheet: Sheet) -> str:
    seed = f", seed {sheet.seed}" if sheet.seed else ""
    return escape_markdown(printable(f"Bank {sheet.bank}, sheet {sheet.code}{seed}. Licence: {sheet.licence}."))


def question_markdown(drawn: Drawn) -> str:
    """One question with its solution, without a heading."""
    return "\n\n".join([*_written(asked(drawn)), "### Solution", *_written(solved(drawn))])


def _written(blocks: Iterable[Block]) -> list[str]:
    return [_block(block) for block in blocks]


def _block(block: Block) -> str:
    match block:
        case Heading(text):
            return f"#### {inline_markdown(text)}"
        case Prose(text, label):
            return block_markdown(text, label)
        case Items(items, "letter"):
            return "\n".join(f"- {LETTERS[at]}. {_line(text)}" for at, text in enumerate(items))
        case Items(items, _):
            return "\n".join(f"- {_line(text)}" for text in items)
        case Table(head, rows):
            return _table([head, *rows])
        case Blank(label, unit, _):
            return f"{label}: \\_\\_\\_\\_\\_\\_ {escape_markdown(unit)}".strip()


def _line(text: str) -> str:
    return inline_markdown(" ".join(text.split()))


def _table(rows: list[tuple[str, ...]]) -> str:
    """A pipe table; a bar inside code is escaped too, since the table is cut before the code is read."""
    lines = [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * len(rows[0])}", *lines[1:]])


def _cell(text: str) -> str:
    line = _line(text)
    return "".join(f"\\{one}" if one == "|" and not line[:at].endswith("\\") else one for at, one in enumerate(line))
