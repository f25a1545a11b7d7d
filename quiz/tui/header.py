"""What stays on top of the solution: the verdict, what the learner said, the answer, the figure.

All of it stays however little room there is: then each is cut to fewer lines, and stands in full in a section below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.tui import prose, words
from quiz.tui.lines import BLANK, Lines, join, spread, text, wrap
from quiz.tui.screens.steps import summary

if TYPE_CHECKING:
    from textual.content import Content

    from quiz.tui.sections import Reveal


def room(height: int) -> int:
    """How many lines the pieces may take together on a screen so high, beside the verdict."""
    return max(3, (height - 9) // 3)


def verdict(view: Reveal, width: int) -> Lines:
    """The first line: right or not, how it was rated, when it comes back."""
    sign, name, colour = words.VERDICTS[view.result.mark.status]
    if _only_the_figure(view):
        sign, name, colour = "≈", "Right choice, wrong figure", "$almost"
    left = join((f"{sign} {name}", f"{colour} bold"))
    if not view.result.counts:
        again = "comes again · " if view.result.here else ""
        return [spread(left, text(f"{again}does not count", "$quiet"), width)]
    after, back = view.result.back, BLANK
    for told in (f"back {after}, in this session" if view.result.here else f"back {after}", f"back {after}", after):
        back = join((view.result.rating, "$accent"), (f" · {told}", "$quiet"))
        if left.cell_length + back.cell_length + 2 <= width:
            break
    return [spread(left, back, width)]


def lay(view: Reveal, width: int, lines: int) -> Lines:
    """The pieces in at most so many lines, or in one each."""
    return [line for piece in _fitted(view, width, lines) for line in piece]


def left_out(view: Reveal, width: int, lines: int) -> Lines:
    """In full, the pieces that had to be cut."""
    whole, fitted = _pieces(view, width), _fitted(view, width, lines)
    return [line for piece, short in zip(whole, fitted, strict=True) if len(piece) > len(short) for line in piece]


def _fitted(view: Reveal, width: int, lines: int) -> list[Lines]:
    """The pieces, the longest one cut by a line at a time until all fit or each has one."""
    whole = _pieces(view, width)
    kept = [len(piece) for piece in whole]
    while sum(kept) > lines and max(kept) > 1:
        kept[kept.index(max(kept))] -= 1
    return [_short(piece, most, width) for piece, most in zip(whole, kept, strict=True)]


def _short(piece: Lines, most: int, width: int) -> Lines:
    if len(piece) <= most:
        return piece
    last = piece[most - 1].rstrip().truncate(max(0, width - 2))
    return [*piece[: most - 1], join(last, " …") if width > 2 else last]  # noqa: PLR2004 - what the sign takes


def _pieces(view: Reveal, width: int) -> list[Lines]:
    """What was said, the answer, the figure, what was recognised; those that there are."""
    made: tuple[Lines, ...]
    if view.question.parts and view.result.mark.parts and view.answer.text:
        made = (*_each_part(view, width), _message(view, width))
    else:
        made = (_said(view, width), _answer(view, width), *_figure(view, width), _message(view, width))
    return [piece for piece in made if piece]


def _only_the_figure(view: Reveal) -> bool:
    """True where the choice is right and only the numeric part is not."""
    part = view.result.mark.part
    chosen = next((option for option in view.question.options if option.id == view.answer.chosen), None)
    return chosen is not None and chosen.correct and part is not None and part.status not in ("correct", "close")


def _lead(label: str) -> Content:
    return join((label.ljust(8), "$quiet"))


def _said(view: Reveal, width: int) -> Lines:
    mark, question = view.result.mark, view.question
    if question.kind == "numeric" and view.answer.text:
        return wrap(text(_typed(view.answer.text, mark.read_as)), width, _lead("you"))
    if mark.status != "correct" and not view.answer.unknown and not _only_the_figure(view):
        return wrap(prose.inline(summary(view.turn, view.answer)), width, _lead("you"))
    return []


def _answer(view: Reveal, width: int) -> Lines:
    return wrap(prose.inline(" ".join(view.question.answer_line.split()), "bold"), width, _lead("answer"))


def _figure(view: Reveal, width: int) -> list[Lines]:
    """The numeric part of a question that has more than that: how it was answered, and what it is."""
    part, question = view.result.mark.part, view.question
    if question.numeric is None or question.kind in ("numeric", "open"):
        return []
    expected = question.numeric.text
    if part is None or view.answer.then is None:
        told = join((expected, "bold"), ("" if view.answer.unknown else " · you gave none", "$quiet"))
        return [wrap(told, width, _lead("figure"))]
    sign, name, colour = words.VERDICTS[part.status]
    told = join((f"{sign} {name}", colour), ": ", _typed(view.answer.then, part.read_as))
    if part.status != "correct":
        told = join(
            (expected, "bold"), (" · yours ", "$quiet"), (f"{sign} ", colour), _typed(view.answer.then, part.read_as)
        )
    message = wrap(prose.inline(part.message, "$almost"), width, _lead("")) if part.message else []
    return [wrap(told, width, _lead("figure")), message]


def _each_part(view: Reveal, width: int) -> list[Lines]:
    """The parts of a numeric question: whether each is right, what was typed, what was expected where it is not."""
    question = view.question
    expected = [part.text for part in (question.numeric, *question.parts) if part is not None]
    given = (view.answer.text, *view.answer.parts)
    pieces = []
    for place, (mark, right) in enumerate(zip(view.result.mark.parts, expected, strict=True)):
        sign, name, colour = words.VERDICTS[mark.status]
        said = given[place] if place < len(given) else None
        told = join((f"{sign} {name}", colour), ": ", _typed(said or "no figure", mark.read_as))
        if mark.status != "correct":
            told = join(told, (" · expected ", "$quiet"), (right, "bold"))
        pieces.append(wrap(told, width, _lead(f"part {place + 1}")))
    return pieces


def _message(view: Reveal, width: int) -> Lines:
    """What was recognised in the answer; of an option the sections say it better."""
    message = view.result.mark.message
    return wrap(prose.inline(message, "$almost"), width, _lead("")) if message and not view.question.options else []


def _typed(typed: str, read_as: str) -> str:
    if not read_as or read_as == typed:
        return typed
    return read_as if read_as.startswith(typed) else f"{typed}, read as {read_as}"
