"""One file under the lint: everything that can be said of it alone, as a sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.authoring.craft import report_craft
from quiz.authoring.craft_options import report_options
from quiz.authoring.drawn import Tried, draws_key
from quiz.authoring.draws import Draws
from quiz.authoring.facts import report_facts
from quiz.authoring.sheet import Choice, Mention, Row, Sheet
from quiz.authoring.subject import Whole
from quiz.authoring.traps import report_single_braces, traps_of
from quiz.bank.compile import named_in, study_text
from quiz.bank.diagnostics import BankError, Diagnostic, Place, in_order
from quiz.bank.literals import PLACEHOLDER
from quiz.bank.locate import place_of
from quiz.bank.margins import margin_of
from quiz.bank.problems import FOUND
from quiz.bank.schema_parts import Quote
from quiz.bank.scope import World
from quiz.bank.variants import Survey, draws_of
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.bank.bench import Context
    from quiz.bank.compile import Studied
    from quiz.bank.document import Path


class Examined(Record):
    """A file examined: its sheet, and where it is whole the question itself and the variants that it keeps."""

    sheet: Sheet
    subject: Whole | None = None
    tried: Tried | None = None


def examine(
    content: bytes, file: str, digest: str, context: Context, before: Sheet | None = None, *, halves: bool = False
) -> Sheet:
    """The sheet of a file with this content. Raises nothing that an author can cause.

    `before` is what was known of the file: its draws are not tried again where nothing that they rest on has changed.
    With `halves` they are tried on two cores, where that pays.
    """
    tried = None
    if before is not None and before.drawn and before.row is not None:
        tried = Tried(before.drawn, before.row.variants, before.row.rejected)
    return examined(content, file, digest, context, tried=tried, halves=halves).sheet


def examined(
    content: bytes,
    file: str,
    digest: str,
    context: Context,
    *,
    draws: bool = True,
    tried: Tried | None = None,
    halves: bool = False,
) -> Examined:
    """As `examine`, with the question that the sheet is of; without `draws` its variants are not tried.

    `tried` are draws that were tried before; with `halves` new ones are tried on two cores.
    """
    traps = tuple(traps_of(content, file))
    try:
        studied = study_text(content, file, context)
        report_single_braces(studied.document, studied.report)
        if studied.compiled is None:
            from quiz.authoring.beside import report_beside_errors  # most files have no error

            report_beside_errors(studied, context)
        subject = _whole(studied, context)
        now = None if subject is None else _checked(subject, tried, draws=draws, halves=halves)
    except BankError as error:
        named = named_in(content, file)
        return Examined(Sheet(file, digest, in_order((*traps, *error.diagnostics)), named.id, named.place))
    except RecursionError:
        what = "the names of this question lean on one another too deeply to be worked out"
        deep = Diagnostic(Place(file, 0, 0), "too-deep", what, next="Shorten the chains of figures.")
        named = named_in(content, file)
        return Examined(Sheet(file, digest, in_order((*traps, deep)), named.id, named.place))
    findings = in_order((*traps, *(_strict(one) for one in studied.report.found)))
    named = studied.named
    start = Sheet(
        file,
        digest,
        findings,
        named.id,
        named.place,
        links=tuple(Mention(link.to, link.place, link.kind) for link in named.links),
        renamed_from=named.renamed_from,
        waivers=tuple(_waivers(studied)),
    )
    if subject is None or now is None:
        return Examined(start)
    return Examined(_sheet(subject, now, start), subject, now)


def _whole(studied: Studied, context: Context) -> Whole | None:
    if studied.compiled is None or studied.question is None:
        return None
    world = World(studied.question, units=context.units)
    decision = studied.compiled.decision
    if len(decision.key) == 1:
        world.key_option = decision.key[0]
    compiled = studied.compiled
    return Whole(studied.document, studied.report, studied.question, compiled.base, world, context, compiled)


def _checked(subject: Whole, before: Tried | None, *, draws: bool, halves: bool) -> Tried:
    report_facts(subject)
    report_craft(subject)
    report_options(subject)
    if not draws:
        return _tried_now("", Survey())
    key = draws_key(subject)
    if before is not None and before.key == key:
        return before
    found = len(subject.report.found)
    try:
        survey = Draws(subject).survey(halves=halves)
    except FOUND as error:
        subject.report.note(error, ("variants",))
        raise BankError(subject.report.found) from error
    return _tried_now("" if len(subject.report.found) > found else key, survey)


def _tried_now(key: str, survey: Survey) -> Tried:
    return Tried(key, len(survey.kept), survey.account, survey)


def _strict(one: Diagnostic) -> Diagnostic:
    """Too few variants are a warning when a bank is opened, and an error here."""
    if one.code != "few-variants":
        return one
    return Diagnostic(one.place, one.code, one.what, one.why, one.next, "error", one.path)


def _sheet(subject: Whole, tried: Tried, start: Sheet) -> Sheet:
    question, base, compiled = subject.question, subject.base, subject.compiled
    row = Row(
        base.id,
        start.file,
        base.kind,
        base.key,
        base.numeric.text if base.numeric else "",
        margin_of(compiled),
        tried.variants,
        draws_of(question),
        tried.rejected,
        compiled.asserted,
        compiled.options,
    )
    return Sheet(
        start.file,
        start.digest,
        start.findings,
        start.id,
        start.id_place,
        row,
        base.stem,
        " ".join(PLACEHOLDER.sub(" ", question.stem).split()),
        tuple(
            Choice(one.id, one.text, one.correct, place_of(subject.document, ("options", one.id), key=True))
            for one in base.options
        ),
        start.links,
        start.renamed_from,
        tuple(_dates(subject)),
        start.waivers,
        tried.key,
    )


def _dates(subject: Whole) -> Iterator[Mention]:
    """Dates of statements; those that can go out of date, which a page says, have the source as their note."""
    question, document = subject.question, subject.document
    dated: list[tuple[Path, str, str | None]] = [
        (("figures", name, "as_of"), figure.source, figure.as_of)
        for name, figure in question.figures.items()
        if isinstance(figure, Quote)
    ]
    dated += [(("uses", index, "as_of"), one.source, one.as_of) for index, one in enumerate(question.uses)]
    dated += [(("sources", index, "as_of"), one.source, one.as_of) for index, one in enumerate(question.sources)]
    for path, source, date in dated:
        entry = subject.context.sources.get(source)
        if date:
            is_page = entry is not None and (entry.address or "").startswith("http")
            yield Mention(date, place_of(document, path), source if is_page else "")


def _waivers(studied: Studied) -> Iterator[Mention]:
    data = studied.document.data
    waive = data.get("waive") if isinstance(data, dict) else None
    if isinstance(waive, dict):
        for code, reason in waive.items():
            yield Mention(code, place_of(studied.document, ("waive", code), key=True), str(reason))
