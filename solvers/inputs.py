"""From what a person or a bank writes to a scenario: `model.parameters=70e9`, `memory.activations_per_gpu=15 GB`.

All errors are collected and told at once, each with the name it belongs to. A plain number may stand where a
count or a plain number is meant; anywhere else its unit is required.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Final, TypeAlias

from solvers.catalogue import CATALOGUE, SymbolInfo, UnknownNameError
from solvers.errors import DomainError
from solvers.expr.dimension import PLAIN
from solvers.expr.evaluate import DimensionError, EvaluationError, Quantity, evaluate
from solvers.expr.tree import Expr, Number, Text, symbols
from solvers.presets import PRESET_SYMBOLS, preset
from solvers.record import Record
from solvers.relation import RELATIONS
from solvers.scenario import Scenario
from solvers.solver import CycleError, MissingError, SolveError, Solver, fits_count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solvers.expr.dimension import Dimension
    from solvers.expr.reader_limits import ReadError

Raw: TypeAlias = str | int | float | Fraction | Decimal | bool | Expr
MAX_DIGITS: Final = 400
"""Longer numbers are refused before arithmetic begins."""


def _complaint(symbol: str, reason: str, hint: str) -> str:
    if not hint:
        return f"{symbol}: {reason}"
    return f"{symbol}: {reason.rstrip('.')}{'.' if hint[:1].isupper() else ';'} {hint}"


class InputError(ValueError):
    """A value that cannot stand for its symbol. `reason` says why, `hint` what to write instead."""

    def __init__(self, symbol: str, reason: str, hint: str = "") -> None:
        self.symbol, self.reason, self.hint = symbol, reason, hint
        super().__init__(_complaint(symbol, reason, hint))


class Complaint(Record):
    """One error of a scenario: the symbol, why, and what to write instead."""

    symbol: str
    reason: str
    hint: str = ""

    def __str__(self) -> str:
        """The error in one line."""
        return _complaint(self.symbol, self.reason, self.hint)


class ScenarioError(ValueError):
    """Everything that is wrong with a scenario, at once, in `complaints`."""

    def __init__(self, complaints: tuple[Complaint, ...]) -> None:
        self.complaints = complaints
        super().__init__("\n".join(str(complaint) for complaint in complaints))


def expr_of(symbol: str, raw: Raw) -> Expr:
    """Read what is written for `symbol`.

    Names for a choice (`true` and `false` too), exact numbers, or text such as `15 GB` and `cluster.gpus / 8`.
    Raises `InputError`; `UnknownNameError` for a symbol that is not in the catalogue.

    >>> from solvers.expr.show import show_expr
    >>> show_expr(expr_of("memory.activations_per_gpu", "15 GB"))
    '15 GB'
    """
    info = CATALOGUE[symbol]
    if isinstance(raw, Expr):
        expr = raw
    elif info.is_choice:
        return _choice(info, raw)
    elif isinstance(raw, bool):
        raise InputError(symbol, f"a number is expected, not {str(raw).lower()}", _example(info))
    elif isinstance(raw, str):
        expr = _read(info, raw)
    else:
        expr = Number(_exact(info, raw))
    _check_unit(info, expr)
    return expr


def scenario_of(
    set: Mapping[str, Raw],  # noqa: A002 - the form's own word
    given: Mapping[str, Raw] | None = None,
    near: Scenario | None = None,
) -> Scenario:
    """Build a scenario: `set` states inputs, `given` pins quantities that a relation could derive.

    Values of `near`, a scenario that differs in little, are taken over where nothing that differs can reach them.

    Raises `ScenarioError` with every complaint: unknown names (with the nearest), unreadable or misplaced
    values, a derived quantity that is set and not given, a pinned quantity whose own inputs are stated too.

    >>> from solvers.solver import Solver
    >>> scenario = scenario_of({"model.parameters": "70e9", "recipe": "zero-paper", "layout.zero": 3, "layout.dp": 8})
    >>> Solver(scenario).resolve("memory.state_per_gpu").text
    '140 GB'
    """
    complaints: list[Complaint] = []
    stated = _all_read(set, complaints)
    pinned = _all_read(given or {}, complaints)
    complaints += [
        Complaint(name, "is derived from other quantities", f"pin it instead, as given (--given {name}=VALUE)")
        for name in stated
        if not _may_be_set(name)
    ]
    for name in pinned:
        if name in stated:
            complaints.append(Complaint(name, "is both set and given", "keep one of the two"))
        elif CATALOGUE[name].is_choice:
            complaints.append(Complaint(name, "is a choice, which is set and not given"))
    # What is right of the rest is looked at too, so that everything is told at once.
    wrong = {complaint.symbol for complaint in complaints}
    values, pins = ({name: expr for name, expr in part.items() if name not in wrong} for part in (stated, pinned))
    scenario = Scenario.of(values, pins, near)
    complaints += check(scenario) or _idle(scenario)
    if complaints:
        raise ScenarioError(tuple(complaints))
    return scenario


def _idle(scenario: Scenario) -> list[Complaint]:
    """A stated layout that the stated cluster does not divide into: some GPUs would have nothing to do.

    A search tries such layouts, since it may find the fewest GPUs of a larger cluster; a person who writes both means
    all of them.
    """
    if "layout.dp" not in scenario or not ("cluster.gpus" in scenario or "cluster.nodes" in scenario):
        return []
    solver = Solver(scenario)
    try:
        layout, cluster = (solver.quantity(name).value for name in ("layout.world", "cluster.gpus"))
    except MissingError:
        return []
    if cluster % layout == 0:
        return []
    degrees = " × ".join(f"{name} {solver.resolve(f'layout.{name}').text}" for name in ("dp", "tp", "pp", "cp"))
    reason = f"a layout of {layout} GPUs ({degrees}) does not divide the {cluster} of the cluster"
    return [Complaint("layout.dp", reason, "change a degree, or leave out the cluster or layout.dp")]


def check(scenario: Scenario) -> list[Complaint]:
    """What is contradictory in a scenario that was read: values outside their domain, pins that are derivable."""
    complaints: list[Complaint] = []
    said: set[str] = set()
    try:
        solver = Solver(scenario)
    except SolveError as error:
        name = next((name for name in PRESET_SYMBOLS if name in scenario), "scenario")
        return [Complaint(name, str(error))]
    for name in scenario:
        try:
            solver.bare(name)
        except CycleError as error:
            complaints.append(Complaint(name, str(error)))
        except MissingError:
            continue  # refers to something that a patch may state later
        except (SolveError, UnknownNameError) as error:
            # What several names bring up is told once.
            if str(error) not in said:
                said.add(str(error))
                hint = _example(CATALOGUE[name]) if isinstance(error, UnknownNameError) and not error.nearest else ""
                complaints.append(Complaint(name, str(error).removeprefix(f"{name} "), hint))
    if not complaints:
        for name, entry in scenario.entries.items():
            inputs = _own_inputs(scenario, name) if entry.origin == "pinned" else ()
            if inputs:
                complaints.append(
                    Complaint(
                        name,
                        f"is given, but follows already from {', '.join(inputs)}",
                        "leave out the one or the others",
                    )
                )
    return complaints


def faults_of(symbol: str, raw: Raw) -> list[Complaint]:
    """What is wrong with a value by itself, whatever else is stated: as written, its unit, its domain, a choice.

    A value with names is not worked out: its unknown names and its dimension count. What a law or another quantity
    would object to is no fault of the value alone. Raises `UnknownNameError` for a symbol that is not in the catalogue.

    >>> [str(fault) for fault in faults_of("model.parameters", -13)]
    ['model.parameters: must be above zero, not −13']
    """
    info = CATALOGUE[symbol]
    try:
        expr = expr_of(symbol, raw)
        if info.is_choice:
            return []
        if symbols(expr):
            _check_names(info, expr)
        else:
            Solver(Scenario.of({symbol: expr}, {})).bare(symbol)
    except InputError as error:
        return [Complaint(symbol, error.reason, error.hint)]
    except UnknownNameError as error:
        return [Complaint(symbol, str(error), "" if error.nearest else _example(info))]
    except DomainError as error:
        return [Complaint(symbol, str(error).removeprefix(f"{symbol} "), _example(info) if not error.name else "")]
    except SolveError:
        return []  # a law objects, with what other quantities are by default
    return []


def _check_names(info: SymbolInfo, expr: Expr) -> None:
    """Refuse a value with names whose dimension, told from those names, is another. Raises as `expr_of` does."""
    from solvers.expr.static import dimension_of
    from solvers.ready import named_dimension

    for name in symbols(expr):
        _ = CATALOGUE[name]
    try:
        has = dimension_of(expr, named_dimension)
    except DimensionError:
        return  # told where the value is worked out
    wanted = info.unit.dimension
    if has is not None and has != wanted and not fits_count(has, wanted):
        raise InputError(info.name, f"is measured in {_named(info, wanted)}, not in {has}", _example(info))


def _all_read(values: Mapping[str, Raw], complaints: list[Complaint]) -> dict[str, Expr]:
    read: dict[str, Expr] = {}
    for name, raw in values.items():
        try:
            read[name] = expr_of(name, raw)
        except InputError as error:
            complaints.append(Complaint(name, error.reason, error.hint))
        except UnknownNameError as error:
            complaints.append(Complaint(name, str(error)))
    return read


def _may_be_set(name: str) -> bool:
    return CATALOGUE[name].statable or not RELATIONS.of(name)


def _own_inputs(scenario: Scenario, name: str) -> tuple[str, ...]:
    """The stated names from which a pinned quantity would follow anyway; empty if it would not follow."""
    rest = Scenario({key: value for key, value in scenario.entries.items() if key != name})
    if not RELATIONS.of(name):
        return ()
    try:
        derivation = Solver(rest, explains=False).derive(name)
    except SolveError:
        return ()
    return tuple(line.name for line in derivation.inputs if line.origin in ("stated", "preset"))


def _choice(info: SymbolInfo, raw: Raw) -> Expr:
    said = str(raw).lower() if isinstance(raw, bool) else str(raw).strip()
    if info.name in PRESET_SYMBOLS:
        try:
            preset(info.name, said)
        except UnknownNameError as error:
            raise InputError(info.name, str(error)) from error
    elif said not in info.choices:
        from difflib import get_close_matches

        near = get_close_matches(said, info.choices, n=1)
        raise InputError(
            info.name, f"{said!r} is not one of {', '.join(info.choices)}", f"did you mean {near[0]}?" if near else ""
        )
    return Text(said)


def _exact(info: SymbolInfo, raw: float | Fraction | Decimal) -> Fraction:
    if isinstance(raw, float):
        if not isfinite(raw):
            raise InputError(info.name, f"{raw} is not a number", _example(info))
        # A float stands for the decimal number that was typed: 0.1 is a tenth.
        return Fraction(repr(raw))
    if isinstance(raw, Decimal):
        if not raw.is_finite():
            raise InputError(info.name, f"{raw} is not a number", _example(info))
        if abs(raw.adjusted()) > MAX_DIGITS:
            raise InputError(info.name, "the number is too large or too small to compute with")
    return Fraction(raw)


_SHORT_COUNT: Final = re.compile(
    r"\s*(\d{1,15}(?:\.\d{1,15})?)\s*(k|m|b|bn|t|thousand|million|billion|trillion)\s*", re.IGNORECASE
)
_DOLLARS: Final = re.compile(r"^\s*\$\s*(\d+(?:\.\d+)?(?:[eE]\d+)?)")
_GROUPED: Final = re.compile(r"\d,\d{3}")
_NO_NUMBER: Final = re.compile(r"\s*[+-]?(nan|inf|infinity)(\s+\S+)?\s*", re.IGNORECASE)
_DATE: Final = re.compile(r"\s*\d{4}-\d{2}-\d{2}\s*")
_SIZES: Final = {"k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12}


def _short_count(info: SymbolInfo, text: str) -> Number | None:
    """A count as people say it and derivations spell it: where parameters are expected, `70B` is no size."""
    said = _SHORT_COUNT.fullmatch(text) if info.unit.dimension.is_count else None
    return Number(Fraction(said[1]) * _SIZES[said[2].lower().replace("thousand", "k")[0]]) if said else None


def _read(info: SymbolInfo, text: str) -> Expr:
    return _spelled(info.name, text)


@lru_cache(maxsize=4096)
def _spelled(symbol: str, text: str) -> Expr:
    """The tree of what is written for `symbol`; a bank says the same in many questions. Raises `InputError`."""
    info = CATALOGUE[symbol]
    short = _short_count(info, text)
    if short:
        return short
    if _NO_NUMBER.fullmatch(text):
        raise InputError(info.name, f"{text.strip()} is not a number", _example(info))
    if _DATE.fullmatch(text):
        # Read as a formula it would be a number, and a wrong one.
        example = _example(info)
        hint = f"{example + '; ' if example else ''}a subtraction has spaces around its minus sign"
        raise InputError(info.name, f"is a quantity, and {text.strip()} is a date", hint)
    # Dollars are written in front: $2/GPU-hour is 2 $/GPU-hour.
    text = _DOLLARS.sub(r"\1 $", text)
    # The strict half of the reader alone: the lenient one would cost the shell a sixth of its time.
    from solvers.expr.reader_grammar import parse
    from solvers.expr.reader_limits import ReadError
    from solvers.expr.reader_strict import strict_tokens

    try:
        return parse(text, strict_tokens(text), lenient=False)
    except ReadError as error:
        hint = "Digits are written without commas." if _GROUPED.search(text) else error.hint or _example(info)
        raise InputError(info.name, f"cannot read {_quoted(error)}: {error.reason}", hint) from error


def _quoted(error: ReadError) -> str:
    return repr(error.text if len(error.text) <= 60 else f"{error.text[:60]}…")  # noqa: PLR2004 - a line's worth


def _example(info: SymbolInfo) -> str:
    return f"for example {info.example}" if info.example else ""


def _check_unit(info: SymbolInfo, expr: Expr) -> None:
    """Refuse a value without names whose unit is missing or measures something else."""
    if info.is_choice:
        return
    if type(expr) is Number:
        has = expr.unit.dimension if expr.unit else PLAIN
    elif symbols(expr):
        return
    else:
        has = _measured(info, expr)
    wanted = info.unit.dimension
    if has == wanted or fits_count(has, wanted):
        return
    if has.is_plain:
        raise InputError(info.name, "needs a unit", _example(info) or f"for example 1 {info.unit.name}")
    raise InputError(info.name, f"is measured in {_named(info, wanted)}, not in {has}", _example(info))


def _measured(info: SymbolInfo, expr: Expr) -> Dimension:
    try:
        value = evaluate(expr, {})
    except EvaluationError as error:
        raise InputError(info.name, f"has no value: {error}", _example(info)) from error
    if not isinstance(value, Quantity):
        raise InputError(info.name, "a number is expected", _example(info))
    return value.dimension


def _named(info: SymbolInfo, dimension: Dimension) -> str:
    return info.unit.name or ("a plain number" if dimension.is_plain else str(dimension))
