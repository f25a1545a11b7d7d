"""What the lint finds of facts and craft in a question that has errors, where it does not touch what is wrong.

The question is read leniently once more, and worked out in a world in which what was told has no value. Where its
decision comes of that and no error lies where it is decided, the checks of a sound question are made of what is left.
What is worked out here serves these checks alone: it is never compiled, kept, drawn or shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from quiz.authoring.compared import comparisons, report_comparisons
from quiz.authoring.craft import report_rationales, report_reading, report_reveal, report_stem, report_unused
from quiz.authoring.craft_options import report_surface, report_wording
from quiz.authoring.facts import report_equal, report_no_convention, report_no_source, report_refused, typed_parts
from quiz.authoring.said import report_verdicts, verdicts_said
from quiz.authoring.subject import Subject, Wording
from quiz.authoring.told import Errors
from quiz.bank.at_once import read_leniently
from quiz.bank.bench import Bench
from quiz.bank.lenient import raising_in, with_fields
from quiz.bank.lenient_world import LenientReport, LenientWorld
from quiz.bank.parts_at_once import decision_of
from quiz.bank.problems import FOUND, TOLD
from quiz.bank.prose import Writer
from quiz.bank.render import shown_whole
from quiz.bank.schema import Numeric, Ordering
from solvers.record import changed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.bank.bench import Context
    from quiz.bank.compile import Studied
    from quiz.bank.document import Document, Path
    from quiz.bank.problems import Report
    from quiz.bank.schema import AnyQuestion
    from quiz.bank.scope import Scope

_NOT_OF_THE_BASE: Final[dict[str, Any]] = {
    "difficulty": 1,
    "variants": None,
    "drill": None,
    **dict.fromkeys(("framing", "decision_rule", "why", "analogy")),
    **dict.fromkeys(("concept", "red_flags", "follow_ups", "bullets", "stops_working_when", "uses", "sources"), ()),
}
"""Fields that neither decide nor are compared, as they are left out."""


def report_beside_errors(studied: Studied, context: Context) -> None:
    """Note what is wrong in facts and craft with a question that has errors, so far as these have no part in it."""
    if isinstance(studied.report, LenientReport):
        _report_read(studied.document, studied.report, context)
    _report_plain(studied.report)


def _report_read(document: Document, report: LenientReport, context: Context) -> None:
    form = read_leniently(document, context.units)
    errors = Errors(report.found, report.document, form.meant)
    if form.question is None:
        return
    _report_words(Wording(report.document, report, form.question))
    question = _without_what_was_told(form.question, errors)
    worked = _worked(question, report, context) if errors.spare_the_decision else None
    if worked is not None:
        _report_worked(*worked, errors)


def _report_plain(report: Report) -> None:
    """Note what no figure decides: no source, options that say the same."""
    data = report.document.data
    if not isinstance(data, dict):
        return
    if data.get("sources", []) == []:
        report_no_source(report)
    options = data.get("options")
    texts = {
        name: option["text"]
        for name, option in (options.items() if isinstance(options, dict) else ())
        if isinstance(option, dict) and isinstance(option.get("text"), str) and "{{" not in option["text"]
    }
    report_equal(report, texts)


def _report_words(read: Wording) -> None:
    """Note what is seen in the words of a stem and of options, where they were read."""
    question = read.question
    if question.stem == TOLD:
        return
    if "wanted" in raising_in(question):
        question = with_fields(question, wanted=True)
    report_stem(Wording(read.document, read.report, question))
    options = getattr(question, "options", {})
    known = {name: option for name, option in options.items() if option.text != TOLD}
    if known:
        report_wording(Wording(read.document, read.report, with_fields(question, options=known)))


class _Watching(Writer):
    """Knows afterwards in which texts something could not be put in."""

    def __init__(self, report: LenientReport) -> None:
        super().__init__(report)
        self._told = report
        self.spoilt: set[Path] = set()

    def text(self, prose: str | None, scope: Scope, path: Path, words: Mapping[str, str] | None = None) -> str:
        """As in `Writer`."""
        before = self._told.failures
        found = super().text(prose, scope, path, words)
        if self._told.failures > before or prose == TOLD:
            self.spoilt.add(path)
        return found


def _without_what_was_told(question: AnyQuestion, errors: Errors) -> AnyQuestion:
    """The question without a second part whose answer was told, and without lists of slips of which one was.

    An answer is judged without slips too.
    """
    if isinstance(question, Numeric):
        parts = tuple(_spared(part, ("parts", index), errors) for index, part in enumerate(question.parts))
        return with_fields(_spared(question, (), errors), parts=parts)  # type: ignore[no-any-return]  # a question still
    if getattr(question, "then", None) is None:
        return question
    if errors.touch(("then", "answer")):
        return with_fields(question, then=None)  # type: ignore[no-any-return]  # a question still
    return with_fields(question, then=_spared(question.then, ("then",), errors))  # type: ignore[union-attr,no-any-return]


def _spared(part: Any, at: Path, errors: Errors) -> Any:  # noqa: ANN401 - a question or a part of it
    return with_fields(part, slips=()) if errors.touch((*at, "slips")) else part


def _worked(question: AnyQuestion, report: LenientReport, context: Context) -> tuple[Subject, set[Path]] | None:
    """The question in its own numbers, and the texts that lack some; None where it is not decided.

    What is found on the way was told before.
    """
    scratch = LenientReport(report.document)
    world = LenientWorld(with_fields(question, **_NOT_OF_THE_BASE), scratch, context.units)
    for name in question.figures:
        try:
            world.require_value(name)
        except FOUND:
            world.told_figures.add(name)
    decision = decision_of(world, scratch)
    if decision is None:
        return None
    if decision.key and not isinstance(question, Ordering):
        world.key_option = decision.key[0]
    bench = Bench(world, context, scratch)
    bench.writer = watching = _Watching(scratch)
    try:
        base = shown_whole(bench, decision)
    except FOUND:
        return None
    return Subject(report.document, report, question, base, world, context), watching.spoilt


def _report_worked(subject: Subject, spoilt: set[Path], errors: Errors) -> None:
    question, base = subject.question, subject.base

    def is_whole(path: Path) -> bool:
        return path not in spoilt and not errors.touch(path)

    if errors.are_apart:
        report_no_convention(subject)
    options = getattr(question, "options", {})
    if all(option.text != TOLD for option in options.values()):  # or a name might be that of another option
        report_verdicts(subject, subject.world, base.key, "", verdicts_said(subject))
    _report_compared(subject, errors)
    whole = {
        one.id: one.text
        for one in base.options
        if is_whole(("options", one.id, "text")) and not errors.touch(("options", one.id, "set"))
    }
    report_equal(subject.report, whole)
    all_parts = len(base.parts) == len(getattr(question, "parts", ()))  # or none is known by its place
    parts = [(part, path) for part, path in typed_parts(subject) if all_parts or path[0] != "parts"]
    report_refused(subject, [(part, path) for part, path in parts if not errors.touch(path)])
    _report_rationales(subject, errors)
    if errors.spare_the_reveal:
        report_reveal(subject)
    if errors.spare_names:
        report_unused(subject)
    if not is_whole(("stem",)):
        return
    if base.options and len(whole) == len(base.options):
        report_surface(subject)
    items = [("items", one.id, "text") for one in base.items]
    if len(whole) == len(base.options) and all(map(is_whole, [*items, ("then",)])):
        report_reading(subject)


def _report_rationales(subject: Subject, errors: Errors) -> None:
    """Note what options lack whose lines are in order: a line that is not may have been the rationale."""
    if subject.base.options:
        rest = {n: one for n, one in subject.question.options.items() if not errors.touch(("options", n))}  # type: ignore[union-attr]  # a question with options
        question = with_fields(subject.question, options=rest)
        report_rationales(changed(subject, question=question))


def _report_compared(subject: Subject, errors: Errors) -> None:
    """Note comparisons that are not so, in texts that the question shows."""
    known = {field.key for field in type(subject.question).fields}
    chosen_among = subject.world.group
    said = [
        one
        for one in comparisons(subject)
        if one.path[0] in known
        and not errors.hide(one.path)
        and (one.path[0] != chosen_among or one.path[1] in subject.world.patches)
    ]
    report_comparisons(subject, subject.world, "", said)
