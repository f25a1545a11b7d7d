"""A preview as layouts: the ways of answering a question, what the lint found, and all of it as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.bank.diagnostics import BankError, split_lines
from quiz.tui import header, prose, sections, words
from quiz.tui.lines import BLANK, Lines, cut, cut_all, join, spread, text, wrap
from quiz.tui.marking import Marking
from quiz.tui.ports import Answer, Result, Turn
from quiz.tui.screens.steps import convention_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.content import Content

    from quiz.authoring.preview import Look, Picture
    from quiz.bank.diagnostics import Diagnostic, Place
    from quiz.bank.rendered import Rendered

SIGNS: Final = {"error": ("✗", "$wrong"), "warning": ("!", "$almost")}
Told = tuple[str, Answer]


def rendered(picture: Picture, place: int) -> Rendered:
    """The question in one variant; the author's own numbers where it no longer has that one."""
    if not place:
        return picture.variant(0)
    try:
        return picture.variant(place)
    except (BankError, LookupError):
        return picture.variant(0)


def turn_of(question: Rendered, title: str) -> Turn:
    """The question as it is asked, options in the author's order; items that stand in the right order turned round."""
    order = tuple(option.id for option in question.options) or tuple(item.id for item in question.items)
    if question.items and order == question.key:
        order = order[::-1]
    return Turn(question=question, title=title, number=1, total=1, reason="asked", order=order)


def answers_of(question: Rendered) -> tuple[Told, ...]:
    """Ways of answering: the right one first, then each wrong one that has something to say, then not knowing."""
    return (*_answers(question), ("I don't know", Answer()))


def _answers(question: Rendered) -> Iterator[Told]:
    numeric = question.numeric
    then = numeric.text if numeric is not None else None
    match question.kind:
        case "numeric" if numeric is not None:
            parts = tuple(part.text for part in question.parts)
            yield "right", Answer(text=numeric.text, parts=parts)
            for slip in numeric.slips:
                yield f"slip {slip.id}", Answer(text=slip.text, parts=parts)
            return
        case "open":
            yield "every point", Answer(text="…", points=len(question.rubric), of=len(question.rubric))
            yield "no point", Answer(text="…", points=0, of=len(question.rubric))
            return
        case "ordering":
            yield "right", Answer(ordered=question.key, then=then)
            yield "the other way round", Answer(ordered=question.key[::-1], then=then)
            right = Answer(ordered=question.key)
        case _:
            right = Answer(chosen=question.key[0] if question.key else "")
            yield "right", Answer(chosen=right.chosen, then=then)
            for option in question.options:
                if not option.correct:
                    yield f"wrong: {option.id}", Answer(chosen=option.id, then=then)
    for slip in numeric.slips if numeric is not None else ():
        yield f"slip {slip.id}", Answer(chosen=right.chosen, ordered=right.ordered, then=slip.text)


def revealed(turn: Turn, answer: Answer) -> sections.Reveal:
    """The solution after an answer, with all its follow-ups uncovered."""
    result = Result(Marking().mark(turn.question, answer), "again", "", "", can_undo=False, counts=False)
    return sections.Reveal(turn, answer, result, None, str, uncovered=len(turn.question.follow_ups))


def verdict_line(view: sections.Reveal, told: str, width: int) -> Lines:
    """How the answer is judged, and which answer it is."""
    sign, name, colour = words.VERDICTS[view.result.mark.status]
    return [spread(join((f"{sign} {name}", f"{colour} bold")), text(told, "$accent"), width)]


def numbers_lines(picture: Picture, question: Rendered, place: int, width: int) -> Lines:
    """Which variant is shown, and the values that were drawn for it."""
    count = len(picture.draws)
    about = join((words.topic(question.topic), "$quiet"), (f"  {words.dots(question.difficulty)}", "$quiet"))
    if count == 1:
        return [spread(text("no variants", "$quiet"), about, width)]
    place = min(place, count - 1)
    lead = join((f"variant {place + 1} of {count}", "bold"))
    own = "  the author's numbers"
    if not place and lead.cell_length + len(own) + about.cell_length + 2 <= width:
        lead = join(lead, (own, "$quiet"))
    drawn = " · ".join(f"{name} {value}" for name, value in picture.numbers(place))
    return [spread(lead, about, width), cut(text(drawn, "$accent"), width)]


def counted(look: Look) -> Content:
    """How many findings there are, in a few words, with their signs."""
    errors, warnings = look.errors, len(look.findings) - look.errors
    if not look.findings:
        return join(("✓ clean", "$right bold"))
    pieces: list[Content | tuple[str, str]] = []
    if errors:
        pieces.append((f"✗ {words.count(errors, 'error')}", "$wrong bold"))
    if warnings:
        pieces.append((f"{'  ' if errors else ''}! {words.count(warnings, 'warning')}", "$almost bold"))
    return join(*pieces)


def finding_lines(look: Look, at: int, width: int) -> Lines:
    """Every finding; the one at `at` with its line of the source, its reason and its fix."""
    lines: Lines = [cut(counted(look), width)]
    if look.stale:
        told = "Shown is the last version that was whole." if look.picture else "Nothing can be shown yet."
        lines += [BLANK, *wrap(text(told, "$almost"), width)]
    for place, one in enumerate(look.findings):
        lines += [BLANK, *_finding(look, one, width, chosen=place == at)]
    if look.waived:
        lines += [BLANK, *wrap(text(f"{len(look.waived)} waived:", "$quiet"), width)]
        for one, reason in look.waived:
            lines += wrap(text(f"{one.code}: {' '.join(reason.split())}", "$quiet"), width, "· ")
    if look.picture is not None and not look.stale:
        lines += [BLANK, *_decided(look.picture, width)]
    return lines


def _finding(look: Look, one: Diagnostic, width: int, *, chosen: bool) -> Lines:
    sign, colour = SIGNS[one.severity]
    where = f"{one.place.line}:{one.place.column} " if one.place.line else ""
    if one.place.file != look.file:
        where = f"{one.place.file}:{where}" if where else f"{one.place.file} "
    lead = join(("▌" if chosen else " ", "$text-primary"), (f"{sign} ", f"{colour} bold"))
    hang = join(("▌" if chosen else " ", "$text-primary"), "  ")
    lines = wrap(join((where, "$code"), (one.code, "$quiet")), width, lead)
    room = max(1, width - 3)
    body = wrap(text(one.what, "bold" if chosen else ""), room)
    if chosen:
        source = look.source if one.place.file == look.file else ""
        body += _source_line(source, one.place, room)
        for told in (one.why, one.next):
            body += wrap(text(told, "$quiet"), room) if told else []
    return cut_all([*lines, *(hang + line for line in body)], width)


def _source_line(source: str, place: Place, width: int) -> Lines:
    """The line of a finding without its indent and a caret below it, cut so that the caret is in sight."""
    written = split_lines(source)
    if not 1 <= place.line <= len(written):
        return []
    line = written[place.line - 1]
    indent = len(line) - len(line.lstrip())
    column = max(0, min(place.column - 1, len(line)) - indent)
    first = max(0, column - width // 2) if column > width - 4 else 0
    lead = "…" if first else ""
    shown = text(f"{lead}{line.lstrip()[first:]}", "$code")
    before = text(f"{lead}{line.lstrip()[first:column]}").cell_length
    return [cut(shown, width), *([text(f"{' ' * before}^", "$wrong")] if before < width else [])]


def _decided(picture: Picture, width: int) -> Lines:
    """How the question is decided, and what became of its draws."""
    row = picture.row
    key = row.answer if row.kind == "numeric" else " › ".join(row.key)  # noqa: RUF001 - an arrow
    lines: Lines = []
    for label, told in (("key", key), ("margin", row.margin), ("draws", f"{row.variants} of {row.draws} kept")):
        lines += wrap(text(told), width, join((label.ljust(8), "$quiet"))) if told else []
    return [*lines, *(wrap(text(f"left out: {row.rejected}", "$quiet"), width) if row.rejected else [])]


def question_lines(turn: Turn, width: int) -> Lines:
    """The question in plain lines, for where no screen is drawn."""
    question = turn.question
    lines = [*prose.lay(question.stem, width), BLANK]
    if question.conventions:
        lines += [*wrap(text("conventions"), width), *convention_lines(question, width, None), BLANK]
    by_id = {one.id: one.text for one in question.options} | {one.id: one.text for one in question.items}
    for number, name in enumerate(turn.order, 1):
        lines += wrap(prose.inline(" ".join(by_id[name].split())), width, f"{number}  ")
    for part in (question.numeric, *question.parts):
        if part is not None and part.ask:
            lines += [BLANK, *prose.lay(part.ask, width)]
    for point in question.rubric:
        lines += wrap(prose.inline(" ".join(point.split())), width, "· ")
    return lines


def as_text(look: Look, place: int, width: int = 100) -> str:
    """The question and its solution in one variant, without colours and controls; empty where nothing can be shown."""
    picture = look.picture
    if picture is None:
        return ""
    turn = turn_of(rendered(picture, place), look.file)
    told, answer = answers_of(turn.question)[0]
    view = revealed(turn, answer)
    lines: Lines = [*numbers_lines(picture, turn.question, place, width), BLANK, *question_lines(turn, width), BLANK]
    lines += [*verdict_line(view, told, width), *header.lay(view, width, 20)]
    for section in sections.sections(view):
        lines += [BLANK, *wrap(text(f"— {section.name} —"), width), *section.layout(width)]
    return "\n".join(line.plain.rstrip() for line in lines)


def first_sentence(error: BankError) -> str:
    """What stops a bank from being opened, in a line."""
    one = error.diagnostics[0]
    return f"{one.what}. {one.next}".strip()
