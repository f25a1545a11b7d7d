"""Names of a question that would hide others: options and figures that an expression could not tell from a quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.bank.problems import Problem
from quiz.bank.prose import VERDICT
from quiz.bank.scope import KEY
from solvers.catalogue import CATALOGUE
from solvers.expr.tree import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.bank.problems import Report
    from quiz.bank.schema import AnyQuestion

_WORDS: Final = frozenset({"and", "or", "not", "when", "true", "false", KEY, VERDICT, *FUNCTIONS})


def report_names(question: AnyQuestion, report: Report) -> None:
    """Note options, items and figures whose names mean something else in an expression."""
    spaces = {name.partition(".")[0] for name in CATALOGUE.names}
    for group in ("options", "items"):
        for name in _sound(getattr(question, group, {})):
            if name in spaces or name in _WORDS:
                report.add(_taken((group, name), name))
    for name in _sound(question.figures):
        if name in _WORDS or name in CATALOGUE:
            report.add(_taken(("figures", name), name))


def _sound(names: Mapping[str, object]) -> list[str]:
    """Those whose form was not refused."""
    return [name for name in names if name not in getattr(names, "lost", ())]


def _taken(path: tuple[str, ...], name: str) -> Problem:
    return Problem(
        path, "name-taken", f"{name} means something else in an expression", key=True, next_="Choose another name."
    )
