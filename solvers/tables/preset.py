"""What a preset is: a name that stands for several stated values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solvers.expr.tree import Expr
    from solvers.relation import Source


@dataclass(frozen=True, slots=True)
class Preset:
    """A name, what it means, the values that it states, and where they are published."""

    name: str
    meaning: str
    values: Mapping[str, Expr]
    source: Source
    note: str = ""
