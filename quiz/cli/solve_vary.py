"""`solve --compare` and `--sweep`: one quantity over the values of one input or two, as a table, a plot, or data.

With `--for` the cells are the input that reaches the bound instead of the quantity.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from quiz.cli.outcome import DONE, USAGE, Failure
from quiz.cli.solve_parts import bound_of, bound_said, pairs, quantity_named, sought, unit_named
from quiz.cli.solve_told import Reading

if TYPE_CHECKING:
    import argparse

    from solvers.axes import Axis
    from solvers.catalogue import SymbolInfo
    from solvers.expr.evaluate import Quantity
    from solvers.expr.units import Unit
    from solvers.variations import Cell

_MOST_EXPLAINED = 6
"""More rows than that are no longer told apart term by term."""
_SIGNS = "●◆▲■○△"
_PLAIN_SIGNS = "*abcdefgh"


def varied(args: argparse.Namespace) -> int:
    """Print the table of a comparison or a sweep, with its plot or why the rows differ."""
    from quiz.cli.solve_table import printed_data, printed_markdown, printed_text

    unfit = next((said for present, said in (
        (args.unknown is None and args.step != 1,
         "--step goes with --for; for a range write --sweep layout.dp='8..64 step 8'."),
        (args.unknown is not None and args.at_most is None and args.at_least is None,
         f"say how far {args.quantity} may go: add --at-most VALUE or --at-least VALUE."),
        (args.unknown is not None and args.unit is not None,
         "--unit goes with a quantity that is computed; the input is printed in its own unit."),
        (bool(args.also) and len(args.sweep) + len(args.compare) > 1, "--also goes with one varied input only."),
        (args.brief, "--brief is the form of one derivation; leave it out, or add --no-plot."),
    ) if present), None)  # fmt: skip
    if unfit:
        raise Failure(unfit, code=USAGE)
    table = Table(args)
    if args.json:
        printed_data(table)
    elif args.markdown:
        printed_markdown(table)
    else:
        printed_text(table, _drawn(table) if args.sweep and not args.no_plot else [])
    return DONE


class Table:
    """What was asked for, computed.

    `info` is of what stands in the cells: the quantity, or the input that is sought for its bound. `limit` says the
    bound in words, `edges` are the cells where it begins or ends to be kept (first, last), one for each value of the
    second axis.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        from solvers.variations import edge_within, vary, vary_inverse

        reading = Reading()
        asked = reading.part(quantity_named, args.quantity, computed=args.unknown is None)
        unknown = reading.part(sought, args, reading) if args.unknown else None
        unit = reading.part(unit_named, args.unit, asked) if asked else None
        bound = reading.part(bound_of, args) if asked else None
        for name in args.also:
            reading.part(quantity_named, name, computed=True)
        self.axes = _axes(args, reading)
        stated, given = pairs("--set", args.set, reading), pairs("--given", args.given, reading)
        _check_stated(stated, given, reading)
        reading.done()
        assert asked is not None  # noqa: S101 - else the reading is not done
        self.quantity: str = args.quantity
        self.info: SymbolInfo = unknown or asked
        self.unknown: str | None = args.unknown
        self.unit: Unit = unit or self.info.unit
        self.at_most = args.at_most is not None
        self.limit = bound_said(args) if bound is not None else ""
        if unknown is not None and bound is not None:
            self.cells = vary_inverse(stated, unknown.name, self.quantity, bound, self.axes, given,
                                      at_most=self.at_most, step=args.step)  # fmt: skip
            self.edges: dict[Cell, str] = {}
        else:
            explained = not args.sweep and len(self.axes) == 1 and len(self.axes[0].values) <= _MOST_EXPLAINED
            self.cells = vary(stated, self.quantity, self.axes, given, unit=unit, derived=explained, bound=bound)
            columns = dict.fromkeys(cell.at[1:] for cell in self.cells)
            found = (
                edge_within([cell for cell in self.cells if cell.at[1:] == column], at_most=self.at_most)
                for column in columns
            )
            self.edges = dict(edge for edge in found if edge is not None)
        self.also = {name: vary(stated, name, self.axes, given) for name in args.also}

    @property
    def bounds(self) -> tuple[Quantity, ...]:
        """The values that the bound takes over the cells."""
        return tuple(dict.fromkeys(cell.bound for cell in self.cells if cell.bound is not None))

    def spelled(self, value: Quantity) -> str:
        """A value of the quantity in the unit of the table."""
        from solvers.solver import shown

        return shown(value, self.info, self.unit)

    def ratio(self, cell: Cell) -> str:
        """What a cell is of the first that has a value."""
        from solvers.expr.show import show_number

        base = self.base
        return "-" if cell.value is None or base is None else show_number(cell.value.value / base.value)

    @property
    def base(self) -> Quantity | None:
        """The first value, if it is not zero."""
        first = next((cell.value for cell in self.cells if cell.value is not None), None)
        return first if first is not None and first.value else None


def _check_stated(stated: dict[str, str], given: dict[str, str], reading: Reading) -> None:
    """Note what is wrong with each value by itself; what values do together depends on the axes."""
    from solvers import expr_of

    for name, text in {**stated, **given}.items():
        reading.part(expr_of, name, text)


def _axes(args: argparse.Namespace, reading: Reading) -> list[Axis]:
    from solvers.axes import axis_of

    texts = [*pairs("--sweep", args.sweep, reading).items(), *pairs("--compare", args.compare, reading).items()]
    if len(texts) > 2:  # noqa: PLR2004 - a table has two edges
        reading.fault("at most two inputs are varied at once.")
    read = (reading.part(axis_of, name, text) for name, text in texts)
    return [axis for axis in read if axis is not None]


# -- the plot ----------------------------------------------------------------------------------------------------


def _drawn(table: Table) -> list[str]:
    from quiz.cli.solve_plot import Curve, Picture, bars, plotted

    axis = table.axes[0]
    plain = not _spells_braille()
    width = min(shutil.get_terminal_size((80, 24)).columns, 100)
    if not any(cell.value is not None for cell in table.cells):
        return []
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
            lambda value: _of_float(value, table),
            axis.geometric,
            bound=float(table.bounds[0].value / table.unit.factor) if len(table.bounds) == 1 else None,
            marked=tuple((across[cell.at[0]], _scaled(cell, table.unit) or 0.0) for cell in table.edges),
            width=width,
            plain=plain,
        )
    )
    if drawn and len(table.axes) > 1:
        drawn.append("  ".join(f"{curve.sign} {table.axes[1].symbol}={curve.name}" for curve in curves))
    return drawn


def _scaled(cell: Cell, unit: Unit) -> float | None:
    return None if cell.value is None else float(cell.value.value / unit.factor)


def _of_float(value: float, table: Table) -> str:
    from fractions import Fraction

    from solvers.expr.evaluate import Quantity

    return table.spelled(Quantity(Fraction(f"{value:.3g}") * table.unit.factor, table.unit.dimension))


def _spells_braille() -> bool:
    if os.environ.get("TERM") == "dumb" and sys.stdout.isatty():
        return False
    try:
        "⣿┤●".encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
