"""Figures that rest on nothing: a number that an author computed and wrote down as if it were derived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.bank.expressions import names_in, parsed
from quiz.bank.problems import Problem
from quiz.bank.schema_parts import Derived
from solvers.expr.tree import Number, walk

if TYPE_CHECKING:
    from quiz.bank.document import Path
    from quiz.bank.problems import Report
    from quiz.bank.schema import AnyQuestion
    from solvers.expr.declared import Units


def report_constants(question: AnyQuestion, report: Report, units: Units) -> None:
    """Note every figure whose formula is made of typed numbers alone; `1 GiB / 1 GB` is a conversion."""
    for name, figure in question.figures.items():
        path: Path
        if isinstance(figure, str):
            text, path = figure, ("figures", name)
        elif isinstance(figure, Derived):
            text, path = figure.is_, ("figures", name, "is")
        else:
            continue
        if is_constant(text, units):
            report.add(
                Problem(
                    path,
                    "typed-figure",
                    f"the figure {name} is typed: no name stands in `{text}`",
                    why="It stays the same with other numbers, and nothing can check it.",
                    next_=f"Derive it; write {{input: {_held(text)}}} for an assumption, or `quote:` with its source.",
                )
            )


def is_constant(text: str, units: Units) -> bool:
    """Whether an expression has no name, and numbers other than 0 and 1."""
    if names_in(text, units):
        return False
    return any(isinstance(node, Number) and node.value not in (0, 1) for node in walk(parsed(text, units)))


def _held(text: str) -> str:
    """A formula as it may stand within braces."""
    return f'"{text}"' if "," in text else text
