"""A question and its solution as blocks, which each format writes in its own way.

Texts in blocks are a bank's prose: paragraphs, `- ` lists, `code` and **bold**; nothing else in them is a mark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.authoring.exchange.drawn import Drawn
    from quiz.bank.rendered import Cited, NumericPart, Rendered, Way


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a question."""

    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    """Paragraphs; `label` stands before the first one, in bold."""

    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Items:
    """A list; with `style` letter the items are A, B, C."""

    items: tuple[str, ...]
    style: Literal["bullet", "letter"] = "bullet"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under a head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Blank:
    """Room for an answer; `unit` is what stands behind it, `lines` how much room."""

    label: str
    unit: str = ""
    lines: int = 1


Block: TypeAlias = Heading | Prose | Items | Table | Blank


def asked(drawn: Drawn, *, room: bool = False) -> Iterator[Block]:
    """The question as a learner gets it; with `room` there are places to write on."""
    question = drawn.question
    yield Prose(question.stem)
    texts = {option.id: option.text for option in question.options} | {item.id: item.text for item in question.items}
    if texts:
        yield Items(tuple(texts[name] for name in drawn.order), "letter")
    if question.items:
        yield Blank("Order") if room else Prose("Put the letters in the right order.")
    for part in parts(question):
        if part.ask:
            yield Prose(part.ask)
        if room:
            yield Blank("Answer", "" if part.need_unit else part.unit)
    if question.kind == "open" and room:
        yield Blank("", lines=8)
    if question.conventions:
        yield Heading("Conventions")
        yield Items(question.conventions)


def parts(question: Rendered) -> tuple[NumericPart, ...]:
    """The parts of a question that are typed, in order."""
    return (question.numeric, *question.parts) if question.numeric else ()


def solved(drawn: Drawn) -> Iterator[Block]:
    """The solution: key, every verdict with its figures, the way, and the author's explanation."""
    question = drawn.question
    yield Prose(question.answer_line or question.sketch, answer_label(drawn))
    yield from _options(drawn)
    if question.items:
        figures = {item.id: item for item in question.items}
        rows = tuple((drawn.letter(id_), figures[id_].text, figures[id_].figure, figures[id_].reasoning)
                     for id_ in question.key)  # fmt: skip
        yield Table(("", question.criterion or "In order", "Figure", "Why"), rows)
    for part in parts(question):
        yield from _typed(part)
    yield from _prose(question)
    for one in _ways(question):
        yield from way(one)
    yield from _talk(question)
    yield from _sources(question)


def answer_label(drawn: Drawn) -> str:
    """What stands before the answer line: the key as letters, where there are any."""
    letters = ", ".join(drawn.key_letters)
    return f"Answer: {letters}." if letters else "Answer."


def _options(drawn: Drawn) -> Iterator[Block]:
    question = drawn.question
    if not question.options:
        return
    by_id = {option.id: option for option in question.options}
    rows = []
    for name in drawn.order:
        option = by_id[name]
        source = f" ({option.source})" if option.source else ""
        verdict = f"{option.verdict}{source}" or ("right" if option.correct else "wrong")
        rows.append((f"{drawn.letter(name)}{' ✓' if option.correct else ''}", option.text, verdict, option.reasoning))
    if question.criterion:
        yield Prose(question.criterion, "What decides:")
    yield Table(("", "Option", "Verdict", "Why"), tuple(rows))


def _typed(part: NumericPart) -> Iterator[Block]:
    if part.ask:
        yield Prose(f"{part.ask.rstrip()} **{part.text}**")
    if part.slips:
        rows = tuple((slip.text, slip.says) for slip in part.slips)
        yield Table(("Who answers", "has made this mistake, or uses another convention"), rows)


def _prose(question: Rendered) -> Iterator[Block]:
    for label, text in (("What it is about.", question.framing), ("The rule.", question.decision_rule),
                        ("Why.", question.why)):  # fmt: skip
        if text:
            yield Prose(text, label)
    for section in question.concept:
        yield Heading(section.heading)
        if section.text:
            yield Prose(section.text)
        if section.table:
            yield Table(section.table[0], section.table[1:])


def _ways(question: Rendered) -> list[Way]:
    """The derivations: what decides, unless a typed part has the same one in the unit asked for; then the parts'."""
    typed = [part.way for part in parts(question) if part.way is not None]
    deciding = [question.way] if question.way is not None else []
    return [*(one for one in deciding if not any(one.repeats(other) for other in typed)), *typed]


def way(derivation: Way) -> Iterator[Block]:
    """A derivation: what goes in, then each step with its formula, the formula with numbers, and its value."""
    yield Heading(
        f"Derivation: {derivation.title} = {derivation.result}"
        if derivation.title
        else f"Derivation of {derivation.result}"
    )
    if derivation.inputs:
        inputs = tuple((line.letter, line.meaning, line.value, line.origin) for line in derivation.inputs)
        yield Table(("Symbol", "Meaning", "Value", "From"), inputs)
    steps = tuple(
        (line.letter, line.symbolic, line.substituted, line.value, _because(line.because, line.source))
        for line in derivation.steps
    )
    if steps:
        yield Table(("Step", "Formula", "With the numbers", "Value", "Why"), steps)


def _because(because: str, source: str) -> str:
    return f"{because} ({source})" if because and source else because or source


def _talk(question: Rendered) -> Iterator[Block]:
    if question.sketch and question.answer_line:  # without such a line the sketch stands on top
        yield Heading("A good answer")
        yield Prose(question.sketch)
    if question.rubric:
        yield Heading("It says")
        yield Items(question.rubric)
    if question.red_flags:
        yield Heading("Red flags")
        rows = tuple((flag.says, flag.why, flag.instead) for flag in question.red_flags)
        yield Table(("Says", "Why it is wrong", "Say instead"), rows)
    for item in question.follow_ups:
        yield Heading("Follow-up")
        yield Prose(item.ask)
        yield Prose(item.sketch)
        if item.rubric:
            yield Items(item.rubric)
    if question.bullets:
        yield Heading("To remember")
        yield Items(question.bullets)
    if question.analogy:
        yield Prose(question.analogy, "Like this.")
    if question.stops_working_when:
        yield Heading("Stops working when")
        yield Items(question.stops_working_when)


def _sources(question: Rendered) -> Iterator[Block]:
    if question.uses:
        yield Heading("In use")
        yield Items(tuple(f"{use.text} ({_cited(use)})" for use in question.uses))
    if question.sources:
        yield Heading("Sources")
        yield Items(
            tuple(", ".join(part for part in (one.text, one.where, one.address) if part) for one in question.sources)
        )


def _cited(cited: Cited) -> str:
    as_of = f"as of {cited.as_of}" if cited.as_of else ""
    return ", ".join(part for part in (cited.source, cited.where, cited.address, as_of) if part)
