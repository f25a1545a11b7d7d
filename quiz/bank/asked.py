"""What an author should know of how a typed answer is asked for: the unit, and what may be copied from the question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quiz.bank.literals import PLACEHOLDER
from quiz.bank.problems import FOUND, Problem
from quiz.bank.schema import Numeric
from quiz.bank.shown import shown_symbol
from solvers.expr.evaluate import Quantity
from solvers.expr.tree import Number

if TYPE_CHECKING:
    from quiz.bank.bench import Bench
    from quiz.bank.numeric import Reference
    from solvers.expr.units import Unit

_WORDS: Final = {
    "B": "bytes?",
    "s": "seconds?",
    "min": "minutes?",
    "h": "hours?",
    "day": "days?",
    "week": "weeks?",
    "year": "years?",
    "%": "per ?cent(?:age)?",
    "$": "dollars?",
    "param": "param(?:eter)?s?",
}


def report_asked(bench: Bench, reference: Reference) -> None:
    """Note a unit that is asked for twice, and an input of the question that would be judged right."""
    question, unit = bench.world.question, reference.unit
    then = getattr(question, "then", None)
    ask = question.stem if isinstance(question, Numeric) or then is None else then.ask
    if reference.answer.need_unit and unit.name and names_unit(ask, unit.name):
        bench.report.add(
            Problem(
                (*reference.at, "need_unit") if reference.answer.states("need_unit") else reference.at,
                "unit-asked-twice",
                f"the question names {unit.name}, and a bare number is refused",
                why="Whoever reads the unit in the question types a number.",
                next_=f"Write `need_unit: false`, so that a bare number is read in {unit.name}.",
            ),
            "warning",
        )
    for name, spelled in copied_inputs(reference):
        bench.report.add(
            Problem(
                reference.at,
                "answer-in-question",
                f"{name}, which the question states as {spelled}, would be judged right",
                next_=f"Ask for something that is not stated; where the conversion is what is asked for, write "
                f"`in_unit: true`, so that only {unit.name} is taken."
                if unit.name
                else "Ask for something that is not stated.",
            ),
            "warning",
        )


def names_unit(ask: str, unit: str) -> bool:
    """Whether a text says a unit outside its figures: `How many GB …?`, `in minutes`."""
    said = PLACEHOLDER.sub(" ", ask)
    plural = "s?" if unit.isalpha() and unit.islower() and len(unit) > 1 else ""
    spelled = "|".join([re.escape(unit) + plural, *([_WORDS[unit]] if unit in _WORDS else [])])
    return re.search(rf"(?<![\w/%$])(?:{spelled})(?![\w/%$])", said) is not None


def copied_inputs(reference: Reference) -> list[tuple[str, str]]:
    """The inputs that would be judged right if they were typed as they are stated, each with its text."""
    scope, found = reference.scope.world.base, []
    for name, stated in scope.scenario.items():
        try:
            value = scope.solver.value(name)
        except FOUND:
            continue  # read only under an option, so that no learner sees it stated
        if not isinstance(value, Quantity) or not reference.is_within(value):
            continue
        if value.dimension.without_counts != reference.value.dimension.without_counts:
            continue
        shown = shown_symbol(name, value)
        unit = _stated_unit(stated.expr) or shown.unit
        if not (reference.answer.in_unit and unit.factor != reference.unit.factor):
            found.append((name, shown.with_format(unit, None).text))
    return found


def _stated_unit(expr: object) -> Unit | None:
    return expr.unit if isinstance(expr, Number) else None
