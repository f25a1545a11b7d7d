"""A choice that follows from other quantities, such as the phase that needs most memory, with what decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvers.catalogue import CATALOGUE
from solvers.errors import SolveError
from solvers.expr.tree import symbols
from solvers.record import Record
from solvers.relation import RELATIONS

if TYPE_CHECKING:
    from solvers.catalogue import SymbolInfo
    from solvers.solver import Resolved, Solver


class Chosen(Record):
    """The name that holds, and the quantities that decide it, each with its value."""

    name: str
    meaning: str
    text: str
    deciding: tuple[Resolved, ...]

    def to_text(self) -> str:
        """The choice and what decides it, a line each."""
        lines = [f"{self.name} = {self.text}", "", f"  {self.meaning}", ""]
        width = max((len(item.info.name) for item in self.deciding), default=0)
        return "\n".join([*lines, *(f"  {item.info.name:<{width}} = {item.text}" for item in self.deciding)])

    def to_json(self) -> dict[str, object]:
        """The choice as plain data; `value` is the name."""
        return {
            "quantity": self.name,
            "value": self.text,
            "unit": "",
            "text": self.text,
            "deciding": {item.info.name: item.text for item in self.deciding},
        }


def is_computed(info: SymbolInfo) -> bool:
    """Whether a choice follows from other quantities where nobody states it."""
    return info.is_choice and bool(RELATIONS.of(info.name) or (info.default is not None and symbols(info.default)))


def chosen(solver: Solver, name: str) -> Chosen:
    """Which name a computed choice takes over a scenario. Raises `SolveError` and `UnknownNameError`.

    >>> from solvers import Solver, scenario_of
    >>> plan = {"model": "llama-3-8b", "recipe": "zero-paper", "layout.dp": 8, "activation.block": "llama",
    ...         "batch.sequence": 8192, "batch.micro": 1, "layout.zero": 3}
    >>> chosen(Solver(scenario_of(plan)), "memory.binding_phase").text
    'backward'
    """
    info = CATALOGUE[name]
    if not is_computed(info):
        raise SolveError(f"{name} is a choice that a scenario states, and follows from nothing")
    found = solver.resolve(name)
    deciding = [] if found.expr is None else [other for other in symbols(found.expr) if not CATALOGUE[other].is_choice]
    return Chosen(name, info.meaning, found.text, tuple(solver.resolve(other) for other in dict.fromkeys(deciding)))
