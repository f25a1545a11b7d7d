"""Other numbers for the same question: the product of the axes, sieved by what the question must keep.

The order is fixed: the axes as written, the last one turning fastest. The base comes first and is always there. A
draw is rejected, and counted by reason, where `where` fails, the key is not decided, the key moves (unless
`key: may-move`), a slip meets the answer or another slip, an input is the answer, or a figure has no value.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final, TypeAlias

from quiz.bank.asked import copied_inputs
from quiz.bank.numeric import Reference
from quiz.bank.problems import FOUND, Problem, problem_of
from quiz.bank.restated import inputs_among
from quiz.bank.schema import Claim, Numeric, Ordering, Strategy
from quiz.bank.scope import World, complained, spell_choice
from quiz.bank.verdicts import decided
from quiz.nouns import count, plural
from solvers.catalogue import CATALOGUE
from solvers.expr.declared import FIELD, Units
from solvers.expr.evaluate import truth
from solvers.inputs import faults_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from quiz.bank.document import Path
    from quiz.bank.fields import Raw
    from quiz.bank.problems import Report
    from quiz.bank.schema import AnyQuestion
    from quiz.bank.schema_parts import Slip
    from quiz.bank.verdicts import Decision
    from solvers.scenario import Scenario

MAX_DRAWS: Final = 500
ENOUGH: Final = 6


@dataclass(slots=True)
class Survey:
    """The variants that a question has, as axis values in text (the base is empty), and why others are not there."""

    kept: list[dict[str, str]] = field(default_factory=lambda: [{}])
    rejected: Counter[str] = field(default_factory=Counter)

    @property
    def account(self) -> str:
        """How many draws were rejected, by reason."""
        return ", ".join(f"{count} because {reason}" for reason, count in self.rejected.most_common())


Try: TypeAlias = "Callable[[Sequence[Mapping[str, Raw]]], Survey]"
Share: TypeAlias = "Callable[[Try, Sequence[Mapping[str, Raw]]], Sequence[Survey]]"


def axis_text(raw: Raw) -> str:
    """An axis value as it is stored with an attempt."""
    return spell_choice(raw) if isinstance(raw, bool) else str(raw)


def values_of(question: AnyQuestion, axes: Mapping[str, str]) -> dict[str, Raw]:
    """The raw values that stored axis texts stand for; raises `KeyError` for one that the question does not have."""
    table = question.variants.axes if question.variants else {}
    return {name: {axis_text(raw): raw for raw in table[name]}[text] for name, text in axes.items()}


def draws_of(question: AnyQuestion) -> int:
    """How many draws the axes make, before any is rejected."""
    return prod(len(values) for values in question.variants.axes.values()) if question.variants else 1


def check_axes(question: AnyQuestion, report: Report, units: Units = FIELD) -> None:
    """Note axes that are no inputs, too many draws, and a base outside its own `where`."""
    if question.variants is None or not axes_are_inputs(question, report):
        return
    check_draws(question, report)
    check_where(World(question, units=units), report)


def check_draws(question: AnyQuestion, report: Report) -> None:
    """Note axes that make more draws than are tried."""
    if draws_of(question) > MAX_DRAWS:
        report.add(
            Problem(
                ("variants", "axes"),
                "too-many-draws",
                f"these axes make {draws_of(question)} draws",
                next_=f"At most {MAX_DRAWS} are tried: drop values or an axis.",
            )
        )


def check_axis_values(question: AnyQuestion, report: Report) -> None:
    """Note each value of an axis that could not stand in any scenario; a draw with it would only be rejected."""
    for name, values in question.variants.axes.items() if question.variants else ():
        if name not in CATALOGUE:
            continue  # told where the name is looked at
        for index, raw in enumerate(values):
            for fault in faults_of(name, raw):
                problem = complained(fault, ("variants", "axes", name, index))
                problem.next = problem.next or "No draw can have this value: mend it or drop it."
                report.add(problem)


def survey(
    question: AnyQuestion,
    base_key: tuple[str, ...],
    report: Report,
    units: Units = FIELD,
    keeping: Callable[[World, Decision], None] | None = None,
    share: Share | None = None,
) -> Survey:
    """Try every draw of a question whose axes were checked. Notes too few survivors.

    `keeping` is handed each draw that is kept, the base not among them. `share` shares the draws out: it takes what
    tries some of them, and all of them, and gives what comes of consecutive parts.
    """
    found = Survey()
    if question.variants is None:
        return found
    axes = question.variants.axes
    own = World(question, units=units).base.scenario
    base = {name: axis_text(question.given.get(name, question.scenario.get(name, ""))) for name in axes}

    def tried(draws: Sequence[Mapping[str, Raw]]) -> Survey:
        part = Survey([])
        for draw in draws:
            try:
                world, decision = _tried(question, draw, base_key, units, own)
            except _RejectedError as rejected:
                part.rejected[rejected.reason] += 1
                continue
            part.kept.append(_named(draw))
            if keeping is not None:
                keeping(world, decision)
        return part

    others = [draw for draw in _draws(axes) if _named(draw) != base]
    for part in [tried(others)] if share is None else share(tried, others):
        found.kept += part.kept
        found.rejected.update(part.rejected)
    if len(found.kept) < ENOUGH:
        what = (
            f"only {count(len(found.kept), 'variant')} {plural(len(found.kept), 'is', 'are')} left "
            f"of {count(draws_of(question), 'draw')}"
        )
        report.add(
            Problem(
                ("variants",),
                "few-variants",
                what,
                why=f"Rejected: {found.account}." if found.rejected else "",
                next_=f"At least {ENOUGH} test the method and not the memory: add values or widen `where`.",
            ),
            "warning",
        )
    return found


def _draws(axes: Mapping[str, tuple[Raw, ...]]) -> Iterator[dict[str, Raw]]:
    for values in product(*axes.values()):
        yield dict(zip(axes, values, strict=True))


def _named(draw: Mapping[str, Raw]) -> dict[str, str]:
    return {name: axis_text(raw) for name, raw in draw.items()}


def axes_are_inputs(question: AnyQuestion, report: Report) -> bool:
    """Whether each axis is an input of the question, with each value once; what is wrong is noted."""
    inputs = {**question.scenario, **question.given}
    good = True
    for name, values in question.variants.axes.items() if question.variants else ():
        path: Path = ("variants", "axes", name)
        if name not in inputs:
            what = f"{name} is no input of this question"
            report.add(Problem(path, "axis", what, next_=_axis_instead(name, inputs), key=True))
            good = False
        texts = [axis_text(raw) for raw in values]
        for index in range(len(texts)):
            if texts[index] in texts[:index]:
                what = f"{name} has this value twice"
                report.add(Problem((*path, index), "axis", what, next_="Each value stands once."))
                good = False
    return good


def _axis_instead(name: str, inputs: Mapping[str, Raw]) -> str:
    """What to vary in place of a quantity that is no input."""
    if follows := inputs_among(name, inputs):
        return f"It follows from {' and '.join(follows)}: vary {'one of these' if len(follows) > 1 else 'that'}."
    near = get_close_matches(name, inputs, n=1)
    if near and name not in CATALOGUE:
        return f"Did you mean {near[0]}?"
    return "State it under `scenario` or `given`: the base has a value for each axis."


def check_where(world: World, report: Report) -> None:
    """Note each condition of the variants that the question's own numbers do not satisfy."""
    for index, text in enumerate(world.question.variants.where if world.question.variants else ()):
        path: Path = ("variants", "where", index)
        with report.catching(path, text):
            if not _is_true(world, text):
                raise Problem(
                    path,
                    "base-outside-where",
                    "the question's own numbers do not satisfy this",
                    next_="The base is always one of the variants: widen the condition or change the base.",
                )


def _is_true(world: World, text: str) -> bool:
    scope = world.base
    return truth(scope.read(text), scope.solver.value)


class _RejectedError(Exception):
    """A draw that the question does not keep."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _tried(
    question: AnyQuestion, draw: Mapping[str, Raw], base_key: tuple[str, ...], units: Units, near: Scenario
) -> tuple[World, Decision]:
    """The question with a draw's numbers, and how it is decided. Raises `_RejectedError`."""
    variants = question.variants
    try:
        world = World(question, draw, checked=False, units=units, near=near)
        if variants and not all(_is_true(world, text) for text in variants.where):
            raise _RejectedError("`where` does not hold")
        decision = decided(world)
        key = decision.key
        if key != base_key and variants and variants.key == "same":
            raise _RejectedError("the key moves")
        world.key_option = key[0] if key and not isinstance(question, Ordering) else None
        _check_numeric(world)
        for name in question.figures:
            world.require_value(name)
    except FOUND as error:
        reason = _REASONS.get(problem_of(error, ()).code, "a figure has no value")
        raise _RejectedError(reason) from error
    return world, decision


_REASONS: Final = {
    "no-key": "the key is not decided",
    "slip-not-wrong": "a slip meets the answer",
    "slips-equal": "two slips meet",
    "answer-in-question": "an input of the question is the answer",
}


def _check_numeric(world: World) -> None:
    question = world.question
    if isinstance(question, Numeric):
        _check_typed(Reference(world, question.answer, ("answer",)), question.slips, ("slips",))
        for index, part in enumerate(question.parts):
            at: Path = ("parts", index)
            _check_typed(Reference(world, part.answer, (*at, "answer")), part.slips, (*at, "slips"))
    elif isinstance(question, Strategy | Claim | Ordering) and question.then is not None:
        reference = Reference(world, question.then.answer, ("then", "answer"))
        _check_typed(reference, question.then.slips, ("then", "slips"))


def _check_typed(reference: Reference, slips: Sequence[Slip], at: Path) -> None:
    list(reference.wrong_values(slips, at))
    if copied := copied_inputs(reference):
        raise Problem(reference.at, "answer-in-question", f"{copied[0][0]} would be judged right")
