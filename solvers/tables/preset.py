"""What a preset is: a name that stands for several stated values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from solvers.record import Record

if TYPE_CHECKING:
    from solvers.expr.tree import Expr
    from solvers.relation import Source


class Preset(Record):
    """A name, what it means, the values that it states, and where they are published."""

    name: str
    meaning: str
    values: Mapping[str, Expr]
    source: Source
    note: str = ""


class Table(Mapping[str, Preset]):
    """Presets by name, each made when it is first asked for: most runs use one of a hundred."""

    def __init__(self, names: Iterable[str], make: Callable[[str], Preset]) -> None:
        self._made: dict[str, Preset | None] = dict.fromkeys(names)
        self._make = make

    def __getitem__(self, name: str) -> Preset:
        found = self._made[name]
        if found is None:
            found = self._made[name] = self._make(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)
