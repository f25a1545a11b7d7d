"""A scenario: what is stated, each value with its origin.

Values are expressions, so that a layout may say `layout.dp = cluster.gpus / 8`; names (recipes, GPUs,
models) stand for presets that state several values at once. A scenario is frozen; a patch makes another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from solvers.record import Record

if TYPE_CHECKING:
    from solvers.expr.compiled import Bare
    from solvers.expr.tree import Expr
    from solvers.ready import Plan
    from solvers.relation import Relation

Origin: TypeAlias = Literal["stated", "preset", "default", "pinned", "derived"]


class Stated(Record):
    """A value as it was given, and where from; `note` names the preset or the place."""

    expr: Expr
    origin: Origin = "stated"
    note: str = ""


class Prepared:
    """What the first solver of a scenario learns for all others: a value is read once, not once a solver.

    `known` has the entries and those of the presets that they name; `settled` the bare values that depend on nothing
    else and bring no law up, as they are met; `plans` by quantity how it is worked out where this is known, shared by
    all scenarios that state the same names. `worked` has all bare values that follow from the scenario alone, and
    `relations` the relation that gave one of them; `follows` the names that a stated expression reads.
    """

    __slots__ = ("follows", "known", "plans", "relations", "settled", "worked")

    def __init__(
        self, known: Mapping[str, Stated], plans: dict[str, Plan], follows: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.known: Final = known
        self.follows: Final = follows
        self.settled: Final[dict[str, Bare]] = {}
        self.plans: Final = plans
        self.worked: Final[dict[str, Bare]] = {}
        self.relations: Final[dict[str, Relation]] = {}


class Scenario(Mapping[str, Stated]):
    """A frozen map from a symbol's name to what is stated of it.

    `near` is a scenario that differs in little, if any is known; in `differs` alone, where that is known too.
    """

    __slots__ = ("differs", "entries", "near", "prepared")

    def __init__(
        self, entries: Mapping[str, Stated] | None = None, near: Scenario | None = None, differs: Iterable[str] = ()
    ) -> None:
        self.entries: Final[Mapping[str, Stated]] = {} if entries is None else entries
        self.near = near
        self.differs: Final = tuple(differs)
        self.prepared: Prepared | None = None

    @classmethod
    def of(
        cls, values: Mapping[str, Expr], given: Mapping[str, Expr] | None = None, near: Scenario | None = None
    ) -> Scenario:
        """State `values`, and pin the derived quantities in `given`."""
        pinned = {name: Stated(expr, "pinned") for name, expr in (given or {}).items()}
        return cls({**{name: Stated(expr) for name, expr in values.items()}, **pinned}, near)

    def patched(self, values: Mapping[str, Expr]) -> Scenario:
        """The same with `values` stated instead of what was there."""
        return Scenario({**self.entries, **{name: Stated(expr) for name, expr in values.items()}}, self, values)

    def pinned(self, values: Mapping[str, Expr]) -> Scenario:
        """The same with derived quantities fixed to `values`."""
        return Scenario(
            {**self.entries, **{name: Stated(expr, "pinned") for name, expr in values.items()}}, self, values
        )

    def __getitem__(self, name: str) -> Stated:
        return self.entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)
