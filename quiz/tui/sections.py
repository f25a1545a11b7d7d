"""The sections of the reveal: what each of them says, as layouts. Only those with content are there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quiz.tui import bars, prose, tables, ways
from quiz.tui.lines import BLANK, Layout, Lines, join, spread, text, wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from quiz.bank.rendered import Cited, Option, Rendered, Way
    from quiz.tui.ports import Answer, Result, Turn

FOLLOW_UPS = "follow-ups"
_RECIPE = re.compile(r"Bytes per parameter \(([^()]+)\)")


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its short name for the line of tabs, and its layout."""

    id: str
    name: str
    layout: Layout


@dataclass
class Reveal:
    """What the reveal is made of.

    `uncovered` counts the follow-ups shown, `roomy` says that there is height, `colourless` that no colour may tell
    anything.
    """

    turn: Turn
    answer: Answer
    result: Result
    confidence: int | None
    title: Callable[[str], str]
    uncovered: int = 0
    roomy: bool = False
    colourless: bool = False

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


def sections(view: Reveal) -> tuple[Section, ...]:
    """The sections that have something to say, in the order in which they are read."""
    return tuple(Section(name, title, layout) for name, title, layout in _all(view))


def _all(view: Reveal) -> Iterator[tuple[str, str, Layout]]:  # noqa: C901 - a line for each section
    question = view.question
    if any(option.bar for option in question.options):
        yield "bars", "Memory", lambda width: _bars(view, width)
    if question.items:
        yield "order", "Order", lambda width: _order(view, width)
    if question.rubric or question.sketch:
        yield "sketch", "Sketch", lambda width: _sketch(view, width)
    if question.options or question.why:
        yield "why", "Why", lambda width: _why(view, width)
    if _ways(view):
        yield "steps", "Steps", lambda width: ways.lay(_ways(view), width, _recipe(question))
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
    lines = bars.lay(plans, width, roomy=view.roomy, colourless=view.colourless)
    for option in view.options:
        if option.bar is None:
            lines += wrap(prose.inline(_joined(option.text)), width, join((f"{view.number(option)} ", "$quiet")))
            lines += wrap(text(option.verdict, "$quiet"), width, "  ")
    table = _compare(view, width)
    return [*lines, *([BLANK] if table and view.roomy else []), *table]


def _compare(view: Reveal, width: int) -> Lines:
    """What decides, option beside option, where they are measured by the same things; else nothing."""
    labels = list(dict.fromkeys(amount.label for option in view.options for amount in option.amounts))
    if not _shared(view):
        return []
    rows = [("", *(_short_head(view, option) for option in view.options))]
    for label in labels:
        found = [next((one.text for one in option.amounts if one.label == label), "–") for option in view.options]
        rows.append((label.partition(":")[0], *found))
    return tables.lay(rows, width, rule=view.roomy)


def _shared(view: Reveal) -> bool:
    """True where several options are measured by the same two or more things."""
    most = max((len(option.amounts) for option in view.options), default=0)
    labels = {amount.label for option in view.options for amount in option.amounts}
    return most > 1 and len(labels) == most


def _short_head(view: Reveal, option: Option) -> str:
    mine = " ▸" if option.id == view.answer.chosen else ""
    return f"{view.number(option)}{' ✓' if option.correct else ''}{mine}"


def _option_head(view: Reveal, option: Option, width: int) -> Lines:
    mine = option.id == view.answer.chosen
    sign, colour = ("✓", "$right") if option.correct else ("✗", "$wrong")
    lead = join((f"{view.number(option)} ", "$text-primary bold" if mine else "$quiet"), (f"{sign} ", colour))
    label = join(prose.inline(_joined(option.text), "bold"), ("  ▸ yours" if mine else "", "$text-primary"))
    return wrap(label, width, lead)


def _why(view: Reveal, width: int) -> Lines:
    question = view.question
    lines = prose.lay(question.why, width)
    table = [] if any(option.bar for option in view.options) else _compare(view, width)
    lines += [*([BLANK] if lines and table else []), *table]
    # The right one first, then the learner's own, then the others.
    for option in sorted(view.options, key=lambda option: (not option.correct, option.id != view.answer.chosen)):
        lines += [BLANK] if lines else []
        lines += _option_head(view, option, width)
        lines += _verdict(option, width, told=_shared(view))
        lines += prose.lay(option.reasoning, width, indent="    ")
        if option.asserted:
            told = f"asserted, not computed{': ' + option.source if option.source else ''}"
            lines += wrap(text(told, "$quiet"), width, "    ")
    if question.criterion:
        lines += [BLANK] if lines else []
        lines += wrap(join(("decided by  ", "$quiet"), question.criterion), width, "", "  ")
    return lines


def _verdict(option: Option, width: int, *, told: bool) -> Lines:
    """The figures that decide on an option, one a line; where a table has `told` them, what a wrong one fails by."""
    colour = "$right" if option.correct else "$almost"
    if not option.amounts or (len(option.amounts) == 1 and option.bar is not None):
        return wrap(text(_joined(option.verdict), colour), width, "    ") if option.verdict else []
    lines: Lines = []
    for amount in option.amounts[-1:] if told and not option.correct else option.amounts:
        label = amount.label.partition(":")[0]
        figure = amount.note if amount.note.startswith(amount.text) else f"{amount.text}, {amount.note}".rstrip(", ")
        figure = f"{amount.text} {amount.note}" if amount.note.startswith("of ") else figure
        lines += wrap(join((figure, colour), (f"  {label}", "$quiet")), width, "    ", "      ")
    return lines


def _ways(view: Reveal) -> list[tuple[str, Way]]:
    """The derivations: the question's own or the numeric part's, then each option's, none of them twice."""
    question = view.question
    found = [("", question.way), ("", question.numeric.way if question.numeric else None)]
    found += [
        (f"{view.number(option)}  {_joined(option.text)}", option.way)
        for option in sorted(view.options, key=lambda option: (not option.correct, option.id != view.answer.chosen))
    ]
    kept: list[tuple[str, Way]] = []
    for label, way in found:
        if way is not None and not any(way.repeats(other) for _, other in kept):
            kept.append((label, way))
    return kept


def _recipe(question: Rendered) -> str:
    """The name of the recipe, as the conventions name it; "" where they do not."""
    found = (_RECIPE.match(convention) for convention in question.conventions)
    return next((match[1] for match in found if match), "")


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
        lines += [*_title("You wrote", width), *prose.verbatim(view.answer.text, width, indent="  "), BLANK]
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
