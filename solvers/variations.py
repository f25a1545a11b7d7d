"""One quantity over several values of an input: the rows of a comparison, the points of a sweep, why they differ.

A value with which the layout is impossible is a row with the sentence that says so, and ends nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.axes import Axis, AxisError, Choice, axis_of
from solvers.catalogue import CATALOGUE, UnknownNameError
from solvers.expr.evaluate import EvaluationError, Quantity
from solvers.inputs import Raw, ScenarioError, scenario_of
from solvers.record import Record
from solvers.relation import RELATIONS
from solvers.solver import MissingError, SolveError, Solver, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from solvers.derivation import Derivation
    from solvers.expr.tree import Expr
    from solvers.expr.units import Unit

_NOTHING: Final = frozenset(("1", "0", "0 B", "0 GB", "none", "false", "each-micro-batch"))
"""Defaults with which a quantity is as if it were not there."""
MOST_CELLS: Final = 4096
"""A table with more cells is refused."""


class Cell(Record):
    """The quantity at one value of each axis; `value` is None where there is none, and `why` says so.

    `bound` is what it is held against there. A computed choice has a `text` and no `value`.
    """

    at: tuple[str, ...]
    value: Quantity | None
    text: str
    why: str
    derivation: Derivation | None = None
    bound: Quantity | None = None


class Difference(Record):
    """A quantity that is not the same in all rows: how each row shows it, empty where it does not occur."""

    name: str
    letter: str
    meaning: str
    origin: str
    values: tuple[str, ...]


# -- rows --------------------------------------------------------------------------------------------------------


def vary(
    inputs: Mapping[str, Raw],
    quantity: str,
    axes: Sequence[Axis],
    given: Mapping[str, Raw] | None = None,
    *,
    unit: Unit | None = None,
    derived: bool = False,
    bound: Expr | None = None,
) -> tuple[Cell, ...]:
    """`quantity` at every combination of the values of `axes`, the last axis running fastest.

    With `derived` each cell carries its derivation, with `bound` the value of that expression there. Raises
    `ScenarioError` where the inputs are wrong whatever the axes say, and `MissingError` where no value of the axes
    supplies what is lacking.

    >>> cells = vary({"model.parameters": "70e9", "recipe": "zero-paper", "layout.dp": 8}, "memory.state_per_gpu",
    ...              [axis_of("layout.zero", "1,3")])
    >>> [(cell.at, cell.text) for cell in cells]
    [(('1',), '385 GB'), (('3',), '140 GB')]
    """
    info = CATALOGUE[quantity]

    def cell(labels: tuple[str, ...], solver: Solver) -> Cell:
        if info.is_choice:
            return Cell(labels, None, solver.resolve(quantity).text, "")
        value = solver.quantity(quantity)
        derivation = solver.derive(quantity, unit) if derived else None
        limit = solver.evaluate(bound) if bound is not None else None
        return Cell(labels, value, shown(value, info, unit), "", derivation,
                    limit if isinstance(limit, Quantity) else None)  # fmt: skip

    return _cells(inputs, given or {}, axes, cell)


def vary_inverse(  # noqa: PLR0913 - what is varied, what is sought, for which bound
    inputs: Mapping[str, Raw],
    unknown: str,
    quantity: str,
    bound: Expr,
    axes: Sequence[Axis],
    given: Mapping[str, Raw] | None = None,
    *,
    at_most: bool,
    step: int = 1,
) -> tuple[Cell, ...]:
    """The value of `unknown` that keeps `quantity` within `bound`, at every combination of the values of `axes`.

    Raises what `vary` raises.

    >>> from solvers import expr_of
    >>> cells = vary_inverse({"model.parameters": "70e9", "recipe": "zero-paper"}, "layout.dp", "memory.state_per_gpu",
    ...                      expr_of("memory.state_per_gpu", "300 GB"), [axis_of("layout.zero", "1,2,3")], at_most=True)
    >>> [(cell.at[0], cell.text) for cell in cells]
    [('1', '42'), ('2', '7'), ('3', '4')]
    """
    from solvers.inverse import solve_for

    def cell(labels: tuple[str, ...], solver: Solver) -> Cell:
        found = solve_for(solver.scenario, unknown, quantity, bound, at_most=at_most, step=step)
        return Cell(labels, found.value, found.text, "")

    return _cells(inputs, given or {}, axes, cell)


def _cells(
    inputs: Mapping[str, Raw],
    given: Mapping[str, Raw],
    axes: Sequence[Axis],
    cell: Callable[[tuple[str, ...], Solver], Cell],
) -> tuple[Cell, ...]:
    for axis in axes:
        if axis.symbol in inputs or axis.symbol in given:
            raise AxisError(f"{axis.symbol} is stated and varied: keep one of the two")
    if len({axis.symbol for axis in axes}) < len(axes):
        raise AxisError(f"{axes[0].symbol} is varied twice: put all its values behind one =")
    combinations = _combinations(axes)
    if len(combinations) > MOST_CELLS:
        raise AxisError(f"the table has {len(combinations):,} cells; at most {MOST_CELLS:,} are computed")
    made = [_made(inputs, given, combination, cell) for combination in combinations]
    missing = [item for item in made if isinstance(item, MissingError)]
    if missing and len(missing) == len(made):
        raise missing[0]
    return tuple(
        Cell(_labels(combination), None, "", str(item)) if isinstance(item, MissingError) else item
        for combination, item in zip(combinations, made, strict=True)
    )


def _combinations(axes: Sequence[Axis]) -> list[tuple[tuple[str, Choice], ...]]:
    combinations: list[tuple[tuple[str, Choice], ...]] = [()]
    for axis in axes:
        combinations = [(*before, (axis.symbol, choice)) for before in combinations for choice in axis.values]
    return combinations


def _labels(combination: tuple[tuple[str, Choice], ...]) -> tuple[str, ...]:
    return tuple(choice.text for _, choice in combination)


def _made(
    inputs: Mapping[str, Raw],
    given: Mapping[str, Raw],
    combination: tuple[tuple[str, Choice], ...],
    cell: Callable[[tuple[str, ...], Solver], Cell],
) -> Cell | MissingError:
    labels = _labels(combination)
    stated = {name: choice.raw for name, choice in combination if not _only_pinned(name)}
    pinned = {name: choice.raw for name, choice in combination if _only_pinned(name)}
    try:
        return cell(labels, Solver(scenario_of({**inputs, **stated}, {**given, **pinned})))
    except MissingError as error:
        return error
    except ScenarioError as error:
        varied = {name for name, _ in combination}
        if not any(
            complaint.symbol in varied or any(name in complaint.reason for name in varied)
            for complaint in error.complaints
        ) and not _alone(inputs, given):
            raise
        return Cell(labels, None, "", "; ".join(str(complaint) for complaint in error.complaints))
    except (SolveError, EvaluationError) as error:
        return Cell(labels, None, "", str(error))


def _alone(inputs: Mapping[str, Raw], given: Mapping[str, Raw]) -> bool:
    """Whether the inputs are sound without any axis, so that a complaint is the axis's doing."""
    try:
        scenario_of(inputs, given)
    except ScenarioError:
        return False
    return True


def _only_pinned(name: str) -> bool:
    return bool(RELATIONS.of(name)) and not CATALOGUE[name].statable


def within(cell: Cell, *, at_most: bool) -> bool:
    """Whether the value of a cell is at most (or at least) its bound."""
    if cell.value is None or cell.bound is None:
        return False
    return cell.value.value <= cell.bound.value if at_most else cell.value.value >= cell.bound.value


def edge_within(cells: Sequence[Cell], *, at_most: bool) -> tuple[Cell, str] | None:
    """Where a row of cells begins or ends to keep its bound: that cell, and whether it is the first or the last.

    The first that keeps it; where the very first does, the last before one that does not.
    """
    valued = [cell for cell in cells if cell.value is not None]
    kept = [within(cell, at_most=at_most) for cell in valued]
    if not any(kept):
        return None
    if kept[0] and not all(kept):
        return valued[kept.index(False) - 1], "last"
    return valued[kept.index(True)], "first"


# -- why they differ ---------------------------------------------------------------------------------------------


def differences(cells: Sequence[Cell], varied: Sequence[str] = ()) -> tuple[Difference, ...]:
    """What is not the same in the derivations of `cells`: inputs first, then the steps up to the target."""
    ways = [cell.derivation for cell in cells if cell.derivation is not None]
    lines = [{step.name: step for step in (*way.inputs, *way.steps)} for way in ways]
    inputs = dict.fromkeys(step.name for way in ways for step in way.inputs)
    steps = dict.fromkeys(step.name for way in ways for step in way.steps if step.name not in inputs)
    found: list[Difference] = []
    for name in (*inputs, *steps):
        values = tuple(line[name].value if name in line else "" for line in lines)
        if name not in varied and len(set(values)) > 1:
            step = next(line[name] for line in lines if name in line)
            found.append(Difference(name, step.letter, step.meaning, step.origin, values))
    return tuple(found)


def conventions_apart(cells: Sequence[Cell]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """For each cell with a derivation its label and the convention lines that not all others have.

    A default of 1, 0 or none, which changes nothing, is no convention that differs.
    """
    ways = [
        (" × ".join(cell.at), _single_conventions(cell.derivation)) for cell in cells if cell.derivation is not None
    ]
    shared = set.intersection(*(set(lines) for _, lines in ways)) if ways else set()
    apart = [(label, tuple(line for line in lines if line not in shared)) for label, lines in ways]
    return tuple((label, lines) for label, lines in apart if lines)


def reasons_apart(cells: Sequence[Cell]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """For each cell with a derivation its label and why its way goes as it does, where not all others go that way."""
    ways = [(" × ".join(cell.at), [reason for step in cell.derivation.steps for reason in step.reasons])
            for cell in cells if cell.derivation is not None]  # fmt: skip
    shared = set.intersection(*(set(reasons) for _, reasons in ways)) if ways else set()
    apart = [(label, tuple(dict.fromkeys(reason for reason in reasons if reason not in shared)))
             for label, reasons in ways]  # fmt: skip
    return tuple((label, reasons) for label, reasons in apart if reasons)


def _single_conventions(way: Derivation) -> list[str]:
    """The conventions with one line for each default: their order says nothing."""
    lines: list[str] = []
    for line in way.conventions:
        head, _, said = line.partition(": ")
        lines += [f"Default: {item}." for item in said[:-1].split(", ")
                  if item.partition(" = ")[2] not in _NOTHING] if head == "Defaults" else [line]  # fmt: skip
    return lines


__all__ = [
    "Axis",
    "AxisError",
    "Cell",
    "Difference",
    "UnknownNameError",
    "axis_of",
    "conventions_apart",
    "differences",
    "edge_within",
    "reasons_apart",
    "vary",
    "vary_inverse",
    "within",
]
