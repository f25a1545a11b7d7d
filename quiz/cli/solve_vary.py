"""`solve --compare` and `--sweep`: one quantity over the values of one input or two, as a table, a plot, or data."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING

from quiz.cli.outcome import DONE, USAGE, Failure
from quiz.cli.solve_parts import bound_of, pairs, quantity_named, strong, unit_named

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from solvers.expr.evaluate import Quantity
    from solvers.expr.units import Unit
    from solvers.variations import Axis, Cell

_MOST_EXPLAINED = 6
"""More rows than that are no longer told apart term by term."""
_SIGNS = "●◆▲■○△"
_PLAIN_SIGNS = "*abcdefgh"


def varied(args: argparse.Namespace) -> int:
    """Print the table of a comparison or a sweep, with its plot or why the rows differ."""
    from solvers.variations import AxisError

    unfit = next((said for present, said in (
        (args.unknown is not None, "--for finds one value for a bound; leave it out to go over values."),
        (args.step != 1, "--step goes with --for; write it into the range instead: --sweep layout.dp='8..64 step 8'."),
        (args.markdown, "--markdown is the form of one derivation; --json gives the rows as data."),
        (bool(args.also) and len(args.sweep) + len(args.compare) > 1, "--also goes with one varied input only."),
    ) if present), None)  # fmt: skip
    if unfit:
        raise Failure(unfit, code=USAGE)
    try:
        return _printed(args, _Table(args))
    except AxisError as error:
        raise Failure(str(error).rstrip(".") + ".", code=USAGE) from error


class _Table:
    """What was asked for, computed."""

    def __init__(self, args: argparse.Namespace) -> None:
        from solvers.variations import first_within, vary

        self.quantity: str = args.quantity
        self.axes = _axes(args)
        info = quantity_named(args.quantity)
        self.unit: Unit = unit_named(args.unit, info) or info.unit
        inputs, given = pairs("--set", args.set), pairs("--given", args.given)
        self.bound = bound_of(args)
        self.at_most = args.at_most is not None
        explained = not args.sweep and len(self.axes) == 1 and len(self.axes[0].values) <= _MOST_EXPLAINED
        self.cells = vary(inputs, args.quantity, self.axes, given, unit=self.unit, derived=explained)
        self.also = {name: vary(inputs, quantity_named(name).name, self.axes, given) for name in args.also}
        # The first along the first axis, for each value of the second.
        columns = dict.fromkeys(cell.at[1:] for cell in self.cells)
        found = (
            [
                first_within([cell for cell in self.cells if cell.at[1:] == column], self.bound, at_most=self.at_most)
                for column in columns
            ]
            if self.bound is not None
            else []
        )
        self.firsts = [cell for cell in found if cell is not None]

    @property
    def limit(self) -> str:
        """The bound in words."""
        if self.bound is None:
            return ""
        return f"at {'most' if self.at_most else 'least'} {_spelled(self.bound, self.unit)}"


def _axes(args: argparse.Namespace) -> list[Axis]:
    from solvers.variations import AxisError, axis_of

    texts = [*pairs("--sweep", args.sweep).items(), *pairs("--compare", args.compare).items()]
    if len(texts) > 2:  # noqa: PLR2004 - a table has two edges
        raise AxisError("at most two inputs are varied at once")
    return [axis_of(name, text) for name, text in texts]


def _spelled(value: Quantity, unit: Unit) -> str:
    from solvers.expr.show import show_quantity

    return show_quantity(value, unit)


# -- printing ----------------------------------------------------------------------------------------------------


def _printed(args: argparse.Namespace, table: _Table) -> int:
    if args.json:
        print(json.dumps(_data(table), ensure_ascii=False, indent=2))
        return DONE
    print(strong(f"{table.quantity} over {' and '.join(axis.symbol for axis in table.axes)}"))
    lines = _one_way(table) if len(table.axes) == 1 else _two_ways(table)
    print("\n".join(lines))
    if table.bound is not None and not table.firsts:
        print(f"\nNone of these values is {table.limit}.")
    if args.sweep and not args.no_plot:
        drawn = _drawn(table)
        if drawn:
            print("\n" + "\n".join(drawn))
    told = _why(table)
    if told:
        print("\n" + "\n".join(told))
    return DONE


def _one_way(table: _Table) -> list[str]:
    axis = table.axes[0]
    heads = [axis.symbol, table.quantity, "ratio", *table.also, ""]
    rows: list[list[str]] = []
    notes: list[str] = []
    for at, cell in enumerate(table.cells):
        others = [cells[at].text or "-" for cells in table.also.values()]
        rows.append([cell.at[0], cell.text or "-", _ratio(table, cell), *others])
        notes.append(cell.why or (f"<- first {table.limit}" if cell in table.firsts else ""))
    return _aligned(heads[:-1], rows, notes)


def _two_ways(table: _Table) -> list[str]:
    rows_axis, columns_axis = table.axes
    width = len(columns_axis.values)
    reasons: dict[str, int] = {}
    rows = []
    for at, choice in enumerate(rows_axis.values):
        shown = []
        for cell in table.cells[at * width : (at + 1) * width]:
            mark = "-> " if cell in table.firsts else ""
            shown.append(mark + cell.text if not cell.why else f"({reasons.setdefault(cell.why, len(reasons) + 1)})")
        rows.append([choice.text, *shown])
    heads = [f"{rows_axis.symbol} \\ {columns_axis.symbol}", *(choice.text for choice in columns_axis.values)]
    lines = _aligned(heads, rows, [""] * len(rows))
    if table.firsts:
        lines += ["", f"-> first {table.limit}"]
    return lines + ([""] if reasons else []) + [f"({number}) {why}" for why, number in reasons.items()]


def _aligned(heads: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str]) -> list[str]:
    widths = [max(len(line[at]) for line in (heads, *rows)) for at in range(len(heads))]
    lines = []
    for line, note in zip((heads, *rows), ("", *notes), strict=True):
        cells = [
            f"{line[0]:<{widths[0]}}",
            *(f"{text:>{width}}" for text, width in zip(line[1:], widths[1:], strict=True)),
        ]
        lines.append("  ".join([*cells, note] if note else cells).rstrip())
    return lines


def _base(table: _Table) -> Quantity | None:
    return next((cell.value for cell in table.cells if cell.value is not None), None)


def _ratio(table: _Table, cell: Cell) -> str:
    from solvers.expr.show import show_number

    base = _base(table)
    if cell.value is None or base is None or not base.value:
        return "-"
    return show_number(cell.value.value / base.value)


def _why(table: _Table) -> list[str]:
    """Which terms differ between the rows, and which conventions."""
    from solvers.variations import conventions_apart, differences

    told = [cell for cell in table.cells if cell.derivation is not None]
    found = differences(told, [axis.symbol for axis in table.axes])
    if len(told) < 2 or not found:  # noqa: PLR2004 - one row differs from nothing
        return []
    heads = ["term", *(cell.at[0] for cell in told)]
    rows = [[item.name, *(value or "-" for value in item.values)] for item in found]
    lines = [
        strong("Why they differ"),
        *(
            f"  {line}"
            for line in _aligned(heads, rows, [item.meaning if item.origin != "derived" else "" for item in found])
        ),
    ]
    apart = conventions_apart(told)
    if apart:
        lines += ["", strong("Conventions that differ")]
        lines += [
            f"  {line}" if f"({label})" in line else f"  {label}: {line}" for label, said in apart for line in said
        ]
    return lines


# -- the plot ----------------------------------------------------------------------------------------------------


def _drawn(table: _Table) -> list[str]:
    from quiz.cli.solve_plot import Curve, Picture, bars, plotted

    axis = table.axes[0]
    plain = not _spells_braille()
    width = min(shutil.get_terminal_size((80, 24)).columns, 100)
    if any(choice.number is None for choice in axis.values):
        if len(table.axes) > 1:
            return []
        return bars(
            [(cell.at[0], _scaled(cell, table.unit), cell.text or cell.why) for cell in table.cells], width, plain=plain
        )
    across = {choice.text: float(choice.number or 0) for choice in axis.values}
    names = [choice.text for choice in table.axes[1].values] if len(table.axes) > 1 else [""]
    signs = _PLAIN_SIGNS if plain else _SIGNS
    curves = [
        Curve(
            name,
            signs[at % len(signs)],
            tuple(
                (across[cell.at[0]], value)
                for cell in table.cells
                if (len(cell.at) == 1 or cell.at[1] == name) and (value := _scaled(cell, table.unit)) is not None
            ),
        )
        for at, name in enumerate(names)
    ]
    drawn = plotted(
        Picture(
            tuple(curves),
            tuple((across[choice.text], choice.text) for choice in axis.values),
            lambda value: _of_float(value, table.unit),
            axis.geometric,
            bound=None if table.bound is None else float(table.bound.value / table.unit.factor),
            marked=tuple((across[cell.at[0]], _scaled(cell, table.unit) or 0.0) for cell in table.firsts),
            width=width,
            plain=plain,
        )
    )
    if drawn and len(table.axes) > 1:
        drawn.append("  ".join(f"{curve.sign} {table.axes[1].symbol}={curve.name}" for curve in curves))
    return drawn


def _scaled(cell: Cell, unit: Unit) -> float | None:
    return None if cell.value is None else float(cell.value.value / unit.factor)


def _of_float(value: float, unit: Unit) -> str:
    from fractions import Fraction

    from solvers.expr.evaluate import Quantity

    return _spelled(Quantity(Fraction(f"{value:.3g}") * unit.factor, unit.dimension), unit)


def _spells_braille() -> bool:
    if os.environ.get("TERM") == "dumb" and sys.stdout.isatty():
        return False
    try:
        "⣿┤●".encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


# -- data --------------------------------------------------------------------------------------------------------


def _data(table: _Table) -> dict[str, object]:
    from solvers.derive_text import number_of
    from solvers.variations import conventions_apart, differences

    base = _base(table)
    symbols = [axis.symbol for axis in table.axes]

    def row(at: int, cell: Cell) -> dict[str, object]:
        known = cell.value is not None
        data: dict[str, object] = {
            "at": {axis.symbol: _place(axis, text) for axis, text in zip(table.axes, cell.at, strict=True)},
            "value": number_of(cell.value.value / table.unit.factor) if cell.value is not None else None,
            "text": cell.text,
            "ratio": float(cell.value.value / base.value) if cell.value is not None and base and base.value else None,
            "why": cell.why,
        }
        if table.also:
            data["also"] = {name: _also(cells[at]) for name, cells in table.also.items()}
        if table.bound is not None:
            data["holds"] = known and cell in _within(table)
            data["first"] = cell in table.firsts
        return data

    told = [cell for cell in table.cells if cell.derivation is not None]
    return {
        "quantity": table.quantity,
        "unit": table.unit.name,
        "axes": symbols,
        "bound": {"at": "most" if table.at_most else "least", "text": _spelled(table.bound, table.unit)}
        if table.bound is not None
        else None,
        "rows": [row(at, cell) for at, cell in enumerate(table.cells)],
        "differs": [
            {
                "quantity": item.name,
                "meaning": item.meaning,
                "origin": item.origin,
                "values": _by_label(told, item.values),
            }
            for item in differences(told, symbols)
        ],
        "conventions": [{"at": label, "lines": list(lines)} for label, lines in conventions_apart(told)],
    }


def _place(axis: Axis, text: str) -> object:
    """A value of an axis as data: a number in the unit of its quantity, or the name."""
    from solvers import CATALOGUE
    from solvers.derive_text import number_of

    number = next(choice.number for choice in axis.values if choice.text == text)
    return text if number is None else number_of(number / CATALOGUE[axis.symbol].unit.factor)


def _also(cell: Cell) -> Mapping[str, object]:
    return {"text": cell.text, "why": cell.why}


def _by_label(told: Sequence[Cell], values: Sequence[str]) -> dict[str, str]:
    return {cell.at[0]: value for cell, value in zip(told, values, strict=True)}


def _within(table: _Table) -> list[Cell]:
    bound = table.bound
    return [
        cell
        for cell in table.cells
        if bound is not None
        and cell.value is not None
        and (cell.value.value <= bound.value if table.at_most else cell.value.value >= bound.value)
    ]
