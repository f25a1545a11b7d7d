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
from solvers.expr.evaluate import EvaluationError, Quantity, evaluate
from solvers.expr.strict import ReadError, read_strict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from quiz.authoring.subject import Subject
    from quiz.bank.compile import Studied
    from quiz.bank.document import Path
    from quiz.bank.rendered import NumericPart
    from quiz.bank.schema_parts import Answer
    from quiz.bank.scope import World


def report_facts(subject: Subject) -> None:
    """Note what is contradicted, and what a published question may not lack."""
    _report_lacking(subject)
    report_verdicts(subject, subject.world, subject.base.key, "", verdicts_said(subject))
    report_comparisons(subject, subject.world, "", comparisons(subject))
    texts = {option.id: option.text for option in subject.base.options}
    for one, other in equal_options(texts):
        subject.report.add(_equal(texts, one, other))
    for part, path in _parts(subject):
        refused = refusal_of(part)
        if refused:
            subject.fail(
                (*path, "is"),
                "shown-answer-refused",
                f"the answer as shown, {part.text}, is not accepted: {refused}",
                why="A learner who types what the solution says would be judged wrong.",
                next_="Widen `within`, or choose a unit in which the shown digits are enough.",
            )


def report_beside_errors(studied: Studied) -> None:
    """Note what no figure decides, of a question that has errors: no source, options that say the same."""
    report, data = studied.report, studied.report.document.data
    if not isinstance(data, dict) or studied.compiled is not None:
        return
    if data.get("sources", []) == []:
        report.add(_no_source())
    options = data.get("options")
    texts = {
        name: option["text"]
        for name, option in (options.items() if isinstance(options, dict) else ())
        if isinstance(option, dict) and isinstance(option.get("text"), str) and "{{" not in option["text"]
    }
    for one, other in equal_options(texts):
        report.add(_equal(texts, one, other))


def _no_source() -> Problem:
    what = "this question names no source"
    return Problem(("id",), "no-source", what, next_="Add `sources:` with a key of sources.yaml and the place in it.")


def _equal(texts: Mapping[str, str], one: str, other: str) -> Problem:
    said = (" ".join(texts[name].split()) for name in (one, other))
    return Problem(
        ("options", other, "text"),
        "options-equal",
        f"the options {one} and {other} say the same: {' and '.join(map(repr, said))}",
        why="A learner cannot choose between them, and only one is judged right.",
        next_="Change one of them, or leave it out.",
    )


def _report_lacking(subject: Subject) -> None:
    if subject.question.kind != "open" and not subject.base.conventions:
        subject.fail(
            ("stem",),
            "no-convention",
            "no convention stands beside the numbers of this question",
            why="No figure that decides it rests on a recipe, a capacity or an assumption that the program could show.",
            next_="Name what its numbers mean under `conventions` (your own texts go into bank.yaml).",
        )
    if not subject.question.sources:
        subject.report.add(_no_source())


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


def _parts(subject: Subject) -> Iterator[tuple[NumericPart, Path]]:
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
