"""The one reader of text: strict for banks and `--set`, lenient for what a learner types.

Nothing is ever evaluated as a program: characters become tokens, tokens become nodes of the tree, and
whatever does not fit raises `ReadError` with its place. Length, tokens, depth, digits and exponents are bounded.
"""

from __future__ import annotations

from solvers.expr.reader_answer import Answer, Typed, read_answer
from solvers.expr.reader_limits import AmbiguousError, ReadError, shown
from solvers.expr.reader_numbers import Writing
from solvers.expr.strict import read_strict

__all__ = ["AmbiguousError", "Answer", "ReadError", "Typed", "Writing", "read_answer", "read_strict", "shown"]
