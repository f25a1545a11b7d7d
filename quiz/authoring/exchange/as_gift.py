"""Questions in GIFT, the text format that Moodle imports.

Choices become multiple choice with feedback; orderings become matching (item to place); typed values become numerical
questions in the unit that the text names, one for each part; open questions become essays. Solutions stand in the
general feedback. Texts are HTML inside, whose signs GIFT would read as its own are escaped.
"""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from quiz.authoring.exchange.as_html import blocks_html
from quiz.authoring.exchange.marks import block_html, inline_html, printable
from quiz.authoring.exchange.page import Items, parts, solved
from solvers.expr.declared import units_from

if TYPE_CHECKING:
    from quiz.authoring.exchange.drawn import Drawn, Sheet
    from quiz.bank.rendered import NumericPart

_SIGNS: Final = re.compile(r"[\\~=#{}:]")
_DIGITS: Final = 12
#: What is said below a question for a number; its unit follows in parentheses, since GIFT itself has none.
TYPED: Final = "Type a number"


def as_gift(sheet: Sheet) -> str:
    """The sheet in GIFT. What GIFT cannot hold is told by `lost_in`."""
    head = (
        f"// {_comment(sheet.title)} ({_comment(sheet.bank)}), sheet {sheet.code}. Licence: {_comment(sheet.licence)}"
    )
    blocks = [head]
    topic = ""
    for drawn in sheet.questions:
        if drawn.question.topic != topic:
            topic = drawn.question.topic
            blocks.append(f"$CATEGORY: {sheet.bank}/{topic}")
        blocks += _questions(drawn)
    return "\n\n".join(blocks) + "\n"


def lost_in(drawn: Drawn) -> tuple[str, ...]:
    """What of a question GIFT cannot hold, in sentences."""
    said = []
    for part in parts(drawn.question):
        if len(part.values) > 1:
            said.append("a list of values is asked for as an essay")
        if part.estimate is not None:
            said.append("an estimate is right within its first factor and wrong outside; points between are lost")
        if part.slips:
            said.append("recognised mistakes stand in the feedback and are not recognised")
    return tuple(dict.fromkeys(said))


def _questions(drawn: Drawn) -> list[str]:
    question = drawn.question
    solution = escape(_one_line(blocks_html(solved(drawn))))
    stem = block_html(question.stem)
    shown = stem + blocks_html([Items(question.conventions)]) if question.conventions else stem
    found = []
    if question.options:
        found.append(_entry(drawn, "", shown, _choices(drawn), solution))
    elif question.items:
        matches = [f"={escape(_one_line(inline_html(item.text)))} -> {item.place + 1}" for item in question.items]
        found.append(_entry(drawn, "", shown, matches, solution))
    elif question.kind == "open":
        found.append(_entry(drawn, "", shown, [], solution))
    for number, part in enumerate(parts(question), start=len(found) + 1):
        asked = shown + block_html(part.ask) if part.ask else shown
        unit = f" ({part.unit})" if part.unit else ""
        asked += f"<p>{TYPED}{inline_html(unit)}.</p>"
        ending = f" {number}" if number > 1 else ""
        found.append(_entry(drawn, ending, asked, _numbers(part), solution))
    return found


def _entry(drawn: Drawn, ending: str, text: str, answers: list[str], solution: str) -> str:
    name = escape(printable(f"{drawn.question.id}{ending}"))
    body = "".join(f"\n  {answer}" for answer in answers)
    return f"::{name}::[html]{escape(_one_line(text))} {{{body}\n  ####{solution}\n}}"


def _choices(drawn: Drawn) -> list[str]:
    by_id = {option.id: option for option in drawn.question.options}
    lines = []
    for name in drawn.order:
        option = by_id[name]
        said = "\n\n".join(part for part in (option.verdict, option.reasoning) if part)
        sign = "=" if option.correct else "~"
        lines.append(f"{sign}{escape(_one_line(inline_html(option.text)))}#{escape(_one_line(block_html(said)))}")
    return lines


def _numbers(part: NumericPart) -> list[str]:
    if len(part.values) > 1:
        return []
    factor = units_from(part.units).parse(part.unit).factor
    exact = Fraction(part.exact)
    value = exact / factor
    if part.estimate is not None:
        within = Fraction(part.estimate[0])
        low, high = sorted((value / within, value * within))
        return [f"#{decimal(low)}..{decimal(high)}"]
    tolerance = max(Fraction(part.relative or 0) * abs(exact), Fraction(part.absolute or 0)) / factor
    return [f"#{decimal(value)}:{decimal(tolerance)}"]


def decimal(value: Fraction) -> str:
    """A rational as a plain decimal number of at most twelve significant digits, as GIFT reads it."""
    with localcontext(prec=_DIGITS):
        rounded = Decimal(value.numerator) / Decimal(value.denominator)
    text = f"{rounded:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def escape(text: str) -> str:
    """A text in which GIFT finds no sign of its own."""
    return _SIGNS.sub(lambda match: f"\\{match[0]}", text)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _comment(text: str) -> str:
    return " ".join(printable(text).split())
