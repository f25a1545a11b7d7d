"""The table of a comparison or a sweep as text, as Markdown and as data, and why its rows differ."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from quiz.cli.solve_parts import strong

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quiz.cli.solve_vary import Table
    from solvers.axes import Axis
    from solvers.variations import Cell


class Grid(NamedTuple):
    """A table in words: heads, rows, a note for each row, lines that stand below."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str]
    below: Sequence[str] = ()


def printed_text(table: Table, plot: Sequence[str]) -> None:
    """Print the table, its plot, and why the rows differ."""
    print(strong(_title(table)))
    grid = _grid(table)
    print("\n".join([*_aligned(grid), *([""] if grid.below else []), *grid.below]))
    if table.limit and not table.unknown and not table.edges:
        print(f"\nNone of these values is {table.limit}.")
    if plot:
        print("\n" + "\n".join(plot))
    why = _why(table)
    if why:
        print("\n" + "\n".join([strong("Why they differ"), *(f"  {line}" for line in _aligned(why))]))
    for head, lines in _said(table).items():
        print("\n" + "\n".join([strong(head), *(f"  {line}" for line in lines)]))


def printed_markdown(table: Table) -> None:
    """Print the table, and why the rows differ, as Markdown."""
    grid = _grid(table)
    blocks = [f"## {_title(table)}", "\n".join(_piped(grid)), *("\n".join(f"- {line}" for line in grid.below if line),)]
    if table.limit and not table.unknown and not table.edges:
        blocks.append(f"None of these values is {table.limit}.")
    why = _why(table)
    if why:
        blocks += ["**Why they differ**", "\n".join(_piped(why))]
    for head, lines in _said(table).items():
        blocks += [f"**{head}**", "\n".join(f"- {line}" for line in lines)]
    print("\n\n".join(block for block in blocks if block))


def _title(table: Table) -> str:
    over = " and ".join(axis.symbol for axis in table.axes)
    if table.unknown:
        return f"{table.unknown} over {over}, so that {table.quantity} is {table.limit}"
    return f"{table.quantity} over {over}"


# -- the rows ----------------------------------------------------------------------------------------------------


def _grid(table: Table) -> Grid:
    return _one_way(table) if len(table.axes) == 1 else _two_ways(table)


def _one_way(table: Table) -> Grid:
    margins = bool(table.bounds)
    named = table.info.is_choice
    heads = [table.axes[0].symbol, table.info.name, *([] if named else ["ratio"]), *(["margin"] if margins else []),
             *table.also]  # fmt: skip
    rows: list[list[str]] = []
    notes: list[str] = []
    for at, cell in enumerate(table.cells):
        others = [cells[at].text or "-" for cells in table.also.values()]
        rows.append([cell.at[0], cell.text or "-", *([] if named else [table.ratio(cell)]),
                     *([_margin(table, cell)] if margins else []), *others])  # fmt: skip
        notes.append(cell.why or (f"<- {table.edges[cell]} {table.limit}" if cell in table.edges else ""))
    return Grid(heads, rows, notes)


def _margin(table: Table, cell: Cell) -> str:
    """What is left to the bound; below zero it is not kept."""
    from solvers.expr.evaluate import Quantity
    from solvers.expr.show import show_quantity

    if cell.value is None or cell.bound is None:
        return "-"
    left = cell.bound.value - cell.value.value
    return show_quantity(Quantity(left if table.at_most else -left, cell.value.dimension), table.unit)


def _two_ways(table: Table) -> Grid:
    rows_axis, columns_axis = table.axes
    width = len(columns_axis.values)
    reasons: dict[str, int] = {}
    rows = []
    for at, choice in enumerate(rows_axis.values):
        shown = []
        for cell in table.cells[at * width : (at + 1) * width]:
            mark = "-> " if cell in table.edges else ""
            shown.append(mark + cell.text if not cell.why else f"({reasons.setdefault(cell.why, len(reasons) + 1)})")
        rows.append([choice.text, *shown])
    heads = [f"{rows_axis.symbol} \\ {columns_axis.symbol}", *(choice.text for choice in columns_axis.values)]
    below = [f"-> {' or '.join(dict.fromkeys(table.edges.values()))} {table.limit}"] if table.edges else []
    below += ([""] if reasons and below else []) + [f"({number}) {why}" for why, number in reasons.items()]
    return Grid(heads, rows, [""] * len(rows), below)


def _aligned(grid: Grid) -> list[str]:
    widths = [max(len(line[at]) for line in (grid.heads, *grid.rows)) for at in range(len(grid.heads))]
    lines = []
    for line, note in zip((grid.heads, *grid.rows), ("", *grid.notes), strict=True):
        cells = [
            f"{line[0]:<{widths[0]}}",
            *(f"{text:>{width}}" for text, width in zip(line[1:], widths[1:], strict=True)),
        ]
        lines.append("  ".join([*cells, note] if note else cells).rstrip())
    return lines


def _piped(grid: Grid) -> list[str]:
    noted = any(grid.notes)
    heads = [*grid.heads, *([""] if noted else [])]
    rows = [[*row, *([note] if noted else [])] for row, note in zip(grid.rows, grid.notes, strict=True)]
    rule = ["---", *("---:" for _ in grid.heads[1:]), *(["---"] if noted else [])]
    escaped = [[text.replace("\\", "\\\\").replace("|", "\\|") for text in line] for line in (heads, *rows)]
    return [f"| {' | '.join(line)} |" for line in (escaped[0], rule, *escaped[1:])]


# -- why they differ ---------------------------------------------------------------------------------------------


def _told(table: Table) -> list[Cell]:
    return [cell for cell in table.cells if cell.derivation is not None]


def _why(table: Table) -> Grid | None:
    """Which terms differ between the rows."""
    from solvers.variations import differences

    told = _told(table)
    found = differences(told, [axis.symbol for axis in table.axes])
    if len(told) < 2 or not found:  # noqa: PLR2004 - one row differs from nothing
        return None
    rows = [[item.name, *(value or "-" for value in item.values)] for item in found]
    notes = [item.meaning if item.origin != "derived" else "" for item in found]
    return Grid(["term", *(cell.at[0] for cell in told)], rows, notes)


def _said(table: Table) -> dict[str, list[str]]:
    """The way of each row in one line, the reasons and the conventions that the rows do not share."""
    from solvers.variations import conventions_apart, differences, reasons_apart

    told = _told(table)
    if len(told) < 2 or not differences(told, [axis.symbol for axis in table.axes]):  # noqa: PLR2004 - nothing differs
        return {}
    ways = [f"{cell.at[0]}: {cell.derivation.short}" for cell in told if cell.derivation is not None]
    reasons = [f"{label}: {reason}." for label, said in reasons_apart(told) for reason in said]
    conventions = [
        line if f"({label})" in line else f"{label}: {line}" for label, said in conventions_apart(told) for line in said
    ]
    heads = {"In one line each": ways, "What each does": reasons, "Conventions that differ": conventions}
    return {head: lines for head, lines in heads.items() if lines}


# -- data --------------------------------------------------------------------------------------------------------


def printed_data(table: Table) -> None:
    """Print the rows, the bound, and what differs as JSON."""
    from solvers.variations import conventions_apart, differences, reasons_apart

    symbols = [axis.symbol for axis in table.axes]
    told = _told(table)
    data = {
        "quantity": table.info.name,
        "unit": table.unit.name,
        "axes": symbols,
        "bound": _bound(table),
        "rows": [_row(table, at, cell) for at, cell in enumerate(table.cells)],
        "differs": [
            {
                "quantity": item.name,
                "meaning": item.meaning,
                "origin": item.origin,
                "values": {cell.at[0]: value for cell, value in zip(told, item.values, strict=True)},
            }
            for item in differences(told, symbols)
        ],
        "ways": {cell.at[0]: cell.derivation.short for cell in told if cell.derivation is not None},
        "reasons": [{"at": label, "lines": list(lines)} for label, lines in reasons_apart(told)],
        "conventions": [{"at": label, "lines": list(lines)} for label, lines in conventions_apart(told)],
    }
    print(json.dumps(data, ensure_ascii=False, indent=2))


def _bound(table: Table) -> Mapping[str, str] | None:
    """The bound: of what, from which side, and its value where it is the same in all rows."""
    if not table.limit:
        return None
    text = table.spelled(table.bounds[0]) if len(table.bounds) == 1 else table.limit.partition(" ")[2].partition(" ")[2]
    return {"at": "most" if table.at_most else "least", "text": text, "of": table.quantity}


def _row(table: Table, at: int, cell: Cell) -> dict[str, object]:
    from solvers.derive_text import number_of
    from solvers.variations import within

    base = table.base
    data: dict[str, object] = {
        "at": {axis.symbol: _place(axis, text) for axis, text in zip(table.axes, cell.at, strict=True)},
        "value": number_of(cell.value.value / table.unit.factor) if cell.value is not None else None,
        "text": cell.text,
        "ratio": float(cell.value.value / base.value) if cell.value is not None and base is not None else None,
        "why": cell.why,
    }
    if table.also:
        data["also"] = {name: {"text": cells[at].text, "why": cells[at].why} for name, cells in table.also.items()}
    if table.limit and not table.unknown:
        left = cell.bound.value - cell.value.value if cell.value is not None and cell.bound is not None else None
        data["margin"] = None if left is None else number_of((left if table.at_most else -left) / table.unit.factor)
        data["holds"] = within(cell, at_most=table.at_most)
        data |= {edge: table.edges.get(cell) == edge for edge in ("first", "last")}
    return data


def _place(axis: Axis, text: str) -> object:
    """A value of an axis as data: a number in the unit of its quantity, or the name."""
    from solvers import CATALOGUE
    from solvers.derive_text import number_of

    number = next(choice.number for choice in axis.values if choice.text == text)
    return text if number is None else number_of(number / CATALOGUE[axis.symbol].unit.factor)
