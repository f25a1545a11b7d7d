"""The arithmetic of training systems: one set of symbolic relations, forward, inverse and explained.

Pure Python: no file, clock, screen or network. Nothing here knows of questions or learners.

>>> from solvers import Solver, scenario_of
>>> plan = scenario_of({"model.parameters": "70e9", "recipe": "zero-paper", "layout.zero": 3, "layout.dp": 8})
>>> Solver(plan).derive("memory.state_per_gpu").text
'140 GB'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from solvers.axes import Axis, AxisError, axis_of
    from solvers.catalogue import CATALOGUE, Catalogue, SymbolInfo, UnknownNameError
    from solvers.choices import Chosen, chosen
    from solvers.derivation import Derivation, Step
    from solvers.expr.evaluate import Quantity
    from solvers.inputs import InputError, ScenarioError, expr_of, scenario_of
    from solvers.inverse import Inverse, fewest, largest, solve_for
    from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip, Source
    from solvers.scenario import Scenario
    from solvers.slips import evaluate_slip, slips_of
    from solvers.solver import DomainError, InverseError, LawError, MissingError, SolveError, Solver
    from solvers.variations import Cell, Difference, differences, vary, vary_inverse
    from solvers.verdict import Against, Part, Verdict, against, fit

PART_OF = "shardwise"
"""Whose package this is: an unrelated `solvers` exists on the package index, and start-up tells the two apart."""

_HOMES: Final = {
    "solvers.axes": ("Axis", "AxisError", "axis_of"),
    "solvers.catalogue": ("CATALOGUE", "Catalogue", "SymbolInfo", "UnknownNameError"),
    "solvers.choices": ("Chosen", "chosen"),
    "solvers.derivation": ("Derivation", "Step"),
    "solvers.expr.evaluate": ("Quantity",),
    "solvers.inputs": ("InputError", "ScenarioError", "expr_of", "scenario_of"),
    "solvers.inverse": ("Inverse", "fewest", "largest", "solve_for"),
    "solvers.relation": ("LAWS", "RELATIONS", "Law", "Relation", "Slip", "Source"),
    "solvers.scenario": ("Scenario",),
    "solvers.slips": ("evaluate_slip", "slips_of"),
    "solvers.solver": ("DomainError", "InverseError", "LawError", "MissingError", "SolveError", "Solver"),
    "solvers.variations": ("Cell", "Difference", "differences", "vary", "vary_inverse"),
    "solvers.verdict": ("Against", "Part", "Verdict", "against", "fit"),
}
_HOME_OF: Final = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [  # noqa: RUF022 - by use, not by letter
    "scenario_of", "expr_of", "Scenario", "Solver", "Derivation", "Step", "derive", "fit", "Verdict", "Part",
    "against", "Against", "chosen", "Chosen",
    "fewest", "largest", "solve_for", "Inverse", "axis_of", "vary", "vary_inverse", "differences",
    "Axis", "Cell", "Difference",
    "slips_of", "evaluate_slip", "Slip",
    "CATALOGUE", "Catalogue", "SymbolInfo", "RELATIONS", "Relation", "LAWS", "Law", "Source", "Quantity",
    "SolveError", "MissingError", "LawError", "DomainError", "InputError", "ScenarioError", "InverseError",
    "AxisError", "UnknownNameError",
]


def derive(scenario: Scenario, quantity: str) -> Derivation:
    """Derive a quantity over a scenario, with every step. Raises `SolveError` or `UnknownNameError`.

    >>> from solvers import derive, scenario_of
    >>> derive(scenario_of({"layout.pp": 8, "batch.accumulation": 32}), "pipeline.bubble_of_total").text
    '17.95 %'
    """
    from solvers.solver import Solver

    return Solver(scenario).derive(quantity)


def __getattr__(name: str) -> object:
    """Import what is asked for, when it is asked for: start-up pays for nothing that it does not use."""
    home = _HOME_OF.get(name)
    if home is None:
        message = f"module 'solvers' has no attribute {name!r}"
        raise AttributeError(message)
    # A relation that is not imported is not known: whoever asks for anything gets them all.
    import_module("solvers.relations")
    return getattr(import_module(home), name)
