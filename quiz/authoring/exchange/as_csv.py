"""Questions as a table in CSV, one a row, that a spreadsheet can open without running anything in it.

A cell that begins with =, +, -, @, a tab or a line end is a formula to a spreadsheet; such a cell gets an apostrophe
before it, which a spreadsheet takes for "this is text" and the import here takes away again.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

from quiz.authoring.exchange.drawn import LETTERS
from quiz.authoring.exchange.marks import printable
from quiz.authoring.exchange.page import parts

if TYPE_CHECKING:
    from quiz.authoring.exchange.drawn import Drawn, Sheet
    from quiz.bank.rendered import Rendered, Way

OPTIONS: Final = 8
COLUMNS: Final = (
    "id", "kind", "topic", "difficulty", "title", "question",
    *(f"option {letter}" for letter in LETTERS[:OPTIONS]),
    "key", "answer", "unit", "tolerance", "why", "derivation", "conventions", "sources", "variant",
)  # fmt: skip
EXACT: Final = "exact"
#: How a cell begins that a spreadsheet would compute, the full-width forms included.
FORMULA: Final = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - the full-width forms are meant


def as_csv(sheet: Sheet, *, safe: bool = True) -> str:
    """The sheet as CSV with a head; `safe` guards cells that a spreadsheet would compute."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for drawn in sheet.questions:
        row = [printable(cell) for cell in _row(drawn)]
        writer.writerow([guarded(cell) for cell in row] if safe else row)
    return out.getvalue()


def guarded(cell: str) -> str:
    """A cell that a spreadsheet shows and does not compute."""
    return f"'{cell}" if cell.lstrip(" \u00a0").startswith(FORMULA) or cell.startswith("'") else cell


def unguarded(cell: str) -> str:
    """What `guarded` was given."""
    bare = cell.removeprefix("'")
    return bare if bare != cell and guarded(bare) == cell else cell


def _row(drawn: Drawn) -> list[str]:
    question = drawn.question
    texts = {option.id: option.text for option in question.options} | {item.id: item.text for item in question.items}
    options = [_line(texts[name]) for name in drawn.order]
    typed = parts(question)
    stem = "\n\n".join([question.stem, *(part.ask for part in typed if part.ask)])
    return [
        question.id,
        question.kind,
        question.topic,
        str(question.difficulty),
        drawn.title,
        stem,
        *options,
        *[""] * (OPTIONS - len(options)),
        ", ".join(drawn.key_letters),
        "; ".join(part.text for part in typed) or question.answer_line or question.sketch,
        "; ".join(part.unit for part in typed),
        "; ".join(_tolerance(part.relative, part.absolute) for part in typed),
        _why(question),
        "\n".join(line for one in _ways(question) for line in lines_of(one)),
        "\n".join(question.conventions),
        "\n".join(", ".join(part for part in (one.text, one.where, one.address) if part) for one in question.sources),
        ", ".join(f"{name}={text}" for name, text in question.axes.items()),
    ]


def _why(question: Rendered) -> str:
    reasons = [f"{option.id}: {option.verdict}. {option.reasoning}".strip() for option in question.options]
    return "\n".join([question.why, *reasons]).strip()


def _ways(question: Rendered) -> list[Way]:
    every = [question.way, *(part.way for part in parts(question))]
    found = [one for one in every if one is not None]
    return [one for at, one in enumerate(found) if not any(one.repeats(other) for other in found[:at])]


def lines_of(way: Way) -> list[str]:
    """A derivation as lines: `m = 70B (stated)`, `state = n_p m = 16 × 70e9 = 1,120 GB`."""
    inputs = [f"{line.letter} = {line.value} ({line.meaning}; {line.origin})" for line in way.inputs]
    steps = [
        " = ".join(part for part in (line.letter, line.symbolic, line.substituted, line.value) if part)
        for line in way.steps
    ]
    return [f"{way.title}: {way.result}", *inputs, *steps]


def _tolerance(relative: str, absolute: str) -> str:
    return f"relative {relative}" if relative else f"absolute {absolute} in base units" if absolute else EXACT


def _line(text: str) -> str:
    return " ".join(text.split())
