"""One quantity over several values of an input: the rows of a comparison, the points of a sweep, why they differ.

A value with which the layout is impossible is a row with the sentence that says so, and ends nothing.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE, SymbolInfo, UnknownNameError
from solvers.expr.evaluate import EvaluationError, Quantity
from solvers.expr.tree import Expr, Number, Text
from solvers.expr.units import Unit
from solvers.inputs import InputError, Raw, ScenarioError, expr_of, scenario_of
from solvers.record import Record
from solvers.relation import RELATIONS
from solvers.solver import MissingError, SolveError, Solver, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from solvers.derivation import Derivation

MOST_POINTS: Final = 512
"""A range with more values is refused."""
WIDE: Final = 8
"""From this ratio of its ends a range without a step is gone through by doubling."""
_FEW: Final = 16
_ROUGHLY: Final = 12


class AxisError(ValueError):
    """An axis that cannot be read; the message says what to write."""


class Choice(Record):
    """One value of an axis: what is stated, and how it is shown."""

    raw: Raw
    text: str
    number: Fraction | None


class Axis(Record):
    """An input and the values that it goes through; `geometric` where they grow by a factor."""

    symbol: str
    values: tuple[Choice, ...]
    geometric: bool


class Cell(Record):
    """The quantity at one value of each axis; `value` is None where there is none, and `why` says so."""

    at: tuple[str, ...]
    value: Quantity | None
    text: str
    why: str
    derivation: Derivation | None = None


class Difference(Record):
    """A quantity that is not the same in all rows: how each row shows it, empty where it does not occur."""

    name: str
    letter: str
    meaning: str
    origin: str
    values: tuple[str, ...]


# -- axes --------------------------------------------------------------------------------------------------------


def axis_of(symbol: str, text: str) -> Axis:
    """Read an axis: `1,2,3`, `zero-paper,megatron-bf16`, `8..1024`, `8..64 step 8`, `1 GB..64 GB times 4`.

    A range without a step doubles where its end is at least eight times its start, and is gone through evenly
    otherwise. Raises `AxisError`, and `UnknownNameError` for a symbol that is not in the catalogue.

    >>> [choice.text for choice in axis_of("layout.dp", "8..100").values]
    ['8', '16', '32', '64', '100']
    >>> [choice.text for choice in axis_of("checkpoint.stall", "1 min..2 min step 30 s").values]
    ['60 s', '90 s', '120 s']
    """
    info = CATALOGUE[symbol]
    parts = [part.strip() for part in _split(text)]
    if not all(parts) or not text.strip():
        raise AxisError(f"{symbol}={text} has an empty value; write {symbol}=A,B or {symbol}=A..B")
    values: list[Choice] = []
    geometric = False
    for part in parts:
        if ".." in part:
            found, grows = _range(info, part)
            values += found
            geometric = geometric or grows
        else:
            values.append(_choice(info, part))
    distinct = {choice.text: choice for choice in values}
    if len(distinct) > MOST_POINTS:
        raise AxisError(
            f"{symbol}={text} has {len(distinct):,} values; at most {MOST_POINTS} are computed: give a larger step"
        )
    return Axis(symbol, tuple(distinct.values()), geometric)


def _split(text: str) -> list[str]:
    """The parts between the commas that stand in no parentheses."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _choice(info: SymbolInfo, text: str) -> Choice:
    try:
        expr = expr_of(info.name, text)
    except InputError as error:
        raise AxisError(str(error)) from error
    if isinstance(expr, Number):
        return _numbered(info, expr.value * (expr.unit.factor if expr.unit else 1))
    return Choice(expr, expr.value if isinstance(expr, Text) else text, None)


def _numbered(info: SymbolInfo, value: Fraction) -> Choice:
    """A choice of a number in base units."""
    raw: Expr = Number(value, Unit(info.unit.name, Fraction(1), info.unit.dimension))
    return Choice(raw, shown(Quantity(value, info.unit.dimension), info), value)


def _range(info: SymbolInfo, text: str) -> tuple[list[Choice], bool]:
    if info.is_choice:
        raise AxisError(f"{info.name} is a choice: name its values, such as {info.name}={','.join(info.choices[:2])}")
    ends, by, pace = text, "", ""
    for word in (" step ", " times "):
        if word in text:
            ends, _, pace = text.partition(word)
            by = word.strip()
    start_text, _, end_text = (part.strip() for part in ends.partition(".."))
    end = _number(info, end_text)
    start = _number(info, start_text, _unit_of(info, end_text))
    if not start < end:
        raise AxisError(f"{info.name}={text} does not rise: write the smaller value first")
    values = (
        _stepped(info, start, end, pace, _unit_of(info, end_text))
        if by == "step"
        else _grown(info, start, end, pace or "2")
        if by == "times" or (start > 0 and end >= WIDE * start)
        else _even(info, start, end)
    )
    return [_numbered(info, value) for value in values], by != "step" and (by == "times" or end >= WIDE * start > 0)


def _unit_of(info: SymbolInfo, text: str) -> str:
    """The unit behind a number: `8..64 GB` begins at 8 GB."""
    unit = text.lstrip("0123456789.eE+- ")
    return unit if info.unit.name and not info.bare else ""


def _number(info: SymbolInfo, text: str, unit: str = "") -> Fraction:
    spelled = f"{text} {unit}" if unit and text.strip("0123456789.eE+-") == "" else text
    choice = _choice(info, spelled) if text else None
    if choice is None or choice.number is None:
        raise AxisError(f"{info.name}: a range goes from a number to a number, such as {info.name}=8..1024")
    return choice.number


def _stepped(info: SymbolInfo, start: Fraction, end: Fraction, pace: str, unit: str) -> Iterator[Fraction]:
    step = _number(info, pace.strip(), unit)
    if step <= 0:
        raise AxisError(f"{info.name}: the step is above zero")
    if (end - start) / step > MOST_POINTS:
        raise AxisError(f"{info.name}: a step of {pace.strip()} makes more than {MOST_POINTS} values")
    return (start + step * at for at in range(int((end - start) / step) + 1))


def _grown(info: SymbolInfo, start: Fraction, end: Fraction, pace: str) -> list[Fraction]:
    try:
        factor = Fraction(pace.strip())
    except ValueError as error:
        raise AxisError(f"{info.name}: a factor is a number, such as times 2, not {pace.strip()!r}") from error
    if factor <= 1 or start <= 0:
        raise AxisError(f"{info.name}: a range that grows by a factor starts above zero, and the factor is above 1")
    values = [start]
    while values[-1] * factor < end and len(values) <= MOST_POINTS:
        values.append(values[-1] * factor)
    if info.is_integer:
        values = [Fraction(round(value)) for value in values]
    return [*values, end]


def _even(info: SymbolInfo, start: Fraction, end: Fraction) -> list[Fraction]:
    if not info.is_integer:
        return [start + (end - start) * at / _ROUGHLY for at in range(_ROUGHLY + 1)]
    step = 1 if end - start <= _FEW else -(-int(end - start) // _FEW)
    values = [start + step * at for at in range(int((end - start) / step) + 1)]
    return values if values[-1] == end else [*values, end]


# -- rows --------------------------------------------------------------------------------------------------------


def vary(
    inputs: Mapping[str, Raw],
    quantity: str,
    axes: Sequence[Axis],
    given: Mapping[str, Raw] | None = None,
    *,
    unit: Unit | None = None,
    derived: bool = False,
) -> tuple[Cell, ...]:
    """`quantity` at every combination of the values of `axes`, the last axis running fastest.

    With `derived` each cell carries its derivation. Raises `ScenarioError` where the inputs are wrong whatever the
    axes say, and `MissingError` where no value of the axes supplies what is lacking.

    >>> cells = vary({"model.parameters": "70e9", "recipe": "zero-paper", "layout.dp": 8}, "memory.state_per_gpu",
    ...              [axis_of("layout.zero", "1,3")])
    >>> [(cell.at, cell.text) for cell in cells]
    [(('1',), '385 GB'), (('3',), '140 GB')]
    """
    for axis in axes:
        if axis.symbol in inputs or axis.symbol in (given or {}):
            raise AxisError(f"{axis.symbol} is stated and varied: keep one of the two")
    if len({axis.symbol for axis in axes}) < len(axes):
        raise AxisError(f"{axes[0].symbol} is varied twice: put all its values behind one =")
    info = CATALOGUE[quantity]
    if info.is_choice:
        raise AxisError(f"{quantity} is a choice, not a number to compare")
    make = _maker(inputs, given or {}, info, unit, derived=derived)
    cells = [make(combination) for combination in _combinations(axes)]
    missing = [cell for cell in cells if isinstance(cell, MissingError)]
    if missing and len(missing) == len(cells):
        raise missing[0]
    return tuple(
        Cell(_labels(combination), None, "", str(cell)) if isinstance(cell, MissingError) else cell
        for combination, cell in zip(_combinations(axes), cells, strict=True)
    )


def _combinations(axes: Sequence[Axis]) -> list[tuple[tuple[str, Choice], ...]]:
    combinations: list[tuple[tuple[str, Choice], ...]] = [()]
    for axis in axes:
        combinations = [(*before, (axis.symbol, choice)) for before in combinations for choice in axis.values]
    return combinations


def _labels(combination: tuple[tuple[str, Choice], ...]) -> tuple[str, ...]:
    return tuple(choice.text for _, choice in combination)


def _maker(
    inputs: Mapping[str, Raw], given: Mapping[str, Raw], info: SymbolInfo, unit: Unit | None, *, derived: bool
) -> Callable[[tuple[tuple[str, Choice], ...]], Cell | MissingError]:

    def make(combination: tuple[tuple[str, Choice], ...]) -> Cell | MissingError:
        labels = _labels(combination)
        stated = {name: choice.raw for name, choice in combination if not _only_pinned(name)}
        pinned = {name: choice.raw for name, choice in combination if _only_pinned(name)}
        try:
            solver = Solver(scenario_of({**inputs, **stated}, {**given, **pinned}))
            value = solver.quantity(info.name)
            derivation = solver.derive(info.name, unit) if derived else None
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
        return Cell(labels, value, shown(value, info, unit), "", derivation)

    return make


def _alone(inputs: Mapping[str, Raw], given: Mapping[str, Raw]) -> bool:
    """Whether the inputs are sound without any axis, so that a complaint is the axis's doing."""
    try:
        scenario_of(inputs, given)
    except ScenarioError:
        return False
    return True


def _only_pinned(name: str) -> bool:
    return bool(RELATIONS.of(name)) and not CATALOGUE[name].statable


def first_within(cells: Sequence[Cell], bound: Quantity, *, at_most: bool) -> Cell | None:
    """The first cell whose value is at most (or at least) `bound`."""
    for cell in cells:
        if cell.value is not None and (cell.value.value <= bound.value if at_most else cell.value.value >= bound.value):
            return cell
    return None


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
    """For each cell with a derivation its label and the convention lines that not all others have."""
    ways = [
        (" × ".join(cell.at), _single_conventions(cell.derivation)) for cell in cells if cell.derivation is not None
    ]
    shared = set.intersection(*(set(lines) for _, lines in ways)) if ways else set()
    apart = [(label, tuple(line for line in lines if line not in shared)) for label, lines in ways]
    return tuple((label, lines) for label, lines in apart if lines)


def _single_conventions(way: Derivation) -> list[str]:
    """The conventions with one line for each default: their order says nothing."""
    lines: list[str] = []
    for line in way.conventions:
        head, _, said = line.partition(": ")
        lines += [f"Default: {item}." for item in said[:-1].split(", ")] if head == "Defaults" else [line]
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
    "first_within",
    "vary",
]
