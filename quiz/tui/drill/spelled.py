"""Measured things in words: sizes, times, errors, the names of parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from quiz.drills.records import Row, Shape

_SIZES: Final = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_FIGURES: Final = 4
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


def size(count: float) -> str:
    """Bytes in decimal units, to four figures: `33.57 MB`."""
    for scale, unit in _SIZES:
        if abs(count) >= scale:
            return f"{_figures(count / scale)} {unit}"
    return f"{count:.0f} B"


def amount(value: float | None, unit: str) -> str:
    """A value in its unit; a dash where there is none."""
    if value is None:
        return "–"
    if unit in ("B", "bytes"):
        return size(value)
    return f"{_figures(value)} {unit}".rstrip()


def _figures(value: float) -> str:
    return f"{value:.{_FIGURES}g}" if abs(value) < 10**_FIGURES else f"{value:,.0f}"


def error(value: float | None) -> str:
    """A relative error: `0`, `+1.2 %`, `−48 %`."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    percent = abs(value) * 100
    words = f"{percent:.2g}" if percent < 10 else f"{percent:.0f}"  # noqa: PLR2004 - two figures are enough
    return f"{'+' if value > 0 else '−'}{words} %"


def clock(seconds: float) -> str:
    """Minutes and seconds: `1:05`."""
    whole = max(0, round(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


def model(shape: Shape) -> str:
    """What is trained, by name."""
    return "A small decoder" if shape.name in ("", "small") else shape.name


def told(row: Row, which: str) -> str:
    """What one of `predicted`, `solved`, `fake`, `measured` says in a row of the comparison."""
    choice = getattr(row, f"{which}_choice", None)
    if choice is not None:
        return str(choice)
    value: float | None = getattr(row, which)
    return amount(value, row.unit)
