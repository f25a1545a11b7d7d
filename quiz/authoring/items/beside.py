"""Item figures in one short line a question, to stand beside its source: in the lint, in an editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from quiz.authoring.items.figures import Figures, ItemFigures

_NONE = "–"


class Answered(Record):
    """How a class answered the questions of a bank: of each its figures, its file and the line of its id."""

    learners: int
    items: tuple[tuple[ItemFigures, str, int], ...]


def answered(figures: Figures, folder: Path, files: Mapping[str, str]) -> Answered:
    """The figures of the questions whose files are named, where somebody answered."""
    return Answered(
        figures.n,
        tuple(
            (item, files[item.id], _line_of_id(folder / files[item.id]))
            for item in figures.items
            if item.n and item.id in files
        ),
    )


def _line_of_id(path: Path) -> int:
    """The line on which a question's file states its id."""
    with path.open("rb") as file:
        return next((number for number, line in enumerate(file, start=1) if line.startswith(b"id:")), 1)


def lines_of(figures: Figures) -> Mapping[str, str]:
    """By question id: `n 42, right 61 %, r 0.34, D 0.45`, then what is advised."""
    return {item.id: line_of(item) for item in figures.items if item.n}


def line_of(item: ItemFigures) -> str:
    """One item in a line."""
    parts = [
        f"n {item.n}",
        f"right {percent(item.difficulty)}",
        f"r {decimal(item.correlation)}",
        f"D {decimal(item.discrimination)}",
    ]
    return "; ".join([", ".join(parts), *item.advice])


def percent(share: float | None) -> str:
    """A share as a whole percentage; a dash where it is not defined."""
    return _NONE if share is None else f"{share:.0%}".replace("%", " %")


def decimal(value: float | None, digits: int = 2) -> str:
    """A figure with its decimals; a dash where it is not defined."""
    return _NONE if value is None else f"{value:.{digits}f}".replace("-", "−")
