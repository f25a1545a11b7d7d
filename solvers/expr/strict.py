"""Reading an expression of a bank or a shell. What a learner's answer needs besides is not loaded for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvers.expr.declared import FIELD
from solvers.expr.reader_grammar import parse
from solvers.expr.reader_limits import ReadError
from solvers.expr.reader_strict import strict_tokens
from solvers.expr.units import UNITS

if TYPE_CHECKING:
    from solvers.expr.declared import Units
    from solvers.expr.tree import Expr

__all__ = ["ReadError", "read_strict"]


def read_strict(text: str, units: Units = FIELD) -> Expr:
    """Read an expression of a bank: `min(model.layers, 80) * 15 GB <= cluster.capacity_per_gpu and layout.pp > 1`.

    Names are dotted and stay unresolved; quoted words, `true` and `false` are names of choices. `units` are those that
    may stand behind a number.
    Raises `ReadError`.
    """
    return parse(text, strict_tokens(text, UNITS if units is FIELD else units.table), lenient=False)
