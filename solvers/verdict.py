"""Whether a layout fits: the parts of a GPU's memory, their sum against the capacity, and what binds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.errors import SolveError
from solvers.expr.evaluate import Quantity
from solvers.expr.show import show_number
from solvers.expr.tree import Text
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


class Against(Record):
    """A number of bytes on a GPU against one figure of its memory; `margin` is below zero where it does not fit."""

    kind: str
    capacity: Quantity
    margin: Quantity
    share: Fraction

    @property
    def text(self) -> str:
        """The figure and the margin in a line."""
        info = CATALOGUE["memory.margin_per_gpu"]
        left = shown(Quantity(abs(self.margin.value), self.margin.dimension), info)
        end = f"{left} left" if self.margin.value >= 0 else f"{left} too much"
        return f"{self.kind} {shown(self.capacity, info)}: {end} ({show_number(100 * self.share, 1)} % used)"


def against(solver: Solver, used: Quantity) -> tuple[Against, ...]:
    """`used` bytes against each figure of a GPU's memory that the scenario knows: nominal, reported, usable.

    >>> from solvers import Solver, scenario_of
    >>> plan = {"model.parameters": "70e9", "recipe": "zero-paper", "layout.zero": 3, "layout.dp": 16,
    ...         "cluster.gpu": "h100-80gb", "cluster.allowance": "3 GB"}
    >>> solver = Solver(scenario_of(plan))
    >>> for found in against(solver, solver.quantity("memory.state_per_gpu")):
    ...     print(found.text)
    nominal 80 GB: 10 GB left (87.5 % used)
    reported 85.52 GB: 15.52 GB left (81.9 % used)
    usable 82.52 GB: 12.52 GB left (84.8 % used)
    """
    found: list[Against] = []
    for kind in CATALOGUE["cluster.capacity"].choices:
        try:
            capacity = type(solver)(solver.scenario.patched({"cluster.capacity": Text(kind)})).quantity(
                "cluster.capacity_per_gpu"
            )
        except SolveError:
            continue  # this figure of the GPU is not known here
        margin = Quantity(capacity.value - used.value, used.dimension)
        found.append(Against(kind, capacity, margin, used.value / capacity.value))
    return tuple(found)


def _terms(solver: Solver) -> tuple[tuple[str, str], ...]:
    if solver.is_stated("memory.state_per_gpu"):
        return _STATE
    if solver.is_stated("memory.optimizer_per_gpu"):
        return _OPTIMIZER
    return TERMS


def _part(solver: Solver, term: str, name: str) -> Part:
    resolved = solver.resolve(name)
    return Part(term, name, solver.quantity(name), resolved.origin in ("pinned", "stated"))
