"""Faults of fact that the compiler lets pass: what the author's words say and the figures contradict."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

import msgspec

from quiz.authoring.amounts import amount, plain, unmarked
from quiz.authoring.compared import comparisons, report_comparisons
from quiz.authoring.said import report_verdicts, verdicts_said
from quiz.bank.numeric import Reference
from quiz.bank.problems import Problem
from quiz.bank.schema import Strategy
from solvers.expr.evaluate import EvaluationError, Quantity, evaluate
from solvers.expr.strict import ReadError, read_strict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from quiz.authoring.subject import Subject
    from quiz.bank.document import Path
    from quiz.bank.problems import Report
    from quiz.bank.rendered import NumericPart
    from quiz.bank.schema_parts import Answer
    from quiz.bank.scope import World


def report_facts(subject: Subject) -> None:
    """Note what is contradicted, and what a published question may not lack."""
    report_no_convention(subject)
    if not subject.question.sources:
        report_no_source(subject.report)
    report_verdicts(subject, subject.world, subject.base.key, "", verdicts_said(subject))
    report_comparisons(subject, subject.world, "", comparisons(subject))
    report_equal(subject.report, {option.id: option.text for option in subject.base.options})
    report_same_plans(subject)
    report_refused(subject, typed_parts(subject))


def report_refused(subject: Subject, parts: Iterable[tuple[NumericPart, Path]]) -> None:
    """Note which of `parts`, each with the path of its answer, would not be judged right as it is shown."""
    for part, path in parts:
        refused = refusal_of(part)
        if refused:
            subject.fail(
                (*path, "is"),
                "shown-answer-refused",
                f"the answer as shown, {part.text}, is not accepted: {refused}",
                why="A learner who types what the solution says would be judged wrong.",
                next_="Widen `within`, or choose a unit in which the shown digits are enough.",
            )


def report_no_source(report: Report) -> None:
    """Note that a question names no source."""
    what = "this question names no source"
    next_ = "Add `sources:` with a key of sources.yaml and the place in it."
    report.add(Problem(("id",), "no-source", what, next_=next_))


def report_equal(report: Report, texts: Mapping[str, str]) -> None:
    """Note the options, by name in `texts`, that say the same."""
    for one, other in equal_options(texts):
        said = (" ".join(texts[name].split()) for name in (one, other))
        report.add(
            Problem(
                ("options", other, "text"),
                "options-equal",
                f"the options {one} and {other} say the same: {' and '.join(map(repr, said))}",
                why="A learner cannot choose between them, and only one is judged right.",
                next_="Change one of them, or leave it out.",
            )
        )


def report_same_plans(subject: Subject) -> None:
    """Note options of a strategy that state the same: whatever their words say, their figures are those of one plan."""
    if not isinstance(subject.question, Strategy):
        return
    plans = {name: option for name, option in subject.question.options.items() if option.asserted is None}
    for one, other in combinations(plans, 2):
        if plans[one].set == plans[other].set and plain(plans[one].text) != plain(plans[other].text):
            subject.report.add(
                Problem(
                    ("options", other),
                    "options-equal",
                    f"the options {one} and {other} are one plan: they state the same under `set`",
                    key=True,
                    why="Their words differ, and every figure of them is the same.",
                    next_="State under `set` what each of them says, or leave one out.",
                )
            )


def report_no_convention(subject: Subject) -> None:
    """Note that nothing says what the numbers of a question mean."""
    if subject.question.kind != "open" and not subject.base.conventions:
        subject.fail(
            ("stem",),
            "no-convention",
            "no convention stands beside the numbers of this question",
            why="No figure that decides it rests on a recipe, a capacity or an assumption that the program could show.",
            next_="Name what its numbers mean under `conventions` (your own texts go into bank.yaml).",
        )


def equal_options(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Pairs of options that say the same, as texts or as values (0.5 and 1/2, 2 h each and 120 min each)."""
    said = {name: plain(text) for name, text in texts.items()}
    values = {name: _value(text) for name, text in texts.items()}
    for one, other in combinations(texts, 2):
        if said[one] == said[other] or (values[one] is not None and values[one] == values[other]):
            yield one, other


@lru_cache(maxsize=4096)
def _value(text: str) -> tuple[str, Quantity, str] | None:
    """What a text is worth where it is a number or a formula of numbers, with the words around it."""
    found = amount(text)
    if found is not None and found.worth is not None:
        return found.before, found.worth, found.behind
    bare = unmarked(text).rstrip(".")
    if not any(letter.isdigit() for letter in bare):
        return None
    try:
        value = evaluate(read_strict(bare.replace(",", "")), _nothing)
    except (ReadError, EvaluationError, ArithmeticError, LookupError):
        return None
    return ("", value, "") if isinstance(value, Quantity) else None


def _nothing(name: str) -> Quantity:
    raise LookupError(name)


def typed_parts(subject: Subject) -> Iterator[tuple[NumericPart, Path]]:
    """The typed answers of a question as shown, each with the path at which it is written."""
    base = subject.base
    if base.numeric is not None:
        yield base.numeric, ("answer",) if base.kind == "numeric" else ("then", "answer")
    for index, part in enumerate(base.parts):
        yield part, ("parts", index, "answer")


def refusal_of(part: NumericPart) -> str:
    """Why the answer as shown would not be judged right; empty where it is."""
    from quiz.grading.typed import judge_part  # a bank without numbers to type does not need the grader

    grade = judge_part(part, part.text)
    return "" if grade.status == "correct" else grade.message or grade.status


def shown_answers(world: World, base: NumericPart, answer: Answer, at: Path) -> NumericPart:
    """The part with the numbers of `world`: what its grader needs to judge the answer as shown."""
    reference = Reference(world, answer, at)
    exact = tuple(str(value.value) for value in (reference.value, *reference.others))
    return msgspec.structs.replace(
        base,
        exact=exact[0],
        values=exact if reference.others else (),
        text=reference.text,
        unit=reference.unit.name,
        relative=reference.relative,
        absolute=reference.absolute,
        slips=(),
        carried=(),
        variables=(),
        expression="",
        follow="",
    )
