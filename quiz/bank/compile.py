"""From the text of a question's file to the question as shown, with all that is wrong with it at once.

The steps: read the YAML, validate the form, compute the key, render, try the variants. A file that fails the form
is still searched for figures typed in prose, so that an author mends both in one go.
"""

from __future__ import annotations

import re
from functools import wraps
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from quiz.bank.bench import ALONE, Bench
from quiz.bank.constants import report_constants
from quiz.bank.diagnostics import BankError, Diagnostic, Place, split_lines
from quiz.bank.document import ASIDE, MisreadError
from quiz.bank.forms import FormRefusedError, Shape
from quiz.bank.known_keys import known_keys_of
from quiz.bank.locate import from_validation_error, place_of
from quiz.bank.names import report_names
from quiz.bank.problems import FOUND, TOLD, Report
from quiz.bank.prose import report_literals
from quiz.bank.render import render
from quiz.bank.rendered import IndexEntry
from quiz.bank.restated import report_restated
from quiz.bank.schema import MANIFEST, QUESTION, SOURCES, AnyQuestion, Manifest
from quiz.bank.scope import World
from quiz.bank.variants import Survey, check_axes, check_axis_values, survey, values_of
from quiz.bank.verdicts import Decision, asserted_share, decided
from quiz.bank.yaml_reader import read_yaml
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from quiz.bank.bench import Context
    from quiz.bank.document import Document
    from quiz.bank.rendered import Rendered
    from quiz.bank.schema import SourceEntry

_T = TypeVar("_T")
_P = ParamSpec("_P")
_TITLE: Final = 80
_ID: Final = re.compile(r"id:\s+['\"]?([a-z0-9]+(?:-[a-z0-9]+)*)['\"]?\s*(?:#.*)?$")


class Link(Record):
    """A question that another names, and where."""

    to: str
    kind: str
    place: Place


class Named(Record):
    """What other files may know of a file, be its question sound or not: its id and where, the questions it names.

    The id is empty where it cannot be read.
    """

    id: str = ""
    place: Place | None = None
    links: tuple[Link, ...] = ()
    renamed_from: tuple[str, ...] = ()


class NotCompiledError(BankError):
    """A file that is YAML and whose question has errors; `named` is what other files may know of it."""

    def __init__(self, diagnostics: Sequence[Diagnostic], named: Named) -> None:
        super().__init__(diagnostics)
        self.named = named


class Compiled(Record):
    """One file's question: its base as shown, its index entry, how many of its options are asserted, of how many.

    `varies` says whether other numbers may be drawn for it; how many are kept, a survey finds out.
    """

    base: Rendered
    entry: IndexEntry
    place: Place
    asserted: int
    options: int
    links: tuple[Link, ...]
    warnings: tuple[Diagnostic, ...]
    decision: Decision
    varies: bool


def _bounded(work: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let a question whose names lean on one another without end be a bad question, and not a fault of ours."""

    @wraps(work)
    def bounded(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return work(*args, **kwargs)
        except RecursionError:
            what = "the names of this question lean on one another too deeply to be worked out"
            place = Place(str(args[1]), 0, 0)
            raise BankError([Diagnostic(place, "too-deep", what, next="Shorten the chains of figures.")]) from None

    return bounded


class Studied(Record):
    """All that is known of a file that is YAML. `question` is None where the form is broken.

    `compiled` is None where the report holds an error; `named` is there in any case.
    """

    document: Document
    report: Report
    question: AnyQuestion | None
    compiled: Compiled | None
    named: Named = Named()


def form_of(text: str | bytes, file: str, context: Context) -> tuple[Report, AnyQuestion | None]:
    """The question of a file by its form alone (None where that is broken), and the report that takes what is found.

    Raises `BankError` for what is no YAML.
    """
    document = read_yaml(text, file)
    report = Report(document)
    report.found += document.warnings
    return report, _validated(document, report, context)


@_bounded
def study_text(text: str | bytes, file: str, context: Context) -> Studied:
    """Compile the question in `text` and keep what it was made from. Raises `BankError` for what is no YAML."""
    try:
        document = read_yaml(text, file)
    except MisreadError as error:
        # What an unread `waive` answers is not known, so that nothing is said of craft.
        if error.document is None or error.document.data.get("waive") is ASIDE:  # type: ignore[attr-defined]
            raise
        return _told(error.document, context)
    report = Report(document)
    report.found += document.warnings
    report_literals(document, report)
    question = _validated(document, report, context)
    compiled = None
    if question is not None:
        report_names(question, report)
        report_constants(question, report, context.units)
        compiled = _compiled(question, document, context, report)
    if compiled is not None and question is not None and not report.failed:
        named = Named(compiled.base.id, compiled.place, compiled.links, question.renamed_from)
        return Studied(document, report, question, compiled, named)
    told = _told(document, context)
    # What stopped the compiler is found by both; if it ever were not, the compiler's own report would count.
    return Studied(document, told.report if told.report.failed else report, question, None, told.named)


def _told(document: Document, context: Context) -> Studied:
    """What is known of a file in which something is wrong."""
    from quiz.bank.at_once import told_at_once  # most files have no error

    report, read = told_at_once(document, context)
    return Studied(document, report, None, None, _named(read, document))


def named_in(text: str | bytes, file: str) -> Named:
    """What can be told of a file that is no YAML: the id that stands in a line of it."""
    content = text if isinstance(text, str) else text.decode("utf-8", "replace")
    for number, line in enumerate(split_lines(content), start=1):
        found = _ID.match(line)
        if found is not None:
            return Named(found[1], Place(file, number, found.start(1) + 1))
    return Named()


def _named(question: AnyQuestion | None, document: Document) -> Named:
    """Of a question that was read leniently."""
    if question is None:
        return named_in(document.source, document.file)
    has_id = question.id != TOLD
    return Named(
        question.id if has_id else "",
        place_of(document, ("id",)) if has_id else None,
        tuple(link for link in _links(question, document) if link.to != TOLD),
        tuple(former for former in question.renamed_from if former != TOLD),
    )


def compile_text(text: str | bytes, file: str, context: Context) -> Compiled:
    """Compile the question in `text`. Raises `BankError` with every problem, `NotCompiledError` for what is YAML."""
    studied = study_text(text, file, context)
    if studied.compiled is None:
        raise NotCompiledError(studied.report.found, studied.named)
    return studied.compiled


@_bounded
def render_variant(text: str | bytes, file: str, context: Context, axes: Mapping[str, str]) -> Rendered:
    """The question of `text` with the axis values `axes`.

    Raises `BankError`, and `KeyError` for values that it does not have.
    """
    document = read_yaml(text, file)
    report = Report(document)
    question = _validated(document, report, context)
    if question is None:
        raise BankError(report.found)
    try:
        world = World(question, values_of(question, axes), units=context.units)
    except FOUND as error:
        report.note(error, ())
        raise BankError(report.found) from error
    rendered = render(Bench(world, context, report))
    if rendered is None or report.failed:
        raise BankError(report.found)
    return rendered[0]


@_bounded
def survey_text(text: str | bytes, file: str, context: Context = ALONE) -> tuple[Survey, tuple[Diagnostic, ...]]:
    """The variants that the question of `text` keeps, and what is to be said of them. Raises `BankError`."""
    document = read_yaml(text, file)
    report = Report(document)
    question = _validated(document, report, context)
    if question is None:
        raise BankError(report.found)
    decision = Decision()
    with report.catching(()):
        decision = decided(World(question, units=context.units))
    if report.failed:
        raise BankError(report.found)
    return survey(question, decision.key, report, context.units), tuple(report.found)


def read_manifest(text: str | bytes, file: str) -> Manifest:
    """Read `bank.yaml`. Raises `BankError`."""
    return _read(MANIFEST, text, file)


def read_sources(text: str | bytes, file: str) -> dict[str, SourceEntry]:
    """Read `sources.yaml`. Raises `BankError`."""
    return _read(SOURCES, text, file)


def _read(shape: Shape[_T], text: str | bytes, file: str) -> _T:
    document = read_yaml(text, file)
    try:
        return shape.read(document.data)
    except FormRefusedError as error:
        raise BankError(from_validation_error(document, error.cause, known_keys_of(error.models))) from error


def _validated(document: Document, report: Report, context: Context) -> AnyQuestion | None:
    try:
        return QUESTION.read(document.data, context.units)
    except FormRefusedError as error:
        report.found += from_validation_error(document, error.cause, known_keys_of(error.models))
        return None


def _compiled(question: AnyQuestion, document: Document, context: Context, report: Report) -> Compiled | None:
    check_axis_values(question, report)
    try:
        world = World(question, units=context.units)
    except FOUND as error:
        report.note(error, ("scenario",))
        return None
    if not _options_are_whole(world, report):
        # What else would be said follows from these, at the place of every name that is read there.
        return None
    report_restated(world, report)
    rendered = render(Bench(world, context, report))
    if rendered is None:
        return None
    base, decision = rendered
    check_axes(question, report, context.units)
    asserted, options = asserted_share(decision)
    entry = IndexEntry(
        base.id,
        base.kind,
        base.topic,
        base.difficulty,
        question.title or _title(base.stem),
        base.prerequisites,
        base.related,
        question.renamed_from,
        question.generation,
        question.deprecated or "",
    )
    return Compiled(
        base,
        entry,
        place_of(document, ("id",)),
        asserted,
        options,
        _links(question, document),
        tuple(one for one in report.found if one.severity == "warning"),
        decision,
        question.variants is not None,
    )


def _options_are_whole(world: World, report: Report) -> bool:
    """Whether every option's patch makes a scenario; what is wrong is noted once each."""
    whole = True
    for name in world.patches:
        try:
            world.option(name)
        except FOUND as error:
            report.note(error, (world.group, name, "set"))
            whole = False
    return whole


def _links(question: AnyQuestion, document: Document) -> tuple[Link, ...]:
    return tuple(
        Link(to, kind, place_of(document, (kind, index)))
        for kind in ("related", "prerequisites")
        for index, to in enumerate(getattr(question, kind))
    )


def _title(stem: str) -> str:
    """The first sentence of a stem, cut at a word."""
    line = " ".join(stem.split())
    ends = [at for mark in (". ", "? ", "! ") if (at := line.find(mark)) > 0]
    first = line[: min(ends) + 1] if ends else line
    return first if len(first) <= _TITLE else first[:_TITLE].rsplit(" ", maxsplit=1)[0] + " …"
