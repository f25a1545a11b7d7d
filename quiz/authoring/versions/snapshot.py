"""What a version of a bank says: of each question the key, the answers and every figure, with each variant's numbers.

A question need not be whole: what cannot be computed is told, and the rest is compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from quiz.bank.bench import ALONE, Context
from quiz.bank.compile import read_manifest, read_sources, study_text
from quiz.bank.diagnostics import BankError
from quiz.bank.files import MANIFEST, SOURCES, list_bank
from quiz.bank.numeric import Reference
from quiz.bank.problems import FOUND, Report
from quiz.bank.prose import VERDICT, Writer, names_in, prose_texts
from quiz.bank.revision import exact
from quiz.bank.schema import Numeric, Ordering
from quiz.bank.scope import World
from quiz.bank.shown import shown_symbol
from quiz.bank.variants import axis_text, check_axes, survey
from quiz.bank.verdicts import claim_scope, decided
from solvers.expr.declared import units_from
from solvers.expr.evaluate import Quantity
from solvers.expr.reader_limits import ReadError
from solvers.inputs import InputError, expr_of

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator, Sequence

    from quiz.bank.compile import Studied
    from quiz.bank.document import Path
    from quiz.bank.schema import AnyQuestion
    from quiz.bank.schema_parts import Answer, Slip
    from quiz.bank.scope import Scope
    from quiz.bank.verdicts import Decision
    from solvers.expr.evaluate import Value
    from solvers.expr.units import Unit

    Texts = Sequence[tuple[Path, str]]

_DIGITS: Final = 15
#: What a variant is called that has the author's own numbers.
BASE: Final = "base"


class Amount(msgspec.Struct, frozen=True):
    """A figure: as it is shown, exact, and in the unit that it is shown in with as many digits as tell it apart."""

    text: str
    exact: str
    full: str = ""


class Draw(msgspec.Struct, frozen=True):
    """A question with one set of numbers: key, answers by place, slips, figures, and the standing of each option.

    `figures` are those that it names and those that its texts show. `numbers` are those that were drawn, as prose
    shows them; empty for the author's own.
    """

    key: tuple[str, ...]
    answers: Mapping[str, Amount]
    slips: Mapping[str, Amount]
    figures: Mapping[str, Amount]
    standings: Mapping[str, str]
    numbers: str = ""


class Known(msgspec.Struct, frozen=True):
    """One question of a version. `draws` are by variant, the base first; `trouble` is why there are none.

    `options` are the texts of options or items; `tolerances` those of the answers, and `accepted` what else is asked of
    them; `wording` the texts and settings of the file by key, which are compared and not shown.
    """

    id: str
    file: str
    kind: str
    former: tuple[str, ...]
    draws: Mapping[str, Draw]
    options: Mapping[str, str]
    tolerances: Mapping[str, str]
    accepted: Mapping[str, str]
    wording: Mapping[str, str]
    trouble: str = ""


@dataclass(slots=True)
class Snapshot:
    """A version: its questions by id, and what could not be read, by file."""

    questions: dict[str, Known] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)


def snapshot(folder: pathlib.Path, only: str | None = None, *, variants: bool = True) -> Snapshot:
    """The version of a bank in a folder; `only` is one of its files. Raises `BankError` where there is no bank."""
    listing = list_bank(folder)
    contents = {name: listing.read(name) for name in listing.shared}
    context = context_of(contents)
    found = Snapshot()
    for name in listing.questions:
        if only is None or name == only:
            _take(found, listing.read(name), name, context, variants=variants)
    return found


def snapshot_of_file(content: bytes, name: str, context: Context = ALONE, *, variants: bool = True) -> Snapshot:
    """The version of one question's file, read with the units and sources of a bank."""
    found = Snapshot()
    _take(found, content, name, context, variants=variants)
    return found


def context_of(contents: Mapping[str, bytes]) -> Context:
    """What the questions of a bank share. Raises `BankError`."""
    manifest = read_manifest(contents[MANIFEST], MANIFEST)
    sources = read_sources(contents[SOURCES], SOURCES) if SOURCES in contents else {}
    return Context(manifest.id, sources, manifest.conventions, units_from(manifest.declared), manifest.declared)


def _take(found: Snapshot, content: bytes, name: str, context: Context, *, variants: bool) -> None:
    try:
        studied = study_text(content, name, context)
    except BankError as error:
        found.unread[name] = error.diagnostics[0].what
        return
    question = studied.question
    if question is None:
        found.unread[name] = next(one.what for one in studied.report.found if one.severity == "error")
    elif question.id in found.questions:
        found.unread[name] = f"its id {question.id} is that of {found.questions[question.id].file} too"
    else:
        found.questions[question.id] = _known(question, studied, name, context, variants=variants)


def _known(question: AnyQuestion, studied: Studied, name: str, context: Context, *, variants: bool) -> Known:
    draws: dict[str, Draw] = {}
    options: dict[str, str] = {}
    trouble = ""
    data: Any = studied.document.data
    texts = tuple(prose_texts(data))
    try:
        world = World(question, units=context.units)
        decision = decided(world)
        world.key_option = decision.key[0] if decision.key and not isinstance(question, Ordering) else None
        draws[BASE] = _draw(world, decision, texts)
        options = _option_texts(studied, world)
        if variants and not studied.report.failed:
            _survey(draws, question, decision, (studied, texts), context)
    except FOUND as error:
        trouble = " ".join(str(error).split())
    return Known(
        question.id,
        name,
        question.kind,
        question.renamed_from,
        draws,
        options,
        {label: answer.within for label, answer, _, _ in _answers(question)},
        {label: _accepted(answer) for label, answer, _, _ in _answers(question)},
        {key: repr(value) for key, value in data.items()},
        trouble,
    )


def _survey(
    draws: dict[str, Draw],
    question: AnyQuestion,
    decision: Decision,
    read: tuple[Studied, Texts],
    context: Context,
) -> None:
    studied, texts = read
    report = Report(studied.document)
    check_axes(question, report, context.units)
    if report.failed:
        return

    def keep(world: World, drawn: Decision) -> None:
        draws[", ".join(f"{name}={axis_text(raw)}" for name, raw in world.axes.items())] = _draw(world, drawn, texts)

    survey(question, decision.key, report, context.units, keep)


def _draw(world: World, decision: Decision, texts: Texts) -> Draw:
    answers: dict[str, Amount] = {}
    slips: dict[str, Amount] = {}
    for label, answer, wrong, at in _answers(world.question):
        reference = Reference(world, answer, ("answer",))
        slips |= _slips(reference, label, wrong, at)
        values = (reference.value, *reference.others)
        exactly, fully = (
            "; ".join(spell(value) for value in values) for spell in (exact, partial(full, unit=reference.unit))
        )
        answers[label] = Amount(reference.text, exactly, fully)
    return Draw(
        decision.key,
        answers,
        slips,
        {**dict(_shown(world, texts)), **dict(_figures(world))},
        {name: standing.figures.partition(": ")[2] for name, standing in decision.standings.items()},
        ", ".join(f"{name} {_drawn(world, name)}" for name in world.axes),
    )


def _drawn(world: World, name: str) -> str:
    """A drawn value as prose shows it, with more digits where that would be another value."""
    shown = shown_symbol(name, world.base.solver.value(name))
    if not isinstance(shown.value, Quantity):
        return shown.in_prose
    try:
        read = world.base.value(expr_of(name, shown.in_prose))
    except (InputError, ReadError):
        read = False
    same = isinstance(read, Quantity) and read.value == shown.value.value
    return shown.in_prose if same else full(shown.value, shown.unit)


def full(value: Value, unit: Unit) -> str:
    """A value in a unit with up to fifteen digits, grouped: 33.999999 GB."""
    if not isinstance(value, Quantity):
        return exact(value)
    with localcontext(prec=_DIGITS):
        number = value.value / unit.factor
        text = f"{(Decimal(number.numerator) / Decimal(number.denominator)).normalize():,f}"
    return f"{text} {unit.name}".strip()


def _answers(question: AnyQuestion) -> Iterator[tuple[str, Answer, Sequence[Slip], Path]]:
    """The typed answers of a question by their place in the file, each with its slips and where these stand."""
    if isinstance(question, Numeric):
        yield "answer", question.answer, question.slips, ("slips",)
        for index, part in enumerate(question.parts):
            yield f"parts[{index}]", part.answer, part.slips, ("parts", index, "slips")
    then = getattr(question, "then", None)
    if then is not None:
        yield "then", then.answer, then.slips, ("then", "slips")


def _accepted(answer: Answer) -> str:
    """What is asked of an answer beside its tolerance, in words."""
    unit = answer.unit or "its unit"
    said = ["a unit is needed" if answer.need_unit else f"a bare number is in {unit}"]
    if answer.in_unit:
        said.append(f"no other unit than {unit}")
    if answer.estimate is not None:
        said.append(f"an estimate: right within a factor of {answer.estimate.full}")
    if answer.range:
        said.append(f"a range must be {answer.range}")
    return "; ".join(said)


def _slips(reference: Reference, label: str, slips: Sequence[Slip], at: Path) -> Iterator[tuple[str, Amount]]:
    """The wrong values that are recognised; one that is no value with these numbers is not."""
    for index, slip in enumerate(slips):
        try:
            value = reference.wrong_value(slip, (*at, index), {"": reference.value})
        except FOUND:
            continue
        name = slip.id if label == "answer" else f"{slip.id} ({label})"
        yield name, Amount(reference.spelled(value), exact(value), full(value, reference.unit))


def _shown(world: World, texts: Texts) -> Iterator[tuple[str, Amount]]:
    """The quantities that texts show without a name of the question's own; of an option under that option."""
    for path, text in texts:
        option = str(path[1]) if len(path) > 1 and path[0] == world.group else ""
        for name in names_in(text):
            if name == VERDICT or name in world.question.figures:
                continue
            try:
                scope = world.base if not option else _scope_of(world, option)
                shown = scope.in_prose(name)
            except FOUND:
                continue  # the bank does not load with it, and the lint says why
            called = f"{name} ({option})" if option else name
            yield called, Amount(shown.in_prose, exact(shown.value), full(shown.value, shown.unit))


def _scope_of(world: World, option: str) -> Scope:
    return claim_scope(world, option) if world.group == "options" else world.option(option)


def _figures(world: World) -> Iterator[tuple[str, Amount]]:
    """Each named figure in the base; one that has a value only under options, under each of them."""
    for name in world.question.figures:
        try:
            shown = world.base.figure(name)
        except FOUND:
            yield from _under_options(world, name)
        else:
            yield name, Amount(shown.in_prose, exact(shown.value), full(shown.value, shown.unit))


def _under_options(world: World, name: str) -> Iterator[tuple[str, Amount]]:
    for option in world.patches:
        try:
            shown = world.option(option).figure(name)
        except FOUND:
            continue  # not said under this option; that it is said under one, the loading of a bank makes sure
        yield f"{name} ({option})", Amount(shown.in_prose, exact(shown.value), full(shown.value, shown.unit))


def _option_texts(studied: Studied, world: World) -> dict[str, str]:
    writer = Writer(Report(studied.document))
    texts: dict[str, str] = {}
    for group in ("options", "items"):
        for name, form in getattr(world.question, group, {}).items():
            texts[name] = writer.line(form.text, _scope_of(world, name), (group, name, "text"), {VERDICT: "…"})
    return texts
