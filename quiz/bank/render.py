"""A validated question with one set of numbers becomes what a learner is shown.

Every part is tried by itself, so that one report names all that is wrong with a file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quiz.bank.choices import criterion_of, items_of, options_of
from quiz.bank.conventions import box
from quiz.bank.numeric import Reference, numeric_part
from quiz.bank.problems import FOUND
from quiz.bank.rendered import Rendered
from quiz.bank.reveal import reveal_fields
from quiz.bank.revision import revision_of
from quiz.bank.schema import Claim, Numeric, Open, Ordering, Strategy
from quiz.bank.variants import axis_text
from quiz.bank.verdicts import decided
from quiz.bank.ways import way_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quiz.bank.bench import Bench
    from quiz.bank.document import Path
    from quiz.bank.rendered import Item, NumericPart, Option, Way
    from quiz.bank.schema_parts import Answer, Slip
    from quiz.bank.schema_parts import NumericPart as NumericForm
    from quiz.bank.verdicts import Decision


@dataclass(slots=True)
class _Parts:
    """What the kinds fill in differently. `summary` is the answer line where the author writes none."""

    options: tuple[Option, ...] = ()
    items: tuple[Item, ...] = ()
    numeric: NumericPart | None = None
    further: tuple[NumericPart, ...] = ()
    way: Way | None = None
    summary: str = ""
    words: dict[str, str] = field(default_factory=dict)


def render(bench: Bench) -> tuple[Rendered, Decision] | None:
    """The question as shown with its decision, or None where its key is not decided; the report says why."""
    for name in bench.world.question.figures:
        with bench.report.catching(("figures", name)):
            bench.world.require_value(name)
    try:
        decision = decided(bench.world)
    except FOUND as error:
        bench.report.note(error, ())
        return None
    if decision.key and not isinstance(bench.world.question, Ordering):
        bench.world.key_option = decision.key[0]
    return shown_whole(bench, decision), decision


def shown_whole(bench: Bench, decision: Decision) -> Rendered:
    """The question as shown, its key being decided. Raises what the reading of an ordering's items raises."""
    return _whole(bench, _parts(bench, decision), decision)


def _parts(bench: Bench, decision: Decision) -> _Parts:
    question = bench.world.question
    if isinstance(question, Strategy | Claim):
        options, words = options_of(bench, question, decision)
        winner = next(option for option in options if option.correct)
        summary = f"{winner.text}: {winner.verdict}" if winner.verdict else winner.text
        return _Parts(options, numeric=_then(bench, question.then), way=winner.way, summary=summary, words=words)
    if isinstance(question, Ordering):
        return _ordering(bench, question, decision)
    if isinstance(question, Numeric):
        return _typed(bench, question)
    return _Parts()


def _typed(bench: Bench, question: Numeric) -> _Parts:
    """The first part and the further ones, each with those before it at hand."""
    before: list[Reference] = []
    part = _numeric(bench, question.answer, question.slips, ("answer",), ("slips",), "", before)
    further = []
    for index, form in enumerate(question.parts):
        at: Path = ("parts", index)
        ask = bench.writer.text(form.ask, bench.world.base, (*at, "ask"))
        further.append(_numeric(bench, form.answer, form.slips, (*at, "answer"), (*at, "slips"), ask, before))
    rest = tuple(one for one in further if one is not None)
    if part is None:
        return _Parts()
    return _Parts(numeric=part, further=rest, way=part.way, summary="; ".join(one.text for one in (part, *rest)))


def _ordering(bench: Bench, question: Ordering, decision: Decision) -> _Parts:
    items = items_of(bench, question, decision)
    way: Way | None = None
    with bench.report.catching(("items", decision.key[0])):
        for name in reversed(decision.key):
            scope = bench.world.option(name)
            way = way_of(scope.read_open(question.by_of(name)), scope, bench.notes)
    in_order = sorted(items, key=lambda item: item.place)
    summary = ", ".join(f"{item.text} ({item.figure})" for item in in_order)
    return _Parts(items=items, numeric=_then(bench, question.then), way=way, summary=summary)


def _then(bench: Bench, form: NumericForm | None) -> NumericPart | None:
    if form is None:
        return None
    ask = bench.writer.text(form.ask, bench.world.base, ("then", "ask"))
    return _numeric(bench, form.answer, form.slips, ("then", "answer"), ("then", "slips"), ask)


def _numeric(
    bench: Bench,
    answer: Answer,
    slips: Sequence[Slip],
    at: Path,
    slips_at: Path,
    ask: str,
    before: list[Reference] | None = None,
) -> NumericPart | None:
    """The part; its reference is added to those `before` it."""
    earlier = [] if before is None else before
    try:
        reference = Reference(bench.world, answer, at)
        part = numeric_part(bench, reference, slips, slips_at, ask, tuple(earlier))
    except FOUND as error:
        bench.report.note(error, at, answer.is_)
        return None
    earlier.append(reference)
    return part


def _exact(part: NumericPart) -> str:
    return " ".join(part.values or (part.exact,))


def _whole(bench: Bench, parts: _Parts, decision: Decision) -> Rendered:
    question, base, writer = bench.world.question, bench.world.base, bench.writer
    lines: tuple[str, ...] = ()
    named = bench.named_conventions()
    with bench.report.catching(()):
        lines = box(base, bench.notes, named, parts.numeric.unit if parts.numeric else "")
    deciding = {**decision.figures, **({"answer": _exact(parts.numeric)} if parts.numeric else {})}
    deciding |= {f"part {place}": _exact(part) for place, part in enumerate(parts.further, start=2)}
    return Rendered(
        bank=bench.context.bank,
        id=question.id,
        kind=question.kind,
        topic=question.topic,
        difficulty=question.difficulty,
        revision=revision_of(bench.world, decision.key, deciding),
        stem=writer.text(question.stem, base, ("stem",)),
        conventions=lines,
        answer_line=writer.line(question.answer_line, base, ("answer_line",)) or parts.summary,
        options=parts.options,
        items=parts.items,
        numeric=parts.numeric,
        parts=parts.further,
        rubric=tuple(writer.line(text, base, ("rubric", index)) for index, text in enumerate(question.rubric))
        if isinstance(question, Open)
        else (),
        sketch=writer.text(question.sketch, base, ("sketch",)) if isinstance(question, Open) else "",
        criterion=criterion_of(bench),
        way=parts.way,
        axes={name: axis_text(raw) for name, raw in bench.world.axes.items()},
        **reveal_fields(bench, parts.words),
    )
