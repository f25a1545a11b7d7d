"""Faults of fact that the compiler lets pass: what the author's words say and the figures contradict."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.authoring.subject import scope_at
from quiz.bank.numeric import Reference
from quiz.bank.problems import FOUND, Problem
from quiz.bank.prose import prose_texts
from solvers.expr.evaluate import Quantity, evaluate
from solvers.expr.strict import ReadError, read_strict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from quiz.authoring.subject import Subject
    from quiz.bank.compile import Studied
    from quiz.bank.document import Path
    from quiz.bank.rendered import NumericPart, Option
    from quiz.bank.schema_parts import Answer
    from quiz.bank.scope import World

_SUBJECT: Final = (
    r"(?:^|(?<=[.;:] ))(?:It|This|That|This plan|That plan|The plan)\s+(?:just |easily |still |barely |clearly )?"
)
_FITS: Final = re.compile(rf"{_SUBJECT}(?:fits|does fit|will fit)\b")
_FITS_NOT: Final = re.compile(
    rf"{_SUBJECT}(?:(?:does not|doesn't|cannot|can't|will not|won't) fit\b|overflows\b|runs out of memory\b)"
)
_RIGHT: Final = re.compile(r"^(?:Right|Correct|True|Yes)[.:;!]")  # "True, but ..." takes up a belief
_WRONG: Final = re.compile(r"^(?:Wrong|Incorrect|False|No)[.:;!]")
_NAME: Final = r"\{\{\s*(?P<%s>[a-z][\w.]*)\s*(?:\|[^{}]*)?\}\}"
_MORE: Final = r"is (?:more|greater|larger|higher) than|exceeds|is above"
_LESS: Final = r"is (?:less|smaller|lower|fewer) than|is below|stays below|fits in|fits"
_COMPARED: Final = re.compile(rf"{_NAME % 'left'}\s+(?:(?P<more>{_MORE})|(?P<less>{_LESS}))\s+{_NAME % 'right'}")


def report_facts(subject: Subject) -> None:
    """Note what is contradicted, and what a published question may not lack."""
    _report_lacking(subject)
    _report_verdicts(subject)
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


def _report_verdicts(subject: Subject) -> None:
    for option in subject.base.options:
        said, form = _contradiction(option)
        if form is not None:
            path = ("options", option.id, "why")
            written = dict(prose_texts(subject.document.data)).get(path, "")
            meant = form.search(written.replace("\n", " "))  # None where a name makes part of the words
            subject.fail(
                path,
                "verdict-contradicted",
                said,
                start=meant.start() if meant else 0,
                next_="Correct the sentence or the option; `{{ verdict }}` writes the computed verdict.",
            )


def _contradiction(option: Option) -> tuple[str, re.Pattern[str] | None]:
    """What the rationale of an option says wrongly, and the form of the words that say it."""
    text = " ".join(option.reasoning.split())
    if option.bar is not None:
        figures = f"{option.bar.total_text} of {option.bar.capacity_text}"
        if option.bar.fits and (found := _FITS_NOT.search(text)):
            return f"{found[0]!r}, but this option fits: {figures}", _FITS_NOT
        if not option.bar.fits and (found := _FITS.search(text)):
            return f"{found[0]!r}, but this option does not fit: {figures}", _FITS
    if option.correct and (found := _WRONG.match(text)):
        return f"this says {found[0][:-1]!r}, but {option.id} is the key", _WRONG
    if not option.correct and (found := _RIGHT.match(text)):
        return f"this says {found[0][:-1]!r}, but {option.id} is not the key", _RIGHT
    return "", None


def comparisons(subject: Subject) -> list[tuple[Path, re.Match[str]]]:
    """Every `{{ a }} exceeds {{ b }}` of a question's texts, and where it is said."""
    return [(path, found) for path, text in prose_texts(subject.document.data) for found in _COMPARED.finditer(text)]


def report_comparisons(subject: Subject, world: World, drawn: str, said: Sequence[tuple[Path, re.Match[str]]]) -> bool:
    """Note each of the comparisons `said` that is not so with the numbers of `world`; returns whether there was one.

    `drawn` names the numbers where they are not the question's own.
    """
    failed = False
    for path, found in said:
        try:
            scope = scope_at(world, path)
            left, right = scope.shown(found["left"]), scope.shown(found["right"])
        except FOUND:
            continue  # noted where the text is rendered
        if not (isinstance(left.value, Quantity) and isinstance(right.value, Quantity)):
            continue
        holds = left.value.value > right.value.value if found["more"] else left.value.value <= right.value.value
        if not holds:
            failed = True
            words = found["more"] or found["less"]
            subject.fail(
                path,
                "comparison-contradicted",
                f"{left.text} {words} {right.text}: that is not so{drawn}",
                start=found.start(),
                next_="Turn the sentence round, or narrow the numbers for which it is said.",
            )
    return failed


def compares(text: str) -> bool:
    """Whether a text says of two figures which one is larger."""
    return _COMPARED.search(text) is not None


def equal_options(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Pairs of options that say the same, as texts or as values (0.5 and 1/2)."""
    plain = {name: " ".join(text.lower().split()).rstrip(".") for name, text in texts.items()}
    values = {name: _value(text) for name, text in plain.items()}
    for one, other in combinations(texts, 2):
        if plain[one] == plain[other] or (values[one] is not None and values[one] == values[other]):
            yield one, other


def _value(text: str) -> Quantity | None:
    """What a text is worth where the whole of it is a number or a formula of numbers."""
    if not any(letter.isdigit() for letter in text):
        return None
    for spelled in dict.fromkeys((text, text.upper(), text.replace("gb", "GB").replace("gib", "GiB"))):
        try:
            value = evaluate(read_strict(spelled.replace(",", "")), _nothing)
        except (ReadError, ArithmeticError, LookupError):
            continue
        return value if isinstance(value, Quantity) else None
    return None


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
