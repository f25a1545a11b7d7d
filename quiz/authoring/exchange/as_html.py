"""Questions as one HTML page to print: an exam, its answer sheet, or both. Self-contained; it can load nothing."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Final

from quiz.authoring.exchange.marks import block_html, inline_html, printable
from quiz.authoring.exchange.page import Blank, Block, Heading, Items, Prose, Table, asked, solved
from quiz.authoring.exchange.style import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quiz.authoring.exchange.as_markdown import Part
    from quiz.authoring.exchange.drawn import Sheet

_SHORT: Final = 14


def as_html(sheet: Sheet, part: Part = "exam") -> str:
    """The sheet as a page. The answers carry the code of the exam that they belong to."""
    bodies = []
    if part != "answers":
        bodies.append(_exam(sheet))
    if part != "exam":
        bodies.append(_answers(sheet))
    title = html.escape(printable(sheet.title))
    return (
        f'<!DOCTYPE html>\n<html lang="{html.escape(sheet.locale)}">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}, sheet {sheet.code}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(bodies)
        + "\n</body>\n</html>\n"
    )


def _exam(sheet: Sheet) -> str:
    lines = '<p class="who"><span>Name <i></i></span><span>Date <i></i></span><span>Points <i></i></span></p>'
    questions = [
        f'<section class="question">\n<h2><span class="number">{number}</span> {_text(drawn.title)}</h2>\n'
        f"{blocks_html(asked(drawn, room=True))}\n</section>"
        for number, drawn in enumerate(sheet.questions, start=1)
    ]
    return _article(sheet, "exam", _text(sheet.title), [lines, *questions])


def _answers(sheet: Sheet) -> str:
    rows = []
    for number, drawn in enumerate(sheet.questions, start=1):
        letters = ", ".join(drawn.key_letters)
        rows.append((str(number), drawn.title, letters, drawn.question.answer_line))
    key = [blocks_html([Table(("", "Question", "Key", "Answer"), tuple(rows))])]
    solutions = [
        f'<section class="solution">\n<h2><span class="number">{number}</span> {_text(drawn.title)}</h2>\n'
        f"{blocks_html(solved(drawn))}\n</section>"
        for number, drawn in enumerate(sheet.questions, start=1)
    ]
    return _article(sheet, "answers", f"Answers: {_text(sheet.title)}", [*key, *solutions])


def _article(sheet: Sheet, kind: str, heading: str, parts: Iterable[str]) -> str:
    seed = f", seed {_text(sheet.seed)}" if sheet.seed else ""
    about = f"Sheet {sheet.code}{seed}. Bank {_text(sheet.bank)}. Licence: {_text(sheet.licence)}."
    body = "\n".join(parts)
    return f'<article class="{kind}">\n<header><h1>{heading}</h1>\n<p>{about}</p></header>\n{body}\n</article>'


def _text(text: str) -> str:
    return html.escape(printable(text))


def blocks_html(blocks: Iterable[Block]) -> str:
    """Blocks as HTML, everything in them escaped."""
    return "\n".join(_block(block) for block in blocks)


def _block(block: Block) -> str:
    match block:
        case Heading(text):
            return f"<h3>{inline_html(text)}</h3>"
        case Prose(text, label):
            return block_html(text, label)
        case Items(items, style):
            tag, kind = ("ol", ' type="A"') if style == "letter" else ("ul", "")
            listed = "".join(f"<li>{inline_html(' '.join(text.split()))}</li>" for text in items)
            return f"<{tag}{kind}>{listed}</{tag}>"
        case Table(head, rows):
            return _table(head, rows)
        case Blank(label, unit, lines):
            named = f"{inline_html(label)} " if label else ""
            room = '<i class="room"></i>' * lines
            return f'<p class="blank">{named}{room} {inline_html(unit)}</p>'.replace(" </p>", "</p>")


def _table(head: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> str:
    names = "".join(f"<th{_kept(cell)}>{inline_html(cell)}</th>" for cell in head)
    lines = "\n".join(f"<tr>{''.join(f'<td{_kept(cell)}>{_cell(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>\n<thead><tr>{names}</tr></thead>\n<tbody>\n{lines}\n</tbody>\n</table>"


def _kept(text: str) -> str:
    """The mark of a cell that stays on one line: a value and its unit belong together."""
    return ' class="short"' if 0 < len(text) <= _SHORT else ""


def _cell(text: str) -> str:
    """A cell: one line stays one, more become paragraphs."""
    return inline_html(" ".join(text.split())) if "\n\n" not in text and "\n- " not in text else block_html(text)
