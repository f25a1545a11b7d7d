"""Who answered what: the table that item statistics are made of, whatever it was read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Cell(NamedTuple):
    """One first answer: 1 where it was right and 0 where not; the option chosen, "" for none or a typed answer."""

    right: int
    option: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """A question as it was asked.

    `options` are those that could be chosen, empty for a typed answer. `key` is the one that was right; empty where it
    is not known, or not the same in every answer (`moved` says so): then nothing is said of single options.
    """

    id: str
    options: tuple[str, ...] = ()
    key: str = ""
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Responses:
    """The table: `cells[item id][learner]`, the learner by place in `people`. Who was not asked has no cell."""

    people: tuple[str, ...]
    items: tuple[Item, ...]
    cells: Mapping[str, Mapping[int, Cell]]

    @property
    def is_complete(self) -> bool:
        """Whether everybody answered everything."""
        return bool(self.people) and all(len(self.cells[item.id]) == len(self.people) for item in self.items)
