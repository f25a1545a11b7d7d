"""Whether a layout fits: the parts of a GPU's memory, their sum against the capacity, and what binds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.expr.evaluate import Quantity
from solvers.expr.show import show_number
from solvers.record import Record
from solvers.solver import shown

if TYPE_CHECKING:
    from fractions import Fraction

    from solvers.solver import Solver

TERMS: Final = (
    ("weights", "memory.weights_per_gpu"),
    ("gradients", "memory.gradients_per_gpu"),
    ("master copy", "memory.master_per_gpu"),
    ("moments", "memory.moments_per_gpu"),
    ("activations", "memory.activations_per_gpu"),
    ("buffers", "memory.buffers_per_gpu"),
)
"""The parts of `memory.total_per_gpu`, in the order in which a bar is drawn."""
_STATE: Final = (("state", "memory.state_per_gpu"), *TERMS[4:])
_OPTIMIZER: Final = (*TERMS[:2], ("optimizer", "memory.optimizer_per_gpu"), *TERMS[4:])


class Part(Record):
    """One part: the word for it, its quantity's name, its value; `given` where the scenario pins it."""

    term: str
    name: str
    value: Quantity
    given: bool

    @property
    def text(self) -> str:
        """The value as a person reads it."""
        return shown(self.value, CATALOGUE[self.name])


class Verdict(Record):
    """Fits (at most the capacity) or not. `share` is the total over the capacity; `margin` what is left over."""

    parts: tuple[Part, ...]
    total: Quantity
    capacity: Quantity
    capacity_name: str
    margin: Quantity
    share: Fraction
    fits: bool
    binding: Part

    @property
    def text(self) -> str:
        """The verdict in a sentence."""
        margin = CATALOGUE["memory.margin_per_gpu"]
        total, capacity = (shown(value, margin) for value in (self.total, self.capacity))
        left = Quantity(abs(self.margin.value), self.margin.dimension)
        end = f"{shown(left, margin)} left" if self.fits else f"{shown(left, margin)} too much"
        return (f"{'fits' if self.fits else 'does not fit'}: {total} of {capacity} ({self.capacity_name}), {end}; "
                f"the largest part is {self.binding.term}, {self.binding.text}, "
                f"{show_number(100 * self.share)} % of the capacity in all")


def fit(solver: Solver) -> Verdict:
    """The verdict over the scenario of `solver`.

    The parts add up to the total exactly. Where the state or the optimizer state is pinned, it is one part.
    Raises `SolveError` if something is missing.

    >>> from solvers.inputs import scenario_of
    >>> from solvers.solver import Solver
    >>> plan = {"model.parameters": "70e9", "recipe": "zero-paper", "layout.zero": 3, "cluster.gpu": "h100-80gb",
    ...         "cluster.nodes": 4, "cluster.gpus_per_node": 8}
    >>> verdict = fit(Solver(scenario_of(plan, {"memory.activations_per_gpu": "15 GB"})))
    >>> verdict.fits, verdict.binding.term
    (True, 'moments')
    """
    total = solver.quantity("memory.total_per_gpu")
    capacity = solver.quantity("cluster.capacity_per_gpu")
    margin = solver.quantity("memory.margin_per_gpu")
    parts = tuple(_part(solver, term, name) for term, name in _terms(solver))
    return Verdict(
        parts, total, capacity, str(solver.value("cluster.capacity")), margin,
        total.value / capacity.value, total.value <= capacity.value,
        max(parts, key=lambda part: part.value.value),
    )


def _terms(solver: Solver) -> tuple[tuple[str, str], ...]:
    if solver.is_stated("memory.state_per_gpu"):
        return _STATE
    if solver.is_stated("memory.optimizer_per_gpu"):
        return _OPTIMIZER
    return TERMS


def _part(solver: Solver, term: str, name: str) -> Part:
    resolved = solver.resolve(name)
    return Part(term, name, solver.quantity(name), resolved.origin in ("pinned", "stated"))
