"""Expressions of a bank, each read once: the form checks them, and every option and variant reads the same few."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from solvers.expr.declared import FIELD, Units
from solvers.expr.reader import read_strict

if TYPE_CHECKING:
    from solvers.expr.tree import Expr


@lru_cache(maxsize=4096)
def parsed(text: str, units: Units = FIELD) -> Expr:
    """An expression as a tree, which does not change; `units` may stand in it. Raises `ReadError`."""
    return read_strict(text, units)
