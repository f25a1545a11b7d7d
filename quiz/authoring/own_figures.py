"""The quick half of the lint, for banks of thousands: the form of a file, and the question's own figures.

Left out are variants, wording, and whatever compares files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.authoring.sheet import Findings, Sheet
from quiz.bank.compile import form_of
from quiz.bank.constants import report_constants
from quiz.bank.diagnostics import BankError, Diagnostic, Place, in_order
from quiz.bank.files import MANIFEST, SOURCES, list_bank, passed_over, require_manifest
from quiz.bank.numeric import Reference
from quiz.bank.problems import FOUND
from quiz.bank.schema import Numeric
from quiz.bank.scope import World
from quiz.bank.verdicts import decided

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from quiz.bank.bench import Context
    from quiz.bank.document import Path as Steps
    from quiz.bank.files import Listing
    from quiz.bank.problems import Report
    from quiz.bank.schema import AnyQuestion
    from quiz.bank.schema_parts import Answer, Slip


def check_figures(
    folder: Path,
    only: Collection[str] | None = None,
    *,
    workers: int,
    progress: Callable[[int, int], None] | None = None,
) -> Findings:
    """What the quick half finds in a bank, or in those of its files that are named. Nothing is cached.

    Raises `BankError` where there is no bank.
    """
    from quiz.authoring.pool import sheets_of

    listing = list_bank(folder)
    require_manifest(listing)
    names = [name for name in listing.questions if only is None or name in only]
    found = [one for one in listing.problems if only is None or one.place.file in only]
    found += passed_over(listing, only or ())
    try:
        make = figures_maker(listing)
        for count, sheet in enumerate(sheets_of(listing, names, make, workers, figures=True), start=1):
            found += sheet.findings
            if progress is not None:
                progress(count, len(names))
    except BankError as error:  # bank.yaml or sources.yaml, on which every question rests
        found = [one for one in error.diagnostics if only is None or one.place.file in {*only, MANIFEST, SOURCES}]
    return Findings(folder, in_order(found), compiled=len(names), figures_of=len(names))


def figures_maker(listing: Listing) -> Callable[[str], Sheet]:
    """A function that checks one file of the bank. Raises `BankError` where bank.yaml or sources.yaml is broken."""
    from quiz.bank.loader import Loader

    context = Loader(listing, None).context

    def make(name: str) -> Sheet:
        try:
            return Sheet(name, "", in_order(_findings(listing.read(name), name, context)))
        except BankError as error:
            return Sheet(name, "", in_order(error.diagnostics))
        except RecursionError:
            what = "the names of this question lean on one another too deeply to be worked out"
            deep = Diagnostic(Place(name, 0, 0), "too-deep", what, next="Shorten the chains of figures.")
            return Sheet(name, "", (deep,))

    return make


def _findings(content: bytes, file: str, context: Context) -> Sequence[Diagnostic]:
    report, question = form_of(content, file, context)
    if question is not None:
        report_constants(question, report, context.units)
        _figures(question, context, report)
    if report.failed:
        from quiz.bank.at_once import told_at_once  # most files have no error

        whole, _ = told_at_once(report.document, context)
        return whole.found if whole.failed else report.found
    return report.found


def _figures(question: AnyQuestion, context: Context, report: Report) -> None:
    """Note what is wrong with what decides the question, with the figures that it names, with what is typed."""
    try:
        world = World(question, units=context.units)
        decision = decided(world)
    except FOUND as error:
        report.note(error, ())
        return
    if len(decision.key) == 1:
        world.key_option = decision.key[0]
    for name in question.figures:
        with report.catching(("figures", name)):
            world.require_value(name)
    for answer, slips, at, slips_at in _typed(question):
        with report.catching(at, answer.is_):
            list(Reference(world, answer, at).wrong_values(slips, slips_at))


def _typed(question: AnyQuestion) -> Iterator[tuple[Answer, Sequence[Slip], Steps, Steps]]:
    if isinstance(question, Numeric):
        yield question.answer, question.slips, ("answer",), ("slips",)
        for index, part in enumerate(question.parts):
            yield part.answer, part.slips, ("parts", index, "answer"), ("parts", index, "slips")
    elif then := getattr(question, "then", None):
        yield then.answer, then.slips, ("then", "answer"), ("then", "slips")
