"""A scenario: what is stated, each value with its origin.

Values are expressions, so that a layout may say `layout.dp = cluster.gpus / 8`; names (recipes, GPUs,
models) stand for presets that state several values at once. A scenario is frozen; a patch makes another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from solvers.expr.tree import Expr

Origin: TypeAlias = Literal["stated", "preset", "default", "pinned", "derived"]


@dataclass(frozen=True, slots=True)
class Stated:
    """A value as it was given, and where from; `note` names the preset or the place."""

    expr: Expr
    origin: Origin = "stated"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Scenario(Mapping[str, Stated]):
    """A frozen map from a symbol's name to what is stated of it."""

    entries: Mapping[str, Stated] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Mapping[str, Expr], given: Mapping[str, Expr] | None = None) -> Scenario:
        """State `values`, and pin the derived quantities in `given`."""
        return cls({}).patched(values).pinned(given or {})

    def patched(self, values: Mapping[str, Expr]) -> Scenario:
        """The same with `values` stated instead of what was there."""
        return Scenario({**self.entries, **{name: Stated(expr) for name, expr in values.items()}})

    def pinned(self, values: Mapping[str, Expr]) -> Scenario:
        """The same with derived quantities fixed to `values`."""
        return Scenario({**self.entries, **{name: Stated(expr, "pinned") for name, expr in values.items()}})

    def __getitem__(self, name: str) -> Stated:
        return self.entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)
