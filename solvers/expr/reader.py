"""The one reader of text: strict for banks and `--set`, lenient for what a learner types.

Nothing is ever evaluated as a program: characters become tokens, tokens become nodes of the tree, and
whatever does not fit raises `ReadError` with its place. Length, tokens, depth, digits and exponents are bounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvers.expr.declared import FIELD
from solvers.expr.reader_answer import Answer, Typed, read_answer
from solvers.expr.reader_grammar import parse
from solvers.expr.reader_limits import AmbiguousError, ReadError, shown
from solvers.expr.reader_numbers import Writing
from solvers.expr.reader_strict import strict_tokens
from solvers.expr.units import UNITS

if TYPE_CHECKING:
    from solvers.expr.declared import Units
    from solvers.expr.tree import Expr

__all__ = ["AmbiguousError", "Answer", "ReadError", "Typed", "Writing", "read_answer", "read_strict", "shown"]


def read_strict(text: str, units: Units = FIELD) -> Expr:
    """Read an expression of a bank: `min(model.layers, 80) * 15 GB <= cluster.capacity_per_gpu and layout.pp > 1`.

    Names are dotted and stay unresolved; quoted words, `true` and `false` are names of choices. `units` are those that
    may stand behind a number.
    Raises `ReadError`.
    """
    return parse(text, strict_tokens(text, UNITS if units is FIELD else units.table), lenient=False)
