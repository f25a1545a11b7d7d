"""The sections of the reveal: what each of them says, as layouts. Only those with content are there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quiz.tui import bars, prose, tables, words
from quiz.tui.lines import BLANK, Layout, Lines, join, spread, text, wrap
from quiz.tui.screens.steps import summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from quiz.bank.rendered import Cited, Option, Rendered
    from quiz.tui.ports import Answer, Result, Turn

FOLLOW_UPS = "follow-ups"


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its short name for the line of tabs, and its layout."""

    id: str
    name: str
    layout: Layout


@dataclass
class Reveal:
    """What the reveal is made of. `uncovered` counts the follow-ups shown, `roomy` says that there is height."""

    turn: Turn
    answer: Answer
    result: Result
    confidence: int | None
    title: Callable[[str], str]
    uncovered: int = 0
    roomy: bool = False

    @property
    def question(self) -> Rendered:
        """The question."""
        return self.turn.question

    def number(self, option: Option) -> str:
        """The number under which an option was shown."""
        order = self.turn.order
        return str(order.index(option.id) + 1) if option.id in order else "·"

    @property
    def options(self) -> list[Option]:
        """The options in the order in which they were shown."""
        return sorted(self.question.options, key=self.number)


def verdict(view: Reveal, width: int) -> Lines:
    """The first line: right or not, how it was rated, when it comes back."""
    sign, name, colour = words.VERDICTS[view.result.mark.status]
    if _only_the_figure(view):
        sign, name, colour = "≈", "Right choice, wrong figure", "$almost"
    back = join((view.result.rating, "$accent"), (f" · back {view.result.back}", "$quiet"))
    return [spread(join((f"{sign} {name}", f"{colour} bold")), back, width)]


def _only_the_figure(view: Reveal) -> bool:
    """True where the choice is right and only the numeric part is not."""
    part = view.result.mark.part
    chosen = next((option for option in view.question.options if option.id == view.answer.chosen), None)
    return chosen is not None and chosen.correct and part is not None and part.status not in ("correct", "close")


def answer(view: Reveal, width: int) -> Lines:
    """What the learner said, the answer, and what was recognised in it."""
    return [*_said(view, width), *_answer_line(view, width), *_recognised(view, width)]


def tight(view: Reveal, section: Section, width: int) -> Lines:
    """The first section with the answer in it, where there is no room above: what is looked at first comes first."""
    if section.id != "bars":
        return [*answer(view, width), BLANK, *section.layout(width)]
    mistakes = _recognised(view, width)
    return [
        *mistakes,
        *([BLANK] if mistakes and view.roomy else []),
        *section.layout(width),
        BLANK,
        *_answer_line(view, width),
    ]


def _answer_line(view: Reveal, width: int) -> Lines:
    return wrap(prose.inline(_joined(view.question.answer_line), "bold"), width, join(("answer  ", "$quiet")))


def _said(view: Reveal, width: int) -> Lines:
    mark, question = view.result.mark, view.question
    lines: Lines = []
    if question.kind == "numeric" and view.answer.text:
        lines += wrap(text(_typed(view.answer.text, mark.read_as)), width, join(("you     ", "$quiet")))
    elif mark.status != "correct" and not _only_the_figure(view):
        lines += wrap(prose.inline(summary(view.turn, view.answer)), width, join(("you     ", "$quiet")))
    return lines


def _recognised(view: Reveal, width: int) -> Lines:
    mark, question = view.result.mark, view.question
    lines: Lines = []
    if mark.message and not question.options:  # of an option, the sections below say it better
        lines += wrap(prose.inline(mark.message, "$almost"), width, "        ")
    if question.numeric is not None and question.kind not in ("numeric", "open") and not view.answer.unknown:
        lines += _part(view, width)
    return lines


def _part(view: Reveal, width: int) -> Lines:
    part, question = view.result.mark.part, view.question
    if question.numeric is None:
        return []
    expected = question.numeric.text
    if part is None or view.answer.then is None:
        return wrap(join(("○ ", "$almost"), (expected, "bold")), width, join(("figure  ", "$quiet")))
    sign, name, colour = words.VERDICTS[part.status]
    told = join((f"{sign} {name}", colour), ": ", _typed(view.answer.then, part.read_as))
    if part.status != "correct":
        told = join(told, (" · expected ", "$quiet"), (expected, "bold"))
    lines = wrap(told, width, join(("figure  ", "$quiet")))
    if part.message:
        lines += wrap(prose.inline(part.message, "$almost"), width, "        ")
    return lines


def _typed(typed: str, read_as: str) -> str:
    if not read_as or read_as == typed:
        return typed
    return read_as if read_as.startswith(typed) else f"{typed}, read as {read_as}"


def sections(view: Reveal) -> tuple[Section, ...]:
    """The sections that have something to say, in the order in which they are read."""
    return tuple(Section(name, title, layout) for name, title, layout in _all(view))


def _all(view: Reveal) -> Iterator[tuple[str, str, Layout]]:  # noqa: C901 - a line for each section
    question = view.question
    if any(option.bar for option in question.options):
        yield "bars", "Memory", lambda width: _bars(view, width)
    # One amount beside a bar is the bar's own total.
    most = max((len(option.amounts) for option in question.options), default=0)
    if most > 1 or (most and not any(option.bar for option in question.options)):
        yield "figures", "Figures", lambda width: _figures(view, width)
    if question.items:
        yield "order", "Order", lambda width: _order(view, width)
    if question.rubric or question.sketch:
        yield "sketch", "Sketch", lambda width: _sketch(view, width)
    if question.options or question.why:
        yield "why", "Why", lambda width: _why(view, width)
    if _ways(view):
        yield "steps", "Steps", lambda width: _derivations(view, width)
    if question.concept or question.framing or question.decision_rule or question.analogy:
        yield "idea", "Idea", lambda width: _idea(question, width)
    if question.red_flags:
        yield "flags", "Flags", lambda width: _flags(question, width)
    if question.follow_ups:
        yield FOLLOW_UPS, "Next", lambda width: _follow_ups(view, width)
    if question.bullets:
        yield "bullets", "60 s", lambda width: _bullets(question.bullets, width)
    if question.stops_working_when or question.uses:
        yield "limits", "Limits", lambda width: _limits(question, width)
    if question.sources or question.related or question.prerequisites:
        yield "sources", "Sources", lambda width: _sources(view, width)


def _title(label: str, width: int) -> Lines:
    return wrap(text(label, "$text-accent bold"), width)


def _joined(source: str) -> str:
    return " ".join(source.split())


def _bars(view: Reveal, width: int) -> Lines:
    plans = [
        bars.Plan(
            view.number(option), _joined(option.text), option.bar, option.correct, option.id == view.answer.chosen
        )
        for option in view.options
        if option.bar is not None
    ]
    lines = bars.lay(plans, width, roomy=view.roomy)
    for option in view.options:
        if option.bar is None:
            lines += wrap(prose.inline(_joined(option.text)), width, join((f"{view.number(option)} ", "$quiet")))
            lines += wrap(text(option.verdict, "$quiet"), width, "  ")
    return lines


def _figures(view: Reveal, width: int) -> Lines:
    lines: Lines = []
    for option in view.options:
        lines += [BLANK] if lines else []
        lines += _option_head(view, option, width)
        for amount in option.amounts:
            told = join((f"{amount.label}  ", "$quiet"), (amount.text, "bold"))
            lines += wrap(join(told, (f"  {amount.note}" if amount.note else "", "$quiet")), width, "  ")
    return lines


def _option_head(view: Reveal, option: Option, width: int) -> Lines:
    mine = option.id == view.answer.chosen
    sign, colour = ("✓", "$right") if option.correct else ("✗", "$wrong")
    lead = join((f"{view.number(option)} ", "$text-primary bold" if mine else "$quiet"), (f"{sign} ", colour))
    label = join(prose.inline(_joined(option.text), "bold"), ("  ▸ yours" if mine else "", "$text-primary"))
    return wrap(label, width, lead)


def _why(view: Reveal, width: int) -> Lines:
    question = view.question
    lines = prose.lay(question.why, width)
    if question.criterion:
        lines += [BLANK] if lines else []
        lines += wrap(join(("decided by  ", "$quiet"), question.criterion), width, "", "  ")
    # The right one first, then the learner's own, then the others.
    for option in sorted(view.options, key=lambda option: (not option.correct, option.id != view.answer.chosen)):
        lines += [BLANK] if lines else []
        lines += _option_head(view, option, width)
        if option.verdict:
            lines += wrap(text(_joined(option.verdict), "$right" if option.correct else "$almost"), width, "    ")
        lines += prose.lay(option.reasoning, width, indent="    ")
        if option.asserted:
            told = f"asserted, not computed{': ' + option.source if option.source else ''}"
            lines += wrap(text(told, "$quiet"), width, "    ")
    return lines


def _ways(view: Reveal) -> list[tuple[str, object]]:
    """The derivations: the question's own or the numeric part's, then each option's, none of them twice."""
    question = view.question
    found = [("", question.way), ("", question.numeric.way if question.numeric else None)]
    found += [
        (f"{view.number(option)}  {_joined(option.text)}", option.way)
        for option in sorted(view.options, key=lambda option: (not option.correct, option.id != view.answer.chosen))
    ]
    kept: list[tuple[str, object]] = []
    for label, way in found:
        if way is not None and all(way != other for _, other in kept):
            kept.append((label, way))
    return kept


def _derivations(view: Reveal, width: int) -> Lines:
    lines: Lines = []
    for label, way in _ways(view):
        lines += [BLANK, text("─" * width, "$faint")] if lines else []
        if label:
            lines += wrap(text(label, "$quiet"), width)
        lines += tables.derivation(way, width)  # type: ignore[arg-type]
    return lines


def _order(view: Reveal, width: int) -> Lines:
    question, given = view.question, view.answer.ordered
    lines: Lines = []
    for item in sorted(question.items, key=lambda item: item.place):
        placed = given.index(item.id) if item.id in given else None
        sign, colour = ("✓", "$right") if placed == item.place else ("✗", "$wrong")
        lead = join((f"{item.place + 1} ", "bold"), (f"{sign} ", colour))
        yours = "" if placed is None or placed == item.place else f"you: {placed + 1}"
        figure = join((item.figure, "bold"), (f"  {yours:<6}" if given else "", "$quiet"))
        label = prose.inline(_joined(item.text))
        if lead.cell_length + label.cell_length + figure.cell_length + 2 <= width:
            lines.append(spread(join(lead, label), figure, width))
        else:
            lines += [*wrap(label, width, lead), *wrap(figure, width, "    ")]
    return lines


def _sketch(view: Reveal, width: int) -> Lines:
    question = view.question
    lines: Lines = []
    if view.answer.text and question.kind == "open":
        lines += [*_title("You wrote", width), *prose.lay(view.answer.text, width, indent="  "), BLANK]
    if question.sketch:
        lines += [*_title("A good answer", width), *prose.lay(question.sketch, width, indent="  ")]
    if question.rubric:
        lines += [BLANK, *_title("It says", width)]
        for line in question.rubric:
            lines += wrap(prose.inline(_joined(line)), width, "  · ")
    return lines


def _idea(question: Rendered, width: int) -> Lines:
    lines: Lines = []

    def part(label: str, source: str) -> None:
        if source:
            lines.extend([BLANK] if lines else [])
            lines.extend([*_title(label, width), *prose.lay(source, width)])

    part("What this is", question.framing)
    part("The rule", question.decision_rule)
    part("Picture it", question.analogy)
    for section in question.concept:
        part(_joined(section.heading), section.text or " ")
        if section.table:
            lines.extend([BLANK, *tables.lay(section.table, width)])
    return lines


def _flags(question: Rendered, width: int) -> Lines:
    lines: Lines = []
    for flag in question.red_flags:
        lines += [BLANK] if lines else []
        lines += wrap(prose.inline(f"“{_joined(flag.says)}”", "bold"), width, join(("⚑ ", "$wrong bold")))
        lines += _labelled("junior", flag.why, "$quiet", width)
        lines += _labelled("say", flag.instead, "$right", width)
    return lines


def _labelled(label: str, source: str, colour: str, width: int) -> Lines:
    lead = join("  ", (label.ljust(7), colour), " ")
    return wrap(prose.inline(_joined(source)), width, lead)


def _follow_ups(view: Reveal, width: int) -> Lines:
    lines: Lines = []
    for index, follow in enumerate(view.question.follow_ups):
        lines += [BLANK] if lines else []
        lines += wrap(prose.inline(_joined(follow.ask), "bold"), width, join((f"{index + 1} ", "$text-primary bold")))
        if index >= view.uncovered:
            told = "covered: answer aloud, then Enter" if index == view.uncovered else "covered"
            lines += wrap(text(told, "$quiet"), width, join(("  ▒▒ ", "$faint")))
            continue
        lines += prose.lay(follow.sketch, width, indent="  ")
        for line in follow.rubric:
            lines += wrap(prose.inline(_joined(line), "$quiet"), width, "  · ")
    return lines


def _bullets(bullets: Sequence[str], width: int) -> Lines:
    lines: Lines = []
    for bullet in bullets:
        lines += [BLANK] if lines else []
        lines += wrap(prose.inline(_joined(bullet)), width, join(("• ", "$text-accent bold")))
    return lines


def _limits(question: Rendered, width: int) -> Lines:
    lines: Lines = []
    if question.stops_working_when:
        lines += _title("Stops working when", width)
        for limit in question.stops_working_when:
            lines += wrap(prose.inline(_joined(limit)), width, "  · ")
    if question.uses:
        lines += [BLANK] if lines else []
        lines += _title("In real use", width)
        for use in question.uses:
            lines += _cited(use, width)
    return lines


def _cited(cited: Cited, width: int) -> Lines:
    lines = wrap(prose.inline(_joined(cited.text)), width, "  · ")
    as_of = f"as of {cited.as_of}" if cited.as_of else ""
    told = "  ".join(part for part in (cited.where, cited.source, cited.address, as_of) if part)
    return lines + (wrap(text(told, "$quiet"), width, "    ") if told else [])


def _sources(view: Reveal, width: int) -> Lines:
    question = view.question
    lines: Lines = []
    if question.sources:
        lines += _title("Sources", width)
        for source in question.sources:
            lines += _cited(source, width)
    for label, names in (("Practise next", question.related), ("Comes before", question.prerequisites)):
        if names:
            lines += [BLANK] if lines else []
            lines += _title(label, width)
            for name in names:
                title = view.title(name)
                told = join(title, (f"  {name}" if title != name else "", "$quiet"))
                lines += wrap(told, width, "  · ")
    return lines
