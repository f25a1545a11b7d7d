"""Measured numbers as a person reads them."""

from __future__ import annotations


def size(value: float) -> str:
    """Bytes as a person reads them: 34.2 MB, 141.1 GB."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if abs(value) >= factor:
            return f"{value / factor:,.4g} {unit}"
    return f"{value:,.0f} B"


def shown(value: float, unit: str) -> str:
    """A measured number with its unit as a person reads it."""
    if unit == "B":
        return size(value)
    if unit == "s":
        return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"
    return f"{value:.4g}"
