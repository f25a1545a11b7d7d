"""Every draw that a question keeps, checked as its base is: options that meet, answers refused, untrue words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from quiz.authoring.compared import comparisons, report_comparisons, untrue_comparisons
from quiz.authoring.facts import equal_options, refusal_of, shown_answers
from quiz.authoring.halves import in_halves
from quiz.authoring.said import report_verdicts, untrue_verdicts, verdicts_said
from quiz.bank.problems import FOUND, Report
from quiz.bank.prose import VERDICT, Writer
from quiz.bank.variants import Survey, axis_text, survey
from quiz.bank.verdicts import claim_scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from quiz.authoring.subject import Subject, Whole
    from quiz.bank.document import Path
    from quiz.bank.fields import Raw
    from quiz.bank.rendered import NumericPart
    from quiz.bank.schema_parts import Answer
    from quiz.bank.scope import World
    from quiz.bank.variants import Try
    from quiz.bank.verdicts import Decision


class Draws:
    """The draws of one question; each fault is told once, with the first draw that has it."""

    def __init__(self, subject: Whole) -> None:
        self._subject = subject
        self._told: set[str] = set()
        self._varies = any("{{" in option.text for option in getattr(subject.question, "options", {}).values())
        self._answers = tuple(_answers(subject))
        compared, said = comparisons(subject), verdicts_said(subject)
        # What is untrue in the question's own numbers has been told.
        untrue = [one for one, *_ in untrue_comparisons(subject.world, compared)]
        untrue_said = [one for one, _ in untrue_verdicts(subject, subject.world, subject.base.key, said)]
        self._compared = [one for one in compared if one not in untrue]
        self._said = [one for one in said if one not in untrue_said]

    def survey(self, *, halves: bool = False) -> Survey:
        """Try every draw, and check those that are kept; with `halves` on two cores where that pays."""
        subject = self._subject
        return survey(
            subject.question,
            subject.compiled.decision.key,
            subject.report,
            subject.context.units,
            self._check,
            self._share if halves else None,
        )

    def _share(self, tried: Try, draws: Sequence[Mapping[str, Raw]]) -> Sequence[Survey]:
        report = self._subject.report
        found = len(report.found)

        def pack(part: Survey) -> bytes | None:
            # Which finding is the first is known only in the order of the draws.
            return None if len(report.found) > found else msgspec.msgpack.encode((part.kept, part.rejected))

        return in_halves(tried, draws, pack, _unpacked)

    def _check(self, world: World, decision: Decision) -> None:
        drawn = ", ".join(f"{name} = {axis_text(raw)}" for name, raw in world.axes.items())
        if self._varies and "options" not in self._told:
            self._check_options(world, drawn)
        if "answer" not in self._told:
            self._check_answers(world, drawn)
        if "words" not in self._told and report_comparisons(self._subject, world, f" with {drawn}", self._compared):
            self._told.add("words")
        if "verdicts" not in self._told and report_verdicts(
            self._subject, world, decision.key, f"with {drawn} ", self._said
        ):
            self._told.add("verdicts")

    def _check_options(self, world: World, drawn: str) -> None:
        texts = _option_texts(self._subject, world)
        for one, other in equal_options(texts):
            self._told.add("options")
            self._subject.fail(
                ("variants",),
                "variant-options-equal",
                f"with {drawn} the options {one} and {other} both say {texts[one]!r}",
                next_="Leave these numbers out by `where`, or change an option.",
            )

    def _check_answers(self, world: World, drawn: str) -> None:
        for base, answer, path in self._answers:
            part = shown_answers(world, base, answer, path)
            refused = refusal_of(part)
            if refused:
                self._told.add("answer")
                self._subject.fail(
                    (*path, "is"),
                    "shown-answer-refused",
                    f"with {drawn} the answer as shown, {part.text}, is not accepted: {refused}",
                    next_="Widen `within`, or choose a unit in which the shown digits are enough.",
                )


def _unpacked(packed: bytes) -> Survey:
    kept, rejected = msgspec.msgpack.decode(packed, type=tuple[list[dict[str, str]], dict[str, int]])
    return Survey(kept, Counter(rejected))


def _option_texts(subject: Subject, world: World) -> dict[str, str]:
    writer = Writer(Report(subject.document))
    texts: dict[str, str] = {}
    for name, form in getattr(subject.question, "options", {}).items():
        try:
            texts[name] = writer.line(form.text, claim_scope(world, name), ("options", name, "text"), {VERDICT: name})
        except FOUND:
            continue  # the survey has the reason
    return texts


def _answers(subject: Subject) -> Iterator[tuple[NumericPart, Answer, Path]]:
    question, base = subject.question, subject.base
    if base.numeric is None:
        return
    if question.kind == "numeric":
        yield base.numeric, question.answer, ("answer",)
        for index, (part, form) in enumerate(zip(base.parts, question.parts, strict=False)):
            yield part, form.answer, ("parts", index, "answer")
    elif question.kind != "open" and question.then is not None:
        yield base.numeric, question.then.answer, ("then", "answer")
