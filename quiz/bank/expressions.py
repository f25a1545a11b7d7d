"""Expressions of a bank, each read once: the form checks them, and every option and variant reads the same few."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from solvers.expr.declared import FIELD, Units
from solvers.expr.strict import read_strict
from solvers.expr.tree import symbols

if TYPE_CHECKING:
    from solvers.expr.tree import Expr


@lru_cache(maxsize=4096)
def parsed(text: str, units: Units = FIELD) -> Expr:
    """An expression as a tree, which does not change; `units` may stand in it. Raises `ReadError`."""
    return read_strict(text, units)


@lru_cache(maxsize=4096)
def names_in(text: str, units: Units = FIELD) -> tuple[str, ...]:
    """The names in an expression, each once. Raises `ReadError`."""
    return symbols(parsed(text, units))
