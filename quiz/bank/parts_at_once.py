"""What decides a question and what it shows, each part by itself: none hides what is wrong with another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quiz.bank.bench import Bench
from quiz.bank.choices import check_slips
from quiz.bank.decide import Truth, judge
from quiz.bank.expressions import parsed
from quiz.bank.fields import percent
from quiz.bank.lenient import raising_in, with_fields
from quiz.bank.lenient_world import LenientReport, is_lost
from quiz.bank.numeric import Reference, numeric_part, slip_figure
from quiz.bank.problems import FOUND, EchoError, Problem
from quiz.bank.prose import VERDICT
from quiz.bank.render import shown_whole
from quiz.bank.reveal import reveal_fields
from quiz.bank.schema import Claim, Numeric, Open, Ordering, Strategy
from quiz.bank.shown import base_unit
from quiz.bank.verdicts import Decision, claim_scope, decided, reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from quiz.bank.document import Path
    from quiz.bank.lenient_world import LenientWorld
    from quiz.bank.schema_parts import Answer, Slip
    from solvers.expr.evaluate import Quantity

_FEWEST: int = 2


class _Verdicts(dict[str, str]):
    """The verdict on any option, be there one or not: no text depends on what it says."""

    def __contains__(self, _: object) -> bool:
        return True

    def __missing__(self, _: str) -> str:
        return ""


def report_parts(bench: Bench, world: LenientWorld, report: LenientReport) -> None:
    """Note what is wrong with the decider, the typed parts and the texts of a question."""
    decision = decision_of(world, report)
    if decision is not None and decision.key and not isinstance(world.question, Ordering):
        world.key_option = decision.key[0]
    _report_typed(bench, world, report)
    _report_texts(bench, world, report)
    if decision is not None:
        _report_rest(bench, report, decision)


def _report_rest(bench: Bench, report: LenientReport, decision: Decision) -> None:
    """Note what comes up where verdicts and ways are written; the names in texts were looked at one by one."""
    rest = LenientReport(report.document)
    with rest.catching(()):
        shown_whole(Bench(bench.world, bench.context, rest), decision)
    report.found += [one for one in rest.found if one.code != "unknown-name" and not report.has(one)]


def decision_of(world: LenientWorld, report: LenientReport) -> Decision | None:
    """How the question is decided; None where that was told, or leans on what was."""
    question, before = world.question, report.failures
    if isinstance(question, Strategy):
        _report_require(world, question, report)
    elif isinstance(question, Claim):
        for name in question.options:
            with report.catching(()):
                _claim(world, question, name)
    elif isinstance(question, Ordering):
        for name in question.items:
            with report.catching(()):
                _item(world, question, name)
    chosen_among = getattr(question, world.group, {})
    if report.failures > before or is_lost(chosen_among) or 0 < len(chosen_among) < _FEWEST:
        return None
    try:
        return decided(world)
    except FOUND as error:
        report.note(error, ())
        return None


def _claim(world: LenientWorld, question: Claim, name: str) -> None:
    option = question.options[name]
    if option.holds is None:
        if option.asserted is None:
            raise EchoError
        return
    with reading(("options", name, "holds"), option.holds):
        scope = claim_scope(world, name)
        share = percent(question.decisive)
        judge(scope.read(option.holds), scope, share, parsed(option.holds, world.units))
    _ = question.wanted


def _item(world: LenientWorld, question: Ordering, name: str) -> None:
    text, own = question.by_of(name), question.items[name].by
    if not text:
        raise EchoError
    with reading(("items", name, "by") if own else ("by",), text, name):
        world.option(name).formula(text)
    _ = question.order, question.decisive


def _report_require(world: LenientWorld, question: Strategy, report: LenientReport) -> None:
    """Note what is wrong with what must hold and with what is preferred, each expression once."""
    decide = question.decide
    open_ = [name for name, option in question.options.items() if _is_computed(option, report)]
    if (decide.require is None and not decide.prefer) or is_lost(question.options):
        report.failures += 1
        return
    truths: dict[str, Truth | None] = dict.fromkeys(open_, Truth.HOLDS)
    text = decide.require
    if text is not None:

        def required(name: str) -> None:
            truths[name] = None
            scope = world.option(name)
            share = percent(decide.decisive)
            truths[name] = judge(scope.read(text), scope, share, parsed(text, world.units)).truth

        _tried_under(open_, ("decide", "require"), text, required, report)
    for index, preference in enumerate(decide.prefer):
        of = preference.partition(" ")[2]

        def preferred(name: str, of: str = of) -> None:
            world.option(name).formula(of)

        path: Path = ("decide", "prefer", index)
        _tried_under([n for n in open_ if truths[n] is Truth.HOLDS], path, preference, preferred, report)
        unknown = [n for n in open_ if truths[n] is None]
        # Under an option that is not known to hold, only what has no value under any is wrong.
        if len(unknown) == len(open_) and not any(_works(preferred, name) for name in unknown):
            _tried_under(unknown, path, preference, preferred, report)


def _is_computed(option: object, report: LenientReport) -> bool:
    try:
        return option.asserted is None  # type: ignore[attr-defined]  # an option of a strategy
    except EchoError:
        report.failures += 1
        return False


def _works(work: Callable[[str], None], name: str) -> bool:
    try:
        work(name)
    except FOUND:
        return False
    return True


def _tried_under(
    options: Sequence[str], path: Path, text: str, work: Callable[[str], None], report: LenientReport
) -> None:
    """Try an expression under each option; what is wrong with it is noted once."""
    told = False
    for name in options:
        try:
            with reading(path, text, name):
                work(name)
        except FOUND as error:
            report.failures += 1
            if not told:
                report.note(error, path, text)
            told = told or not isinstance(error, EchoError)


def _report_typed(bench: Bench, world: LenientWorld, report: LenientReport) -> None:
    question = world.question
    if isinstance(question, Numeric):
        _report_part(bench, report, question.answer, ("answer",), question.slips, ("slips",), "")
        for index, part in enumerate(question.parts):
            at: Path = ("parts", index)
            ask = bench.writer.text(part.ask, world.base, (*at, "ask"))
            _report_part(bench, report, part.answer, (*at, "answer"), part.slips, (*at, "slips"), ask)
    elif (then := getattr(question, "then", None)) is not None:
        ask = bench.writer.text(then.ask, world.base, ("then", "ask"))
        _report_part(bench, report, then.answer, ("then", "answer"), then.slips, ("then", "slips"), ask)


def _report_part(
    bench: Bench, report: LenientReport, answer: Answer, at: Path, slips: Sequence[Slip], slips_at: Path, ask: str
) -> None:
    reference, is_whole = _reference(bench, report, answer, at)
    seen: dict[str, Quantity] = {} if reference is None else {"": reference.value}
    ids: set[str] = set()
    for index, slip in enumerate(slips):
        path: Path = (*slips_at, index)
        scope = bench.world.base if reference is None else reference.scope
        bench.writer.text(slip.says, scope, (*path, "says"))
        with report.catching(path):  # notes what is wrong with the patch, also where the answer has no value
            bench.world.base.at(slip.in_ or answer.in_, answer.set, at).patched(slip.set, (*path, "set"))
        if slip.id in ids:
            report.add(Problem((*path, "id"), "duplicate", f"two slips are named {slip.id}", next_="Rename one."))
        ids.add(slip.id)
        differs = slip.is_ is not None or slip.in_ is not None or slip.set or is_lost(slip.set)
        if reference is not None and differs:
            with report.catching(path):
                seen[slip.id] = reference.wrong_value(slip, path, seen)
                if is_whole:
                    slip_figure(bench, reference, slip, seen[slip.id], path)
    if reference is not None and is_whole:
        with report.catching(at, answer.is_):
            numeric_part(bench, reference, (), slips_at, ask)


def _reference(bench: Bench, report: LenientReport, answer: Answer, at: Path) -> tuple[Reference | None, bool]:
    """The reference, with something else for a wrong unit, tolerance or list; and whether it is whole."""
    is_whole = True
    for _ in range(3 + len(answer.followed_by)):
        try:
            return Reference(bench.world, answer, at), is_whole
        except FOUND as error:
            report.note(error, at, answer.is_)
            is_whole = False
            mended = _mended(bench, answer, at, error)
            if mended is None:
                break
            answer = mended
    return None, False


def _mended(bench: Bench, answer: Answer, at: Path, error: Exception) -> Any:  # noqa: ANN401 - an answer
    """The answer without what is wrong with it; None where that is the value itself."""
    wrong = error.path[len(at) :] if isinstance(error, Problem) else ()
    told = raising_in(answer)
    if wrong[:1] == ("followed_by",):
        rest = (answer.is_ if index == wrong[1] else one for index, one in enumerate(answer.followed_by))
        return with_fields(answer, followed_by=tuple(rest))
    if wrong == ("within",) or (isinstance(error, EchoError) and "within" in told):
        return with_fields(answer, within="3 %")
    if wrong in (("unit",), ()) and (getattr(error, "code", "") == "unit" or "unit" in told):
        try:
            scope = bench.world.base.at(answer.in_, answer.set, at)
            return with_fields(answer, unit=base_unit(scope.quantity(answer.is_).dimension).name)
        except FOUND:
            return None
    return None


def _report_texts(bench: Bench, world: LenientWorld, report: LenientReport) -> None:
    question, writer = world.question, bench.writer
    writer.text(question.stem, world.base, ("stem",))
    writer.line(question.answer_line, world.base, ("answer_line",))
    bench.named_conventions()
    if isinstance(question, Open):
        for index, text in enumerate(question.rubric):
            writer.line(text, world.base, ("rubric", index))
        writer.text(question.sketch, world.base, ("sketch",))
    if isinstance(question, Strategy | Claim):
        check_slips(bench, question)
    for name, form in getattr(question, world.group, {}).items():
        path: Path = (world.group, name)
        with report.catching(path):
            scope = claim_scope(world, name) if world.group == "options" else world.option(name)
            known = {VERDICT: ""} if world.group == "options" else {}
            for key in ("text", "why"):
                writer.text(getattr(form, key), scope, (*path, key), known)
            if getattr(form, "source", None):
                bench.cited(form.source, (*path, "source"))
    with report.catching(()):
        reveal_fields(bench, _Verdicts())
