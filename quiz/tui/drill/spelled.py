"""Measured things in words: sizes, times, errors, the names of parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.drills.sizes import shown, size

__all__ = ["CATEGORIES", "TIERS", "amount", "clock", "error", "model", "size", "told"]

if TYPE_CHECKING:
    from quiz.drills.records import Row, Shape

TIERS: Final = {
    "ranks": "trained on local processes",
    "fake": "true size, fake tensors",
    "oom": "under a memory cap",
}
CATEGORIES: Final = {
    "parameters": ("P", "weights", "█"),
    "gradients": ("G", "gradients", "▓"),
    "optimizer": ("O", "optimizer", "▒"),
    "activations": ("A", "activations", "░"),
    "other": ("+", "buffers", "="),
}
"""A category's letter, the colour's name among the terms of memory, and its fill where there is no colour."""

_MADE_UP: Final = {"": "A small decoder", "small": "A small decoder", "larger": "A larger decoder"}
"""What the models of our own are called; those that are published have names."""


def amount(value: float | None, unit: str) -> str:
    """A value in its unit; a dash where there is none."""
    return "–" if value is None else shown(value, unit)


def error(value: float | None) -> str:
    """A relative error: `0`, `+1.2 %`, `−48 %`; `0.0 %` where it is not quite nothing."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    percent = abs(value) * 100
    if percent < 0.05:  # noqa: PLR2004 - what rounds to nothing has no sign
        return "0.0 %"
    words = f"{percent:.2g}" if percent < 10 else f"{percent:.0f}"  # noqa: PLR2004 - two figures are enough
    return f"{'+' if value > 0 else '−'}{words} %"


def clock(seconds: float) -> str:
    """Minutes and seconds: `1:05`."""
    whole = max(0, round(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


def model(shape: Shape) -> str:
    """What is trained, by name."""
    return _MADE_UP.get(shape.name, shape.name)


def told(row: Row, which: str) -> str:
    """What one of `predicted`, `solved`, `fake`, `measured` says in a row of the comparison."""
    choice = getattr(row, f"{which}_choice", None)
    if choice is not None:
        return str(choice)
    value: float | None = getattr(row, which)
    return amount(value, row.unit)
