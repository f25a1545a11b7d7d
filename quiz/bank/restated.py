"""Inputs that follow from others stated beside them: said twice, they part as soon as one of them is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.bank.problems import FOUND, TOLD, Problem
from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Symbol, symbols
from solvers.relation import RELATIONS
from solvers.scenario import Scenario
from solvers.solver import MissingError, Solver

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from quiz.bank.document import Path
    from quiz.bank.problems import Report
    from quiz.bank.scope import World
    from solvers.inputs import Complaint

DERIVED: Final = "is derived from other quantities"
_MOST: Final = 4
_TOLD: Final = Symbol(TOLD)
"""Stands for a value that is told as wrong: nothing follows from it."""
_CHOSEN: Final = "layout."
"""Degrees are chosen, and the cluster is checked against them: to state all of them says nothing twice."""


def input_problem(symbol: str, reason: str, hint: str, path: Path) -> Problem:
    """The problem at `path` that a complaint about a stated quantity is; of one that is derived its name is told."""
    if not reason.startswith(DERIVED):
        said = f"{symbol} {reason}" if reason.startswith(("is ", "needs ", "has ", "must ")) else f"{symbol}: {reason}"
        return Problem(path, "input", said, next_=sentence(hint))
    return Problem(path, "input", f"{symbol} {reason}", next_=_instead(symbol), key=True)


def _instead(name: str) -> str:
    """What to state in place of a quantity that is derived."""
    try:
        Solver(Scenario({})).value(name)
    except MissingError as error:
        return f"State what it follows from: {_listed(error.needs[:_MOST], 'and')}; or pin it, under `given`."
    return "Leave it out; or pin it, under `given`."


def patch_path(complaint: Complaint, patch: Mapping[str, object], path: Path) -> Path:
    """Where in a patch that stands at `path` the name is that a complaint is about; the patch as such where none is."""
    first = [name for name in patch if complaint.reason.startswith(f"{name} ")]
    named = [*first, complaint.symbol, *(name for name in patch if f"{name} " in f"{complaint.reason} ")]
    return next(((*path, name) for name in named if name in patch), path)


def sentence(hint: str) -> str:
    """A hint as a sentence; none stays none."""
    return f"{hint[:1].upper()}{hint[1:]}{'' if hint.endswith(('.', '?', '!')) else '.'}" if hint else ""


def inputs_among(name: str, stated: Collection[str]) -> tuple[str, ...]:
    """Those stated quantities from which another follows by one relation; empty where it does not."""
    if name not in CATALOGUE:
        return ()
    every = (symbols(relation.expr) for relation in RELATIONS.of(name))
    return next((inputs for inputs in every if inputs and all(one in stated for one in inputs)), ())


def _listed(names: Sequence[str], join: str) -> str:
    return f"{', '.join(names[:-1])} {join} {names[-1]}" if len(names) > 1 else names[0]


def report_restated(world: World, report: Report) -> None:
    """Note, in the scenario and in every option, each quantity that follows from others that are stated too."""
    _report(world.base.scenario, world.question.scenario, ("scenario",), report)
    for name, patch in world.patches.items():
        try:
            scenario = world.option(name).scenario
        except FOUND:
            continue  # told where the option is read
        _report(scenario, patch, (world.group, name, "set"), report)


def _report(scenario: Scenario, names: Collection[str], path: Path, report: Report) -> None:
    for name in names:
        inputs = _inputs(scenario, name)
        if inputs:
            verb = "are" if len(inputs) > 1 else "is"
            what = f"{name} follows already from {_listed(inputs, 'and')}, which {verb} stated too"
            next_ = f"Leave it out, and set {_listed(inputs, 'or')} for another value; or state it alone."
            report.add(Problem((*path, name), "input", what, next_=next_, key=True))


def _inputs(scenario: Scenario, name: str) -> tuple[str, ...]:
    """The stated quantities from which a stated one follows by one relation; empty where it does not."""
    stated = [one for one, entry in scenario.entries.items() if entry.origin == "stated" and entry.expr != _TOLD]
    if name not in stated or name.startswith(_CHOSEN) or symbols(scenario.entries[name].expr):
        return ()
    inputs = inputs_among(name, stated)
    # One of them may be stated by what follows from it: then nothing is said twice.
    return () if any(name in symbols(scenario.entries[one].expr) for one in inputs) else inputs
