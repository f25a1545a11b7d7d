"""A bank file as read: plain data, and where in the file each piece of it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from quiz.bank.diagnostics import Diagnostic, Place

if TYPE_CHECKING:
    from collections.abc import Mapping

Path: TypeAlias = tuple[str | int, ...]
Spot: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Site:
    """Where one value stands. `value` and `key` are (line, column) from 1; `key` is None in a list and at the root.

    `style` is how it was written: "" plain, ' or " quoted, | or > block, [ a list, { a mapping. An empty value
    stands where its key stands.
    """

    value: Spot
    key: Spot | None
    style: str


@dataclass(frozen=True, slots=True)
class Document:
    """The data of one file.

    `data` is made of dict (keys are str), list, str, int, Fraction, bool and None, and nothing is shared within it.
    `places` has an entry for every path of `data`, the root's being (). `source` is the text with LF line ends
    and no byte order mark; `warnings` are what a reader can only suspect.
    """

    data: object
    file: str
    source: str = field(repr=False)
    places: Mapping[Path, Site] = field(repr=False, default_factory=lambda: MappingProxyType({}))
    warnings: tuple[Diagnostic, ...] = ()

    def place(self, spot: Spot) -> Place:
        """A (line, column) of this file as a Place."""
        return Place(self.file, *spot)
